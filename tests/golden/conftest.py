"""Reads golden cases: those of this folder, or of a file of the same form given by --golden-file."""

from __future__ import annotations

import pytest
from tests.golden.forms import read_cases

LONGEST = ("P24-aiconfigurator-qwen3-32b-fp8-h200",)  # to answer: the slow suite asks these


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each case."""
    if "case" not in metafunc.fixturenames:
        return
    given = metafunc.config.getoption("--golden-file")
    longest = () if given else LONGEST
    rows = [
        pytest.param(case, id=str(case["id"]), marks=[pytest.mark.slow] if case["id"] in longest else [])
        for case in read_cases(given)
    ]
    metafunc.parametrize("case", rows)
