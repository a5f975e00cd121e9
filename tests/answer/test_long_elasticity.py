"""Elasticities of an unknown on which each formula of a long chain rests, which one relation at its end bounds."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import parse_sheet

STEPS = 90
CHAIN = """sheet: chain
title: Levels of a long chain.
cells:
  start: {}
  rise: {}
  rate: {}
  loss: {}
  level_0: {formula: start*exp(rate)*rise/loss}
"""
CHAIN += "".join(f"  level_{at}: {{formula: level_{at - 1} + rise + level_0}}\n" for at in range(1, STEPS + 1))


def asked(limit: str) -> dict[str, float]:
    given = ["rise = 0.3", "rate = 0.7", "loss = 0.6", f"level_{STEPS} <= {limit}"]
    return solve(parse_sheet(CHAIN, "chain"), "start", given).elasticities("start")


def test_a_long_chain_has_elasticities() -> None:
    share = 100 / (100 - 0.3 * STEPS)
    assert asked("100") == pytest.approx({"100": share, "rise": -share, "loss": 1, "rate": -0.7}, rel=1e-11)


def test_other_numbers_have_other_elasticities() -> None:
    first, second = asked("100"), asked("50")
    assert abs(second["rise"]) > abs(first["rise"]) > 1
    assert asked("100") == first


def test_what_floats_leave_does_not_show() -> None:
    assert asked("100")["loss"] == 1
