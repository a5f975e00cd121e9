"""Reads golden cases: those of this folder, or of a file of the same form given by --golden-file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from yaml import load

try:
    from yaml import CSafeLoader as SafeLoader  # ten times faster
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

if TYPE_CHECKING:
    import pytest

HERE = Path(__file__).parent / "cases"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each case."""
    if "case" not in metafunc.fixturenames:
        return
    given = metafunc.config.getoption("--golden-file")
    files = [Path(given)] if given else sorted(HERE.glob("*.yaml"))
    cases = [case for file in files for case in load(file.read_text(encoding="utf-8"), SafeLoader)["cases"]]
    metafunc.parametrize("case", cases, ids=[str(case["id"]) for case in cases])
