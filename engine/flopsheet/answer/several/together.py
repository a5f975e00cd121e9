"""Several cells that depend on each other, at once: unknowns, and cells behind one unknown.

Solved one by one, each unknown would be given rounded values. Cells behind an unknown are functions of it, or of one of
them, where that gives the unknown too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sympy.utilities.iterables import connected_components

from flopsheet.answer.several.behind import Behind, ranked, within
from flopsheet.answer.several.tuples import SeveralValuesError
from flopsheet.answer.shortage import undetermined
from flopsheet.answer.wording import lack_of_time
from flopsheet.budget import is_over, part
from flopsheet.errors import NotInvertibleError, QuestionError, UnderdeterminedError, joined
from flopsheet.formulas.trees import put_in
from flopsheet.functions.symbols import symbol
from flopsheet.graph.blocks import Block, plan
from flopsheet.graph.rearranged import unrolled
from flopsheet.inverse.simultaneous import simultaneous
from flopsheet.search.several_unknowns import Tuples
from flopsheet.units import tidy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.formulas.relation import Relation
    from flopsheet.functions import Expr
    from flopsheet.graph.structure import Structure
    from flopsheet.graph.system import System
    from flopsheet.units import Number


MOST_LISTED = 1024  # tuples of whole numbers that have too few equations
LISTED = 1 / 2  # of the time, for the tuples of whole numbers that have too few equations


def groups(system: System, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the unknowns in groups: those that equations tie to each other, and each other one alone.

    They are tied where one block of equations gives them, or where they are whole numbers that have too few equations,
    which list them nevertheless.
    """
    if len(names) < 2:
        return [(name,) for name in names]
    structure, cells = system.structure, system.question.sheet.cells
    determined = [name for name in names if name in structure.determined]
    tied = [
        [name for name in names if name in block.cells]
        for block in plan(structure, determined, cells, join=False)
        if not block.direct
    ]
    tied += _tied_counts(structure, [name for name in names if name not in determined and cells[name].integer])
    group = {name: tuple(members) for members in tied if len(members) > 1 for name in members}
    return list(dict.fromkeys(group.get(name, (name,)) for name in names))


def _tied_counts(structure: Structure, counts: Sequence[str]) -> list[list[str]]:
    """Return whole unknowns with too few equations in groups: those that an equation between them constrains."""
    beyond = structure.with_known(*counts)
    rested = [beyond.needed(beyond.cells_of[key]) for key in beyond.unmatched if key not in structure.unmatched]
    tied = [[name for name in counts if name in needed] for needed in rested]
    edges = [(first, other) for first, *others in filter(None, tied) for other in others]
    return [[name for name in counts if name in component] for component in connected_components((counts, edges))]


@dataclass(frozen=True)
class Together:
    """What relations leave of several unknowns."""

    result: Tuples
    points: list[tuple[Number, ...]]  # the values of the unknowns alone
    steps: Mapping[str, Relation]  # a relation on each unknown
    used: frozenset[str]  # the equations on them, by key
    execution: Execution  # the values on which they rest
    checked: bool = False  # whether the limits of the sheet hold at these points, the first of which are ranked first
    limits: Sequence[Relation] = ()  # the limits that exclude other tuples
    excluded: Sequence[tuple[Number, ...]] = ()  # these tuples

    @property
    def names_of_limits(self) -> tuple[str, ...]:
        """The limits that exclude other tuples, by name."""
        return tuple(limit.name for limit in self.limits)

    def chosen(self, names: tuple[str, ...]) -> tuple[Number, ...] | None:
        """Return the tuple that is followed, or None; raise a SeveralValuesError where each of several has to be."""
        if self.checked and len(self.points) > 1:
            raise SeveralValuesError(names, self.points, proven=True, limits=self.names_of_limits)
        return self.execution.chosen(names, self.points)


def find_together(system: System, names: Sequence[str], execution: Execution) -> Together:
    """Return the tuples of unknowns at which all relations on them hold, those of cells between included.

    Raises:
        NotInvertibleError: a cell on which the relations rest cannot be computed.
        UnderdeterminedError: too few relations leave more whole numbers than can be listed, or could be in time.
    """
    question, structure = system.question, system.structure.with_known(*names)
    known = structure.determined | question.sheet.choices.keys()

    def constrains(relation: Relation) -> bool:
        return relation.cells <= known and not structure.needed(relation.cells).isdisjoint(names)

    surplus = {key: system.relation(structure.equations[key]) for key in structure.unmatched}
    surplus = {key: relation for key, relation in surplus.items() if constrains(relation)}
    asked = [*surplus.values(), *filter(constrains, question.inequalities)]
    beyond = replace(system, structure=structure)
    behind = Behind(beyond, names, execution.copy(), asked)
    execution, free = behind.execution, (*names, *behind.free)
    sheet, count = question.sheet.cells, len(names)
    bounds = {name: sheet[name].bounds.interval for name in behind.formulas if sheet[name].formula is None}
    sought = [execution.bounded(name) for name in free]
    is_determined = system.structure.determined.issuperset(names)
    assumed = [execution.assumed[name] for name in names if name in execution.assumed]
    if len(assumed) == len(free):  # one of the tuples that were found before
        result, late = Tuples((tuple(assumed),)), False
    else:
        with part(1 if is_determined else LISTED):
            values = execution.with_pins()
            result, late = simultaneous(sought, behind.formulas, behind.relations, values, bounds), is_over()
    if not is_determined and (result.open or len(result.points) > MOST_LISTED):
        raise _not_listed(names) if late else undetermined(system, names[0])
    steps = {name: next((r for r in behind.relations if name in r.cells), behind.relations[0]) for name in names}
    points = [*dict.fromkeys(tuple(map(tidy, point[:count])) for point in result.points)]
    together = Together(result, points, steps, frozenset(surplus), execution)
    if is_determined or behind.free or assumed:
        return together
    own = within(beyond, names, execution, [*filter(constrains, question.limits)], points)
    if own is None:
        return together
    left, limits = own
    excluded = [point for point in points if point not in left]
    left = left if question.best is None else ranked(beyond, names, execution, question.best, left)
    return replace(together, points=left, checked=True, limits=limits, excluded=excluded)


def _not_listed(names: Sequence[str]) -> UnderdeterminedError:
    """Return the error for whole numbers that too few equations leave, and that were not listed in time."""
    what = joined([f"'{name}'" for name in names])
    problem = f"They have too few relations, and their whole numbers were not listed: {lack_of_time()}."
    return UnderdeterminedError(f"unknowns {what}", problem, f"Give one of {what}, or bound it.")


def has_few_tuples(system: System, names: Sequence[str], execution: Execution, most: int) -> bool:
    """Whether all tuples of unknowns are found at once, and are at most so many."""
    try:
        result = find_together(system, names, execution).result
    except QuestionError:
        return False
    return 0 < len(result.points) <= most and not result.open


def parametrized(
    system: System, blocks: Iterable[Block], name: str, execution: Execution
) -> tuple[str, dict[str, Expr]] | None:
    """Return a cell that gives an unknown and all cells behind it, and the formulas of these, in order."""
    parameter = ""
    formulas: dict[str, Expr] = {}
    for block in blocks:
        relations = _relations(system, block, execution)
        try:
            formulas |= definitions(system, block, name, execution)
        except NotInvertibleError:
            if parameter:
                return None
        else:
            continue
        parts: dict[Expr, Expr] = {}
        for cell, formula in formulas.items():
            parts[symbol(cell)] = put_in(formula, parts)
        composed = {
            cell: replace(relation, left=put_in(relation.left, parts), right=put_in(relation.right, parts))
            for cell, relation in relations.items()
        }
        positive = execution.positive({name, *block.cells, *execution.values.keys()})
        for cell in block.cells:
            others = {name if other == cell else other: relation for other, relation in composed.items()}
            forms = unrolled(others, execution.values, positive)
            if forms is not None:
                parameter, formulas = cell, {name: forms[name], **formulas, **forms}
                break
        else:
            return None
    return (parameter, formulas) if parameter else None


def _relations(system: System, block: Block, execution: Execution) -> dict[str, Relation]:
    """Return the relation of each cell of a block, each case distinction as the branch that is taken."""
    equations = (system.structure.equations[key] for key in block.keys)
    relations = (execution.resolved(system.relation(equation)) for equation in equations)
    return dict(zip(block.cells, relations, strict=True))


def definitions(system: System, block: Block, name: str, execution: Execution) -> dict[str, Expr]:
    """Return the formulas of cells that depend on the unknown, their equations inverted where they must be."""
    relations = _relations(system, block, execution)
    if block.direct:
        return {cell: relation.right for cell, relation in relations.items()}
    positive = execution.positive({cell for relation in relations.values() for cell in relation.cells})
    formulas = unrolled(relations, execution.values, positive)
    if formulas is None:
        cells = ", ".join(block.cells)
        why = f"was not inverted: {lack_of_time()}" if is_over() else "cannot be inverted"
        problem = f"'{name}' decides {cells} in a way that {why}."
        equation = "Ask with = for the end of a range, or give" if system.question.inequalities else "Give"
        raise NotInvertibleError(f"unknown '{name}'", problem, f"{equation} one of {cells}.")
    return formulas
