"""Finds templates in the folders of all packs: those of later packs take the place of those of earlier ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from jinja2 import BaseLoader, TemplateNotFound

from flopsheet.errors import TemplateError
from flopsheet.registry.packs import packs
from flopsheet.report.templating.budget import spend

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jinja2 import Environment

    from flopsheet.registry.packs import Pack

SUFFIX = ".j2"
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
        before = _changes(template)
        try:
            if file.stat().st_size > LARGEST:
                raise TemplateError(pack.shown(file), f"It has more than {LARGEST:,} bytes.", "Make it smaller.")
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise TemplateError(pack.shown(file), f"It cannot be read: {error}.", "Write it as UTF-8.") from None
        return text, str(file), lambda: _changes(template) == before

    def list_templates(self) -> list[str]:
        """Return the names of all templates, with their suffix."""
        return sorted(places())


def places() -> dict[str, Pack]:
    """Return the templates by name, with their suffix, each with the pack that it comes from."""
    return {file.name: pack for pack in packs() for file in pack.files("templates", f"*{SUFFIX}")}


def _found(name: str) -> tuple[Pack, Path] | None:
    spend(SEARCH)
    owner, _, inner = name.rpartition("/")
    for pack in reversed(packs()) if inner.endswith(SUFFIX) else ():
        file = pack.file("templates", inner) if owner in ("", pack.name) else None
        if file is not None:
            return pack, file
    return None


def _changes(name: str) -> list[int]:
    """Return when the files of this name changed that packs hold; 0 where one holds none."""
    spend(SEARCH)
    inner = name.rpartition("/")[2]
    return [_changed(os.path.join(pack.folder, "templates", inner)) for pack in packs()]  # noqa: PTH118  # asked often


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns  # noqa: PTH116  # the same
    except (OSError, ValueError):
        return 0
