"""Which unknowns are solved at once: those that equations tie, and few counts that inequalities or limits tie."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sympy.utilities.iterables import connected_components

from flopsheet.answer.several.partners import following
from flopsheet.answer.several.together import LISTED, MOST_LISTED, find_together
from flopsheet.budget import part
from flopsheet.errors import QuestionError
from flopsheet.formulas.trees import has_function
from flopsheet.functions import Trait, nodes
from flopsheet.functions.rounding import REMAINDER
from flopsheet.graph.blocks import plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.execute import Execution
    from flopsheet.answer.several.found import Together
    from flopsheet.graph.system import System


@dataclass
class Groups:
    """Unknowns in groups, and the tuples of those that were listed to see that they are few."""

    system: System
    groups: list[tuple[str, ...]] = field(default_factory=list)
    listed: dict[tuple[str, ...], Together] = field(default_factory=dict)

    def found(self, system: System, names: tuple[str, ...], execution: Execution) -> Together:
        """Return the tuples of unknowns, those that were listed already in the same system."""
        known = self.listed.get(names) if system is self.system else None
        return find_together(system, names, execution) if known is None else known


def groups(system: System, names: Sequence[str], execution: Execution) -> Groups:
    """Return the unknowns in groups: those that relations tie to each other, and each other one alone.

    They are tied where one block of equations gives them, or where they are whole numbers that have too few equations,
    which list them nevertheless, or few in all.
    """
    found = Groups(system)
    if len(names) < 2:
        found.groups = [(name,) for name in names]
        return found
    structure, cells = system.structure, system.question.sheet.cells
    determined = [name for name in names if name in structure.determined]
    tied = [
        tuple(name for name in names if name in block.cells)
        for block in plan(structure, determined, cells, join=False)
        if not block.direct
    ]
    are_few = all(cells[name].integer for name in names) and _is_little(execution, names)
    many = {name for name in determined if _may_be_many(system, name)}
    counts = [name for name in names if cells[name].integer and (are_few or many or name not in determined)]
    tied = [*([] if are_few else tied), *_tied_counts(found, counts, execution)]
    group = {name: members for members in tied if len(members) > 1 for name in members}
    found.groups = list(dict.fromkeys(group.get(name, (name,)) for name in names))
    return found


def _may_be_many(system: System, name: str) -> bool:
    """Whether the equation of a count says only what it is a multiple of, or what it is rounded to."""
    equation = system.structure.equations[system.structure.of_cell[name]]
    relation, stepped = system.relation(equation), (*nodes(Trait.STEPPED), REMAINDER.node)
    return not equation.is_formula and any(has_function(side, stepped) for side in (relation.left, relation.right))


def _tied_counts(found: Groups, counts: Sequence[str], execution: Execution) -> list[tuple[str, ...]]:
    """Return whole unknowns with too few equations in groups: those that relations constrain together.

    What inequalities, limits and bounds alone tie is listed where tuples are few. Counts that follow are listed too.
    """
    system = found.system
    question, with_counts = system.question, system.knowing(counts)
    beyond = with_counts.structure
    surplus = [beyond.cells_of[key] for key in beyond.unmatched]
    bounded = (frozenset((cell.name,)) for cell in question.sheet.rows.bounded)
    relations = (relation.cells for relation in (*question.inequalities, *question.limits))
    bounding = [cells for cells in (*relations, *bounded) if cells <= with_counts.known]
    equal, unequal = (
        [[name for name in counts if name in beyond.needed(cells)] for cells in relations]
        for relations in (surplus, bounding)
    )
    edges = [(first, other) for first, *others in filter(None, [*equal, *unequal]) for other in others]
    groups = ([name for name in counts if name in component] for component in connected_components((counts, edges)))
    equated = {name for own in equal if len(own) > 1 for name in own}
    tied = [(own, (*own, *_counts_behind(system, own))) for own in groups if len(own) > 1]
    return [
        names
        for own, names in tied
        if equated & {*own} or _is_little(execution, own) or _are_listed(found, names, execution)
    ]


def _are_listed(found: Groups, names: tuple[str, ...], execution: Execution) -> bool:
    """Whether solving for counts at once lists all their tuples, which are kept."""
    together = all_listed(found.system, names, execution)
    if together is not None:
        found.listed[names] = together
    return together is not None


def _counts_behind(system: System, names: Sequence[str]) -> list[str]:
    """Return the counts that nobody gave and that follow from unknowns."""
    follow = following(system.knowing(names), names)
    return [cell.name for cell in follow if cell.integer and cell.formula is None]


def _is_little(execution: Execution, counts: Sequence[str]) -> bool:
    """Whether bounds leave few tuples of whole numbers."""
    domains = [execution.bounded(name).bounds for name in counts]
    return math.prod(float(domain.upper - domain.lower) + 1 for domain in domains) <= MOST_LISTED


def all_listed(
    system: System, names: tuple[str, ...], execution: Execution, numbers: range = range(MOST_LISTED + 1)
) -> Together | None:
    """Return the tuples of unknowns, if solving for them at once lists all and how many is one of `numbers`."""
    try:
        with part(LISTED):
            found = find_together(system, names, execution)
    except QuestionError:
        return None
    return found if len(found.result.points) in numbers and not found.result.open else None
