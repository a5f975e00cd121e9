"""Values of formulas with more digits than floats have, for what may depend on the last one.

A value that is no ratio carries the formula that it was computed by, so later cells do not start from its float.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import sympy

from flopsheet.formulas.program import Program, program_of
from flopsheet.formulas.trees import MOST_CACHED, has_function, symbol_names
from flopsheet.functions import Trait, entry_of, nodes
from flopsheet.functions.symbols import parts_of
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.many_digits import (
    ENOUGH,
    PRECISION,
    SETTLED_BITS,
    Irrational,
    ends_of,
    interval_of,
    is_interval,
    is_rounded,
    is_settled_zero,
    precision,
    sign_of,
    span_at,
)
from flopsheet.numbers.spans import ANYTHING, NoValueError, Span, in_floats
from flopsheet.session import cached
from flopsheet.tolerances import HARDLY_LEFT, ROUNDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number


class _HiddenError(ArithmeticError):
    """Digits do not show whether a formula has a value."""


def with_digits(value: Number, formula: Expr, inputs: Mapping[str, Number | str], *, nearest: bool = False) -> Number:
    """Return the value of a formula as a number that is known to all digits, where its inputs are.

    A float that lost digits as terms cancelled is replaced by the one nearest to the number; if `nearest`, any is.

    Raises:
        ValueError: floats put a term into the domain of a function, and digits show that it is not in there.
    """
    if type(value) is not float or not math.isfinite(value) or any(map(is_rounded, inputs.values())):
        return value
    rests_on = [number for number in inputs.values() if isinstance(number, Irrational)]
    compute = partial(_interval, formula, inputs)
    if may_lack_value(formula) and not _bounds(program_of(formula), inputs, span_at).total:
        try:
            shown_value(program_of(formula), inputs)
        except NoValueError:
            raise ValueError("a function in it is not defined there") from None
    if nearest and (told := Irrational(value, rests_on, compute).nearest()) is not None:
        return told
    if may_cancel(formula, inputs, inputs) and _has_cancelled(formula, inputs):
        value = _rounded(Irrational(value, rests_on, compute))
    return Irrational(value, rests_on, compute) if isinstance(value, float) else value


def may_cancel(formula: Expr, names: Iterable[str], values: Mapping[str, Number | str]) -> bool:
    """Whether a sum in a formula may have terms of both signs at the values of the names in it."""
    if _subtracts(formula):
        return True
    if not has_function(formula, (sympy.Add,)):
        return False
    return any(not isinstance(own := values[name], str) and own < 0 for name in names)


@cached(maxsize=MOST_CACHED)
def _subtracts(formula: Expr) -> bool:
    """Whether a sum in a formula may have terms of both signs, whatever the cells in it are above zero."""
    signed = nodes(Trait.SIGNED)
    terms = (term for total in parts_of(formula, sympy.Add) for term in total.args)
    return any(term.could_extract_minus_sign() or has_function(term, signed) for term in terms)


def _has_cancelled(formula: Expr, inputs: Mapping[str, Number | str]) -> bool:
    """Whether bounds of a formula in floats are wide beside it, so that its float may have few digits."""
    value = _bounds(program_of(formula), inputs, _about)
    return not value.high - value.low <= HARDLY_LEFT * max(value.low, -value.high)


def _bounds(program: Program, inputs: Mapping[str, Number | str], irrational: Callable[[Irrational], Span]) -> Span:
    """Return bounds of the result of a program, mostly in floats, from those of irrational inputs."""
    spans: dict[int, Any] = {}
    numbers = {**{place: inputs[name] for name, place in program.inputs.items()}, **program.constants}
    for place, number in numbers.items():
        if isinstance(number, Irrational):
            spans[place] = irrational(number)
        elif isinstance(number, str):
            spans[place] = number
        else:
            span = Span(number, number, exact=True)
            spans[place] = span if place in program.kept_exact else in_floats(span)
    try:
        for place, operation in program.operations.items():
            spans[place] = operation.entry.bounds(*map(spans.__getitem__, operation.terms))
    except (ArithmeticError, ValueError):
        return ANYTHING
    return in_floats(spans[program.result])


def _about(number: Irrational) -> Span:
    """Return floats around an irrational number that is known within rounding; `span_at` is sure, and takes longer."""
    off = ROUNDING * abs(number)
    return Span(number - off, number + off)


def _rounded(number: Irrational) -> Number:
    """Return the float nearest to a number; 0 where most digits do not tell it from that."""
    try:
        low, high = number.ends()
    except (ArithmeticError, ValueError):
        return float(number)
    if (high - low) * ENOUGH <= max(low, -high):
        return float((low + high) / 2)
    return 0 if low <= 0 <= high else float(number)


def _interval(formula: Expr, inputs: Mapping[str, Number | str]) -> Any:
    return _as_interval(_value(program_of(formula), inputs))


@cached(maxsize=MOST_CACHED)
def may_lack_value(formula: Expr) -> bool:
    """Whether a function of computed terms has no value for some numbers: floats may put its term beside these."""
    parts = (part for part in parts_of(formula) if part.args)
    demands = (term for part in parts for term, _ in entry_of(part).demands(part))
    computed = any(term.args for term in demands)
    return computed or any(not power.exp.is_number for power in parts_of(formula, sympy.Pow))


def shown_value(program: Program, inputs: Mapping[str, Number | str], *, signed: bool = False) -> Any:
    """Return an interval of mpmath around the result of a program, floats taken as they are.

    It has one sign, if that is asked for and most digits tell it; a sum that these do not tell from zero is zero.
    Return None where no digits show that there is a value.

    Raises:
        NoValueError: there is none.
    """
    for bits in (PRECISION, SETTLED_BITS):
        with precision(bits):
            try:
                value = _as_interval(_value(program, inputs, shown=True))
            except NoValueError:
                raise
            except _HiddenError:
                value = None
            except (ArithmeticError, ValueError):
                return None
            if value is not None and not (signed and sign_of(value) is None):
                break
    return value


def _value(program: Program, inputs: Mapping[str, Number | str], *, shown: bool = False) -> Any:
    """Return the result of a program, exactly or as an interval of mpmath at the precision that is set.

    Raises:
        ArithmeticError, ValueError: it has none, or no bounds; if `shown`, the digits do not show that it has one.
    """
    values: dict[int, Any] = dict(program.constants)
    values |= {place: inputs[name] for name, place in program.inputs.items()}
    for place, operation in program.leading:
        terms = [*map(values.__getitem__, operation.terms)]
        values[place] = value = _operation(operation.entry, terms)
        if shown and _is_inexact(value) and not _is_total(operation.entry, terms):
            raise _HiddenError
    return values[program.result]


def _is_total(entry: Function, terms: Sequence[Any]) -> bool:
    """Whether an operation has a value all over its terms."""
    spans: list[Any] = [
        term if isinstance(term, str) else Span(*ends_of(_as_interval(term)), exact=True) for term in terms
    ]
    return entry.bounds(*spans).total


def _operation(entry: Function, terms: Sequence[Any]) -> Any:
    if not any(map(_is_inexact, terms)):
        try:
            value = entry.exact(*terms)
        except (ZeroDivisionError, ValueError):
            raise NoValueError from None
        if not _is_inexact(value) and not is_long(value):
            return value
    intervals = [term if isinstance(term, str) else _as_interval(term) for term in terms]
    value = entry.precise(*intervals)
    if entry.node is sympy.Add and is_settled_zero(value, intervals):
        return 0
    return ends_of(value)[0] if entry.traits & Trait.JUMPS and value.a == value.b else value


def _is_inexact(term: Any) -> bool:
    return isinstance(term, float) or is_interval(term)


def _as_interval(term: Any) -> Any:
    return term if is_interval(term) else interval_of(term)


def _behind(steps: Sequence[tuple[str, Expr]], node: Expr) -> list[tuple[str, Expr]]:
    """Return the steps on which an expression rests, in their order."""
    needed = {*symbol_names(node)}
    behind: list[tuple[str, Expr]] = []
    for name, formula in reversed(steps):
        if name in needed:
            needed |= symbol_names(formula)
            behind.append((name, formula))
    return behind[::-1]


class Jump:
    """A function in compiled formulas that digits decide where its terms are floats: a rounding, a comparison.

    Args:
        entry: the function.
        node: it, in the formulas.
        steps: the cells that are computed before, with their formulas.
        inputs: names of what the formulas have as inputs so far.
    """

    def __init__(self, entry: Function, node: Expr, steps: Sequence[tuple[str, Expr]], inputs: Sequence[str]) -> None:
        self.entry, self._node, self._steps, self._inputs = entry, node, steps, inputs
        self._program: Program | None = None

    def __call__(self, inputs: Sequence[Number | str], *terms: Any) -> Number:
        """Return its value for terms that were computed from inputs."""
        if any(isinstance(term, float) for term in terms):
            decided = self._decided(dict(zip(self._inputs, inputs, strict=True)))
            if decided is not None:
                return decided
        return self.entry.exact(*terms)

    def floats(self, inputs: Sequence[Number | str], *terms: Any) -> Number:
        """Return its value of floats."""
        del inputs
        return (self.entry.floats or self.entry.exact)(*terms)

    def _decided(self, inputs: Mapping[str, Number | str]) -> Number | None:
        """Return its value by digits; None where an input is a float, or most digits do not decide."""
        if self._program is None:
            self._program = Program(_behind(self._steps, self._node), self._node)
        if any(is_rounded(inputs[name]) for name in self._program.inputs):
            return None
        value = _bounds(self._program, inputs, span_at)
        if value.low == value.high == int(value.low):
            return int(value.low)
        for bits in (PRECISION, SETTLED_BITS):
            try:
                with precision(bits):
                    value = _value(self._program, inputs)
                    if not _is_inexact(value):
                        return cast("Number", value)
                    if not self.entry.traits & Trait.STEPPED and value.delta * 2 ** (bits // 2) <= abs(value).a:
                        return float(sum(ends_of(value)) / 2)
            except (ArithmeticError, ValueError):
                return None
        return None
