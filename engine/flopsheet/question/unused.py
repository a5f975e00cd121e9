"""Which given inputs an answer does not read, because the options that are taken leave them out."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import choices_in, taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.functions import Expr
    from flopsheet.question.question import Question


def unused(question: Question) -> list[str]:
    """Return a sentence for each given input that only branches read which the options do not take."""
    given = _given(question) if question.sheet.choices else []
    return _Branches(question).texts(given) if given else []


def why_unused(question: Question, name: str) -> str:
    """Return the options with which nothing reads an input, `interval_rule = daly`; an empty text where it is read."""
    branches = _Branches(question)
    return "" if name in branches.read(without=name) else branches.why(name)


def _given(question: Question) -> list[str]:
    """Return the inputs that a question gives itself; figures of records may be of use elsewhere."""
    cells = question.sheet.cells
    return [name for name in question.pins if cells[name].formula is None and not cells[name].part]


def _roots(question: Question) -> list[str]:
    """Return the cells that an answer tells: asked for, in relations and limits, headlines, and last results."""
    best = (question.best.cell,) if question.best else ()
    named = [*question.unknowns, *question.shown, *best, *question.sheet.rows.headline, *_last(question)]
    stated = [relation for relation in (*question.stated, *question.chosen_limits) if relation.cells]
    names = dict.fromkeys([*named, *(name for relation in stated for name in sorted(relation.cells))])
    return [name for name in names if name in question.sheet.cells]


def _last(question: Question) -> list[str]:
    """Return the computed cells that no other formula reads: they are results, whatever is asked."""
    rows = question.sheet.rows
    if "last" not in rows.derived:
        read = frozenset[str]().union(*(cells_of(formula) for cell in rows.cells.values() for formula in cell.formulas))
        rows.derived["last"] = [
            name for name, cell in rows.cells.items() if cell.formula is not None and name not in read
        ]
    last: list[str] = rows.derived["last"]
    return last


class _Branches:
    """The formulas that an answer reads, with the branches that its options take, and with all of them."""

    def __init__(self, question: Question) -> None:
        self.question = question

    def texts(self, given: list[str]) -> list[str]:
        read, possible = self.read(), self._closure(_roots(self.question), None)
        sentences: dict[str, list[str]] = {}
        for name in given:
            if name in possible and name not in read and (why := self.why(name)):
                sentences.setdefault(why, []).append(name)
        return [
            f"{joined(names)} {'is' if len(names) == 1 else 'are'} not used with {why}."
            for why, names in sentences.items()
        ]

    def _formulas(self, name: str) -> tuple[Expr, ...]:
        """Return the formulas that give a cell: none where the question gives the cell in place of its default."""
        cell = self.question.sheet.cells.get(name)
        return () if cell is None or (cell.formula is None and name in self.question.pins) else cell.formulas

    def _closure(self, roots: Iterable[str], options: Mapping[str, str] | None) -> set[str]:
        """Return the cells that others rest on, with the branches that some options take, or with all of them."""
        found, waiting = set[str](), [*roots]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                for formula in self._formulas(name):
                    waiting += cells_of(formula if options is None else taken(formula, options))
        return found

    def read(self, without: str = "") -> set[str]:
        """Return the cells on which the results rest with the options of the question, but for one of them."""
        roots = [name for name in _roots(self.question) if name != without]
        return self._closure(roots, self.question.options)

    def why(self, name: str) -> str:
        """Return the options by which the next formula that does so leaves out an input, or what rests on it."""
        options, users = self.question.options, _users(self.question)
        seen, waiting = {name}, deque([name])
        while waiting:
            cell = waiting.popleft()
            for user in users.get(cell, ()):
                having = (formula for formula in self._formulas(user) if cell in cells_of(formula))
                leaving = (formula for formula in having if cell not in cells_of(taken(formula, options)))
                choices = [own for formula in leaving for own in choices_in(formula) if own in options]
                if choices:
                    return joined([f"{own} = {options[own]}" for own in dict.fromkeys(choices)])
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return ""


def _users(question: Question) -> Mapping[str, list[str]]:
    """Return the cells of which a formula has each cell, in whatever branch."""
    rows = question.sheet.rows
    if "users" not in rows.derived:
        users: dict[str, list[str]] = {}
        for cell in rows.cells.values():
            for name in dict.fromkeys(own for formula in cell.formulas for own in cells_of(formula)):
                users.setdefault(name, []).append(cell.name)
        rows.derived["users"] = users
    known: dict[str, list[str]] = rows.derived["users"]
    return known
