"""Finds templates in the folders of all packs: those of later packs take the place of those of earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import BaseLoader, TemplateNotFound

from flopsheet.errors import TemplateError
from flopsheet.registry.packs import packs
from flopsheet.render.budget import spend

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jinja2 import Environment

    from flopsheet.registry.packs import Pack

LARGEST, SEARCH = 200_000, 500  # bytes of a template; steps that it costs to look into all folders


class PackLoader(BaseLoader):
    """Loads `NAME` from the last pack that has it, and `PACK/NAME` from this pack: so a page can extend its like."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:  # noqa: ARG002  # the overridden signature
        """Return text and place of a template.

        Raises:
            TemplateNotFound: there is none of this name.
            TemplateError: it cannot be read.
        """
        found = _found(template)
        if found is None:
            raise TemplateNotFound(template)
        pack, file = found
        try:
            if file.stat().st_size > LARGEST:
                raise TemplateError(pack.shown(file), f"It has more than {LARGEST:,} bytes.", "Make it smaller.")
            changed, text = file.stat().st_mtime_ns, file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TemplateError(pack.shown(file), f"It cannot be read: {error}.", "Write it as UTF-8.") from None
        return text, str(file), lambda: _found(template) == found and file.stat().st_mtime_ns == changed

    def list_templates(self) -> list[str]:
        """Return the names of all templates, with their suffix."""
        return sorted(places())


def places() -> dict[str, Pack]:
    """Return the templates by name, with their suffix, each with the pack that it comes from."""
    return {file.name: pack for pack in packs() for file in pack.files("templates", "*.j2")}


def _found(name: str) -> tuple[Pack, Path] | None:
    spend(SEARCH)
    owner, _, inner = name.rpartition("/")
    for pack in reversed(packs()):
        for file in pack.files("templates", "*.j2"):
            if file.name == inner and owner in ("", pack.name):
                return pack, file
    return None
