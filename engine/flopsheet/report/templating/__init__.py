"""Templates of all packs, rendered in the form that their suffix names, with its escaping and its filters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jinja2 import BaseLoader, Environment, TemplateNotFound, pass_context
from jinja2 import TemplateError as JinjaError
from markupsafe import Markup

from flopsheet.errors import FlopsheetError, TemplateError, suggest
from flopsheet.registry.packs import Pack, packs
from flopsheet.report.forms import FORMATS, TextForm
from flopsheet.report.templating.budget import SHORT, checked, counted_text, spend, written
from flopsheet.report.templating.sandbox import Sandbox
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from jinja2.runtime import Context


SUFFIX = ".j2"
LARGEST, SEARCH = 200_000, 500  # bytes of a template; steps charged for a search through all folders


class PackLoader(BaseLoader):
    """Loads `NAME` from the last pack that has it, `PACK/NAME` from that pack: so a page can extend its namesake."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:  # noqa: ARG002  # the overridden signature
        """Return text and place of a template, and a function that says whether it is up to date.

        Raises:
            TemplateNotFound: there is none of this name.
            TemplateError: it cannot be read.
        """
        place = _place(template)
        if place is None:
            raise TemplateNotFound(template)
        pack, file = place
        before = _changes(template)
        try:
            if file.stat().st_size > LARGEST:
                raise TemplateError(pack.shown(file), f"It has more than {LARGEST:,} bytes.", "Make it smaller.")
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TemplateError(pack.shown(file), f"It cannot be read: {error}.", "Write it as UTF-8.") from None
        return text, str(file), lambda: _changes(template) == before


def _place(name: str) -> tuple[Pack, Path] | None:
    spend(SEARCH)
    owner, _, inner = name.rpartition("/")
    for pack in reversed(packs()) if inner.endswith(SUFFIX) else ():
        file = pack.file("templates", inner) if owner in ("", pack.name) else None
        if file is not None:
            return pack, file
    return None


def _changes(name: str) -> list[int]:
    """Return the modification time of the file of this name in each pack; 0 where a pack has none."""
    spend(SEARCH)
    inner = name.rpartition("/")[2]
    times = []
    for pack in packs():
        file = os.path.join(pack.folder, "templates", inner)  # noqa: PTH118  # called often
        try:
            times.append(os.stat(file).st_mtime_ns)  # noqa: PTH116  # the same
        except (OSError, ValueError):
            times.append(0)
    return times


@cached(maxsize=16)
def environment(form_name: str) -> Sandbox:
    """Return the environment of a form over the template folders of all packs."""
    form = FORMATS[form_name].form
    sandbox = Sandbox(loader=PackLoader(), autoescape=form.automatic, finalize=_finalizer(form))
    for name, function in {"e": form.escape, "escape": form.escape, **form.filters}.items():
        sandbox.filters[name] = _marking(function) if form.automatic else _checking(function)
    sandbox.tests["web"] = lambda url: str(url).startswith(("https://", "http://"))
    return sandbox


def _marking(function: Callable[..., str]) -> Callable[[object], Markup]:
    """Return a filter whose result is markup, and which leaves markup as it is."""

    def marked(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(function(checked(value)))  # noqa: S704  # it escapes

    return marked


def _checking(function: Callable[..., str]) -> Callable[[object], str]:
    """Return a filter that checks the size of its argument and of its result."""

    def filtered(value: object) -> str:
        if isinstance(value, str) and len(value) < SHORT:
            return function(value)
        return str(checked(function(checked(value))))

    return filtered


def _finalizer(form: TextForm) -> Callable[[Context, object], object]:
    if not form.automatic:
        return counted_text
    markup = _marking(form.escape)
    return pass_context(lambda context, value: counted_text(context, markup(value)))


def templates(form: str = "markdown") -> list[str]:
    """Return the names of all templates of a form."""
    return [name for name, kind, _ in listing() if kind == form]


def listing() -> list[tuple[str, str, Pack]]:
    """Return name, form and pack of every template, sorted by name."""
    owners = {file.name: pack for pack in packs() for file in pack.files("templates", f"*{SUFFIX}")}  # the last one's
    rows = [
        (file.removesuffix(form.suffix), name, pack)
        for file, pack in owners.items()
        for name, form in FORMATS.items()
        if file.endswith(form.suffix)
    ]
    return sorted(rows, key=lambda row: row[:2])


def render(name: str, form: str = "markdown", /, **context: object) -> str:
    """Return a rendered template, by its name without suffix, in the form `markdown`, `html` or `latex`.

    Raises:
        TemplateError: there is no such template, or it fails; the message names its line.
    """
    file = name + FORMATS[form].suffix
    try:
        return written(environment(form).get_template(file), context)
    except FlopsheetError:
        raise
    except TemplateNotFound as error:
        raise _missing(name, form, str(error.name), error) from None
    except RecursionError:
        raise TemplateError(f"template '{name}'", "It calls or includes itself endlessly.", "End the cycle.") from None
    except JinjaError as error:
        problem = f"It cannot be rendered: {error.message}.".replace("?.", "?")
        raise TemplateError(_where(name, error), problem) from None
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        raise TemplateError(_where(name, error), f"It cannot be rendered: {error}.") from None


def _missing(name: str, form: str, wanted: str, error: TemplateNotFound) -> TemplateError:
    inner = wanted.removesuffix(FORMATS[form].suffix)
    where = "template" if wanted == name + FORMATS[form].suffix else _where(name, error)
    fix = suggest(inner, templates(form)) or f"Known: {', '.join(templates(form))}."
    return TemplateError(where, f"There is no template '{inner[:60]}' for {form}.", fix)


def _where(name: str, error: Exception) -> str:
    line, file = getattr(error, "lineno", None) or 0, getattr(error, "name", None)
    trace: TracebackType | None = error.__traceback__
    while trace is not None:  # jinja marks the frames of a template, and numbers them by its lines
        if "__jinja_exception__" in trace.tb_frame.f_globals:
            line, file = trace.tb_lineno, str(trace.tb_frame.f_globals["__file__"])
        trace = trace.tb_next
    shown = name if file in (None, "<template>", "<unknown>") else str(file).replace("\\", "/").rpartition("/")[2]
    return f"template '{shown}'" + (f", line {line}" if line else "")
