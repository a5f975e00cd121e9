"""The safe formula parser: text to sympy by a whitelist over Python's syntax tree. Nothing is evaluated or imported."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import sympy

from flopsheet.errors import FlopsheetError, FormulaError, UnknownNameError, find, shortened, suggest
from flopsheet.formulas.domains import lost, of_branches, of_call, of_power
from flopsheet.formulas.evaluate import lacks_value
from flopsheet.formulas.relation import (
    Relation,
    assignment,
    check_length,
    literal,
    parse_assignment,
    split_relation,
    with_blanks,
    with_level,
)
from flopsheet.formulas.syntax import COMPARE, chain, compares, dotted
from flopsheet.functions import BY_NAME, exact, indicator, select, symbol
from flopsheet.functions.algebra import LARGEST_EXPONENT, is_large_exponent
from flopsheet.units import Quantity, divided, exceeds_floats, is_unit_name, scan_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from flopsheet.formulas.relation import Need
    from flopsheet.functions import Expr

DEEPEST = 60
MOST_BITS = 4096

_WORD = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_PLACEHOLDER = re.compile(r" _(\d+) ")
_TYPED = str.maketrans({"×": "*", "·": "*", "−": "-", "÷": "/"})
_SIGNS = frozenset("+-*/^(),=[]<>")
_NUMBER_OF_TERMS = {None: "one or more terms", 1: "one term", 2: "two terms", 3: "three terms"}
_OPERATIONS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def parse_relation(text: str, names: Collection[str], where: str = "") -> Relation:
    """Return the relation that a text such as `device_memory <= 95 GiB` writes.

    Both sides are formulas over the named cells and choices, numbers and quantities.

    Raises:
        FormulaError: the text is not a relation, or is too large.
        UnknownNameError: it uses a cell that does not exist.
        UnknownUnitError: a unit is not in the unit file.
    """
    where = where or f"relation '{shortened(text)}'"
    shortcut = parse_assignment(text, names)
    if shortcut is not None and shortcut[0] in names:
        return assignment(*shortcut)
    return relation_between(split_relation(text, where), names, where)


def relation_between(parts: tuple[str, str, str], names: Collection[str], where: str) -> Relation:
    """Return the relation of a left side, an operator and a right side, with the errors of `parse_relation`."""
    literals: dict[str, Quantity] = {}
    readers = [_Reader(names, where, literals) for _ in range(2)]
    left, right = (reader.read(side) for reader, side in zip(readers, (parts[0], parts[2]), strict=True))
    needs = [need for reader in readers for need in reader.needs]
    left_out = lost(needs, left - right) if needs else []
    relation = Relation(left, parts[1], right, with_blanks(" ".join(parts)), literals=literals, needs=tuple(left_out))
    return with_level(relation)


def parse_formula(text: str, names: Collection[str], where: str = "") -> Expr:
    """Return the sympy expression that a text such as `2 * d_model * d_ff` writes, as `read_formula` does."""
    return read_formula(text, names, where)[0]


def read_formula(text: str, names: Collection[str], where: str = "") -> tuple[Expr, list[Need]]:
    """Return a formula, and what it needs that sympy leaves out: `x > 3` of `exp(log(x - 3))`; no quantities."""
    where = where or f"formula '{shortened(text)}'"
    check_length(text, where)
    reader = _Reader(names, where, {})
    expression = reader.read(text)
    if reader.literals:
        fix = "Make it a named cell with a default and a source, and use the cell."
        raise FormulaError(where, f"The quantity '{next(iter(reader.literals))}' cannot be used inside a formula.", fix)
    return expression, lost(reader.needs, expression) if reader.needs else []


class _Reader:
    """Reads one side of a relation."""

    def __init__(self, names: Collection[str], where: str, literals: dict[str, Quantity]) -> None:
        self.names, self.where, self.literals = names, where, literals
        self.numbers: list[Expr] = []
        self.needs: list[Need] = []  # what parts of the formula need to have a value

    def read(self, text: str) -> Expr:
        code = self._with_placeholders(text.translate(_TYPED))
        try:
            expression = self._convert(ast.parse(code.strip(), mode="eval").body, 0)
            sound = not lacks_value(expression)
        except FlopsheetError:
            raise
        except ZeroDivisionError:
            raise self._refused(f"'{shortened(text)}' divides by zero") from None
        except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, ArithmeticError):
            raise self._refused(f"'{shortened(text)}' is not a formula") from None
        if not sound:
            raise self._refused(f"'{shortened(text)}' divides by zero or has no real value")
        for number in expression.atoms(sympy.Rational):
            if exceeds_floats(exact(number)):
                raise self._refused("A number in it is larger or smaller than numbers may be")
        return expression

    def _with_placeholders(self, text: str) -> str:
        """Replace each number, with its unit, by a placeholder: Python parses `95 GiB * x` as `_0 * x`."""
        code, at = [], 0
        while at < len(text):
            word = _WORD.match(text, at)
            if word:
                if word.group().startswith("_") or not word.group().isascii():
                    find(word.group(), self.names, "cell", self.where)
                code.append(word.group())
                at = word.end()
            elif text[at].isdigit() or (text[at] == "." and text[at + 1 : at + 2].isdigit()):
                quantity, at = scan_quantity(text, at, self.where, self.names)
                quantity = self._with_ratio(quantity, code, text[at:])
                code.append(f" _{len(self.numbers)} ")
                self.numbers.append(literal(quantity, self.literals))
            elif text[at] == "=" and code[-1:] not in (["<"], [">"]) and compares(code):
                code.append("==")
                at += 1 + text[at + 1 :].startswith("=")
            elif text[at] in _SIGNS or text[at].isspace():
                code.append("**" if text[at] == "^" else text[at])
                at += 1
            elif text[at] == "%":
                fix = (
                    "For the remainder, write mod(a, b); for percent in a question, put it behind a number (10 % * x)."
                )
                raise FormulaError(self.where, "'%' does not follow a number.", fix)
            else:
                raise self._refused(f"'{text[at]}' is not part of a formula")
        return "".join(code)

    def _with_ratio(self, below: Quantity, code: list[str], rest: str) -> Quantity:
        """Return the quantity that a ratio before a unit writes, which leaves the code; else the quantity as it is.

        `1/2 GB` alone is (1/2) GB, as `quantity` reads it; inside a formula it is rejected.
        """
        tokens = [token for token in code if not token.isspace()] if below.unit.text else []
        if tokens[-1:] != ["/"] or not (number := _PLACEHOLDER.fullmatch(tokens[-2])):
            return below
        above, unit = self.numbers[int(number[1])], below.unit
        if not above.is_Rational or tokens[:-2] not in ([], ["-"], ["+"]) or rest.strip():
            fix = f"Write (1/2) * 1 {unit}, or 1 / (2 {unit})."
            raise FormulaError(self.where, f"A ratio before the unit '{unit}' can be read in two ways.", fix)
        del code[code.index(tokens[-2]) :]
        return Quantity(divided(exact(above), below.exact, self.where), unit)

    def _convert(self, node: ast.expr, depth: int) -> Expr:
        if depth > DEEPEST:
            raise self._refused("The formula is nested too deeply")
        match node:
            case ast.BinOp(op=op) if isinstance(op, _OPERATIONS):
                return self._combine(node, depth)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                value = self._convert(operand, depth + 1)
                return -value if isinstance(sign, ast.USub) else value
            case ast.Name() | ast.Attribute():
                return self._name(dotted(node))
            case ast.Call(func=ast.Name(id=name)):
                return self._call(name, node, depth)
            case ast.List(elts=elements):
                return self._indicator(elements, depth)
        parts = "+ - * / **, cells, numbers, quantities and functions"
        raise self._refused(f"This is not part of a formula: only {parts} are")

    def _factors(self, node: ast.expr, depth: int) -> list[Expr]:
        """Return the factors of a product, to be multiplied at once: sympy would make 2 * (a + b) * c (2a + 2b) * c."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return [sympy.Integer(-1), *self._factors(node.operand, depth + 1)]
        first, others = chain(node, (ast.Mult, ast.Div))
        if not others:
            return [self._convert(node, depth)]
        factors = self._factors(first, depth + 1)
        for sign, right in others:
            if isinstance(sign, ast.Mult):
                factors.append(self._convert(right, depth + 1))
            else:
                divisors = self._factors(right, depth + 1)
                self.needs += [need for divisor in divisors for need in of_power(divisor, sympy.Integer(-1))]
                factors += [1 / divisor for divisor in divisors]
        return factors

    def _name(self, name: str) -> Expr:
        if name.startswith("_"):
            if not name[1:].isdigit():
                raise self._missing_sign()
            return self.numbers[int(name[1:])]
        if name not in self.names and name != "pi":
            if is_unit_name(name) and not suggest(name, self.names):
                fix = f"A unit stands behind a number: 1 {name}. For a rate, write 10/{name}."
                raise UnknownNameError(self.where, f"There is no cell '{name}', and no number before the unit.", fix)
            find(name, self.names, "cell", self.where)
        return sympy.pi if name == "pi" else symbol(name)

    def _call(self, name: str, call: ast.Call, depth: int) -> Expr:
        if name.startswith("_"):
            raise self._missing_sign()
        if name == "select":
            return self._select(call.args, call.keywords, depth)
        find(name, sorted(BY_NAME), "function", self.where)
        if name == "indicator":
            return self._indicator(call.args, depth)
        entry = BY_NAME[name]
        terms = [self._convert(arg, depth + 1) for arg in call.args]
        if call.keywords or not terms or entry.arity not in (None, len(terms)):
            number = _NUMBER_OF_TERMS[entry.arity]
            example = f"{name}({', '.join('abc'[: entry.arity or 2])})"
            raise FormulaError(self.where, f"{name}() takes {number}.", f"Write {example}.")
        problem = "It divides by zero, or has no real value" if any(map(lacks_value, terms)) else entry.refusal(*terms)
        if problem:
            raise self._refused(problem)
        self.needs += of_call(entry, terms)
        return entry.build(*terms)

    def _indicator(self, args: list[ast.expr], depth: int) -> Expr:
        if len(args) == 1 and (comparison := self._comparison(args[0], depth)) is not None:
            return indicator(comparison)
        fix = "Write [k > 1]; of two comparisons the product: [8 < n] * [n < 64]."
        raise FormulaError(self.where, "An indicator holds one comparison.", fix)

    def _comparison(self, node: ast.expr, depth: int) -> Any:
        match node:
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in COMPARE:
                sides = (self._convert(left, depth + 1), self._convert(right, depth + 1))
                return COMPARE[type(sign)](*sides, evaluate=False)
        return None

    def _select(self, args: list[ast.expr], keywords: list[ast.keyword], depth: int) -> Expr:
        if len(args) == 3 and not keywords and (comparison := self._comparison(args[0], depth)) is not None:
            return self._branched(args[1:], depth, lambda branches: select(comparison, *branches))
        options = [keyword.arg for keyword in keywords]
        if [type(arg) for arg in args] not in ([ast.Name], [ast.Attribute]) or not options or None in options:
            examples = "select(precision, bf16=a, fp8=b), or a comparison and two branches: select(n > 8, a, b)"
            raise self._refused(f"select() takes a choice and a branch for each option: {examples}")
        if len(set(options)) != len(options):
            raise self._refused("select() has two branches for one option")
        choice = self._name(dotted(args[0]))
        if not choice.is_Symbol:
            raise self._missing_sign()
        names, values = [*map(str, options)], [keyword.value for keyword in keywords]
        return self._branched(values, depth, lambda branches: select(choice, **dict(zip(names, branches, strict=True))))

    def _branched(self, nodes: Sequence[ast.expr], depth: int, whole: Callable[[Sequence[Expr]], Expr]) -> Expr:
        """Return the `whole` of branches, and keep what sympy leaves out of each: it is needed where that is taken."""
        outer, branches, needs = self.needs, list[Any](), list[Any]()
        for node in nodes:
            self.needs = []
            branches.append(self._convert(node, depth + 1))
            if lacks_value(branches[-1]):
                raise self._refused("A branch divides by zero, or has no real value")
            needs.append(lost(self.needs, branches[-1]))
        self.needs = [*outer, *of_branches(needs, whole)]
        return whole(branches)

    def _missing_sign(self) -> FormulaError:
        problem = "A sign is missing between a number and what follows it."
        return FormulaError(self.where, problem, "Write the sign: 2 * (a + b).")

    def _combine(self, node: ast.BinOp, depth: int) -> Expr:
        if isinstance(node.op, ast.Mult | ast.Div):
            return sympy.Mul(*self._factors(node, depth))
        if isinstance(node.op, ast.Pow):
            return self._power(self._convert(node.left, depth + 1), self._convert(node.right, depth + 1))
        first, others = chain(node, (ast.Add, ast.Sub))
        terms = ((isinstance(sign, ast.Sub), self._convert(operand, depth + 1)) for sign, operand in others)
        return sympy.Add(self._convert(first, depth + 1), *(-term if is_less else term for is_less, term in terms))

    def _power(self, base: Expr, exponent: Expr) -> Expr:
        self._check_exponent(exponent)
        if base.is_Rational and exponent.is_Rational:
            bits = max(int(base.p).bit_length(), int(base.q).bit_length())
            if bits * abs(int(exponent)) > MOST_BITS:
                raise self._refused("A power in it is larger than numbers may be")
        self.needs += of_power(base, exponent)
        power = base**exponent
        if power.is_Pow:
            self._check_exponent(power.exp)
        return power

    def _check_exponent(self, exponent: Expr) -> None:
        if is_large_exponent(exponent):
            raise self._refused(f"The exponent {shortened(str(exponent), 12)} is larger than {LARGEST_EXPONENT}")

    def _refused(self, problem: str) -> FormulaError:
        fix = "Formulas look like (state + activations/2) / n, or 0.1 * step_time."
        return FormulaError(self.where, f"{problem}.", fix)
