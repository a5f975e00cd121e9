"""Sets of whole numbers as JSON objects, read back and compared with trying all numbers around their ends."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CHANCE = Random(5)  # noqa: S311  # the same questions every time
COUNT, SIGNED = {"integer": True}, {"integer": True, "signed": True}


def read_back(folder: Path, bounds: dict[str, Any], relation: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(json.dumps(solve(variables(folder, {"x": bounds}), "x", relation).as_dict()))
    answer: dict[str, Any] = content["answers"]["x"]
    return answer


def is_inside(number: int, intervals: Sequence[dict[str, Any]]) -> bool:
    """Whether a number is in one of several intervals of JSON, its ends taken as the exact numbers that they are."""
    for part in intervals:
        lower, upper = (
            end if part[key] is None else Fraction(part[key])
            for key, end in (("lower", -math.inf), ("upper", math.inf))
        )
        above = lower < number or (part["lower_closed"] and lower == number)
        if above and (number < upper or (part["upper_closed"] and number == upper)):
            return True
    return False


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("digits", [15, 16, 17, 20])
def test_ends_of_whole_numbers_are_exact(sign: str, digits: int, tmp_path: Path) -> None:
    factor, bound = CHANCE.randint(3, 99), CHANCE.randint(10**digits, 10 ** (digits + 1))
    answer = read_back(tmp_path, COUNT, f"{factor}*x {sign} {bound}")
    holds = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}[sign]
    beside = range(bound // factor - 3, bound // factor + 4)
    expected = [number for number in beside if holds(factor * number, bound)]
    assert [number for number in beside if is_inside(number, answer["intervals"])] == expected
    assert answer["whole"] in expected
    assert is_inside(answer["whole"], answer["intervals"])
    assert not any(isinstance(answer[key], float) and answer[key].is_integer() for key in ("lower", "upper"))


@pytest.mark.parametrize("seed", range(6))
def test_endless_runs_of_whole_numbers_are_intervals(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311  # the same questions every time
    dividend, most = chance.randint(20, 90), chance.randint(3, 30)
    answer = read_back(tmp_path, COUNT, f"mod(floor({dividend}/x), {most + 11}) <= {most}")
    tried = range(1, 2000)
    expected = [number for number in tried if (dividend // number) % (most + 11) <= most]
    assert [number for number in tried if is_inside(number, answer["intervals"])] == expected
    assert answer["intervals"][-1]["upper"] is None


@pytest.mark.parametrize("remainder", [-7, -2, 0, 3])
def test_runs_without_a_first_number_are_intervals(remainder: int, tmp_path: Path) -> None:
    answer = read_back(tmp_path, SIGNED, f"mod({remainder}, x) = {remainder}")
    tried = [number for number in range(-1500, 1501) if number]
    expected = [number for number in tried if remainder % number == remainder]
    assert [number for number in tried if is_inside(number, answer["intervals"])] == expected
    assert {*answer["values"]} <= {*expected}
    assert not answer["complete"]
