"""Formulas as Python functions: straight-line code over numbers, the same text for ratios and for floats.

Names in the code are ours, never those of cells: a cell's name is looked up, not executed.
"""

from __future__ import annotations

import math
import re
import sys
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.functions.angles import Acos, Asin, Atan, Cos, Sin, Tan
from flopsheet.functions.language import Indicator
from flopsheet.functions.symbols import exact
from flopsheet.numbers.arithmetic import EXACT, FLOATS
from flopsheet.numbers.spans import ANYTHING, NOTHING, SPANS, NoValueError, Span, around

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.units import Number

KEPT = 65536
_LARGEST = sys.float_info.max
_WORD = re.compile(r"\w+")
_FUNCTIONS = {
    sympy.Max: "largest",
    sympy.Min: "smallest",
    sympy.ceiling: "ceiling",
    sympy.floor: "floor",
    sympy.Abs: "size",
    sympy.Mod: "remainder",
    sympy.log: "log",
    sympy.exp: "exp",
    Sin: "sine",
    Cos: "cosine",
    Tan: "tangent",
    Asin: "arcsine",
    Acos: "arccosine",
    Atan: "arctangent",
}


class Compiled:
    """Formulas as one function of the cells that they need.

    Args:
        steps: cells with their formulas, each of which may use the cells before it.
        result: the expression whose value is wanted, or several as a tuple of sympy.
        tidied: whether a cell's value that is a whole ratio becomes an int, as that of a formula evaluated by itself.
    """

    def __init__(self, steps: Sequence[tuple[str, Any]], result: Any, *, tidied: bool = False) -> None:
        writer = _Writer()
        for name, formula in steps:
            value = writer.write(formula)
            writer.known[name] = writer.tidied(value) if tidied and not formula.is_Symbol else value
        several = isinstance(result, sympy.Tuple)
        writer.lines.append(f"return {writer.several(result) if several else writer.write(result)}")
        self.inputs: tuple[str, ...] = tuple(writer.inputs)
        self._names, self.lines, self._constants = writer.inputs, writer.lines, writer.constants
        self._factories: dict[tuple[str, bool], Callable[..., Callable[[Any], Any]]] = {}

    @cached_property
    def exact(self) -> Callable[..., Any]:
        """The formulas as a function that is exact on ratios."""
        return self._of_all(EXACT, self._constants)

    @cached_property
    def floats(self) -> Callable[..., Any]:
        """The formulas as a function on floats."""
        return self._of_all(FLOATS, self._float_constants)

    def _of_all(self, operations: Mapping[str, Any], constants: Mapping[str, Any]) -> Callable[..., Any]:
        return _defined(
            [f"def made({', '.join(self._names.values())}):", *_indented(self.lines)], operations, constants
        )

    @cached_property
    def _float_constants(self) -> dict[str, float]:
        return {each: float(value) for each, value in self._constants.items()}

    def over(self, name: str) -> Callable[..., Callable[[float], float]]:
        """Return what makes, of the other inputs, the function of one input on floats; all else is computed once."""
        if (name, False) not in self._factories:
            self._factories[name, False] = self._factory(name, FLOATS, self._float_constants)
        return self._factories[name, False]

    def bounds_over(self, name: str) -> Callable[..., Callable[[Span], Span | int]]:
        """Return what makes, of the other inputs as spans, the bounds of the formulas over a span of one input."""
        if (name, True) not in self._factories:
            constants = {each: around(value, value) for each, value in self._constants.items()}
            self._factories[name, True] = self._factory(name, SPANS, constants)
        return self._factories[name, True]

    def _factory(
        self, name: str, operations: Mapping[str, Any], constants: Mapping[str, Any]
    ) -> Callable[..., Callable[[Any], Any]]:
        own = self._names.get(name, "unused")
        others = ", ".join(each for each in self._names.values() if each != own)
        before, behind, varying = list[str](), list[str](), {own}
        for line in self.lines:
            if line.startswith("return") or not varying.isdisjoint(_WORD.findall(line)):
                behind.append(line)
                varying.add(line.split(" ", 1)[0])
            else:
                before.append(line)
        inner = [f"def of({own}):", *_indented(behind), "return of"]
        return _defined([f"def made({others}):", *_indented([*before, *inner])], operations, constants)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _defined(lines: Sequence[str], operations: Any, constants: Mapping[str, Any]) -> Callable[..., Any]:
    names: dict[str, Any] = {**operations, **constants}
    exec("\n".join(lines), names)  # noqa: S102  # a text of our own making, without a name from outside
    made: Callable[..., Any] = names["made"]
    return made


class _Writer:
    """Writes the lines of a function, one for each operation; the same operation only once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.inputs: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.constants: dict[str, Number] = {}
        self._written: dict[Any, str] = {}

    def write(self, expression: Any) -> str:
        """Write what an expression needs, and return the name or number that then holds its value.

        Raises:
            ValueError: a function in it is none of ours, or it is not real.
        """
        if expression.is_Symbol:
            name = self.known.get(expression.name)
            return name or self.inputs.setdefault(expression.name, f"x{len(self.inputs)}")
        if expression not in self._written:
            self._written[expression] = self._operation(expression)
        return self._written[expression]

    def several(self, expressions: Iterable[Any]) -> str:
        """Write what expressions need, and return the text of the tuple that then holds their values."""
        return f"({', '.join(map(self.write, expressions))},)"

    def tidied(self, value: str) -> str:
        """Write that a value becomes an int where it is whole, and return the name that then holds it."""
        return self._line(f"tidy({value})")

    def _operation(self, expression: Any) -> str:
        if expression.is_Number:
            return f"({int(expression)})" if expression.is_Integer else self._constant(exact(expression))
        if expression.is_Add:
            return self._line(" + ".join(map(self.write, expression.args)))
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return self._power(expression)
        if expression.func is Indicator:
            left, sign, right = expression.args
            return self._line(f"indicator({self.write(left)}, {str(sign)!r}, {self.write(right)})")
        return self._function(expression)

    def _function(self, expression: Any) -> str:
        name = _FUNCTIONS.get(expression.func)
        if name is not None:
            return self._line(f"{name}({', '.join(map(self.write, expression.args))})")
        if expression.free_symbols or not expression.is_real:
            raise ValueError(f"{expression.func.__name__} is no function of ours, or not real")
        return self._constant(float(expression))

    def _product(self, expression: Any) -> str:
        above, below = [], []
        for factor in expression.args:
            if factor.is_Pow and factor.exp == -1:
                below.append(self.write(factor.base))
            elif factor.is_Rational and not factor.is_Integer:
                above += [f"({int(factor.p)})"] * (factor.p != 1)
                below.append(f"({int(factor.q)})")
            else:
                above.append(self.write(factor))
        product = " * ".join(above) or "1"
        return self._line(f"divided({product}, {' * '.join(below)})" if below else product)

    def _power(self, expression: Any) -> str:
        base, exponent = expression.args
        if exponent == -1:
            return self._line(f"divided(1, {self.write(base)})")
        if exponent in (2, 3):
            return self._line(" * ".join([self.write(base)] * int(exponent)))
        return self._line(f"power({self.write(base)}, {self.write(exponent)})")

    def _constant(self, value: Number) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = value if isinstance(value, float) else Fraction(value)
        return name

    def _line(self, operation: str) -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{name} = {operation}")
        return name


@lru_cache(maxsize=KEPT)
def compiled(expression: Any) -> Compiled:
    """Return an expression as a function.

    Raises:
        ValueError: a function in it is none of ours, or it is not real.
    """
    return Compiled((), expression)


def over_floats(made: Compiled, name: str, values: Mapping[str, Number | str]) -> Callable[[float], float]:
    """Return compiled formulas as a function of one cell on floats; "not a number" where it has no value."""
    try:
        function = made.over(name)(*(float(values[each]) for each in made.inputs if each != name))
    except (ArithmeticError, ValueError):
        return lambda _: math.nan

    def of(at: float) -> float:
        try:
            value = float(function(at))
            return value if -_LARGEST < value < _LARGEST else within_floats(value)
        except (ArithmeticError, ValueError):
            return math.nan

    return of


def over_spans(made: Compiled, name: str, values: Mapping[str, Number | str]) -> Callable[[Span], Span]:
    """Return the bounds of compiled formulas as a function of a span of one cell; anything where there are none."""
    try:
        function = made.bounds_over(name)(*(_point(values[each]) for each in made.inputs if each != name))
    except NoValueError:
        return lambda _: NOTHING
    except (ArithmeticError, TypeError, ValueError):
        return lambda _: ANYTHING

    def of(span: Span) -> Span:
        try:
            found = function(span)
        except NoValueError:
            return NOTHING
        except (ArithmeticError, ValueError):
            return ANYTHING
        return found if isinstance(found, Span) else Span(found, found)

    return of


def _point(value: Number | str) -> Span:
    if isinstance(value, str):
        raise TypeError(f"'{value}' is a name, not a number")
    return around(value, value)


def within_floats(value: float) -> float:
    """Return infinity as the largest float: what is beyond numbers still lies on its side of every level."""
    return math.copysign(_LARGEST, value) if math.isinf(value) else value
