"""Limits of a sheet as conditions on an unknown: which of them shape an answer, and which leave none."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.answer.wording import quoted, ranges_text
from flopsheet.errors import joined
from flopsheet.inverse.method import Method
from flopsheet.numbers.arithmetic import near_whole
from flopsheet.numbers.sets import RealSet, meet_near

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.condition import Condition
    from flopsheet.answer.unknown import SolutionSet
    from flopsheet.graph.system import System
    from flopsheet.units import Number


def without_limits(system: System) -> System:
    """Return a system whose question lifts every limit of its sheet."""
    question = replace(system.question, without=tuple(system.question.sheet.limits))
    return replace(system, question=question)


def shaping(solved: SolutionSet) -> tuple[str, ...]:
    """Return the limits that shape the values of an unknown: they set an end, or exclude what nothing else does.

    Where a limit was solved within what others leave, these are all that exclude some of what is asked.
    """
    if not all(_is_independent(condition, solved) for condition in solved.limits):
        return tuple(limit.limit for limit in solved.limits)
    outer = (-math.inf, math.inf, solved.domain.lower, solved.domain.upper)
    ends = {near_whole(end) for part in solved.values for end in (part.lower, part.upper) if end not in outer}
    return tuple(condition.limit for condition in solved.limits if _shapes(condition, solved, ends))


def _shapes(condition: Condition, solved: SolutionSet, ends: set[Number]) -> bool:
    others = tuple(other for other in solved.conditions if other is not condition)
    return bool(ends & condition.solution.ends) or replace(solved, conditions=others).values != solved.values


def _is_independent(condition: Condition, solved: SolutionSet) -> bool:
    """Whether a condition was solved over the whole domain, whatever others leave."""
    tested = condition.solution.how in (Method.TRIAL, Method.CONSTANT)
    return not tested and condition.chain.domain == solved.domain


def exclusion(solved: SolutionSet, allowed: RealSet, whole: int | None) -> str:
    """Return which limits exclude every value of an unknown, and the values that the question alone allows."""
    cell = solved.cell
    independent = [limit for limit in solved.limits if len(solved.limits) == 1 or _is_independent(limit, solved)]
    alone = [limit for limit in independent if not meet_near(allowed, limit.solution.values)]
    blamed = alone or list(solved.limits)
    names = joined([quoted(condition.relation) for condition in blamed])
    many = "" if len(blamed) == 1 else "s"
    together = " together" if many and not alone else ""
    text = f"Limit{many} {names}{together} exclude{'' if many else 's'} every {cell.name}{_needs(blamed, solved)}."
    lifted = ("them" if many else "it") if len(blamed) == len(solved.limits) else "any limit"
    first = "" if whole is None else f", so {cell.text(whole)}"
    return f"{text} Without {lifted}: {ranges_text(allowed, cell)}{first}."


def _needs(blamed: Sequence[Condition], solved: SolutionSet) -> str:
    """Return what a single limit needs, where that was solved over the whole domain."""
    condition = blamed[0]
    if len(blamed) > 1 or not _is_independent(condition, solved):
        return ""
    values = condition.solution.values
    return f": it needs {ranges_text(values, solved.cell)}" if values else ""
