"""Zero among whole numbers without a largest one, together and too few equations: all tuples, against counting."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path

MOST = 40  # none of the numbers of these relations is larger
FROM_ZERO: dict[str, Any] = {"integer": True, "minimum": 0}
SIGNED: dict[str, Any] = {"integer": True, "signed": True}
BOUNDED: dict[str, Any] = {"integer": True, "minimum": 0, "maximum": 9}


def relation(chance: Random) -> tuple[str, int]:
    """Return an equation that bounds its unknowns, none of which is negative, and how many these are."""
    first, second, third = (chance.randint(1, 4) for _ in range(3))
    total = chance.randint(0, 30)
    shapes = [
        f"{first}*x + {second}*y = {total}",
        f"{first}*x + {second}*y + {third}*z = {total}",
        f"{first}*x**2 + {second}*y**2 + {third}*z**2 = {total}",
        f"x**2 + {second}*y = {total}",
        f"floor(x/{first + 1}) + y = {second}",
    ]
    text = chance.choice(shapes)
    return text, 3 if "z" in text else 2


def holds(text: str, numbers: dict[str, int]) -> bool:
    text = text.replace(" = ", " == ").replace("floor(x/", "(x//")
    return bool(eval(text, {}, {**numbers}))  # noqa: S307  # relations of this file


def counted(texts: list[str], names: str, most: int = MOST) -> list[dict[str, int]]:
    points = (dict(zip(names, point, strict=True)) for point in product(range(most + 1), repeat=len(names)))
    return [point for point in points if all(holds(text, point) for text in texts)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["from zero", "signed", "one bounded"])
@pytest.mark.parametrize("seed", range(6))
def test_zero_is_among_whole_numbers_without_a_largest_one(kind: str, seed: int, tmp_path: Path) -> None:
    text, count = relation(Random(f"{kind}{seed}"))  # noqa: S311  # the same relations every time
    names = "xyz"[:count]
    cells = dict.fromkeys(names, SIGNED if kind == "signed" else FROM_ZERO)
    if kind == "one bounded":
        cells["y"] = BOUNDED
    relations = [text, *(f"{name} >= 0" for name in names if kind == "signed")]
    answer = solve(variables(tmp_path, cells), [*names], relations)
    expected = [point for point in counted([text], names) if kind != "one bounded" or point["y"] <= 9]
    got = sorted(tuple(own.values()) for own in answer.tuples)
    assert got == sorted(tuple(own.values()) for own in expected)
    assert all(outcome.proof is Proof.PROVEN for outcome in answer.outcomes.values())


@pytest.mark.parametrize("seed", range(4))
def test_zero_is_kept_where_both_sides_of_a_product_vanish(seed: int, tmp_path: Path) -> None:
    chance = Random(seed)  # noqa: S311  # the same relations every time
    product_, most = chance.randint(2, 24), chance.randint(3, 9)
    texts = [f"x**2*y = {product_}*x", f"y <= {most}", f"x <= {3 * most}"]
    answer = solve(variables(tmp_path, {"x": FROM_ZERO, "y": FROM_ZERO}), ["x", "y"], texts)
    got = sorted((own["x"], own["y"]) for own in answer.tuples)
    assert got == sorted((own["x"], own["y"]) for own in counted(texts, "xy"))
