"""Which results are taken for golden values."""

from __future__ import annotations

from typing import Any

import pytest
from tests.golden.adapters import Probe
from tests.golden.compare import band, is_same

PLAIN = Probe("x")
BANDS = [
    ({"class": "closed_form", "tolerance": "15 %"}, PLAIN, None),
    ({"class": "inverse"}, PLAIN, None),
    ({"class": "inverse", "tolerance": "peer_model"}, Probe("x", band=0.1), 0.1),
    ({"class": "peer_model", "tolerance": "15 %"}, PLAIN, 0.15),
    ({"class": "peer_model", "tolerance": "15 %"}, Probe("x", band=1e-9), 1e-9),
    ({"class": "peer_model", "tolerance": "y exact; x 2 %"}, PLAIN, 0.02),
    ({"class": "peer_model", "tolerance": "x exact; y 2 %"}, PLAIN, 1e-9),
]
VALUES = [
    (1.0 + 1e-10, 1.0, None, True),
    (1.0 + 1e-8, 1.0, None, False),
    (17, 17, None, True),
    (17.0000000001, 17, None, False),
    (17.1, 17, 0.01, True),
    (110.0, 100.0, 0.15, True),
    (120.0, 100.0, 0.15, False),
    (None, None, None, True),
    (None, 1.0, None, False),
    ("compute", "memory", None, False),
]


@pytest.mark.parametrize(("stated", "probe", "allowed"), BANDS)
def test_band(stated: dict[str, Any], probe: Probe, allowed: float | None) -> None:
    assert band({"id": "P1", **stated}, "x", probe) == allowed


def test_a_band_that_is_not_stated_is_asked_of_the_adapter() -> None:
    with pytest.raises(AssertionError, match="no band in 'memory 3 %, time if measured'"):
        band({"id": "P1", "class": "peer_model", "tolerance": "memory 3 %, time if measured"}, "x", PLAIN)


@pytest.mark.parametrize(("computed", "expected", "allowed", "same"), VALUES)
def test_is_same(computed: Any, expected: Any, allowed: float | None, same: bool) -> None:
    assert is_same(computed, expected, PLAIN, allowed) is same


def test_a_rounded_value_is_compared_to_its_digits() -> None:
    assert is_same(36.1649, 36.16, Probe("x", digits=2), None)
    assert not is_same(36.166, 36.16, Probe("x", digits=2), None)
