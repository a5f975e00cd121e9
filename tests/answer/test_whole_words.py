"""Whole numbers, and numbers without a first or a last one, in words: read back and compared with trying them."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.numbers.sets import Interval
from flopsheet.report.sentences import answer_line, outcome_text

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.answer import Answer

CHANCE = Random(11)  # noqa: S311  # the same questions every time
COUNT: dict[str, Any] = {"integer": True}
SIGNED: dict[str, Any] = {"signed": True}
WHOLE: dict[str, Any] = {**COUNT, **SIGNED}


def asked(folder: Path, bounds: dict[str, Any], *relations: str) -> Answer:
    return solve(variables(folder, {"x": bounds}), "x", [*relations])


def numbers_in(text: str) -> list[int]:
    return [int(number.replace(",", "")) for number in re.findall(r"(?<![\w.])-?\d[\d,]*(?![\w.])", text.rstrip("."))]


@pytest.mark.parametrize("bounds", [SIGNED, WHOLE], ids=["real", "whole"])
@pytest.mark.parametrize("seed", range(4))
def test_numbers_endless_both_ways(bounds: dict[str, Any], seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311  # the same questions every time
    period = chance.randint(3, 40)
    rest = chance.randint(0, period - 1)
    answer = asked(tmp_path, bounds, f"mod(x, {period}) = {rest}")
    outcome = answer.outcomes["x"]
    assert outcome_text(outcome) == f"x = {rest} and every {period} before and after it"
    shown = numbers_in(outcome.why.partition(" for x = ")[2] or outcome.why.partition(" holds at ")[2])[:6]
    nearest = sorted((rest + period * k for k in range(-9, 9)), key=abs)[:6]
    assert sum(map(abs, shown)) == sum(map(abs, nearest))  # of two as near, either
    assert all((number - rest) % period == 0 for number in shown)
    assert outcome.si is not None
    assert abs(outcome.si) == min(map(abs, nearest))


def test_several_numbers_endless_both_ways_are_one_text(tmp_path: Path) -> None:
    outcome = asked(tmp_path, SIGNED, "sin(x * 1 degree) = 0.5").outcomes["x"]
    assert outcome_text(outcome) == "x = 30, 150 and every 360 before and after each"
    assert all(math.isclose(math.sin(math.radians(number)), 0.5) for number in (30, 150, 390, -210))


@pytest.mark.parametrize("digits", [15, 16, 18, 22])
def test_large_whole_numbers_have_all_digits(digits: int, tmp_path: Path) -> None:
    factor, bound = CHANCE.randint(3, 9), CHANCE.randint(10**digits, 10 ** (digits + 1))
    outcome = asked(tmp_path, COUNT, f"{factor}*x <= {bound}").outcomes["x"]
    assert outcome_text(outcome).endswith(f" {bound // factor:,}")
    exactly = asked(tmp_path, COUNT, f"{factor}*x = {bound * factor}").outcomes["x"]
    assert outcome_text(exactly) == f"x = {bound:,}"
    between = asked(tmp_path, COUNT, f"x >= {bound}", f"x <= {bound + 1}").outcomes["x"]
    assert outcome_text(between) == f"{bound:,} <= x <= {bound + 1:,}, so {bound:,}"
    none = asked(tmp_path, COUNT, f"{factor}*x = {bound * factor + 1}").outcomes["x"]
    assert numbers_in(outcome_text(none).partition("between")[2]) == [bound, bound + 1]


def test_a_single_number_is_said_once(tmp_path: Path) -> None:
    number = CHANCE.randint(10**4, 10**6)
    outcome = asked(tmp_path, COUNT, f"2*x >= {2 * number}", f"x <= {number}").outcomes["x"]
    assert outcome_text(outcome) == f"x = {number:,}"


@pytest.mark.parametrize("seed", range(4))
def test_runs_without_an_end_stand_apart_from_single_numbers(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311  # the same numbers every time
    outcome = asked(tmp_path, WHOLE, "mod(0, x) = 0").outcomes["x"]
    single = sorted(chance.sample(range(2, 1000, 2), chance.randint(1, 6)))
    below = Interval(-math.inf, -chance.randint(1, 9), lower_closed=False)
    beyond = Interval(chance.randint(2000, 3000), math.inf, upper_closed=False)
    shown = replace(outcome, kind="whole", listed=(below, *map(Interval, single, single), beyond))
    listed = f"one of {', '.join(map(str, single))}" if len(single) > 1 else str(single[0])
    assert outcome_text(shown) == f"x is up to {below.upper}, {listed} or from {beyond.lower} on"
    assert outcome_text(replace(shown, listed=(below, beyond))) == f"x is up to {below.upper} or from {beyond.lower} on"


def test_no_sentence_ends_in_four_dots(tmp_path: Path) -> None:
    answer = asked(tmp_path, COUNT, "mod(x, 3) = 2", "x > 50", "x < 500")
    assert "..." in str(answer)
    assert not re.search(r"\.{4}", str(answer) + answer_line(answer.outcomes["x"]))


def test_the_end_that_a_limit_sets_is_shown_with_the_next_number() -> None:
    """The rate is met by all that fit: it is the memory that excludes the next one."""
    where = ["model = deepseek-v3", "chip = h200", "n_tp = 8", "seq_len = 8192", "user_token_rate >= 20 token/s"]
    answer = solve("decode", "n_sequences", where)
    outcome = answer.outcomes["n_sequences"]
    last = outcome.whole
    assert last is not None
    assert outcome_text(outcome) == f"n_sequences <= {last} (limit fits), so {last}"
    held = {}
    for count in (last, last + 1):
        at = solve("decode", "inference_memory", [*where[:-1], f"n_sequences = {count}"])
        held[count] = at.cells["inference_memory"]
        room = at.cells["chip.memory"].si * at.cells["memory_utilization"].si
        assert (held[count].si <= room) is (count == last)
    shown = [(count, value.si / 2**30) for count, value in held.items()]
    for count, size in shown:
        (text,) = re.findall(rf"{count} gives inference_memory ([\d.]+) GiB", outcome.why)
        assert float(text) == pytest.approx(size, abs=0.06)
