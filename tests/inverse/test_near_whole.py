"""Roundings of irrational multiples, asked back at the whole numbers of which the multiple is nearly whole itself."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import mpmath
import pytest
from hypothesis import example, given, strategies

from flopsheet import Sheet, solve
from flopsheet.formulas.parser import parse_formula
from flopsheet.numbers.arithmetic import HOLDS
from flopsheet.sheets.cell import ANY, Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DIGITS, MOST_TERMS, LARGEST, AROUND = 60, 25, 10**13, 3
FORMS: dict[str, Callable[[Any, int], Any]] = {
    "ceil({}*n)": lambda factor, n: mpmath.ceil(factor * n),
    "floor({}*n) + 2*n": lambda factor, n: mpmath.floor(factor * n) + 2 * n,
    "3*floor({}*n)": lambda factor, n: 3 * mpmath.floor(factor * n),
    "ceil(n/{})": lambda factor, n: mpmath.ceil(n / factor),
}


def factor_of(text: str) -> Any:
    """Return an irrational factor with many digits."""
    return {"sqrt(2)": mpmath.sqrt(2), "log(3)": mpmath.log(3), "exp(1)": mpmath.exp(1)}[text]


def denominators(number: Any) -> Iterator[int]:
    """Yield the denominators of the continued fraction of a number: their multiples are nearly whole."""
    before, here = 0, 1
    while True:
        whole = int(mpmath.floor(number))
        yield here
        number = 1 / (number - whole)
        before, here = here, int(mpmath.floor(number)) * here + before


@given(
    strategies.sampled_from(["sqrt(2)", "log(3)", "exp(1)"]),
    strategies.sampled_from([*FORMS]),
    strategies.sampled_from([*HOLDS]),
    strategies.integers(3, MOST_TERMS),
    strategies.tuples(strategies.integers(-1, 1), strategies.integers(-1, 1)),
)
@example("log(3)", "ceil({}*n)", "=", 19, (0, 0))  # ranges of one number narrower than rounding at once
@example("log(3)", "ceil({}*n)", "=", 17, (-1, 1))
@example("log(3)", "3*floor({}*n)", "=", 19, (0, 0))
def test_whole_numbers_are_decided_by_digits(
    text: str, form: str, sign: str, place: int, moved: tuple[int, int]
) -> None:
    beside, off = moved
    with mpmath.workdps(DIGITS):
        factor, value = factor_of(text), FORMS[form]
        near = min(next(islice(denominators(factor), place, None)), LARGEST) + beside
        goal = int(value(factor, near)) + off
        around = range(max(1, near - AROUND), near + AROUND + 1)
        met = {n for n in around if HOLDS[sign](int(value(factor, n)), goal)}
    model = Sheet("near_whole")
    model.rows.add_cell(Cell("n", "A count", integer=True))
    formula = parse_formula(form.format(text), ["n", "y"])
    model.rows.add_cell(Cell("y", "A rounding", formula=formula, bounds=ANY))
    outcome = solve(model, "n", [f"y {sign} {goal}"]).outcomes["n"]
    assert not outcome.open
    found = {n for n in around if outcome.kind != "none" and any(n in part for part in outcome.solutions)}
    assert found == met


@pytest.mark.parametrize(("goal", "kind"), [(1607522, "range"), (1607521, "none")])
def test_a_number_that_is_nearly_at_a_step(goal: int, kind: str) -> None:
    model = Sheet("near_whole")
    model.rows.add_cell(Cell("n", "A count", integer=True))
    model.rows.add_cell(Cell("y", "A rounding", formula=parse_formula("ceil(sqrt(2)*n)", ["n"])))
    assert solve(model, "n", [f"y = {goal}"]).outcomes["n"].kind == kind
