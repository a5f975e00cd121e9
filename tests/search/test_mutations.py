"""A broken rule of bounds, contraction, rates or growth is noticed: at points in boxes, against many digits."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from functools import reduce
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import ceil, exp, floor, log, max_, min_, mod, sqrt
from flopsheet.formulas.program import program_of
from flopsheet.functions import algebra, choose, explog, powers, rounding
from flopsheet.functions.algebra import abs_
from flopsheet.functions.enclosed import ONE, ZERO, around_all
from flopsheet.functions.symbols import symbol
from flopsheet.numbers import spans
from flopsheet.numbers.many_digits import ends_of
from flopsheet.numbers.sets import Interval
from flopsheet.numbers.span_logarithms import logarithms_of
from flopsheet.numbers.spans import NoValueError, Span, divided
from flopsheet.search.field import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

X = symbol("x")
BITS = 300
TRIES = 24
FORMULAS = [
    X + Fraction(1, 3),
    2 * X - 7 + 1 / X,
    X / 3 - 5,
    (X - 3) * (X + 2),
    X**3 / 7,
    X**-2 + X,
    sqrt(X) - X / 9,
    X ** Fraction(1, 3) * log(X + 2),
    exp(-X / 5) + X,
    log(X) / X,
    log(X) - X,
    max_(X, 12 - X) / X,
    min_(X**2, 40 - X),
    ceil(X / 3) * X,
    floor(X / 2) - X,
    mod(X, 5) + X,
    abs_(X - 6) * X,
]


def value(field: Field, at: Fraction) -> tuple[Any, Any]:
    """Return the ends of the value at a point, to many digits."""
    return ends_of(field.precise(at, at, BITS))


def boxes(random: Random) -> Iterator[tuple[Span, list[Fraction]]]:
    """Yield boxes of floats, wide, narrow and single, each with points inside."""
    for _ in range(TRIES):
        low = random.choice([0.1, 1.0, 3.0]) * random.uniform(0.5, 3)
        high = low * random.choice([1, 1 + 1e-9, 1.3, 20])
        sides = Fraction(low), Fraction(high)
        yield Span(low, high), [sides[0] + (sides[1] - sides[0]) * Fraction(step, 4) for step in range(5)]


def violations(formula: Any) -> Iterator[str]:
    """Yield what bounds, contraction, rates and growth of a formula say wrongly."""
    field, random = Field(program_of(formula), "x", {}), Random(1)  # noqa: S311
    for box, points in boxes(random):
        try:
            bounds = field.forward(box)
        except NoValueError:
            yield "no value"
            continue
        result, values = bounds[field.program.result], [value(field, at) for at in points]
        if any(low > result.high or high < result.low for low, high in values):
            yield "bounds"
        for at, ends in zip(points, values, strict=True):
            left = field.contracted(bounds, spans.around(*ends))
            if left is None or not left.low <= at <= left.high:
                yield "contraction"
        if box.low < box.high and result.total:
            yield from changes(field, box, bounds, [*zip(points, (float(low) for low, _ in values), strict=True)])


def changes(field: Field, box: Span, bounds: list[Span], values: list[tuple[Fraction, float]]) -> Iterator[str]:
    """Yield what rates and growth of a formula over a box say wrongly of its values."""
    rate, middle = field.rate(bounds), spans.around(values[2][0], values[2][0])
    centre = field.forward(middle)
    value_of, growth, *_ = field.growth(bounds, centre, logarithms_of(divided(box, middle)))
    (start, before) = values[2]
    for at, after in values[:2] + values[3:]:
        step, noise = float(at - start), 1e-9 * (abs(before) + abs(after) + 1)
        slopes = sorted(bound * step for bound in (rate.low, rate.high))
        if not slopes[0] - noise <= after - before <= slopes[1] + noise:
            yield "rate"
        if not (value_of.low > 0 or value_of.high < 0):
            continue
        if not value_of.low - noise <= after <= value_of.high + noise or after * before <= 0:
            yield "bounds by growth"
            continue
        logs = sorted(bound * math.log(float(at / start)) for bound in (growth.low, growth.high))
        if not logs[0] - 1e-9 <= math.log(after / before) <= logs[1] + 1e-9:
            yield "growth"


def inwards(low: Any, high: Any, total: bool, exact: bool = False) -> Span:
    if exact:
        return Span(low, high, total, exact=True)
    return Span(math.nextafter(low, math.inf), math.nextafter(high, -math.inf), total)


def unrounded(operation: Callable[[Any, Any], Any], terms: Any) -> Span:
    low, high = reduce(operation, (term.low for term in terms)), reduce(operation, (term.high for term in terms))
    return Span(min(low, high), max(low, high))


def others(place: int, terms: Any) -> Any:
    return reduce(operator.add, (term for at, term in enumerate(terms) if at != place))


# For each rule: who has it, its name there, and what breaks it.
MUTATIONS: dict[str, tuple[Any, str, Callable[..., Any]]] = {
    "sums and products round inwards": (spans, "outwards", inwards),
    "sums and products are not rounded": (spans, "outwards", Span),
    "sums of floats are not rounded": (algebra, "sum_of", lambda terms: unrounded(operator.add, terms)),
    "products of floats are not rounded": (algebra, "product_of", lambda factors: unrounded(operator.mul, factors)),
    "powers are not rounded": (powers, "loosely", Span),
    "inverses are not widened": (powers, "wider", lambda low, high: Span(float(low), float(high))),
    "a term of a sum is the target and the others": (
        algebra._Sum, "contract", lambda _self, _node, place, target, terms: target + others(place, terms),
    ),
    "a factor is the target times the others": (
        algebra._Product, "contract", lambda _self, _node, place, target, terms: target * terms[1 - place],
    ),
    "a base is the power of its target": (
        powers, "_root_span", lambda target, order, _base: powers.POWER.bounds(target, Span(order, order, exact=True)),
    ),
    "a term of max and min is the target": (choose._Extreme, "contract", lambda *terms: terms[3]),
    "an absolute value has one sign": (
        algebra._Absolute, "contract", lambda *terms: Span(max(terms[3].low, 0), terms[3].high),
    ),
    "a step begins where it ends": (rounding._Rounding, "_steps", lambda _self, first, last: Interval(first, last)),
    "a remainder is below its divisor less one": (
        rounding._Remainder, "bounds", lambda _self, _term, divisor: Span(0.0, divisor.high - 1),
    ),
    "the growth of a sum is that of its terms": (
        algebra._Sum, "growth", lambda *terms: around_all(growth or ZERO for growth in terms[3]),
    ),
    "the growth of a logarithm is that of its term": (explog._Logarithm, "growth", lambda *terms: terms[3][0]),
    "the first term decides": (choose._Extreme, "rates", lambda _self, *terms: (ONE, *[ZERO] * (len(terms) - 1))),
    "no other term may decide": (choose._Extreme, "_may_win", lambda *_: False),
}  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAS, ids=str)
def test_every_rule_holds_at_points_inside_of_boxes(formula: Any) -> None:
    assert [*violations(formula)] == []


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_rule_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, broken = MUTATIONS[name]
    monkeypatch.setattr(owner, attribute, broken)
    assert any(violation for formula in FORMULAS for violation in violations(formula))
