"""The ladder of methods: a new one is a function and a name, and solves from then on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
import sympy

from flopsheet import Sheet, exp, formula, given, reload, solve
from flopsheet.functions.symbols import symbol
from flopsheet.inverse import preimage
from flopsheet.inverse.method import Method, hardest
from flopsheet.inverse.preimage import Preimage
from flopsheet.numbers.sets import ALL, RealSet, point

if TYPE_CHECKING:
    from collections.abc import Iterator

X = symbol("x")


class Growth(Sheet):
    """An equation of the Lambert W function."""

    x = given("Rate", example=1, minimum=0)
    y = formula(x * exp(x), "", "Growth")


def lambert(inversion: Preimage, expression: Any, target: RealSet) -> RealSet | None:
    """Return the single x >= 0 at which x exp(x) is a number."""
    if expression != X * sympy.exp(X) or not all(interval.is_point for interval in target):
        return None
    inversion.methods.append(Method.DIRECT)
    return point(float(sympy.LambertW(float(target[0].lower))))


@pytest.fixture
def ladder_with_lambert() -> Iterator[None]:
    preimage.LADDER.insert(0, lambert)
    reload()
    yield
    preimage.LADDER.remove(lambert)
    reload()


@pytest.mark.usefixtures("ladder_with_lambert")
def test_a_new_method_is_one_entry_of_the_ladder() -> None:
    inversion = Preimage(X, lambda: ALL[0], {})
    assert inversion.of(X * sympy.exp(X), point(2 * math.e**2))[0].lower == pytest.approx(2)
    assert inversion.methods == [Method.DIRECT]
    answer = solve(Growth(), "x", [f"y = {math.e:.12f}"])
    assert answer.value == pytest.approx(1)
    assert answer.steps[0].how is Method.DIRECT


def test_without_it_the_same_question_is_searched() -> None:
    answer = solve(Growth(), "x", [f"y = {math.e:.12f}"])
    assert answer.value == pytest.approx(1)
    assert answer.steps[0].how is Method.SEARCH
    assert answer.as_dict()["steps"][0]["how"] == "search"


def test_the_hardest_of_several_methods_names_a_solution() -> None:
    assert hardest([Method.PEEL, Method.QUADRATIC, Method.LINEAR]) is Method.QUADRATIC
    assert hardest([Method.SEARCH, Method.CASES]) is Method.SEARCH
    assert hardest([]) is Method.PEEL
    assert [str(method) for method in Method if not method.words] == []
