"""The names that do not work, and why: those that miss the same relation are listed together, each with its value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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


def rejections(ranking: Ranking) -> list[str]:
    """Return the names that do not work, grouped by reason, or by the relation that they miss; many reasons folded."""
    groups: dict[str, list[tuple[list[str], str]]] = {}
    for why, names in rejected(ranking).items():
        groups.setdefault(_common(why), []).append((names, why))
    texts = [_group_text(start, group) for start, group in groups.items()]
    if len(texts) <= MOST_REASONS + 1:
        return texts
    others = sum(len(names) for group in [*groups.values()][MOST_REASONS:] for names, _ in group)
    more = f"{others} others, for {len(texts) - MOST_REASONS} more reasons: --as json lists all."
    return [*texts[:MOST_REASONS], more]


def _common(why: str) -> str:
    """Return what a reason has in common with those of other names that miss the same."""
    if miss := _MISS.fullmatch(why):
        return miss["start"]
    if excluded := _EXCLUDED.fullmatch(why):
        return f"{excluded['start']}. {excluded['rest']}"
    if own := _FRACTIONAL.fullmatch(why):
        return f"{start_of(why)}, only at what is in brackets. {own['rest']}"
    return why


def _group_text(start: str, group: Sequence[tuple[list[str], str]]) -> str:
    """Return names with what they miss: `a (2 second), b (3 second): 'latency <= 1 s' does not hold: each is more`."""
    is_alone = len(group) == 1
    group, more = _few(group)
    if is_alone:
        names, why = group[0]
        return f"{', '.join(names)}{_others(more)}: {why}"
    misses = [(names, miss["value"], miss["rest"]) for names, why in group if (miss := _MISS.fullmatch(why))]
    rests = {rest for *_, rest in misses}
    values = [(names, value if len(rests) == 1 else f"{value} {rest}") for names, value, rest in misses]
    needs = [(names, own["value"]) for names, why in group if (own := _EXCLUDED.fullmatch(why))]
    values += needs + [(names, own["value"]) for names, why in group if (own := _FRACTIONAL.fullmatch(why))]
    joint = "; " if any(len(names) > 1 for names, _ in values) else ", "
    shown = joint.join(f"{', '.join(names)} ({value})" for names, value in values) + _others(more)
    if needs:
        excluding, _, without = start.partition(". Without it: ")
        return f"{shown}: {excluding}: it needs what is in brackets. Without it: {without}"
    return f"{shown}: {start}{f': each {rests.pop()}' if len(rests) == 1 else ''}{'' if start.endswith('.') else '.'}"


def _few(group: Sequence[tuple[list[str], str]]) -> tuple[list[tuple[list[str], str]], int]:
    """Return the first names of a group with their reasons, and how many others it has: never one other alone."""
    total = sum(len(names) for names, _ in group)
    left = total if total <= MOST_MISSES + 1 else MOST_MISSES
    few = list[tuple[list[str], str]]()
    for names, why in group:
        if left:
            few.append((names[:left], why))
            left -= len(few[-1][0])
    return few, total - sum(len(names) for names, _ in few)


def _others(more: int) -> str:
    return f" and {more} others" if more else ""
