"""Stored texts and pictures that cannot drift from what makes them; `--update` rewrites them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def compare(stored: Path, made: str | bytes, request: pytest.FixtureRequest) -> None:
    """Check that a stored file is what is made now, or rewrite it."""
    content = made.encode() if isinstance(made, str) else made
    if request.config.getoption("--update"):
        stored.write_bytes(content)
    if isinstance(made, str):
        assert stored.read_text(encoding="utf-8") == made
    assert stored.read_bytes() == content
