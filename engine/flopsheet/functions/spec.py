"""What a function of the formula language is: an entry holds all that the engine knows of it, the table all entries.

To add a function, write one entry and register it. Parser, unit check, compiled code, bounds, inversion, derivatives
and printers read the table and name no function themselves.
"""

from __future__ import annotations

from enum import Flag, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import sympy
from mpmath.libmp import prec_to_dps
from sympy.core.symbol import Str

from flopsheet.functions.enclosed import Enclosed
from flopsheet.functions.symbols import exact, parts_of
from flopsheet.layout.nodes import SUM, Call, comma_separated
from flopsheet.numbers.sets import ALL, Interval, RealSet, mapped, meet
from flopsheet.numbers.spans import Span, is_exact
from flopsheet.session import cached
from flopsheet.units import PURE_NUMBER, Dimension

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from flopsheet.errors import DimensionError
    from flopsheet.functions.symbols import Expr
    from flopsheet.layout.nodes import Node
    from flopsheet.units import Number


TERM = sympy.Dummy("term", real=True)


class Trait(Flag):
    """What other parts of the engine ask of a function before they choose a method."""

    PIECEWISE = auto()  # `cases` lists its branches
    STEPPED = auto()  # its value is always an integer
    WHOLE = auto()  # of whole numbers it is one
    PERIODIC = auto()  # it repeats itself: `preimage` gives one period
    FLAT = auto()  # it may have one value over a whole range
    INEXACT = auto()  # it gives floats for exact numbers
    SIGNED = auto()  # it has both signs for numbers above zero
    JUMPS = auto()  # its value may depend on the last digit of a term
    EXTREME = auto()  # one of its terms decides: max and min
    LAZY = auto()  # sympy compares the terms of a new node at length: rebuilt without evaluation
    CHOOSES = auto()  # its first argument is a choice, not a number
    GUARDS = auto()  # of its last two terms it needs the one that its first, 1 or 0, takes
    HOMOGENEOUS = auto()  # of terms k times as large it is k times as large: units need no conversion inside
    RELATIVE = auto()  # its terms may be in any one unit: a comparison, which is 0 or 1


class Case(NamedTuple):
    """One branch of a function: expressions, each with the set that it must lie in, and what the function then is."""

    where: tuple[tuple[Expr, RealSet], ...]
    value: Expr


class NoInverseError(Exception):
    """A function has no inverse by the argument that holds the unknown."""


class Units(Protocol):
    """What a dimension rule asks of the unit check."""

    def dimension(self, expression: Expr) -> Dimension:
        """Return the dimension of an expression."""

    def same(self, verb: str, terms: Sequence[Expr]) -> Dimension:
        """Return the one dimension of several terms, or raise."""

    def pure(self, what: str, term: Expr) -> None:
        """Raise unless a term is a pure number."""

    def text(self, expression: Expr) -> str:
        """Return an expression as text for a message."""

    def error(self, problem: str, fix: str) -> DimensionError:
        """Return the error for a problem at the place that is checked."""


class Function(Enclosed):
    """One function of the formula language.

    A smooth, strictly monotone function of one pure number needs `name`, `exact`, `inverse`, `in_sympy` and `slope`;
    all else has a default that holds for such a function. Entries of a kind are instances that differ in their data.

    Args:
        name: what formulas call it; empty for an operator.
        node: the class of its nodes in sympy trees; None for a shorthand that builds other nodes.
        arity: the number of terms; None for one or more.
        traits: what other parts of the engine ask of it.
        verb: what it does to terms that must all have one dimension: `adds`; empty where they must be pure numbers.
        domain: where its last argument must lie for it to have a value; None for anywhere.
        range: between which values it lies.
        rising: whether it rises with its argument.
        overflows: the sizes of its argument that inversion in floats may give as infinity or zero.
        unique: whether it has one inverse, whatever the numbers are.
        wins: of an extreme, how the term that decides compares with the others.
        exact: its value, exact on exact numbers where it can be.
        floats: its value on floats, where that differs from `exact`.
        excel_name, definition: what spreadsheets call it, if no capitals; LaTeX that defines what calculators lack.
        operand: how tightly a term must hold together in the text of a spreadsheet, else it is put in brackets.
        unit: the unit of its value where its terms have another: a number that is added to it is shown with it.
    """

    name: str = ""
    node: Any = None
    arity: int | None = 1
    traits = Trait(0)
    verb: str = ""
    domain: RealSet | None = None
    range: Interval = ALL[0]
    rising: bool = True
    overflows: RealSet = ()
    unique: bool = True
    wins: str = ""
    exact: Callable[..., Number]
    floats: Callable[..., Number] | None = None
    excel_name: str = ""
    definition: str = ""
    operand: int = SUM
    unit: str = ""

    def __init__(self, **data: Any) -> None:
        vars(self).update(data)

    def build(self, *terms: Any) -> Expr:
        """Return the function of some terms as an expression."""
        return self.node(*map(sympy.sympify, terms))

    def refusal(self, *terms: Expr) -> str:
        """Return why a formula may not hold the function of these terms, or an empty text."""
        return ""

    # --- units ---

    def dimension(self, node: Expr, units: Units) -> Dimension:
        """Return the dimension of a node, or raise where its terms have the wrong one."""
        if self.verb:
            return units.same(self.verb, node.args)
        for term in node.args:
            units.pure(f"The term of {self.name or node.func.__name__.lower()}", term)
        return PURE_NUMBER

    # --- values ---

    def rates(self, *spans: Span) -> tuple[Span, ...]:
        """Return bounds of the change of the value by the change of each term, between any two points of the spans."""
        (span,) = spans
        return (bounds_of(self._slope, {TERM: span}),)

    def rates_by(self, places: Sequence[int], spans: Sequence[Span]) -> dict[int, Span]:
        """Return the `rates` by the terms at some places."""
        rates = self.rates(*spans)
        return {place: rates[place] for place in places}

    @cached_property
    def _slope(self) -> Expr:
        return self.build(TERM).diff(TERM)

    # --- inverse ---

    def rest(self, node: Expr, place: int) -> Expr | None:
        """Return the other terms as one expression, whose value `preimage` is given; None where there are none."""
        terms = [arg for index, arg in enumerate(node.args) if index != place and isinstance(arg, sympy.Expr)]
        return node.func(*terms) if len(terms) > 1 else terms[0] if terms else None

    def preimage(self, node: Expr, place: int, target: RealSet, rest: Number | None) -> RealSet:
        """Return where one argument lies when the function lies in a target: all solutions, of one period if periodic.

        Args:
            node: the function.
            place: which argument is asked for.
            target: where the function lies, in base units.
            rest: the value of `rest(node, place)`.

        Raises:
            NoInverseError: the function cannot be inverted by this argument.
        """
        return tuple(mapped(part, self.inverse, rising=self.rising) for part in meet(target, (self.range,)))

    def inverse(self, value: Number) -> Number:
        """Return the number at which a monotone function has a value; at an end of its range perhaps infinity."""
        raise NoInverseError(f"{self.name} is {value}")

    def period(self, rest: Number | None) -> Number:
        """Return the period of a periodic function."""
        raise NotImplementedError

    def cases(self, node: Expr) -> Iterator[Case]:
        """Yield the branches of a piecewise function."""
        raise NotImplementedError

    def demands(self, node: Expr) -> Iterator[tuple[Expr, RealSet]]:
        """Yield the arguments that must lie in a set for the function to have a value, each with the set."""
        if self.domain is not None:
            yield node.args[-1], self.domain

    def forms(self, node: Expr, place: int, right: Expr) -> tuple[Expr, ...]:
        """Return the closed forms of one argument where the function equals `right`; none where there is none."""
        return ()

    # --- derivative ---

    def slope(self, term: Expr) -> Expr:
        """Return the derivative of a function of one argument, where sympy does not know it."""
        raise NotImplementedError

    def branch(self, node: Expr, value: Callable[[Expr], Any]) -> Expr | None:
        """Return what a node with branches is around a point, by values of its terms there; None for others."""
        return None

    def in_sympy(self, *terms: Expr) -> Expr:
        """Return the function written with sympy's own functions, to be evaluated to any number of digits."""
        return self.build(*terms)

    # --- printed forms, each made of those of the terms ---

    def written(self, *terms: Node) -> Node:
        """Return how formulas write it: by its name."""
        return Call(self.name, comma_separated(*terms))

    def layout(self, *terms: Node) -> Node:
        """Return how people read it, in LaTeX, MathML and every other format: as formulas write it."""
        return self.written(*terms)

    def excel(self, *terms: str) -> str:
        """Return how a spreadsheet computes it, as a text that holds together like a call."""
        return f"{self.excel_name or self.name.upper()}({','.join(terms)})"


class FunctionNode(sympy.Function):  # type: ignore[misc]  # sympy is untyped
    """A node of a function that sympy does not have, evaluated and differentiated by its entry."""

    is_real = True
    entry: Function

    def _eval_evalf(self, precision: int) -> Any:
        return self.entry.in_sympy(*self.args).evalf(prec_to_dps(precision))

    def fdiff(self, argindex: int = 1) -> Any:  # the overridden signature
        """Return the derivative."""
        return self.entry.slope(self.args[0])


def node_class(entry: Function, name: str, base: type[FunctionNode] = FunctionNode) -> Any:
    """Return a class of nodes for an entry."""
    return type(name, (base,), {"__module__": entry.__module__, "__doc__": entry.__doc__, "nargs": 1, "entry": entry})


BY_NODE: dict[Any, Function] = {}
BY_NAME: dict[str, Function] = {}
UNKNOWN = Function()  # represents a function that is not in the table


def entry_of(expression: Expr) -> Function:
    """Return the entry of the outermost function of an expression."""
    return BY_NODE.get(expression.func, UNKNOWN)


def bounds_of(expression: Expr, spans: Mapping[Expr, Span]) -> Span:
    """Return bounds of an expression over spans of its symbols.

    Raises:
        NoValueError, ArithmeticError: it has no value there, or no bounds.
    """
    if expression in spans:
        return spans[expression]
    if expression.is_number:
        value = exact(expression)
        return Span(value, value, exact=is_exact(value))
    terms: list[Any] = [str(term) if isinstance(term, Str) else bounds_of(term, spans) for term in expression.args]
    return entry_of(expression).bounds(*terms)


def register(*entries: Function) -> None:
    """Add entries to the table."""
    for entry in entries:
        if entry.node is not None:
            BY_NODE[entry.node] = entry
        if entry.name:
            BY_NAME[entry.name] = entry
    nodes.cache_clear()


@cached(maxsize=64)
def nodes(traits: Trait) -> tuple[Any, ...]:
    """Return the node classes of the functions that have one of some traits."""
    return tuple(node for node, entry in BY_NODE.items() if entry.traits & traits)


def unknown_function(expression: Expr) -> str:
    """Return the name of a function in an expression that is not in the table, or an empty text."""
    parts = (node for node in parts_of(expression) if node.args)
    return next((node.func.__name__ for node in parts if not isinstance(node, tuple(BY_NODE))), "")
