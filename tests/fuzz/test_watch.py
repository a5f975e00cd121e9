"""The watch sees what it looks for."""

from __future__ import annotations

import pytest
from tests.fuzz.watch import failures

from flopsheet.errors import FlopsheetError


def _fail(kind: str) -> None:
    if kind == "ours":
        raise FlopsheetError("here", "It is wrong.")
    if kind == "foreign":
        raise KeyError(kind)
    if kind == "slow":
        while True:
            pass
    if kind == "large":
        bytearray(600_000_000)[::4096] = b"x" * len(range(0, 600_000_000, 4096))


@pytest.mark.slow
def test_a_large_call_is_seen_after_one_as_large() -> None:
    _fail("large")
    assert failures(_fail, ["large"]) == ["'large': over 500,000 kB"]


@pytest.mark.slow
def test_foreign_slow_and_large_calls_are_seen() -> None:
    found = failures(_fail, ["ours", "fine", "foreign", "slow", "large"], seconds=0.5)
    assert found == ["'foreign': KeyError: 'foreign'", "'slow': over 1 s", "'large': over 500,000 kB"]
