"""Runs the command line as a person does."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from flopsheet.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Call the command with arguments; return exit code, output and errors."""

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.delenv("COLUMNS", raising=False)  # pytest-xdist sets it
        monkeypatch.setattr(sys, "argv", ["flopsheet", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return int(stop.value.code or 0), printed.out, printed.err

    return call
