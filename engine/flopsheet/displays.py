"""Notebook displays of objects: pages are rendered by a room above theirs, so it is imported late, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from flopsheet.session import fresh

_ROOMS: list[str] = []


def register(room: str) -> None:
    """Let a package display objects: its `DISPLAYS` names the module of each function that makes a form."""
    if room not in _ROOMS:
        _ROOMS.append(room)


@fresh
def display(form: str, *args: object) -> Any:
    """Return a form of an object, such as `sheet_page` of a sheet.

    Raises:
        LookupError: no registered package makes this form.
    """
    for room in _ROOMS:
        modules: dict[str, str] = import_module(room).DISPLAYS
        if form in modules:
            return getattr(import_module(modules[form]), form)(*args)
    raise LookupError(f"nothing displays {form}")
