"""Formulas over a part of the unknown, which may be rational where they are not: over `log(x)`, or a root of `x`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import sympy

from flopsheet.formulas.evaluate import Values, value_or_none
from flopsheet.formulas.trees import MOST_CACHED, depends, factored, holding, irrational_parts, put_in, rebuilt
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.functions import Expr

PART = sympy.Dummy("_part", real=True)  # no cell begins with a line
MOST_FACTORED = 10**12
_HIDDEN = sympy.Dummy("_hidden", real=True)


@cached(maxsize=MOST_CACHED)
def over_part(expression: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return the one function with every occurrence of the unknown, and the expression over `PART` in its place.

    None where there are several, or none: `log(x)` and `PART**2 + PART` for `log(x)**2 + log(x)`.
    """
    parts = irrational_parts(expression, unknown)
    if len(parts) != 1:
        return None
    (part,) = parts
    over = expression.xreplace({part: _HIDDEN})  # the unknown may be `PART` itself
    return None if part == expression or depends(over, unknown) else (part, over.xreplace({_HIDDEN: PART}))


@cached(maxsize=MOST_CACHED)
def over_exponential(expression: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return the one exponential of which all those that hold the unknown are powers, and the expression over it.

    `exp(-x)` and `PART**2 - PART` for `exp(-2*x) - exp(-x)`. None where there is none, or just one exponential.
    """
    found = irrational_parts(expression, unknown)
    bases = {base for base, _ in map(_exponential, found)} if len(found) > 1 else set()
    if len(bases) != 1 or any(depends(base, unknown) for base in bases):
        return None
    parts = sorted(found, key=str)  # sympy writes texts slowly
    raised = [_exponential(part) for part in parts]
    exponents: Sequence[Expr] = [exponent for _, exponent in raised]
    constants: Sequence[Expr] = [sympy.Integer(0)] * len(exponents)
    ratios = _multiples(exponents)
    if ratios is None:
        constants, exponents = zip(*(each.as_independent(unknown, as_Add=True) for each in exponents), strict=True)
        ratios = _multiples(exponents)
    if ratios is None:
        return None
    common = sympy.Rational(math.gcd(*(ratio.p for ratio in ratios)), math.lcm(*(ratio.q for ratio in ratios)))
    (base,) = bases
    powers = (base**constant * _HIDDEN ** (ratio / common) for constant, ratio in zip(constants, ratios, strict=True))
    over = expression.xreplace(dict(zip(parts, powers, strict=True)))
    return None if depends(over, unknown) else (base ** (exponents[0] * common), over.xreplace({_HIDDEN: PART}))


def _multiples(exponents: Sequence[Expr]) -> list[Expr] | None:
    """Return the ratios of exponents to the first one; None where these are not all numbers."""
    ratios = [exponent / exponents[0] for exponent in exponents]
    if not all(ratio.is_Rational for ratio in ratios) and all(exponent.is_polynomial() for exponent in exponents):
        ratios = [sympy.cancel(ratio) for ratio in ratios]  # of others a pole would cancel
    return ratios if all(ratio.is_Rational for ratio in ratios) else None


@cached(maxsize=MOST_CACHED)
def over_exponent(expression: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return the exponent of which those of all exponentials are multiples, and the expression over it.

    `x*(2 - log(2))` and `exp(PART)` for `exp(2*x)*2**(-x)`. None where there is none, or the unknown is elsewhere too.
    """
    exponents: dict[Expr, Expr] = {}
    joined = _joined(expression, unknown, exponents)
    if not exponents or depends(joined, unknown):
        return None
    first = next(filter(None, exponents.values()), None)
    if first is None:  # all of them cancel
        return unknown, joined.xreplace(dict.fromkeys(exponents, 0))
    ratios = _multiples([first, *exponents.values()])
    if first == unknown or ratios is None:
        return None
    multiples = (ratio * PART for ratio in ratios[1:])
    return factored(first), joined.xreplace(dict(zip(exponents, multiples, strict=True)))


def _joined(expression: Expr, unknown: Expr, exponents: dict[Expr, Expr]) -> Expr:
    """Return an expression with one exponential, of a new symbol, in each product; add the exponent by that symbol."""
    if not depends(expression, unknown):
        return expression
    factors = expression.args if expression.is_Mul else (expression,)
    parts = [factor for factor in factors if is_exponential(factor, unknown)]
    if not parts:
        return rebuilt(expression, [_joined(arg, unknown, exponents) for arg in expression.args])
    place = sympy.Dummy(real=True)
    raised = (part.as_base_exp() for part in parts)
    exponents[place] = sympy.expand(sum(_logarithms(exponent) * _logarithm(base) for base, exponent in raised))
    return sympy.exp(place) * sympy.Mul(
        *(_joined(factor, unknown, exponents) for factor in factors if factor not in parts)
    )


def _logarithm(number: Expr) -> Expr:
    """Return the logarithm of a number, of a ratio over its primes: so what two have in common is seen."""
    if not number.is_Rational or max(number.p, number.q) > MOST_FACTORED:
        return sympy.log(number)
    return sympy.Add(*(times * sympy.log(prime) for prime, times in sympy.factorrat(number).items()))


def _logarithms(expression: Expr) -> Expr:
    """Return an expression with its logarithms of ratios over their primes."""
    logs = [log for log in expression.atoms(sympy.log) if log.args[0].is_Rational and log.args[0].is_positive]
    return expression.xreplace({log: _logarithm(log.args[0]) for log in logs})


def is_exponential(part: Expr, unknown: Expr) -> bool:
    """Whether an expression is a positive number to a polynomial of the unknown: it has a value where it cancels."""
    base, exponent = part.as_base_exp()
    is_positive = bool(base.is_number and base.is_positive)
    return is_positive and depends(exponent, unknown) and bool(exponent.is_polynomial(unknown))


def _exponential(part: Expr) -> tuple[Expr, Expr]:
    """Return a power as its smallest whole base and an exponent: `4**x` as 2 and `2*x`."""
    base, exponent = part.as_base_exp()
    root, times = (base.is_Integer and sympy.perfect_power(base)) or (base, 1)
    return sympy.sympify(root), times * exponent


@cached(maxsize=MOST_CACHED)
def over_logarithm(expression: Expr, unknown: Expr) -> tuple[Expr, Expr, tuple[Expr, ...]] | None:
    """Return the one logarithm of which all those that hold the unknown are multiples, and the expression over it.

    `log(x)` and `PART + log(2)` for `log(2*x)`. The last is what must be above zero for that. None where there is none,
    or just one logarithm.
    """
    found = irrational_parts(expression, unknown)
    if len(found) < 2 or not all(isinstance(part, sympy.log) for part in found):
        return None
    parts = sorted(found, key=str)
    split = [part.args[0].as_independent(unknown, as_Add=False) for part in parts]
    bases = [varying.as_base_exp() for _, varying in split]
    inside, powers = bases[0][0], [power for _, power in bases]
    is_one = all(base == inside for base, _ in bases) and all(power.is_Rational for power in powers)
    if not is_one or all(power.is_even for power in powers):  # one that is not tells that it is above zero
        return None
    multiples = (sympy.log(constant) + power * _HIDDEN for (constant, _), power in zip(split, powers, strict=True))
    over = expression.xreplace(dict(zip(parts, multiples, strict=True)))
    positive = tuple(constant for constant, _ in split if constant != 1)
    if depends(over, unknown) or (positive and not depends(over, _HIDDEN)):  # floats do not tell what cancels
        return None
    return sympy.log(inside), over.xreplace({_HIDDEN: PART}), positive


@cached(maxsize=MOST_CACHED)
def over_power(expression: Expr, unknown: Expr) -> tuple[Expr, Expr] | None:
    """Return a product of powers without the whole exponent that these have in common, and the power of `PART`.

    None where they have none: `(x + 1)/x` and `PART**16` for `(x + 1)**16/x**16`.
    """
    factors = [factor for factor in expression.args if depends(factor, unknown)]
    if not expression.is_Mul or not all(factor.is_Pow and factor.exp.is_Integer for factor in factors):
        return None
    common = math.gcd(*(int(factor.exp) for factor in factors))
    if common < 2:
        return None
    inside = sympy.Mul(*(factor.base ** (factor.exp / common) for factor in factors))
    others = (factor for factor in expression.args if factor not in factors)
    return inside, sympy.Mul(*others, PART**common)


class Rooted(NamedTuple):
    """An expression over a root of the unknown, which is not negative."""

    order: int  # of the root
    over: Expr  # of `PART` as that root
    positive: tuple[Expr, ...]  # what must be above zero for it to be the same

    def holds(self, values: Values) -> bool:
        """Whether it is the same at the values of the other cells."""
        return all((value_or_none(part, values) or 0) > 0 for part in self.positive)


@cached(maxsize=MOST_CACHED)
def over_root(expression: Expr, unknown: Expr, highest: int) -> Rooted | None:
    """Return an expression over a root of the unknown, free of roots of it: `PART**2 + PART` for `x + sqrt(x)`.

    Powers of products are taken apart: `x*sqrt(c/x)` is `sqrt(c)*PART`. None where the order is too high, a root of
    something else contains the unknown, or nothing changes.
    """
    positive: list[Expr] = []
    apart = _powers_apart(expression, unknown, positive)
    if apart is None:
        return None
    powers = {power for power in apart.atoms(sympy.Pow) if power.base == unknown and power.exp.is_Rational}
    order = math.lcm(*(int(power.exp.q) for power in powers))
    if order > highest or (order == 1 and apart == expression):
        return None
    parts = {power: PART ** (power.exp * order) for power in powers}
    return Rooted(order, put_in(apart, {**parts, unknown: PART**order}), tuple(positive))


def _powers_apart(expression: Expr, unknown: Expr, positive: list[Expr]) -> Expr | None:
    """Return an expression with `(c*x**a)**q` as `c**q * x**(a*q)`, and add each c, which must be positive."""
    if not depends(expression, unknown) or expression == unknown:
        return expression
    args = [_powers_apart(arg, unknown, positive) for arg in expression.args]
    if any(arg is None for arg in args):
        return None
    expression = rebuilt(expression, args)
    if not expression.is_Pow or expression.exp.is_Integer or not expression.exp.is_Rational:
        return expression
    base, exponent = expression.args
    inside = holding(base, unknown) if base.is_Mul else (base,)
    rest = sympy.Mul(*(factor for factor in base.args if factor not in inside)) if base.is_Mul else sympy.Integer(1)
    powers = [factor.as_base_exp() for factor in inside]
    if any(own != unknown or not raised.is_Rational for own, raised in powers):
        return None
    if rest != 1:
        positive.append(rest)
    return rest**exponent * unknown ** (sum(raised for _, raised in powers) * exponent)
