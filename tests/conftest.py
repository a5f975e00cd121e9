"""Options of the whole suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--golden-file", default="", help="run the golden adapters over this file instead of our own")
    parser.addoption("--update", action="store_true", help="rewrite stored texts and rendered questions")
