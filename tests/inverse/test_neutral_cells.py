"""Cells of 0 or 1 decide branches before these are taken apart, and a term of a max that never wins is left out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from flopsheet import Sheet, formula, given, log, max_, min_, solve
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.preimage import Preimage

EXPERTS = 40  # more branches than are tried


RATE, ZERO, SHARE = map(symbol, ("rate", "zero", "share"))


def _sheet(body: Any) -> Sheet:
    class Step(Sheet):
        """A step of several parts."""

        rate = given("Rate", example=2, minimum=0)
        zero = given("Experts", default=0, minimum=0)
        share = given("Layers left for the last stage", default=1)
        time = formula(body, "", "Time")

    return Step()


def test_parts_that_are_zero_have_no_branches() -> None:
    parts = [max_(ZERO / RATE, ZERO * number) for number in range(1, EXPERTS)]
    answer = solve(_sheet(sum(parts, max_(2, 6 / RATE))), "rate", ["time = 3"])
    assert answer.value == 2
    assert "search" not in answer.steps[0].how.words


@pytest.mark.parametrize(
    ("body", "level", "text"),
    [
        (max_(3, ZERO / RATE), 3, "> 0"),
        (max_(RATE - 5, RATE - 4) + ZERO * log(RATE - 1), 0, "4"),
        (max_(1, ZERO * log(RATE - 1)), 1, "> 1"),
    ],
    ids=["pole", "logarithm", "logarithm alone"],
)
def test_what_has_no_value_stays_without_one(body: Any, level: int, text: str) -> None:
    answer = solve(_sheet(body), "rate", [f"time = {level}"])
    assert text in str(answer)


@pytest.mark.parametrize("level", [1, 2, 3, 10])
@pytest.mark.parametrize("share", [1, "1/2", "1/3"])
@pytest.mark.parametrize("extreme", [max_, min_])
def test_answers_are_those_of_a_search(extreme: Any, share: object, level: int) -> None:
    stage = 1 + max_(1, 3 / RATE) + max_(ZERO, 2 / RATE)
    model = _sheet(extreme(stage, SHARE * stage + max_(1, 1 / RATE)))
    answer = solve(model, "rate", [f"time = {level}", f"share = {share}"])
    for number in range(1, 100):
        time = solve(model, (), [f"rate = {number}/10", f"share = {share}"]).cells["time"].si
        works = any(Fraction(number, 10) in piece for piece in answer.outcomes["rate"].listed)
        assert works == (time == level), number


def test_the_slowest_stage_is_inverted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, of = [], Preimage.of

    def counted(self: Preimage, expression: Any, target: Any) -> Any:
        asked.append(expression)
        return of(self, expression, target)

    monkeypatch.setattr(Preimage, "of", counted)
    question = {"model": "llama-3-70b", "chip": "h100-sxm", "n_tp": "8", "n_sequences": "64", "seq_len": "8192"}
    solve(
        "decode",
        "chip.memory_bandwidth",
        [*(f"{cell} = {value}" for cell, value in question.items()), "token_time = 20 ms"],
    )
    assert len(asked) < 150
