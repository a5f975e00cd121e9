"""A folder of one's own: no packs but the built-in ones and those that a test makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.conftest import run

from flopsheet.registry import packs as module
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["run"]  # the fixture


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Stand in an empty folder, with packs of the user beside it."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(module, "_named", [])
    monkeypatch.setattr(module, "_user_folder", lambda: tmp_path / "config")
    SESSION.drop_files()
    yield folder
    SESSION.drop_files()
