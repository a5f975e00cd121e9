"""Formats of pages: a module each, which says how texts are escaped and how formulas are written.

A new format is a module with a `FORM`, its back-end for formulas, and a row in `FORMATS`; the command line, the
templates and their documentation follow the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Format(NamedTuple):
    """A format of pages."""

    ending: str  # the ending of the names of its files; its templates add `.j2`
    module: str  # the module whose `FORM` says how it is written, imported when it is needed

    @property
    def suffix(self) -> str:
        """The ending of the names of its templates."""
        return f"{self.ending}.j2"

    @property
    def form(self) -> TextForm:
        """How it is written."""
        form: TextForm = import_module(self.module).FORM
        return form


@dataclass(frozen=True)
class TextForm:
    """How templates write a format."""

    escape: Callable[[object], str]  # the filters `e` and `escape`
    filters: Mapping[str, Callable[..., str]] = field(default_factory=dict)  # further filters; they return markup
    automatic: bool = True  # whether texts are escaped unless a filter has returned them as markup


FORMATS = {
    "markdown": Format(".md", "flopsheet.report.forms.markdown"),
    "html": Format(".html", "flopsheet.report.forms.html"),
    "latex": Format(".tex", "flopsheet.report.forms.latex"),
    "text": Format(".txt", "flopsheet.report.forms.text"),
}
