"""The equations of a question: their structure, which other questions share, and the question's own numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from flopsheet.formulas.printing import in_text
from flopsheet.formulas.relation import Relation, cells_of
from flopsheet.functions import taken
from flopsheet.functions.symbols import Expr, as_sympy, symbol
from flopsheet.graph.structure import VALUES, Equation, Structure
from flopsheet.question.parts import asked_parts, record_cells
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.question.question import Question
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number

MOST_STRUCTURES = 128


@dataclass(frozen=True)
class System:
    """The equations of a question."""

    question: Question
    structure: Structure  # the equations matched to cells, without numbers
    stated: Mapping[str, Relation] = field(default_factory=dict)  # what the question itself states, by equation key
    solved: Mapping[str, Number] = field(default_factory=dict)  # the value of each solved unknown [base units]

    @cached_property
    def numbers(self) -> dict[str, Number]:
        """The value of each cell that is solved, given, figures in a record or has a default, in base units."""
        question = self.question
        rows = question.sheet.rows
        if "defaults" not in rows.derived:
            cells = rows.cells.values()
            rows.derived["defaults"] = {cell.name: cell.default for cell in cells if cell.default is not None}
        return {**rows.derived["defaults"], **question.recorded, **question.given, **self.solved}

    @cached_property
    def known(self) -> frozenset[str]:
        """The cells that the equations determine, and the choices."""
        choices = self.question.sheet.choices.keys()
        return self.structure.derived(("known", *choices), lambda: self.structure.determined | choices)

    def constraining(self, relations: Iterable[Relation], names: Iterable[str]) -> list[Relation]:
        """Return those relations that can be computed where unknowns are known, and rest on one of them."""
        known, resting = self.known, self.structure.resting_on(names)
        return [own for own in relations if own.cells <= known and not resting.isdisjoint(own.cells)]

    def knowing(self, names: Iterable[str]) -> System:
        """Return the system in which cells are known, ahead of all equations."""
        return replace(self, structure=self.structure.with_known(*names))

    def relation(self, equation: Equation) -> Relation:
        """Return both sides of an equation, with the number of this question where the equation gives a value."""
        if equation.key in self.stated:
            return self.stated[equation.key]
        if equation.kind not in VALUES or equation.target not in self.numbers:
            return equation.relation
        number = as_sympy(self.numbers[equation.target])
        return Relation(symbol(equation.target), "=", number, f"{equation.target} = {number}")

    def worded(self, equation: Equation) -> Relation:
        """Return the relation of an equation; that of a formula, which nobody wrote as a relation, with its text."""
        relation = self.relation(equation)
        if relation.text:
            return relation
        text = f"{equation.target} = {in_text(relation.right, tuple(self.question.sheet.cells))}"
        return replace(relation, text=text)

    def equations(self, keys: Iterable[str]) -> list[Equation]:
        """Return equations by key, each with its relation in this question."""
        equations = (self.structure.equations[key] for key in keys)
        return [replace(equation, stated=self.relation(equation)) for equation in equations]

    def knowing_defaults(self) -> System:
        """Return the same of a question that knows which inferred formulas are in use, if domains of some may bind."""
        rows = self.question.sheet.rows
        if not rows.inferred or not any(limit.of for limit in rows.limits.values()):
            return self
        equations = (own for own in self.structure.equations.values() if own.key == f"inferred {own.target}")
        defaults = {equation.target: equation.relation.right for equation in equations}
        return replace(self, question=replace(self.question, defaults=defaults))

    def with_solved(self, name: str, value: Number, used: frozenset[str] = frozenset()) -> System:
        """Return the system in which a cell has a value that was found.

        The equations that gave it are left out: where the value is rounded, they would contradict what follows from it.
        """
        return replace(self, structure=self.structure.with_known(name, used=used), solved={**self.solved, name: value})

    def with_last(self, last: Mapping[Equation, Relation]) -> System:
        """Return the system in which some equations claim a cell only after all others."""
        added = {equation.key: relation for equation, relation in last.items()}
        return replace(self, structure=self.structure.with_last(*last), stated={**self.stated, **added})


def system_of(question: Question, dropped: tuple[str, ...] = ()) -> System:
    """Return the equations of a question without some defaults; the structure is shared by questions alike."""
    relations = stated_equations(question)
    stated = {equation.key: equation.relation for equation in relations}
    stated |= {f"demand {pin.cell}": pin.relation for pin in question.demands}
    fields = tuple((part, question.figures_of(part)) for part in question.records)
    options = tuple(question.options.items())
    signatures = tuple((equation.key, equation.cells) for equation in relations)
    is_bounded = bool(question.relations)  # then a default to infer of what is asked for is left out
    key = (question.unknowns, tuple(question.pins), fields, options, signatures, dropped, is_bounded)
    structures: dict[tuple[object, ...], Structure] = question.sheet.rows.derived.setdefault("structures", {})
    structure = structures.get(key)
    if structure is None:
        if len(structures) >= MOST_STRUCTURES:
            structures.clear()
        inferred = inferred_defaults(question, relations, dropped)
        equations = _equations(question, relations, inferred, dropped)
        structure = structures[key] = Structure(equations, question.sheet.choices)
    return System(question, structure, stated)


def stated_equations(question: Question) -> list[Equation]:
    """Return the equations that the question states, other than values of cells."""
    equal = [relation for relation in question.asked if relation.is_equation]
    return [_stated(place, relation, question) for place, relation in enumerate(equal)]


def _stated(place: int, relation: Relation, question: Question) -> Equation:
    """Return a user's equation: a formula where it gives a cell that has none (`d_ff = 4 * d_model`), else a demand."""
    cells, used = question.sheet.cells, relation.cells
    names = tuple(name for name in cells if name in used)
    left = relation.left.name if relation.left.is_Symbol else ""
    if left in cells and cells[left].formula is None and left not in cells_of(relation.right):
        return Equation(f"stated {place}", "formula", (left, *(name for name in names if name != left)), left, relation)
    return Equation(f"demand {place}", "demand", names, "", relation)


def inferred_defaults(question: Question, relations: list[Equation], dropped: Iterable[str] = ()) -> list[Equation]:
    """Return the formulas of defaults that apply: of each cell the first one whose records have all of its figures.

    Figures that a question may give without a record have to be given, where there is another default.
    """
    overridden = {*question.pins, *dropped, *(equation.target for equation in relations)}
    overridden.update(_said_by_records(question))
    if question.relations or question.demands:  # else nothing but its default tells what is asked for
        overridden.update(question.unknowns)
    figures, stated, equations = _Figures(question), _Figures(question, by_hand=False), []
    for cell in question.sheet.rows.inferred:
        formulas = [taken(formula, question.options) for formula in cell.inferred if cell.name not in overridden]
        known = figures if len(formulas) == 1 and cell.default is None else stated
        formula = next((formula for formula in formulas if known.has_all(cells_of(formula))), None)
        if formula is not None:
            kind = "formula" if cell.fixed else "inferred"
            equations.append(replace(_formula(cell.name, formula), key=f"inferred {cell.name}", kind=kind))
    return equations


class _Figures:
    """Knows which cells rest on figures of records that the question has or asks for, or may still give by hand."""

    def __init__(self, question: Question, *, by_hand: bool = True) -> None:
        self.question, parts, self.by_hand = question, (part.name for part in asked_parts(question)), by_hand
        self.asked = {*question.pins, *question.unknowns, *parts}
        self._complete: set[str] = set()  # cells that rest on no figure that is lacking

    def has_all(self, names: Iterable[str]) -> bool:
        """Whether each figure of a record among cells, and on which they rest, is known or asked for."""
        seen, waiting = set[str](), [*names]
        while waiting:
            name = waiting.pop()
            if name in seen or name in self._complete:
                continue
            seen.add(name)
            cell = self.question.sheet.cells.get(name)
            if cell is None or name in self.asked or cell.part in self.asked:
                continue
            if cell.part and not self._has(cell):
                return False
            if not cell.part and cell.formula is not None:
                waiting += cells_of(self.question.formula(name))
        self._complete |= seen
        return True

    def _has(self, figure: Cell) -> bool:
        """Whether a record has a figure, or it can be given by hand."""
        record = self.question.records.get(figure.part)
        if record is None:
            return self.by_hand and self.question.sheet.parts[figure.part].takes_by_hand(figure.figure)
        return figure.figure in record.values


def _said_by_records(question: Question) -> Iterator[str]:
    """Yield the cells without need of a default: figures of records, and of parts whose record is asked for."""
    yield from record_cells(question)
    asked = {part.name for part in asked_parts(question)}
    yield from (name for name, cell in question.sheet.cells.items() if asked and cell.part in asked)


def _equations(
    question: Question, relations: list[Equation], inferred: list[Equation], dropped: Iterable[str]
) -> Iterator[Equation]:
    """Yield all equations in the order in which they claim cells: given and fixed values, formulas, defaults, demands.

    Within a kind the order of declaration decides: what is upstream claims first, so formulas keep their direction.
    """
    cells = question.sheet.cells
    overridden = {*question.unknowns, *question.pins, *dropped, *(equation.target for equation in relations)}
    overridden |= {equation.target for equation in inferred}
    yield from (_value(name, "given") for name in question.pins if cells[name].formula is None)
    yield from (_value(name, "record") for name in record_cells(question) if name not in overridden)
    others = overridden.union(_said_by_records(question), question.unread)
    defaults = [name for name, cell in cells.items() if cell.default is not None and name not in others]
    yield from (_value(name, "fixed") for name in defaults if cells[name].fixed)
    fixed = {equation.target: equation for equation in inferred if cells[equation.target].fixed}
    for name, cell in cells.items():
        if cell.formula is not None or name in fixed:
            yield fixed.get(name) or _formula(name, question.formula(name))
    yield from (equation for equation in relations if equation.kind == "formula")
    yield from (equation for equation in inferred if equation.target not in fixed)
    yield from (_value(name, "default") for name in defaults if not cells[name].fixed)
    demands = {pin.cell for pin in question.demands}
    yield from (_value(name, "demand") for name in cells if name in demands)
    yield from (equation for equation in relations if equation.kind == "demand")


def _value(name: str, kind: str) -> Equation:
    return Equation(f"{kind} {name}", kind, (name,), name)


@cached(maxsize=65536)
def _formula(name: str, formula: Expr) -> Equation:
    inputs = sorted(cells_of(formula) - {name})
    return Equation(f"formula {name}", "formula", (name, *inputs), name, Relation(symbol(name), "=", formula, ""))
