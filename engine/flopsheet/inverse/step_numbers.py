"""Roundings with more steps than can be listed: the number of the step becomes the unknown.

`x * floor(a/x) = t` holds at `x = t/k` for every integer k that is then the floor of `a/x`: for a range of k.
And `mod(a, x) = r` holds at `(a - r)/k` if that is above r. Of whole numbers both are divisors.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.errors import ArithmeticTrapError
from flopsheet.formulas.elimination import exact_symbols
from flopsheet.formulas.evaluate import Values, evaluate, value_or_none
from flopsheet.formulas.substitution import PART, over_root
from flopsheet.formulas.trees import MOST_CACHED, depends, innermost, is_whole, put_in
from flopsheet.functions import Trait, entry_of, nodes, symbol
from flopsheet.functions.periods import COUNT, Repeat, repeat_of
from flopsheet.functions.spec import Case, NoInverseError
from flopsheet.inverse.casewise import by_cases, in_case
from flopsheet.inverse.method import Method
from flopsheet.inverse.rational import HIGHEST_DEGREE, STEP, as_rational
from flopsheet.inverse.solution import Solution, boundary_forms
from flopsheet.numbers.members import divisors_with_rest, trimmed, whole_members
from flopsheet.numbers.progressions import MOST_LISTED, Progression, Quotient
from flopsheet.numbers.sets import (
    EMPTY,
    NOT_NEGATIVE,
    NOT_ZERO,
    Interval,
    RealSet,
    about,
    is_in,
    is_rounded_to,
    meet,
    point,
    side,
    union,
    whole_ends,
    widened,
)
from flopsheet.numbers.spans import Span, is_exact
from flopsheet.numbers.within import is_inside, is_outside
from flopsheet.session import cached
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet.functions import Expr
    from flopsheet.inverse.chain import Chain
    from flopsheet.inverse.preimage import Preimage
    from flopsheet.numbers.rational import Rational
    from flopsheet.units import Number

LEVEL = sympy.Symbol("__level", real=True)
LONGEST_PERIOD = 2_000  # whole numbers that are tried one by one
MOST_RESIDUES = 64  # progressions


def where_in(whole: Progression, expression: Expr, unknown: Expr, values: Values) -> tuple[Progression, ...] | None:
    """Return the unknown where an expression is a member of a progression; None where there is no simple way to it."""
    function = _inverse_of(expression, unknown, values)
    if function is not None:
        return whole.through(function)
    rooted = over_root(expression, unknown, HIGHEST_DEGREE)
    if rooted is None or not rooted.holds(values):
        return None
    function = _inverse_of(rooted.over, PART, values)
    parts = None if function is None else whole.through(function)
    if parts is None:
        return None
    return tuple(inside.raised(rooted.order) for part in parts for inside in part.within(NOT_NEGATIVE[0]))


def _inverse_of(expression: Expr, unknown: Expr, values: Values) -> Quotient | None:
    """Return the unknown over the value of an expression; None where that is no quotient of linear terms."""
    forms = (LEVEL,) if expression == unknown else boundary_forms(expression, unknown, LEVEL)
    ratio = _ratio(forms[0], LEVEL, values) if len(forms) == 1 else None
    return None if ratio is None else _quotient(ratio)


def _ratio(form: Expr, unknown: Expr, values: Values) -> Rational | None:
    try:
        return as_rational(form, unknown, values)
    except ZeroDivisionError:  # it has no value anywhere
        return None


def _quotient(ratio: Rational) -> Quotient | None:
    below = [*ratio.below.elements()] or [(1,)]
    if len(below) > 1 or len(below[0]) > 2 or len(ratio.above) > 2 or not ratio.poles <= ratio.below.keys():
        return None
    constant, slope, under, under_slope = (*(*ratio.above, 0, 0)[:2], *(*below[0], 0)[:2])
    if Fraction(slope) * Fraction(under) == Fraction(constant) * Fraction(under_slope):
        return None  # the same everywhere: a factor of zero stands before what it is a function of
    return Quotient(constant, slope, under, under_slope)


@cached(maxsize=MOST_CACHED)
def _by_step(expression: Expr, node: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return the unknown of `expression = LEVEL` over the number `STEP` of the step that a rounding in it takes.

    With it, by how much the argument of the rounding is then above that number. None where there is no single form, or
    where every step fits: a condition that says no more than that a number is whole.
    """
    forms = boundary_forms(put_in(expression, {node: STEP}), unknown, LEVEL)
    offset = put_in(node.args[0], {unknown: forms[0]}) - STEP if len(forms) == 1 else LEVEL
    return (forms[0], offset) if depends(offset, STEP) else None


def by_step_number(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Solve for the number of the step that a rounding takes, and for the unknown at each: x*floor(a/x) = t."""
    node = innermost(expression, preimage.unknown, nodes(Trait.STEPPED))
    forms = None if node is None or node == expression else _by_step(expression, node, preimage.unknown)
    if forms is None or not all(part.is_point for part in target):
        return None
    preimage.sharpness.blur()
    values = [_at_level(preimage, expression, node, forms, part.lower) for part in target]
    preimage.methods.append(Method.CASES)
    return None if any(part is None for part in values) else union(*filter(None, values))


def _at_level(
    preimage: Preimage, expression: Expr, node: Expr, forms: tuple[Expr, Expr], level: Number
) -> RealSet | None:
    (form, offset), span = forms, preimage.bounds(node)
    numbers = Interval(span.low, span.high)
    inner = preimage.other(STEP, numbers, {LEVEL.name: level})
    try:
        fitting = meet(inner.of(offset, entry_of(node).preimage(node, 0, point(0), None)), (numbers,))
    except (NoInverseError, ArithmeticTrapError):
        return None
    ratio = None if inner.open or inner.progressions else _ratio(form, STEP, inner.values)
    function = None if ratio is None else _quotient(ratio)
    runs = [(low, high) for low, high in map(whole_ends, union(tuple(map(widened, fitting)))) if low <= high]
    if ratio is None or function is None or (-math.inf, math.inf) in runs:
        return None
    poles = [int(pole) for pole in ratio.pole_values() if pole == int(pole)]
    cases = (Case(((node, point(pole)),), sympy.Integer(pole)) for pole in poles)
    plateaus = (in_case(preimage, expression, node, case, point(level)) for case in cases)
    members = (part for run in runs for whole in function.members(*run) for part in whole.within(preimage.domain))
    return union(*plateaus, *(_met_members(preimage, expression, level, part) for part in members))


def _met_members(preimage: Preimage, expression: Expr, level: Number, part: Progression) -> RealSet:
    """Return the members at which an expression is at a level; those that are too many to list go to the preimage."""
    listed = part.numbers() if part.count <= MOST_LISTED else None
    numbers = whole_members(part) if preimage.integer else listed
    if numbers is None and not (preimage.integer and part.rounded):
        trimmed = _trimmed(preimage, expression, level, part)
        preimage.take([] if trimmed is None else [trimmed])
        numbers = () if trimmed else None
    if numbers is None:
        preimage.open = union(preimage.open, (part.hull,))
    return _met(preimage, expression, numbers or (), level)


def _trimmed(preimage: Preimage, expression: Expr, level: Number, part: Progression) -> Progression | None:
    """Return a progression without the members at its ends that only rounding put there; None if all are wrong.

    A float next to an integer counts as it, so a rounding may take the next step before a range ends. The level is
    taken exactly, also as a float.
    """
    exact = replace(part, rounded=False)

    def met(step: int) -> bool:
        # the ratio, and the float that an answer has for it
        members = {Fraction(exact.at(step)), Fraction(part.at(step))}
        return len(_met(preimage, expression, members, level)) == len(members)

    return trimmed(part, met)


def _met(preimage: Preimage, expression: Expr, numbers: Iterable[Number], level: Number) -> RealSet:
    """Return the numbers at which an expression is at a level, or differs from it by rounding."""
    around = about(level)
    values = ((at, preimage.value_at(expression, at)) for at in numbers)
    met = (at for at, value in values if value is not None and is_rounded_to(value, level, around))
    return union(tuple(Interval(at, at) for at in met))


def by_divisor(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Return where a known number leaves a remainder; None where that is not the question, or has no simple answer."""
    if innermost(expression.args[1], preimage.unknown, nodes(Trait.PIECEWISE)) is not None:
        before, values = preimage.open, by_cases(preimage, expression, target)
        if not preimage.integer or preimage.open == before:
            return values
        preimage.open = before
        return None  # whole numbers can be tested
    if preimage.integer:
        values = divisor_set(expression, preimage.unknown, target, preimage.values)
    else:
        values = _parts(preimage, expression, target)
    if values is not None:
        preimage.methods.append(Method.DIVISORS)
    return values


def leaves_nothing(preimage: Preimage, dividend: Expr, divisor: Expr) -> bool:
    """Whether whole numbers of the unknown make a dividend whole and a divisor 1: `mod(max(n, 4), min(n, 1))`."""
    if not preimage.integer or not depends(dividend, preimage.unknown):
        return False
    by, known = preimage.bounds(divisor), exact_symbols(preimage.values)
    is_one = by.total and by.low == by.high == 1 and preimage.bounds(dividend).total
    return is_one and is_whole(dividend.xreplace(known), frozenset((preimage.unknown.name,)))


def _parts(preimage: Preimage, expression: Expr, target: RealSet) -> RealSet | None:
    """Return where a number leaves a single remainder; its parts are taken as progressions."""
    dividend, divisor = expression.args
    if depends(dividend, preimage.unknown) or not all(part.is_point for part in target):
        return None
    number, found = evaluate(dividend, preimage.values), EMPTY
    for rest in (part.lower for part in target):
        beyond = side(">", rest) if rest > 0 else side("<", rest) if rest < 0 else NOT_ZERO
        if number == rest:
            found = union(found, preimage.of(divisor, beyond))
        quotients = Quotient(number - rest, 0, 0, 1).members(-math.inf, math.inf)  # none where it is zero
        wholes = [part for way in beyond for whole in quotients for part in whole.within(way)]
        through = [where_in(whole, divisor, preimage.unknown, preimage.values) for whole in wholes]
        if None in through:
            return None
        preimage.take(part for parts in through for part in parts or ())
    return found


def divisor_set(expression: Expr, unknown: Expr, target: RealSet, values: Values) -> RealSet | None:
    """Return the whole numbers x at which mod(a, c * x) is one of a few values; None where that is not the question."""
    dividend, divisor = expression.args
    scale = divisor / unknown
    if depends(dividend, unknown) or depends(scale, unknown) or not all(part.is_point for part in target):
        return None
    factor = evaluate(scale, values)
    if not factor:
        return None
    divisors = [divisors_with_rest(evaluate(dividend, values), part.lower, factor) for part in target]
    return None if any(part is None for part in divisors) else union(*filter(None, divisors))


def by_residues(chain: Chain, expression: Expr, target: RealSet) -> Solution | None:
    """Return the whole numbers at which an expression that repeats itself is in a target: one period is tried.

    None where it does not, where floats do not tell, and where few numbers are asked for: a search lists those.
    """
    domain = chain.domain
    if not chain.integer or domain.upper - domain.lower < MOST_LISTED:
        return None
    if (period := _period(chain, expression)) is None:
        return None
    first = next(int(end) for end in (domain.lower, domain.upper, 0) if is_finite(end))
    verdicts = {at: _is_met_at(chain, expression, target, at) for at in range(first, first + period)}
    met = [at for at, is_met in verdicts.items() if is_met]
    if None in verdicts.values():
        return None
    if len(met) in (0, period):
        return Solution((domain,) if met else EMPTY, Method.CONSTANT)
    if len(met) > MOST_RESIDUES:
        return None
    wholes = (Progression(Fraction(at), Fraction(period)) for at in met)
    return Solution(EMPTY, Method.PERIOD, progressions=tuple(part for own in wholes for part in own.within(domain)))


def _is_met_at(chain: Chain, expression: Expr, target: RealSet, at: int) -> bool | None:
    """Return whether an expression is in a target at a whole number; None where rounding may tell otherwise."""
    value, ends = chain.at_or_none(at, expression), [end for part in target for end, _ in part.ends]
    if value is None or (is_exact(value) and all(map(is_exact, ends))):
        return value is not None and is_in(value, target)
    bounds = chain.field(expression).bounds(Span(at, at, exact=True))
    return True if is_inside(bounds, target) else False if is_outside(bounds, target) else None


def _period(chain: Chain, expression: Expr) -> int | None:
    """Return after how many whole numbers an expression repeats itself; None where it does not, or after too many."""

    def value(constant: Expr) -> Number | None:
        number = value_or_none(constant, chain.values)
        return None if number is None or isinstance(number, float) else number

    known: dict[Expr, Repeat | None] = {symbol(chain.unknown): COUNT}
    for name in chain.links.needed(expression):
        known[symbol(name)] = repeat_of(chain.formulas[name], known, value)
    repeat = repeat_of(expression, known, value)
    return None if repeat is None or repeat.rate or repeat.steps > LONGEST_PERIOD else repeat.steps
