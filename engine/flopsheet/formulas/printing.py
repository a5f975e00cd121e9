"""Formulas as layouts, their terms in the order in which cells were declared: sympy sorts by its own rules.

A layout has a blank for each symbol. `in_text` prints it in the language of formulas, ratios exact; for people,
functions are written as in a textbook, and ratios as decimals where these read better.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from flopsheet.formulas.relation import is_literal
from flopsheet.functions import BY_NODE, Trait
from flopsheet.functions.symbols import exact, symbols_in
from flopsheet.layout import nodes
from flopsheet.layout.text import plain
from flopsheet.session import cached
from flopsheet.units.text import MOST_DIGITS, magnitude, number_layout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.functions.symbols import Expr
    from flopsheet.layout.nodes import Node

LAST = 1_000_000
LONGEST_INVERSE = 2  # digits of 1/n as a decimal
LARGEST_FRACTION = 10  # of numerator and denominator: what is larger reads better as a decimal
MOST_CACHED = 16_384


@cached(maxsize=MOST_CACHED)
def in_text(expression: Expr, names: tuple[str, ...]) -> str:
    """Return an expression as plain text, its terms in the order of the names: `(state + activations/2)/n_fsdp`."""
    return plain(_Layouts(names, exact=True).of(expression))


def relation_text(left: Expr, operator: str, right: Expr, names: tuple[str, ...]) -> str:
    """Return a relation as plain text: `d_ff = 4*d_model`."""
    return f"{in_text(left, names)} {operator} {in_text(right, names)}"


class Order:
    """The order of terms, and the branches shown; one object for the same arguments, since a page looks it up often.

    Args:
        names: the cells in the order of declaration.
        options: the option of each choice that has one: only its branch is shown.
    """

    def __init__(self, names: tuple[str, ...], options: tuple[tuple[str, str], ...] = ()) -> None:
        self.names, self.options = names, options


order_of = cached(maxsize=MOST_CACHED)(Order)


@cached(maxsize=MOST_CACHED)
def layout_of(expression: Expr, order: Order, decided: tuple[tuple[Expr, int], ...] = ()) -> Node:
    """Return the layout of an expression for people, with blanks for its symbols.

    Of each max and min that is `decided`, the term at that place is shown; the others are blanks for their values.
    """
    return _Layouts(order.names, order.options, decided).of(expression)


def in_order(expression: Expr, names: Sequence[str]) -> list[Expr]:
    """Return terms or factors in the order of the names.

    Numbers come first in products and last in sums, what is subtracted comes after what is added.
    """
    return _sorted(expression, _places(tuple(names)))


@cached(maxsize=256)
def _places(names: tuple[str, ...]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(names)}


def _sorted(expression: Expr, places: Mapping[str, int]) -> list[Expr]:
    key = _product_key if expression.is_Mul else _sum_key
    return sorted(expression.args, key=lambda term: key(term, places))


def _sum_key(term: Expr, places: Mapping[str, int]) -> tuple[bool, bool, int]:
    return term.could_extract_minus_sign(), term.is_number, _first_place(term, places)


def _product_key(factor: Expr, places: Mapping[str, int]) -> tuple[bool, int]:
    written = factor.is_Symbol and is_literal(factor.name)
    return not (factor.is_number or written), _first_place(factor, places)


def _first_place(expression: Expr, places: Mapping[str, int]) -> int:
    return min((places.get(symbol.name, LAST) for symbol in symbols_in(expression)), default=LAST)


class _Layouts:
    """Makes layouts of expressions, for people or, where they are exact, in the language of formulas."""

    def __init__(
        self,
        names: Sequence[str],
        options: Sequence[tuple[str, str]] = (),
        decided: Sequence[tuple[Expr, int]] = (),
        *,
        exact: bool = False,
    ) -> None:
        self._places = _places(tuple(names))
        self._options, self._decided, self._exact = dict(options), dict(decided), exact

    def of(self, expression: Expr) -> Node:
        """Return the layout of an expression."""
        if expression.is_Symbol:
            return nodes.Blank(expression.name)
        layouts = (
            (expression.is_Number, self._number),
            (expression.is_Add, self._sum),
            (expression.is_Mul, self._product),
            (expression.is_Pow, self._power),
            (expression.func in BY_NODE, self._function),
        )
        return next((layout for applies, layout in layouts if applies), self._constant)(expression)

    def _constant(self, expression: Expr) -> Node:
        if expression is sympy.E:
            return nodes.Words("exp(1)") if self._exact else nodes.Sign("e")
        if expression is sympy.pi:
            return nodes.Sign("pi" if self._exact else "π")
        if isinstance(expression, sympy.Function):
            return nodes.Call(expression.func.__name__.lower(), nodes.comma_separated(*map(self.of, expression.args)))
        return nodes.Words(str(expression))

    def _number(self, number: Expr) -> Node:
        if self._exact and not number.is_Rational:
            return nodes.Number(str(number))
        if number.is_Rational and not number.is_Integer and (self._exact or not _reads_as_decimal(number)):
            parts = nodes.Fraction(self._digits(abs(int(number.p))), self._digits(int(number.q)))
            return nodes.Chain((("-", parts),)) if number < 0 else parts
        return self._digits(number)

    def _digits(self, number: Expr) -> Node:
        if self._exact:
            return nodes.Number(str(number))
        return number_layout(number if isinstance(number, int) else exact(number), MOST_DIGITS)

    def _sum(self, expression: Expr) -> Node:
        unit = "" if self._exact else _unit_of_sum(expression)
        terms = [self._with_unit(term, unit) for term in _sorted(expression, self._places)]
        return nodes.Chain(tuple(_signed(term, follows=place > 0) for place, term in enumerate(terms)))

    def _with_unit(self, term: Expr, unit: str) -> Node:
        """Return a term of a sum; next to a function that has a unit, a number has it too."""
        shown = self.of(term)
        return nodes.Quantity(self._digits(term), nodes.Unit((unit,))) if unit and term.is_Rational else shown

    def _product(self, expression: Expr) -> Node:
        """Return a product as one fraction: factors with a negative exponent are below the bar."""
        negative = False
        above: list[Node] = []
        below: list[Node] = []
        for factor in _sorted(expression, self._places):
            if factor.is_Number and not above and not below:
                negative = factor < 0
                self._coefficient(abs(factor), above, below)
            elif factor.is_Pow and _is_below(factor.exp, symbolic=self._exact):
                below.append(self._raised(factor.base, -factor.exp))
            else:
                above.append(self.of(factor))
        product = _times(above or [self._digits(1)])
        shown = nodes.Fraction(product, _times(below)) if below else product
        return nodes.Chain((("-", nodes.bracketed(shown, nodes.PRODUCT)),)) if negative else shown

    def _coefficient(self, number: Expr, above: list[Node], below: list[Node]) -> None:
        """Put the number of a product above the bar, and the denominator of a ratio below it."""
        if not number.is_Rational or (not self._exact and _reads_as_decimal(number)):
            above.append(self._digits(number))
            return
        if number.p != 1:
            above.append(self._digits(int(number.p)))
        if number.q != 1:
            below.append(self._digits(int(number.q)))

    def _power(self, expression: Expr) -> Node:
        base, exponent = expression.args
        root = exponent in (-1, sympy.S.Half, -sympy.S.Half)
        if root or (not self._exact and exponent.is_Rational and (exponent < 0 or exponent.p == 1)):
            below = _is_below(exponent, symbolic=False)
            shown = self._raised(base, -exponent if below else exponent)
            return nodes.Fraction(self._digits(1), shown) if below else shown
        return self._raised(base, exponent)

    def _raised(self, base: Expr, exponent: Expr) -> Node:
        """Return a base with an exponent, a unit fraction as a root."""
        shown = self.of(base)
        if exponent == 1:
            return shown
        if exponent.is_Rational and exponent.p == 1 and (not self._exact or exponent.q == 2):
            return nodes.Root(shown, "" if exponent.q == 2 else str(exponent.q))
        if isinstance(shown, nodes.Call) and shown.raised:
            return nodes.Call(shown.name, shown.body, self.of(exponent))
        return nodes.Scripts(nodes.bracketed(shown, nodes.ATOM), None, self.of(exponent))

    def _function(self, expression: Expr) -> Node:
        entry = BY_NODE[expression.func]
        if Trait.CHOOSES in entry.traits and (taken := self._options.get(expression.args[0].name)):
            return self.of(expression.branches[taken])
        if Trait.EXTREME in entry.traits:
            terms = self._extreme(expression)
        else:
            terms = [self.of(arg) if isinstance(arg, sympy.Expr) else nodes.Sign(str(arg)) for arg in expression.args]
        return entry.written(*terms) if self._exact else entry.layout(*terms)

    def _extreme(self, expression: Expr) -> list[Node]:
        """Return the terms of a max or min, with a blank for each that does not decide."""
        decides = self._decided.get(expression, -1)
        return [
            self.of(term) if decides in (-1, place) or term.is_Symbol or term.is_number else nodes.Blank(term)
            for place, term in enumerate(_sorted(expression, self._places))
        ]


def _signed(term: Node, *, follows: bool) -> tuple[str, Node]:
    """Return a term of a sum with the operator before it; what is negative is subtracted."""
    if isinstance(term, nodes.Chain) and len(term.terms) == 1 and term.terms[0][0] == "-":
        return term.terms[0]
    number = term.number if isinstance(term, nodes.Quantity) else term
    if follows and isinstance(number, nodes.Number) and number.text.startswith("-"):
        positive = nodes.Number(number.text[1:], number.power, number.letter)
        return "-", nodes.Quantity(positive, term.unit) if isinstance(term, nodes.Quantity) else positive
    return "+" if follows else "", nodes.bracketed(term, nodes.PRODUCT) if follows else term


def _times(factors: list[Node]) -> Node:
    if len(factors) == 1:
        return factors[0]
    signs = ("", *" " * (len(factors) - 1))
    terms = ((sign, nodes.bracketed(term, nodes.PRODUCT)) for sign, term in zip(signs, factors, strict=True))
    return nodes.Chain(tuple(terms))


def _is_below(exponent: Expr, *, symbolic: bool) -> bool:
    """Whether an exponent is negative, as a number or, in the language of formulas, as a product with one."""
    return bool(exponent.as_coeff_Mul()[0] < 0) if symbolic else bool(exponent.is_number and exponent < 0)


def _unit_of_sum(expression: Expr) -> str:
    entries = (BY_NODE.get(part.func) for part in expression.atoms(sympy.Function))
    return next((entry.unit for entry in entries if entry is not None and entry.unit), "")


def _reads_as_decimal(number: Expr) -> bool:
    """Whether a ratio is better written as a decimal: 0.897 and 0.05, but 1/3, 3/2, 1/128 and 5/64."""
    ratio = Fraction(int(number.p), int(number.q))
    above, below = abs(ratio.numerator), ratio.denominator
    if below == 1 or max(above, below) <= LARGEST_FRACTION or (ratio * 10**MOST_DIGITS).denominator != 1:
        return False
    if above == 1:
        shown = abs(ratio) * Fraction(10) ** (LONGEST_INVERSE - 1 - magnitude(abs(ratio)))
        return shown.denominator == 1
    return above > below or below & (below - 1) != 0
