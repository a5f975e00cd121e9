"""Names and tuples in their order: which is the best, and which rank equally."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.errors import joined
from flopsheet.report.candidates import working_of
from flopsheet.report.sentences import slack_text
from flopsheet.report.tables import column_of
from flopsheet.units import close, is_finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.names import Candidate
    from flopsheet.units import Number

MOST_GROUPS, MOST_EQUAL = 3, 4
ROOM = "the room that they leave"
_TOGETHER, _FOLLOWED = "Together, (", "; the other cells are those at "  # in warnings of an answer


class Place(NamedTuple):
    """A name or a tuple, and what ranks it."""

    label: str
    value: Number  # in base units, of room as a share
    text: str


def places(answer: Answer) -> tuple[str, list[Place]]:
    """Return what ranks the names or tuples that work, and these with a value of it, the best first; else none."""
    names, working = working_of(answer)
    best, cells = answer.question.best, answer.question.sheet.cells
    by = str(best or "") if answer.ranking is None else answer.ranking.by
    cell = by.partition(", the ")[0]
    known = [(label(candidate, names), candidate) for candidate in working]
    if cell in cells:
        found = [(text, own.answer.cells[cell].si) for text, own in known if own.answer and cell in own.answer.cells]
        found = [(text, value) for text, value in found if is_finite(value)]
        texts = column_of([value for _, value in found], cells[cell].unit) if found else []
    elif answer.ranking is not None and cell == ROOM:
        found = [(text, own.room) for text, own in known if own.room is not None]
        texts = [slack_text(room) for _, room in found]
    else:
        return "", []
    return cell, [Place(*pair, text) for pair, text in zip(found, texts, strict=True)]


def label(candidate: Candidate, names: Sequence[str]) -> str:
    """Return a name, or the values of a tuple in brackets."""
    options = [candidate.options[name] for name in names]
    return f"({', '.join(options)})" if len(options) > 1 else options[0]


def first_text(answer: Answer) -> str:
    """Return the best of names, or at which of several values the cells of an answer are: `n_pp = 8 and n_tp = 8`."""
    if answer.ranking is not None:
        named = {name: record.key for name, record in answer.question.records.items()} | answer.question.choices
        return joined([f"{name} = {named[name]}" for name in answer.ranking.names if name in named])
    texts = [text.partition(_FOLLOWED)[2].removesuffix(".") for text in answer.remarks if _FOLLOWED in text]
    several = [own for own in answer.outcomes.values() if own.listed[1:] or own.progressions]
    names = [own.cell.name for own in several]
    resting = answer.system.structure.with_known(*names).resting_on(names) - answer.outcomes.keys()
    at = [f"{own.cell.name} = {own.cell.text(own.si)}" for own in several if own.si is not None]
    return next(iter(texts), joined(at) if resting & answer.cells.keys() else "")


def told(text: str) -> bool:
    """Whether a warning is what a page tells in its first sentences: all tuples, or at which of them it goes on."""
    return text.startswith(_TOGETHER) or _FOLLOWED in text


def best_text(answer: Answer) -> str:
    """Return the tuple that ranks first, or else all tuples, in a sentence; empty where names, or nothing, is asked."""
    by, ranked = places(answer)
    best = answer.question.best
    if answer.ranking is None and best is None:
        return next((text for text in answer.remarks if text.startswith(_TOGETHER)), "")
    if answer.ranking is not None or best is None or not ranked:
        return ""
    first, count = ranked[0], len(ranked)
    of = f"of the {count:,} of {len(answer.tuples):,} computed" if count < len(answer.tuples) else f"of {count:,}"
    names = ", ".join(answer.outcomes)
    asked = names if len(answer.outcomes) == 1 else f"({names})"
    return f"{'Largest' if best.largest else 'Smallest'} {by} {of}: {first.text}, with {asked} = {first.label}."


def equals_text(answer: Answer) -> str:
    """Return which names or tuples rank equally, the best first, in a sentence; empty for none."""
    by, ranked = places(answer)
    groups: list[list[Place]] = [ranked[:1]]
    for earlier, place in pairwise(ranked):
        if close(earlier.value, place.value):
            groups[-1].append(place)
        else:
            groups.append([place])
    equal = [group for group in groups if len(group) > 1]
    if not equal:
        return ""
    shown = [f"{_folded([own.label for own in group])} ({group[0].text})" for group in equal[:MOST_GROUPS]]
    others = len(equal) - len(shown)
    more = f"; {others:,} more group{'s' if others > 1 else ''}" if others else ""
    order = "of their values" if answer.ranking is None else "of declaration"
    return f"Equal in {by}: {'; '.join(shown)}{more}. Equals stand in the order {order}."


def _folded(labels: list[str]) -> str:
    if len(labels) <= MOST_EQUAL + 1:
        return joined(labels)
    return joined([*labels[:MOST_EQUAL], f"{len(labels) - MOST_EQUAL:,} others"])
