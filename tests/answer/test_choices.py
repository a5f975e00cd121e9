"""Choices: the taken branch computes and inverts, an open choice is asked for."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, choice, formula, given, limit, select, solve
from flopsheet.errors import OverdeterminedError, QuestionError, UnderdeterminedError


class Precise(Sheet):
    """Memory of weights in one of two precisions."""

    precision = choice("bf16", "fp8", doc="Precision of the weights")
    layout = choice("dense", "padded", doc="Padding", default="dense")
    params = given("Parameters", "param", example=10)
    two = given("bf16 bytes", "byte/param", default=2, source="ours")
    one = given("fp8 bytes", "byte/param", default=1, source="ours")
    pad = given("Padding", default=1.5, source="ours")
    bytes_each = formula(select(precision, bf16=two, fp8=one), "byte/param", "Bytes of a weight")
    memory = formula(select(layout, dense=params * bytes_each, padded=params * bytes_each * pad), "GB", "Weights")
    small = limit(memory <= params * two, "Not more than bf16 takes")


SHEET = Precise()


@pytest.mark.parametrize(("options", "size"), [("bf16", 2), ("fp8", 1)])
def test_the_taken_branch_computes(options: str, size: int) -> None:
    answer = solve(SHEET, "memory", [f"precision = {options}", "params = 7e10"])
    assert answer.cells["memory"].si == size * 7 * 10**10
    assert "select" not in answer.derivation().partition("## Steps")[2].partition("## Assumptions")[0]


def test_the_taken_branch_inverts() -> None:
    answer = solve(SHEET, "params", ["precision = fp8", "layout = padded", "memory <= 80 GB"])
    assert answer.cells["params"].si == pytest.approx(80e9 / 1.5)
    assert str(answer.closed_form) == "80 GB/(bytes_each*pad)"


@pytest.mark.parametrize("unknown", ["memory", "params"])
def test_an_open_choice_is_asked_for(unknown: str) -> None:
    where = ["params = 7e10"] if unknown == "memory" else ["memory = 80 GB"]
    with pytest.raises(UnderdeterminedError, match=r"'precision' is not given\. Add 'precision = bf16'"):
        solve(SHEET, unknown, where)


def test_without_unknown_what_an_open_choice_decides_is_left_out() -> None:
    answer = solve(SHEET, (), ["params = 7e10"])
    assert "memory" not in answer.cells
    assert any("'precision' is not given" in warning for warning in answer.warnings)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(QuestionError, match="Did you mean 'fp8'"):
        solve(SHEET, (), ["precision = fp88"])
    with pytest.raises(OverdeterminedError, match="already given as bf16"):
        solve(SHEET, (), ["precision = bf16", "precision = fp8"])
