"""Stored texts and pictures that cannot drift from what makes them; `--update` rewrites them. And stored cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # each worker reads all cases, and Python takes seconds for it


def read_yaml(file: Path) -> Any:
    """Return the content of a YAML file."""
    return yaml.load(file.read_text(encoding="utf-8"), _LOADER)  # noqa: S506  # a safe loader


def compare(stored: Path, made: str | bytes, request: pytest.FixtureRequest) -> None:
    """Check that a stored file is what is made now, or rewrite it."""
    content = made.encode() if isinstance(made, str) else made
    if request.config.getoption("--update"):
        stored.write_bytes(content)
    if isinstance(made, str):
        assert stored.read_text(encoding="utf-8") == made
    assert stored.read_bytes() == content
