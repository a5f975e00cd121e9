"""Formulas as Python functions: straight-line code over numbers, the same code for ratios and floats.

Names in the code are generated; a cell's name is only looked up, so no text from a sheet is executed.
"""

from __future__ import annotations

import math
import operator
import sys
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from sympy.core.symbol import Str

from flopsheet.formulas.by_digits import Jump, may_cancel, with_digits
from flopsheet.functions import BY_NODE, Trait, exact, has_no_value
from flopsheet.functions.near_one import EXP_LESS_ONE, LOG_ONE_PLUS, POWER_OF_ONE_PLUS
from flopsheet.numbers import arithmetic
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.functions import Expr, Function
    from flopsheet.units import Number

MOST_CACHED = 65536
_LARGEST = sys.float_info.max
_NEAR_ONE = {entry.node: entry for entry in (EXP_LESS_ONE, LOG_ONE_PLUS, POWER_OF_ONE_PLUS)}


class _Arithmetic(NamedTuple):
    """What the operations of generated code are on one sort of numbers, and how a constant becomes such a number."""

    function: Callable[[Function], Callable[..., Any]]
    jump: Callable[[Jump], Callable[..., Any]]
    divided: Callable[..., Any]
    of_cell: Callable[..., Any]
    constant: Callable[[Number], Any]


_RATIOS = _Arithmetic(
    lambda entry: entry.exact, lambda jump: jump, arithmetic.divided, arithmetic.of_cell, lambda value: value
)
_FLOATS = _Arithmetic(
    lambda entry: entry.floats or entry.exact, lambda jump: jump.floats, operator.truediv, arithmetic.of_cell, float
)


class Compiled:
    """Formulas as one function of the cells that they need.

    Args:
        steps: cells with their formulas, each of which may use the cells before it.
        result: the expression whose value is wanted, or several as a tuple of sympy.
        tidied: whether an integral ratio as a cell's value becomes an int, as when the formula is evaluated by itself.
    """

    def __init__(self, steps: Sequence[tuple[str, Expr]], result: Expr, *, tidied: bool = False) -> None:
        writer = _Writer()
        for name, formula in steps:
            value = writer.write(formula)
            writer.known[name] = writer.tidied(value) if tidied and not formula.is_Symbol else value
            writer.steps.append((name, formula))
        several = isinstance(result, sympy.Tuple)
        writer.lines.append(f"return {writer.several(result) if several else writer.write(result)}")
        self.inputs: tuple[str, ...] = tuple(writer.inputs)
        self._names, self.lines, self._constants = writer.inputs, writer.lines, writer.constants
        self._result, self._functions, self._jumps = result, writer.functions, writer.jumps

    @cached_property
    def exact(self) -> Callable[..., Any]:
        """The formulas as a function that is exact on ratios."""
        return self._defined(self._names.values(), self.lines, _RATIOS)

    @cached_property
    def floats(self) -> Callable[..., Any]:
        """The formulas as a function on floats."""
        return self._defined(self._names.values(), self.lines, _FLOATS)

    def of_cell(self, value: Number, values: Mapping[str, Number | str], *, nearest: bool = False) -> Number:
        """Return the value of a formula at the values of cells as that of a cell, known to all digits if they are.

        If `nearest`, what is no ratio is the float nearest to it, which the rounding of each operation may miss.
        """
        value = arithmetic.of_cell(value)
        if type(value) is not float:
            return value
        return with_digits(value, self._result, {name: values[name] for name in self.inputs}, nearest=nearest)

    def rounded(self, value: Number, values: Mapping[str, Number | str]) -> Number:
        """Return the value of a formula as a number that nothing is computed from: a float where it is no ratio."""
        value = arithmetic.of_cell(value)
        if type(value) is not float or not may_cancel(self._result, self.inputs, values):
            return value
        return self.of_cell(value, values)

    def _defined(self, inputs: Iterable[str], lines: Iterable[str], numbers: _Arithmetic) -> Callable[..., Any]:
        names: dict[str, Any] = {name: numbers.function(entry) for name, entry in self._functions.items()}
        names |= {name: numbers.jump(jump) for name, jump in self._jumps.items()}
        names |= {name: numbers.constant(value) for name, value in self._constants.items()}
        names |= {"divided": numbers.divided, "of_cell": numbers.of_cell}
        exec("\n    ".join([f"def function({', '.join(inputs)}):", *lines]), names)  # noqa: S102  # generated code, without a name from outside
        function: Callable[..., Any] = names["function"]
        return function


class _Writer:
    """Writes the lines of a function, one for each operation; the same operation only once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.inputs: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.constants: dict[str, Number] = {}
        self.functions: dict[str, Function] = {}
        self.jumps: dict[str, Jump] = {}
        self.steps: list[tuple[str, Expr]] = []  # that are written
        self._written: dict[Any, str] = {}
        self._indent = ""

    def write(self, expression: Expr) -> str:
        """Write what an expression needs, and return the name or number that then holds its value.

        Raises:
            ValueError: a function in it is unknown, or it is not real.
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
        return self._line(f"of_cell({value})")

    def _operation(self, expression: Any) -> str:
        if expression.is_Number:
            return f"({int(expression)})" if expression.is_Integer else self._constant(exact(expression))
        if expression.is_Add:
            return self._sum(expression)
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return self._power(expression)
        return self._function(expression)

    def _sum(self, expression: Expr) -> str:
        """Write a sum, `exp(u) - 1` in it as one function: the digits of the two cancel where u is small."""
        terms = [*expression.args]
        power = next((term for term in terms if isinstance(term, sympy.exp)), None)
        if power is None or sympy.S.NegativeOne not in terms:
            return self._line(" + ".join(map(self.write, terms)))
        others = [term for term in terms if term not in (power, sympy.S.NegativeOne)]
        less_one = EXP_LESS_ONE.node(power.exp)
        return self._line(" + ".join(map(self.write, [less_one, *others])))

    def _function(self, expression: Expr) -> str:
        if isinstance(expression, sympy.log) and sympy.S.One in expression.args[0].args:
            return self.write(LOG_ONE_PLUS.node(expression.args[0] - 1))
        entry = BY_NODE.get(expression.func) or _NEAR_ONE.get(expression.func)
        if entry is not None and not entry.traits & Trait.CHOOSES:
            if entry.traits & Trait.GUARDS:
                return self._branched(*expression.args)
            terms = ", ".join(map(self._argument, expression.args))
            if entry.traits & Trait.JUMPS:
                return self._jump(entry, expression, terms)
            name = expression.func.__name__
            self.functions[name] = entry
            return self._line(f"{name}({terms})")
        if expression.free_symbols or not expression.is_real:
            raise ValueError(f"{expression.func.__name__} is not a function of formulas, or not real")
        return self._constant(float(expression))

    def _branched(self, condition: Expr, *branches: Expr) -> str:
        """Write a condition and two branches, of which only the one that is taken is run."""
        test, name = self.write(condition), f"b{len(self.lines)}"
        for head, branch in zip((f"if {test}:", "else:"), branches, strict=True):
            self.lines.append(self._indent + head)
            outside, self._indent = dict(self._written), f"{self._indent}    "
            value = "divided(1, 0)" if has_no_value(branch) else self.write(branch)
            self.lines.append(f"{self._indent}{name} = {value}")
            self._written, self._indent = outside, self._indent[:-4]
        return name

    def _jump(self, entry: Function, expression: Expr, terms: str) -> str:
        name = f"jump{len(self.jumps)}"
        self.jumps[name] = Jump(entry, expression, [*self.steps], [*self.inputs])
        return self._line(f"{name}({''.join(f'{value}, ' for value in self.inputs.values()).join('()')}, {terms})")

    def _argument(self, argument: Expr) -> str:
        """Write an argument, or the text that it is: the sign of an indicator."""
        return repr(str(argument)) if isinstance(argument, Str) else self.write(argument)

    def _product(self, expression: Expr) -> str:
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

    def _power(self, expression: Expr) -> str:
        base, exponent = expression.args
        if exponent == -1:
            return self._line(f"divided(1, {self.write(base)})")
        if exponent in (2, 3) and not base.has(sympy.Pow):  # powers of powers double their digits: those are bounded
            return self._line(" * ".join([self.write(base)] * int(exponent)))
        if sympy.S.One in base.args and base.is_Add and not exponent.is_Number:
            return self.write(POWER_OF_ONE_PLUS.node(base - 1, exponent))
        return self._function(expression)

    def _constant(self, value: Number) -> str:
        name = f"c{len(self.constants)}"
        self.constants[name] = value if isinstance(value, float) else Fraction(value)
        return name

    def _line(self, operation: str) -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"{self._indent}{name} = {operation}")
        return name


@cached(maxsize=MOST_CACHED)
def compiled(expression: Expr) -> Compiled:
    """Return an expression as a function.

    Raises:
        ValueError: a function in it is unknown, or it is not real.
    """
    return Compiled((), expression)


def within_floats(value: float) -> float:
    """Return infinity as the largest float, which is on the same side of every level."""
    return math.copysign(_LARGEST, value) if math.isinf(value) else value
