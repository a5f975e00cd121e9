"""Reads golden cases: those of this folder, or of a file of the same form given by --golden-file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.golden.forms import read_cases

if TYPE_CHECKING:
    import pytest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each case."""
    if "case" not in metafunc.fixturenames:
        return
    cases = read_cases(metafunc.config.getoption("--golden-file"))
    metafunc.parametrize("case", cases, ids=[str(case["id"]) for case in cases])
