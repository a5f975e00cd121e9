"""What was found while other cells have the same values is kept, also that nothing was; what time cut short is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import sympy

from flopsheet import exp
from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.inverse.chain import Chain
from flopsheet.inverse.inversion import Inversion
from flopsheet.inverse.tested_ends import WholeEnds, held_by
from flopsheet.numbers.sets import ABOVE_ZERO, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

X = symbol("x")
HARD = Relation(X * exp(X) + X, "=", sympy.Integer(7), "")  # no exact method inverts it


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, str], list[int]]:
    """Return how often a method is called from now on, in a list that grows."""

    def counted(owner: type, name: str) -> list[int]:
        original, made = getattr(owner, name), list[int]()

        def method(*args: Any, **kwargs: Any) -> Any:
            made.append(1)
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, method)
        return made

    return counted


def test_that_no_exact_method_inverts_a_condition_is_found_once(calls: Callable[[type, str], list[int]]) -> None:
    chain, tried = Chain("x", ABOVE_ZERO, {}, {}), calls(Inversion, "solution")
    assert [chain.solve(HARD, search=False) for _ in range(3)] == [None] * 3
    assert len(tried) == 1


def test_what_time_cut_short_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, relation = Chain("x", ABOVE_ZERO, {}, {}), Relation(X, "=", sympy.Integer(7), "")

    def too_late(*_: Any) -> None:
        raise TimeoutError

    with monkeypatch.context() as patched:
        patched.setattr(Inversion, "solution", too_late)
        assert chain.solve(relation, search=False) is None
    solution = chain.solve(relation, search=False)
    assert solution is not None
    assert [part.lower for part in solution.values] == [7]


def test_whole_numbers_that_were_tried_are_not_tried_again(calls: Callable[[type, str], list[int]]) -> None:
    chain, relation = Chain("x", Interval(1, 100), {}, {}, integer=True), Relation(X**2, ">=", sympy.Integer(50), "")
    tried = calls(WholeEnds, "holds_at")
    first, again, other = (held_by(chain, numbers, relation) for numbers in (range(1, 10), range(1, 10), range(5, 9)))
    assert first == again
    assert [part.lower for part in first.values] == [8, 9]
    assert [part.lower for part in other.values] == [8]
    assert len(tried) == 9 + 4
