"""Texts of values that are too many to list: of progressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.answer.outcomes.wording import FLOAT_DIGITS, MOST_RANGES, from_to, interval_text
from flopsheet.errors import joined
from flopsheet.units import format_number, in_unit, is_finite, size, tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.numbers.progressions import Progression
    from flopsheet.sheets.cell import Cell
    from flopsheet.units import Number


def progression_texts(progressions: Sequence[Progression], cell: Cell) -> list[str]:
    """Return values of a cell that are too many to list: `every 20 block from 3,947 block on`."""
    spaced: dict[tuple[Number, bool, bool], list[Progression]] = {}
    others = [own for own in progressions if own.shift is not None or own.curve is not None]
    for own in progressions:
        if own.shift is None and own.curve is None:
            spaced.setdefault((size(own.factor), is_finite(own.lower), is_finite(own.upper)), []).append(own)
    texts = [_progression_text(own, cell) for own in others]
    for (factor, *bounded), group in spaced.items():
        texts += _spaced_texts(f"every {_all_digits(factor, cell)}", factor, bounded, group, cell)
    rest = len(texts) - MOST_RANGES
    return [*texts[:MOST_RANGES], *([f"{rest} more of this kind"] if rest > 0 else [])]


def _spaced_texts(
    every: str, factor: Number, bounded: Sequence[bool], group: Sequence[Progression], cell: Cell
) -> list[str]:
    """Return multiples of one number beside several others, in one text where they begin or end alike."""
    if not any(bounded):
        members = sorted(tidy(own.offset % size(own.factor)) for own in group)
        around = f"{every} before and after {'each' if members[1:] else 'it'}"
        return [joined([*_members(members, cell), around])]
    last = max(own.upper for own in group)
    if not group[1:] or (all(bounded) and any(own.upper + factor <= last for own in group)):
        return [_progression_text(own, cell) for own in group]
    starts = sorted(own.lower if bounded[0] else own.upper for own in group)
    ends = "on" if not bounded[1] else f"up to {_all_digits(last, cell)}"
    each = joined(_members(starts, cell))
    return [f"{every} from each of {each} {ends}" if bounded[0] else f"{every} up to each of {each}"]


def _members(numbers: Sequence[Number], cell: Cell) -> list[str]:
    """Return ascending numbers as texts, the first ones only if they are many: `1 to 12`, `85`, `7 more`."""
    runs: list[list[Number]] = []
    for number in numbers:
        if runs and cell.integer and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [[run] if run[2:] else [[number] for number in run] for run in runs]
    shown = [part for run in parts for part in run]
    texts = [" to ".join(_all_digits(end, cell) for end in dict.fromkeys((part[0], part[-1]))) for part in shown]
    rest = sum(map(len, shown[MOST_RANGES:]))
    return [*texts[:MOST_RANGES], *([f"{rest} more"] if rest else [])]


def _progression_text(progression: Progression, cell: Cell) -> str:
    if progression.shift is None and progression.curve is None:
        ends = [_all_digits(end, cell) if is_finite(end) else "" for end, _ in progression.ends]
        return f"every {_all_digits(size(progression.factor), cell)}{from_to(ends[0], ends[1], ' ')}"
    ends = [format_number(end) if is_finite(end) else "" for end in (progression.first, progression.last)]
    if progression.curve is not None:
        return f"one value for each integer{from_to(ends[0], ends[1], ' ')}: {interval_text(progression.hull, cell)}"
    shift = "" if not progression.shift else f" {_signed(format_number(tidy(progression.shift)))}"
    over = f"(k{shift})" if shift else "k"
    offset = f" {_signed(_all_digits(progression.offset, cell))}" if progression.offset else ""
    return f"{_all_digits(progression.factor, cell)}/{over}{offset} for each integer k{from_to(ends[0], ends[1], ' ')}"


def _signed(text: str) -> str:
    return f"- {text[1:]}" if text.startswith("-") else f"+ {text}"


def _all_digits(si: Number, cell: Cell) -> str:
    """Return a value of a cell with the digits that a float has: others are computed from it."""
    shown = in_unit(si, cell.unit)
    text = f"{shown:,}" if isinstance(tidy(shown), int) else f"{float(shown):,.{FLOAT_DIGITS}g}"
    return f"{text} {cell.unit.text}".strip()
