"""Tuples of whole numbers: divisors where equations say what a product is, and all where bounds leave few to try.

The degrees of a layout multiply to all chips: these are its divisors, not each number up to them.
"""

from __future__ import annotations

import math
from itertools import islice, product
from typing import TYPE_CHECKING

import sympy
from sympy import integer_nthroot
from sympy.ntheory import divisor_count, divisors

from flopsheet.budget import in_time, part
from flopsheet.formulas.elimination import gaps_of, linear_forms, triangle
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.hyperbolas import LARGEST_PRODUCT, MOST_DIVISORS, tuples_on_hyperbola
from flopsheet.formulas.links import Links
from flopsheet.formulas.trees import depends, symbol_names
from flopsheet.functions.symbols import symbol
from flopsheet.search.joint import Joint
from flopsheet.search.several_unknowns import JointSearch, Tuples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.formulas.evaluate import Values
    from flopsheet.functions import Expr
    from flopsheet.numbers.sets import Interval
    from flopsheet.search.several_unknowns import Point
    from flopsheet.units import Number

LARGEST_FORM, MOST_TUPLES, ENDLESS = 200, 4096, 10**9
MOST_OPERATIONS, OF_FORM = 100_000, 8  # of tuples that are tried; a formula of an unknown counts for several
SMOOTH = 1 / 8  # of these, where nothing jumps: bounds then tell more at once
MOST_ROWS, MOST_IN_ROWS, ROWS = 4096, 16_384, 1 / 4  # tuples of all unknowns but one; numbers of that; of the time
EQUATIONS = 1 / 4  # of the time, for what equations leave without the inequalities


def listed(
    joint: Joint, domains: Mapping[str, Interval], formulas: Mapping[str, Expr], values: Values
) -> Tuples | None:
    """Return the whole numbers at which relations hold, where the equations leave few; None where they do not.

    Inequalities may need hundreds of formulas, over which bounds are loose: they are only checked at single points.
    """
    names, equations = [*domains], [relation for relation in joint.relations if relation.is_equation]
    links = Links(names[0], formulas)
    points = _by_product(gaps_of(equations, links, values, LARGEST_FORM), domains)
    sides = [side for one in equations for side in (one.left, one.right)]
    needed = links.needed(*sides)
    inside = frozenset().union(*map(symbol_names, (*sides, *map(formulas.__getitem__, needed))))
    are_few = all(name in inside or own.upper - own.lower < MOST_TUPLES for name, own in domains.items())
    if points is None and are_few and equations and len(needed) < len(formulas):
        short = Joint(names, [(name, formulas[name]) for name in needed], equations, values, {})
        search = JointSearch(short, [*domains.values()], [True] * len(names))
        if is_endless(search):
            return None
        with part(EQUATIONS):  # alone, they may leave more tuples than with the inequalities
            result = search.tuples()
        points = None if result.open else [*result.points]
    return None if points is None else Tuples(tuple(point for point in points if joint.holds(point)))


def is_endless(search: JointSearch) -> bool:
    """Whether contraction leaves an unknown more whole numbers than any search goes through."""
    return any(high - low > ENDLESS for box in search.boxes() for low, high in box)


def tried(joint: Joint, domains: Mapping[str, Interval], formulas: Mapping[str, Expr], values: Values) -> Tuples | None:
    """Return the whole numbers at which relations hold, where bounds leave few that are tried; None where not.

    Linear equations give some unknowns from the others, of which alone the numbers are tried.
    """
    equations = [relation for relation in joint.relations if relation.is_equation]
    links = Links(next(iter(domains)), formulas)
    forms = linear_forms(gaps_of(equations, links, values, LARGEST_FORM))
    boxes = JointSearch(joint, [*domains.values()], [True] * len(domains)).boxes()
    if not boxes:
        return Tuples(())
    sides = [(min(lows), max(highs)) for lows, highs in (zip(*own, strict=True) for own in zip(*boxes, strict=True))]
    ranges = {symbol(name): side for name, side in zip(domains, sides, strict=True) if symbol(name) not in forms}
    count = math.prod(high - low + 1 for low, high in ranges.values())
    operations = count * (len(joint.varying) + OF_FORM * len(forms))
    if joint.printed:
        return None
    try:
        if operations > MOST_OPERATIONS * (1 if joint.jumps or forms else SMOOTH):
            with part(ROWS):
                return _in_rows(joint, sides)
        numbers = product(*(range(int(low), int(high) + 1) for low, high in ranges.values()))
        points = [_completed(dict(zip(ranges, one, strict=True)), forms, domains) for one in in_time(numbers)]
        return Tuples(tuple(sorted(point for point in in_time(points) if point is not None and joint.holds(point))))
    except TimeoutError:
        return None


def _in_rows(joint: Joint, sides: Sequence[tuple[Number, Number]]) -> Tuples | None:
    """Return the whole numbers at which relations hold: all of every unknown but one, with what these leave of that.

    Squares that differ by one, `x**2 - 7*y**2 = 1`, have bounds that part slowly; each y leaves few x. None where rows
    or what they leave are many.

    Raises:
        TimeoutError: the time is over.
    """
    sizes = [high - low + 1 for low, high in sides]
    widest = sizes.index(max(sizes))
    others = [side for at, side in enumerate(sides) if at != widest]
    if math.prod(high - low + 1 for low, high in others) > MOST_ROWS:
        return None
    points: list[Point] = []
    left = MOST_IN_ROWS
    for row in in_time(product(*(range(int(low), int(high) + 1) for low, high in others))):
        box = (*((number, number) for number in row[:widest]), sides[widest], *((own, own) for own in row[widest:]))
        spans = joint.contracted(box)
        own = None if spans is None else spans[widest]
        low, high = (0, -1) if own is None else (own.low, own.high)
        if high - low > left:
            return None
        numbers = range(math.ceil(low), math.floor(high) + 1)
        left -= len(numbers)
        points += [point for number in numbers if joint.holds(point := (*row[:widest], number, *row[widest:]))]
    return Tuples(tuple(sorted(points)))


def _by_product(gaps: list[Expr], domains: Mapping[str, Interval]) -> list[Point] | None:
    """Return the whole numbers at which gaps are zero, where these say what a product is; None where they do not."""
    eliminated = triangle(gaps) if gaps else None
    if eliminated is None:
        return None
    forms, gap = eliminated
    left = {symbol(name): domain for name, domain in domains.items() if symbol(name) not in forms}
    terms = sympy.Add.make_args(gap)
    cancels = any(_cancels_at_zero(unknown, domain, terms) for unknown, domain in left.items())
    tuples = None if len(terms) != 2 or cancels else tuples_of_product(-terms[0] / terms[1], left)
    tuples = tuples_on_hyperbola(gap, left) if tuples is None else tuples
    if tuples is None:
        return None
    return sorted(filter(None, (_completed(dict(zip(left, one, strict=True)), forms, domains) for one in tuples)))


def _cancels_at_zero(unknown: Expr, domain: Interval, terms: Sequence[Expr]) -> bool:
    """Whether both terms are zero where an unknown is, which their ratio does not say: `x**2*y = 12*x`."""
    return 0 in domain and all(depends(term, unknown) for term in terms)


def _completed(
    found: Mapping[Expr, int], forms: Mapping[Expr, Expr], domains: Mapping[str, Interval]
) -> tuple[int, ...] | None:
    """Return whole numbers with those that follow from them; None where one is not whole, or not within its domain."""
    values: dict[str, Number | str] = {unknown.name: number for unknown, number in found.items()}
    for unknown, form in forms.items():
        values[unknown.name] = evaluate(form, values)
    point = tuple(int(values[name]) for name in domains)
    within = (number == values[name] and number in domains[name] for number, name in zip(point, domains, strict=True))
    return point if all(within) else None


def tuples_of_product(ratio: Expr, domains: Mapping[Expr, Interval]) -> list[tuple[int, ...]] | None:
    """Return all whole numbers within domains at which an expression is 1; None where it is no product, or too many.

    Args:
        ratio: a number times powers of the unknowns, all of them positive or all negative: `n*m/12`.
        domains: of each unknown, none of which is negative.
    """
    coefficient, factors = ratio.as_coeff_mul()
    powers = dict(factor.as_base_exp() for factor in factors)
    if powers.keys() != domains.keys() or not all(power.is_Integer for power in powers.values()):
        return None
    signs = {power > 0 for power in powers.values()}
    if len(signs) > 1 or not coefficient.is_Rational or any(domain.lower < 0 for domain in domains.values()):
        return None
    whole = 1 / coefficient if True in signs else coefficient
    if not whole.is_integer or whole < 1:
        return []
    if whole > LARGEST_PRODUCT or divisor_count(whole) > MOST_DIVISORS:
        return None
    sought = [(abs(int(powers[unknown])), domain) for unknown, domain in domains.items()]
    tuples = [*islice(_split(int(whole), sought), MOST_TUPLES + 1)]
    return tuples if len(tuples) <= MOST_TUPLES else None


def _split(whole: int, sought: Sequence[tuple[int, Interval]]) -> Iterator[tuple[int, ...]]:
    """Yield the whole numbers, each with its power and its domain, whose powers have a product: the whole."""
    (power, domain), *others = sought
    if not others:
        root, exact = integer_nthroot(whole, power)
        if exact and root in domain:
            yield (root,)
        return
    for divisor in divisors(whole):
        rest, left = divmod(whole, divisor**power)
        if not left and divisor in domain:
            yield from ((divisor, *found) for found in _split(rest, others))
