"""Values of formulas with more digits than floats have, for what may depend on the last one.

A value that is no ratio carries the formula that it was computed by, so later cells do not start from its float.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

from flopsheet.formulas.program import Program, program_of
from flopsheet.functions import Trait
from flopsheet.numbers.arithmetic import is_long
from flopsheet.numbers.many_digits import PRECISION, SETTLED_BITS, Irrational, ends_of, interval_of, precision
from flopsheet.units import is_finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number


def with_digits(value: Number, formula: Expr, inputs: Mapping[str, Number | str]) -> Number:
    """Return the value of a formula as a number that is known to all digits, where its inputs are."""
    if type(value) is not float or not is_finite(value) or not all(map(is_known, inputs.values())):
        return value
    rests_on = [number for number in inputs.values() if isinstance(number, Irrational)]
    return Irrational(value, rests_on, partial(_interval, formula, inputs))


def is_known(number: Number | str) -> bool:
    """Whether a number is exact, or irrational with all its digits."""
    return type(number) is not float


def _interval(formula: Expr, inputs: Mapping[str, Number | str]) -> Any:
    return _as_interval(_value(program_of(formula), inputs))


def _value(program: Program, inputs: Mapping[str, Number | str]) -> Any:
    """Return the result of a program, exactly or as an interval of mpmath at the precision that is set.

    Raises:
        ArithmeticError, ValueError: it has none, or no bounds.
    """
    values: dict[int, Any] = dict(program.constants)
    values |= {place: inputs[name] for name, place in program.inputs.items()}
    needed = {program.result}
    for place, operation in reversed(program.operations.items()):
        needed.update(operation.terms if place in needed else ())
    for place, operation in program.operations.items():
        if place in needed:
            values[place] = _operation(operation.entry, [*map(values.__getitem__, operation.terms)])
    return values[program.result]


def _operation(entry: Function, terms: Sequence[Any]) -> Any:
    if not any(map(_is_rounded, terms)):
        value = entry.exact(*terms)
        if not _is_rounded(value) and not is_long(value):
            return value
    value = entry.precise(*(term if isinstance(term, str) else _as_interval(term) for term in terms))
    return ends_of(value)[0] if entry.traits & Trait.JUMPS and value.a == value.b else value


def _is_rounded(term: Any) -> bool:
    return isinstance(term, float) or hasattr(term, "delta")


def _as_interval(term: Any) -> Any:
    return term if hasattr(term, "delta") else interval_of(term)


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
            self._program = Program(self._steps, self._node)
        if not all(is_known(inputs[name]) for name in self._program.inputs):
            return None
        for bits in (PRECISION, SETTLED_BITS):
            try:
                with precision(bits):
                    value = _value(self._program, inputs)
                    if not _is_rounded(value):
                        return cast("Number", value)
                    if not self.entry.traits & Trait.STEPPED and value.delta * 2 ** (bits // 2) <= abs(value).a:
                        return float(sum(ends_of(value)) / 2)
            except (ArithmeticError, ValueError):
                return None
        return None
