"""Every entry of the table, whatever functions it holds: values, bounds, inverses, closed forms, slopes, dimensions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import mpmath
import pytest
import sympy
from tests.functions.samples import TRIES, Sample, X, every_sample, high_precision, numbers, points, samples

from flopsheet import indicator, select
from flopsheet.errors import ArithmeticTrapError, DimensionError
from flopsheet.formulas.code import compiled
from flopsheet.formulas.dimensions import UnitCheck
from flopsheet.formulas.evaluate import evaluate, value_or_none
from flopsheet.formulas.program import program_of
from flopsheet.formulas.slopes import slopes
from flopsheet.functions import BY_NAME, BY_NODE, Function, Trait, symbol
from flopsheet.functions.spec import NoInverseError
from flopsheet.inverse.peel import rest_of, undo
from flopsheet.numbers.ends import near
from flopsheet.numbers.many_digits import ends_of
from flopsheet.numbers.sets import Interval, RealSet
from flopsheet.numbers.spans import Span, around, between
from flopsheet.search.field import Field
from flopsheet.units import PURE_NUMBER, close, unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.units import Number


def test_every_function_of_the_language_is_sampled() -> None:
    tried = {sample.entry for sample in samples()}
    assert tried == {entry for entry in BY_NODE.values() if not entry.traits & Trait.CHOOSES}
    assert len(BY_NAME) >= 18


@every_sample
def test_exact_float_and_many_digits_agree(sample: Sample) -> None:
    on_floats = compiled(sample.node).floats
    numbers = points(sample)
    assert len(numbers) > 10
    for at in numbers:
        value = evaluate(sample.node, {"x": at})
        assert close(value, on_floats(float(at))) or abs(value - on_floats(float(at))) < 1e-9 * max(1, abs(float(at)))
        many = None if sample.entry.name == "indicator" else high_precision(sample.node, at)
        if many is not None and many.is_finite:  # at a pole, floats pass by
            assert math.isclose(value, many, rel_tol=1e-11, abs_tol=1e-12)


@every_sample
def test_bounds_hold_every_value(sample: Sample) -> None:
    random = Random(str(sample.node))  # noqa: S311
    numbers = points(sample)
    field = Field(program_of(sample.node), "x", {})
    for _ in range(TRIES):
        low, high = sorted(random.choices(numbers, k=2))
        exactly, on_floats = field.bounds(between(low, high)), field.bounds(around(low, high))
        for at in [at for at in numbers if low <= at <= high]:
            value = evaluate(sample.node, {"x": at})
            assert exactly.low <= value <= exactly.high
            assert on_floats.low <= value <= on_floats.high


@every_sample
def test_bounds_at_a_ratio_hold_the_value_to_many_digits(sample: Sample) -> None:
    """A ratio rounds to a float first, which a function may magnify: e**700 by 700 times."""
    if sample.entry.name in {"indicator", "ceil", "floor", "mod"}:
        return
    random, field = Random(str(sample.node)), Field(program_of(sample.node), "x", {})  # noqa: S311
    for _ in range(2 * TRIES):
        at = Fraction(random.randint(-(10**6), 10**9), random.randint(1, 10 ** random.randint(0, 12)))
        if value_or_none(sample.node, {"x": at}) is None:
            continue
        span = field.bounds(between(at, at))
        if span.exact:
            assert span.low == span.high == evaluate(sample.node, {"x": at})
            continue
        many = high_precision(sample.node, at)
        value = mpmath.make_mpf(many._mpf_) if many.is_Float else Fraction(int(many.p), int(many.q))
        assert span.low <= value <= span.high, at


@every_sample
def test_a_total_span_has_a_value_everywhere(sample: Sample) -> None:
    random = Random(str(sample.node))  # noqa: S311
    for _ in range(TRIES):
        low, high = sorted((numbers(random), numbers(random)))
        if Field(program_of(sample.node), "x", {}).bounds(between(low, high)).total:
            inside = [low + (high - low) * Fraction(step, 12) for step in range(13)]
            assert all(value_or_none(sample.node, {"x": at}) is not None for at in inside)


@every_sample
def test_rates_bound_every_change(sample: Sample) -> None:
    random, field = Random(str(sample.node)), Field(program_of(sample.node), "x", {})  # noqa: S311
    for _ in range(TRIES):
        low, high = sorted(random.choices(points(sample), k=2))
        box = between(low, high)
        if low == high or not field.bounds(box).total:
            continue
        rate = field.rate(field.forward(box))
        inside = [low + (high - low) * Fraction(step, 7) for step in range(8)]
        for left, right in pairwise(inside):
            change = evaluate(sample.node, {"x": right}) - evaluate(sample.node, {"x": left})
            noise = 1e-9 * (1 + abs(float(change)))
            assert rate.low * (right - left) - noise <= change <= rate.high * (right - left) + noise


@every_sample
def test_a_contraction_loses_no_number_that_leads_to_the_target(sample: Sample) -> None:
    random, field, numbers = Random(str(sample.node)), Field(program_of(sample.node), "x", {}), points(sample)  # noqa: S311
    for _ in range(TRIES):
        low, at, high = sorted(random.choices(numbers, k=3))
        value = evaluate(sample.node, {"x": at})
        for target in (between(value, value), Span(-math.inf, value), Span(value, math.inf)):
            contracted = field.contracted(field.forward(between(low, high)), target)
            assert contracted is not None
            assert contracted.low <= at <= contracted.high or close(at, contracted.low) or close(at, contracted.high)


@every_sample
def test_an_interval_of_many_digits_holds_the_value(sample: Sample) -> None:
    field = Field(program_of(sample.node), "x", {})
    for at in points(sample)[:20]:
        low, high = ends_of(field.precise(at, at, 160))
        exactly = field.exactly(at)
        value = evaluate(sample.node, {"x": at}) if exactly is None else exactly
        slack = 0 if exactly is not None else 1e-11 * (1 + abs(float(value)))
        assert low - slack <= value <= high + slack
        assert exactly is not None or high - low <= 1e-30 * (1 + abs(float(value)))


def targets(random: Random, values: list[Number]) -> Iterator[RealSet]:
    """Yield points and ranges, with ends at values of the function and beside them."""
    for _ in range(TRIES // 3):
        value, other = random.choice(values), Fraction(random.randint(-40, 40), 7)
        yield (Interval(value, value),)
        low, high = sorted((value, other), key=float)
        closed = bool(random.getrandbits(1)), bool(random.getrandbits(1))
        if low < high:
            yield (Interval(low, high, *closed),)


@every_sample
def test_a_number_lies_in_the_preimage_just_when_its_value_lies_in_the_target(sample: Sample) -> None:
    random, numbers = Random(str(sample.node)), points(sample)  # noqa: S311
    values = {at: evaluate(sample.node, {"x": at}) for at in numbers}
    others = rest_of(sample.node, X)
    rest = None if others is None else evaluate(others, {})
    for target in targets(random, list(values.values())):
        try:
            inside = undo(sample.node, X, target, rest)[0]
        except NoInverseError:
            return
        for at, value in values.items():
            where = _in_period(sample, at)
            ends = [end for part in target for end, _ in part.ends if isinstance(value, float) and close(value, end)]
            ends += [end for part in inside for end, _ in part.ends if isinstance(end, float) and close(where, end)]
            if ends:
                continue  # rounding decides
            assert any(where in part for part in inside) == any(value in part for part in target), (at, target)


def _in_period(sample: Sample, at: Fraction) -> Number:
    """Return a number moved into the period that a preimage is given for."""
    if not sample.entry.traits & Trait.PERIODIC:
        return at
    rest = sample.entry.rest(sample.node, sample.place)
    period = sample.entry.period(None if rest is None else evaluate(rest, {}))
    (once,) = [Interval(0, period, upper_closed=False)]
    moved = at % Fraction(period)
    assert moved in once
    if sample.entry.name == "sin":  # from -90 to 270
        return moved - 360 if moved > 270 else moved
    if sample.entry.name == "cos":  # from -180 to 180
        return moved - 360 if moved > 180 else moved
    if sample.entry.name == "tan":  # from -90 to 90
        return moved - 180 if moved >= 90 else moved
    return moved


@every_sample
def test_a_closed_form_gives_back_the_number(sample: Sample) -> None:
    right = symbol("right")
    forms = sample.entry.forms(sample.node, sample.place, right)
    assert forms or not sample.entry.unique or sample.entry.arity == 2
    if not forms or sample.entry.traits & Trait.EXTREME:
        return
    for at in points(sample):
        value = evaluate(sample.node, {"x": at})
        given = [value_or_none(form, {"right": value}) for form in forms]
        if not any(number is not None for number in given):
            assert value < 0  # an odd root of a negative number: no power, but a number that peeling finds
            continue
        back = [value_or_none(sample.node, {"x": number}) for number in given if number is not None]
        assert any(number is not None and math.isclose(number, value, rel_tol=1e-9, abs_tol=1e-9) for number in back)
        if sample.entry.unique and len(forms) == 1 and given[0] is not None:
            assert math.isclose(given[0], at, rel_tol=1e-6, abs_tol=1e-6)


@every_sample
def test_the_slope_is_that_of_a_small_step(sample: Sample) -> None:
    step = Fraction(1, 10**5)
    for at in points(sample):
        row = [value_or_none(sample.node, {"x": at + times * step}) for times in (-2, -1, 0, 1, 2)]
        try:
            slope = slopes(sample.node, {"x": at}).get("x", 0)
        except ArithmeticTrapError:
            continue
        steps = [(right - left) / step for left, right in pairwise(row) if left is not None and right is not None]
        if len(steps) == len(row) - 1 and all(
            math.isclose(steps[0], step, rel_tol=1e-2, abs_tol=1e-4) for step in steps
        ):
            assert math.isclose(slope, sum(steps) / len(steps), rel_tol=1e-3, abs_tol=1e-6), at


@every_sample
def test_a_value_out_of_the_domain_is_refused(sample: Sample) -> None:
    for at in (Fraction(-5, 2), Fraction(0), Fraction(3)):
        values: dict[str, Number | str] = {"x": at}
        inside = [near(evaluate(part, values), domain) for part, domain in sample.entry.demands(sample.node)]
        assert not inside or all(inside) == (value_or_none(sample.node, values) is not None), at


DIMENSIONS = {"x": PURE_NUMBER, "angle": unit("degree").dimension, "bytes": unit("byte").dimension}


@pytest.mark.parametrize("entry", list(BY_NODE.values()), ids=lambda entry: entry.node.__name__)
def test_a_dimension_is_given_or_refused(entry: Function) -> None:
    check = UnitCheck(DIMENSIONS, "here")
    accepted = []
    for name in DIMENSIONS:
        cell = symbol(name)
        if entry.traits & Trait.CHOOSES:
            node = select(symbol("kind"), a=cell, b=2 * cell)
        elif entry.name == "indicator":
            node = indicator(cell <= 2 * cell + 1)
        elif entry.traits & Trait.GUARDS:
            node = select(cell <= 1, cell, 2 * cell)
        else:
            node = entry.node(*([cell, 2 * cell][: entry.arity or 2] if entry.arity != 2 else [cell, 2]))
        try:
            check.dimension(node)
            accepted.append(name)
        except DimensionError:
            continue
    assert accepted


@pytest.mark.parametrize("name", list(BY_NAME))
def test_a_name_builds_what_the_table_knows(name: str) -> None:
    entry = BY_NAME[name]
    assert entry.__doc__
    if name not in ("select", "indicator"):
        node = entry.build(*[symbol(letter) for letter in "xy"[: entry.arity or 2]])
        assert not [part for part in sympy.preorder_traversal(node) if part.args and part.func not in BY_NODE]
