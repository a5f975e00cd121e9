"""Why numbers stay open: they touch, a divisor may be zero, or the time was over."""

from __future__ import annotations

import json
import math
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import budget, solve
from flopsheet.answer.outcomes.undecided import Why
from flopsheet.numbers.sets import is_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet.answer.answer import Answer

# Each touches its level at one number that no float is: with the number.
TOUCHING: dict[str, Callable[[int], float]] = {
    "x + {c}/x = 2*sqrt({c})": math.sqrt,
    "x + {c}/x <= 2*sqrt({c})": math.sqrt,
    "exp(x) + {c}*exp(-x) = 2*sqrt({c})": lambda c: math.log(c) / 2,
    "x**2 - 2*sqrt({c})*x + {c} = 0": math.sqrt,
    "max(x, {c}/x) = sqrt({c})": math.sqrt,
}


def asked(folder: Path, relation: str, least: str, most: str) -> Answer:
    return solve(variables(folder, {"x": {"minimum": least, "maximum": most}}), "x", [relation])


@pytest.mark.parametrize("text", TOUCHING)
@pytest.mark.parametrize("seed", range(3))
def test_what_may_touch_says_how_near_it_comes(tmp_path: Path, text: str, seed: int) -> None:
    level = Random(f"{text} {seed}").choice([2, 3, 5, 6, 7, 10, 11, 13, 14, 15])  # noqa: S311  # the same each time
    relation = text.format(c=level)
    answer = asked(tmp_path, relation, "0.1", "100")
    outcome = answer.outcomes["x"]
    (cause,) = outcome.causes
    assert cause.why is Why.TOUCHING
    assert is_in(TOUCHING[text](level), outcome.open)
    assert cause.gap < (1e-15 if "max" in text else 1e-31)
    assert f"There the sides of '{relation}' come within {cause.shown} of each other, and may touch." in outcome.why
    assert "to search less" not in outcome.why
    written = json.loads(json.dumps(answer.as_dict()))["answers"]["x"]["open"]
    assert [(part["why"], part["lower"] <= part["upper"]) for part in written] == [("touching", True)]


def test_what_time_leaves_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count()
    monkeypatch.setattr(budget, "monotonic", lambda: float(next(clock)))
    cells = {name: {"minimum": "-10", "maximum": "10"} for name in "xyzw"}
    relations = [
        "x*y + z*w = 1",
        "x**3*z + y**2*w = 2",
        "exp(x) + sin(y*57.3 degree)*z = w**3",
        "x*z - y**5 + w*x = 3",
    ]
    answer = solve(variables(tmp_path, cells), [*cells], relations, budget=20)
    assert {cause.why for own in answer.outcomes.values() for cause in own.causes} == {Why.TIME}


def test_what_bounds_leave_says_to_search_less(tmp_path: Path) -> None:
    """The sine repeats itself in ever shorter periods towards zero."""
    answer = asked(tmp_path, "x*sin(57.29577951308232 degree/x) = x/2", "1e-9", "1")
    outcome = answer.outcomes["x"]
    assert outcome.open
    assert Why.BOUNDS in {cause.why for cause in outcome.causes} or Why.TIME in {cause.why for cause in outcome.causes}
    text = outcome.why if outcome.kind == "none" else " ".join(answer.warnings)
    assert "Bound x to search less." in text
