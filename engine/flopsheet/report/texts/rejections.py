"""The names that do not work, and why: those that miss the same relation are listed together, each with its value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.names import Ranking

MOST_REASONS, MOST_MISSES = 40, 20  # reasons, and names that have the same
# A relation that is missed: `'latency <= 1 s' does not hold: 2 second is more than 1 second.`
_MISS = re.compile(r"(?P<start>.+ does not hold): (?P<value>.+?) (?P<rest>is (?:more than|less than|not) .+)\.")
# A limit that excludes the rest: `Limit fits excludes every n: it needs n >= 143.3. Without it: n <= 4.`
_EXCLUDED = re.compile(r"(?P<start>.+ excludes every [\w.]+): it needs (?P<value>.+?)\. (?P<rest>Without it: .+)")

# An equation that no whole number meets: `'time = 30 day' holds at 9.5 chip only. 9 gives ... For whole numbers, ...`
_FRACTIONAL = re.compile(r"(?P<start>'.+?' holds at) (?P<value>.+?) only\. .+? (?P<rest>For whole numbers, .+)")


def names_text(text: str, ranking: Ranking) -> str:
    """Return a name, or several of one candidate in brackets."""
    return text if len(ranking.names) == 1 else f"({text})"


def rejected(ranking: Ranking) -> dict[str, list[str]]:
    """Return the names that do not work by reason."""
    by_reason: dict[str, list[str]] = {}
    for candidate in ranking.rejected:
        by_reason.setdefault(candidate.why, []).append(names_text(candidate.text, ranking))
    return by_reason


def not_working(ranking: Ranking, why: str) -> str:
    """Return what a name with this reason is: `Not`, or `Not decided:` where it may work."""
    is_open = any(candidate.is_open for candidate in ranking.rejected if candidate.why == why)
    return "Not decided:" if is_open else "Not"


def start_of(why: str) -> str:
    """Return what a reason says before its numbers: up to the first colon that is outside of brackets."""
    if own := _FRACTIONAL.fullmatch(why):
        return f"{own['start']} no whole number"
    depth = 0
    for at, sign in enumerate(why):
        depth += (sign == "(") - (sign == ")")
        if not depth and why.startswith(": ", at):
            return why[:at]
    return why


def numbers_of(why: str) -> str:
    """Return what a reason says behind its start."""
    if own := _FRACTIONAL.fullmatch(why):
        return f"{own['value']} only"
    return why.removeprefix(f"{start_of(why)}: ").removesuffix(".")


class _Reason(NamedTuple):
    """A reason in parts."""

    common: str  # what it shares with those of other names that miss the same
    value: str = ""  # which number misses it, or would be needed
    each: str = ""  # how a number misses a relation: `is more than 1 second`


class _Group(NamedTuple):
    """Names with one reason."""

    names: list[str]
    why: str
    reason: _Reason


def rejections(ranking: Ranking) -> list[str]:
    """Return the names that do not work, grouped by reason, or by the relation that they miss; many reasons folded."""
    groups: dict[tuple[str, str], list[_Group]] = {}
    for why, names in rejected(ranking).items():
        reason = _in_parts(why)
        groups.setdefault((not_working(ranking, why), reason.common), []).append(_Group(names, why, reason))
    texts = [f"{verdict} {_group_text(common, group)}" for (verdict, common), group in groups.items()]
    if len(texts) <= MOST_REASONS + 1:
        return texts
    others = sum(len(own.names) for group in [*groups.values()][MOST_REASONS:] for own in group)
    more = f"Not {others} others, for {len(texts) - MOST_REASONS} more reasons: --as json lists all."
    return [*texts[:MOST_REASONS], more]


def _in_parts(why: str) -> _Reason:
    if miss := _MISS.fullmatch(why):
        return _Reason(miss["start"], miss["value"], miss["rest"])
    if excluded := _EXCLUDED.fullmatch(why):
        excluding = f"{excluded['start']}: it needs what is in brackets. {excluded['rest']}"
        return _Reason(excluding, excluded["value"])
    if own := _FRACTIONAL.fullmatch(why):
        return _Reason(f"{start_of(why)}, only at what is in brackets. {own['rest']}", own["value"])
    return _Reason(why)


def _group_text(common: str, group: Sequence[_Group]) -> str:
    """Return names with what they miss: `a (2 second), b (3 second): 'latency <= 1 s' does not hold: each is more`."""
    is_alone = len(group) == 1
    group, more = _few(group)
    if is_alone:
        return f"{', '.join(group[0].names)}{_others(more)}: {group[0].why}"
    each = {own.reason.each for own in group}
    values = [own.reason.value if len(each) == 1 else f"{own.reason.value} {own.reason.each}" for own in group]
    joint = "; " if any(len(own.names) > 1 for own in group) else ", "
    shown = joint.join(f"{', '.join(own.names)} ({value})" for own, value in zip(group, values, strict=True))
    same = f": each {each.pop()}" if len(each) == 1 and "" not in each else ""
    return f"{shown}{_others(more)}: {common}{same}{'' if common.endswith('.') else '.'}"


def _few(group: Sequence[_Group]) -> tuple[list[_Group], int]:
    """Return the first names of a group with their reasons, and how many others it has: never one other alone."""
    total = sum(len(own.names) for own in group)
    left = total if total <= MOST_MISSES + 1 else MOST_MISSES
    few = list[_Group]()
    for own in group:
        if left:
            few.append(own._replace(names=own.names[:left]))
            left -= len(few[-1].names)
    return few, total - sum(len(own.names) for own in few)


def _others(more: int) -> str:
    return f" and {more} others" if more else ""
