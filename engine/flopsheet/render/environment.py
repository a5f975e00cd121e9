"""Runs templates in jinja2's sandbox: no access to Python's insides, no silent blanks, bounded arithmetic."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateNotFound, UndefinedError
from jinja2 import TemplateError as JinjaError
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from flopsheet.errors import TemplateError, suggest
from flopsheet.registry.packs import packs

SUFFIX = ".md.j2"
# What Markdown would read as markup: some signs anywhere, others only before a tag or at the edge of a word or line.
_MARKUP = re.compile(r"[\\`*|$\[\]]|<(?=[A-Za-z/!?])|\b_|_\b|^[#>+-]|&(?=#?\w+;)")
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s)")


class Sandbox(ImmutableSandboxedEnvironment):
    """A sandbox that also refuses `**` and `*`, with which a template could make numbers and texts without end."""

    intercepted_binops = frozenset(("**", "*"))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:  # noqa: ARG002  # overridden
        """Refuse the operator."""
        raise SecurityError(f"the operator {operator} is not allowed in templates")


def escaped(text: str) -> str:
    """Return a text so that Markdown prints it as it is, on one line."""
    line = _MARKUP.sub(lambda sign: f"\\{sign[0]}", " ".join(str(text).split()))
    return _NUMBERED.sub(r"\1\\\2", line)


@cache
def environment() -> Sandbox:
    """Return the environment over the template folders of all packs."""
    folders = [str(pack.folder / "templates") for pack in packs()]
    made = Sandbox(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown, not HTML: texts pass through the filter `md`
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["md"] = escaped
    return made


def templates() -> list[str]:
    """Return the names of all templates."""
    return sorted(name.removesuffix(SUFFIX) for name in environment().list_templates() if name.endswith(SUFFIX))


def render(name: str, **context: Any) -> str:
    """Return a template filled in.

    Raises:
        TemplateError: there is no such template, or it fails; the message names its line.
    """
    try:
        return environment().get_template(name + SUFFIX).render(**context)
    except TemplateNotFound:
        fix = suggest(name, templates()) or f"Known: {', '.join(templates())}."
        raise TemplateError("template", f"There is no template '{name[:60]}'.", fix) from None
    except (JinjaError, SecurityError, UndefinedError) as error:
        line = getattr(error, "lineno", None)
        where = f"template '{name}'" + (f", line {line}" if line else "")
        raise TemplateError(where, f"It cannot be rendered: {error.message}.") from None
