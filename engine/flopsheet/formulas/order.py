"""Order of terms: sympy sorts by its own rules, people read formulas in the order in which cells were declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy
from sympy.printing.str import StrPrinter

from flopsheet.formulas.relation import is_literal
from flopsheet.functions import Trait, nodes

if TYPE_CHECKING:
    from collections.abc import Sequence

LAST = 1_000_000


def ordered(expression: Any, names: Sequence[str]) -> Any:
    """Return the same expression, unevaluated, its terms and factors in the order of the names.

    Numbers come first in products and last in sums, what is subtracted comes after what is added.
    """
    return _ordered(expression, {name: place for place, name in enumerate(names)})


def _ordered(expression: Any, places: dict[str, int]) -> Any:
    if not expression.args or not isinstance(expression, sympy.Expr):
        return expression
    if not isinstance(expression, sympy.Add | sympy.Mul):
        args = [_ordered(arg, places) for arg in expression.args]
        return (
            expression.func(*args, evaluate=False) if isinstance(expression, sympy.Pow) else _rebuilt(expression, args)
        )
    key = _sum_key if isinstance(expression, sympy.Add) else _product_key
    terms = sorted(expression.args, key=lambda term: key(term, places))
    return expression.func(*(_ordered(term, places) for term in terms), evaluate=False)


def ordered_terms(expression: Any, names: Sequence[str]) -> list[Any]:
    """Return the terms of max or min in the order of the names; sympy re-sorts them whatever it is given."""
    places = {name: place for place, name in enumerate(names)}
    return sorted(expression.args, key=lambda term: _sum_key(term, places))


def _rebuilt(expression: Any, args: list[Any]) -> Any:
    if isinstance(expression, nodes(Trait.EXTREME)):
        return expression.func(*args, evaluate=False)
    return expression.func(*args)


def _sum_key(term: Any, places: dict[str, int]) -> tuple[bool, bool, int]:
    return term.could_extract_minus_sign(), term.is_number, _first_place(term, places)


def _product_key(factor: Any, places: dict[str, int]) -> tuple[bool, int]:
    written = factor.is_Symbol and is_literal(factor.name)
    return not (factor.is_number or written), _first_place(factor, places)


def _first_place(expression: Any, places: dict[str, int]) -> int:
    return min((places.get(symbol.name, LAST) for symbol in expression.free_symbols), default=LAST)


class _TextPrinter(StrPrinter):  # type: ignore[misc]  # sympy is untyped
    """Prints functions under the names that formulas use."""

    names: Sequence[str] = ()

    def _print_Max(self, expression: Any) -> str:
        return f"max({self.stringify(ordered_terms(expression, self.names), ', ')})"

    def _print_Min(self, expression: Any) -> str:
        return f"min({self.stringify(ordered_terms(expression, self.names), ', ')})"

    def _print_Abs(self, expression: Any) -> str:
        return f"abs({self._print(expression.args[0])})"

    def _print_Exp1(self, _expression: Any) -> str:
        return "exp(1)"

    def _print_ceiling(self, expression: Any) -> str:
        return f"ceil({self._print(expression.args[0])})"

    def _print_Mod(self, expression: Any) -> str:
        return f"mod({self.stringify(expression.args, ', ')})"

    def _print_Indicator(self, expression: Any) -> str:
        left, sign, right = expression.args
        return f"[{self._print(left)} {sign} {self._print(right)}]"

    def _print_Function(self, expression: Any) -> str:
        return f"{expression.func.__name__.lower()}({self.stringify(expression.args, ', ')})"

    def _print_Select(self, expression: Any) -> str:
        branches = [f"{option}={self._print(branch)}" for option, branch in expression.branches.items()]
        return f"select({', '.join([self._print(expression.args[0]), *branches])})"


def relation_text(left: Any, operator: str, right: Any, names: Sequence[str]) -> str:
    """Return a relation as plain text: `d_ff = 4*d_model`."""
    return f"{in_text(left, names)} {operator} {in_text(right, names)}"


def in_text(expression: Any, names: Sequence[str]) -> str:
    """Return an expression as plain text, its terms in the order of the names: `(state + activations/2)/n_fsdp`."""
    printer = _TextPrinter({"order": "none"})
    printer.names = names
    return str(printer.doprint(ordered(expression, names)))
