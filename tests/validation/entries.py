"""Entries of the validation files: what a published figure says, and what a question should give for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tests.stored import read_yaml

from flopsheet.units import Quantity, quantity

FOLDER = Path(__file__).parent
ROUNDED = Fraction(1, 10**12)  # an exact figure that is no whole number is computed with floats
HALF_WIDTH, BAND = "+-", "~"
VERDICTS = {"holds": True, "violated": False}
TEXTS = ("id", "source", "sheet", "outside", "inverse", "asks", "figures", "note")
LISTS = ("given", "without")
MAPPINGS = ("shows", "differs", "verdict")


@dataclass(frozen=True)
class Figure:
    """A published value.

    Args:
        text: as the file has it.
        value: the value with its unit.
        margin: how far from the value a result may be, in base units; 0 for exact figures.
    """

    text: str
    value: Quantity
    margin: Fraction

    @property
    def si(self) -> Fraction:
        """The value in base units."""
        return Fraction(self.value.exact) * Fraction(self.value.unit.factor)

    def is_met(self, computed: Any) -> bool:
        """Whether a result in base units is the figure, to the last digit or within the margin."""
        difference = abs(Fraction(computed) - self.si)
        if self.margin or isinstance(computed, float):
            return bool(difference <= self.margin + ROUNDED * abs(self.si))
        return bool(difference == 0 or (self.si.denominator != 1 and difference <= ROUNDED * abs(self.si)))

    def conditions(self, cell: str) -> list[str]:
        """Return the relations that pin a cell to the figure, or to its margin."""
        if not self.margin:
            return [f"{cell} = {self.text}"]
        unit, margin = self.value.unit, self.margin / Fraction(self.value.unit.factor)
        low, high = (Fraction(self.value.exact) + sign * margin for sign in (-1, 1))
        return [f"{cell} >= {_written(low)} {unit.text}".strip(), f"{cell} <= {_written(high)} {unit.text}".strip()]


def _written(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"


def figure(text: object) -> Figure:
    """Return the figure that a text states: `7 GB` is exact, `7.0 GB +- 0.05` rounded, `7 GB ~ 3 %` has a band."""
    written = str(text)
    if HALF_WIDTH in written:
        value_text, _, half = written.partition(HALF_WIDTH)
        value = quantity(value_text.strip())
        return Figure(value_text.strip(), value, Fraction(quantity(half.strip()).exact) * Fraction(value.unit.factor))
    if BAND in written:
        value_text, _, band = written.partition(BAND)
        value, share = quantity(value_text.strip()), quantity(band.strip())
        si = Fraction(value.exact) * Fraction(value.unit.factor)
        return Figure(value_text.strip(), value, abs(si) * Fraction(share.exact) * Fraction(share.unit.factor))
    return Figure(written, quantity(written), Fraction(0))


@dataclass(frozen=True)
class Entry:
    """A published figure, or several of one table row, with the question that should give them."""

    id: str
    source: str = ""
    sheet: str = ""
    given: tuple[str, ...] = ()
    shows: dict[str, object] = field(default_factory=dict)
    differs: dict[str, str] = field(default_factory=dict)
    verdict: dict[str, str] = field(default_factory=dict)
    inverse: str = ""
    asks: str = ""
    without: tuple[str, ...] = ()
    figures: str = ""
    outside: str = ""
    note: str = ""

    @property
    def pinned(self) -> str:
        """The shown cell that the inverse question pins: `asks`, or the first one that is met."""
        return self.asks or next((cell for cell in self.shows if cell not in self.differs), "")

    def given_value(self) -> Quantity:
        """Return the value of the given cell that the inverse question asks for."""
        (relation,) = [text for text in self.given if is_pin(text, self.inverse)]
        return quantity(relation.partition("=")[2].strip())


def is_pin(relation: str, cell: str) -> bool:
    """Whether a relation gives a cell its value."""
    left, equals, _ = relation.partition("=")
    return bool(equals) and left.strip() == cell


@cache
def entries_of(file: Path) -> tuple[list[Entry], list[str]]:
    """Return the entries of a file that are well formed, and what is wrong with the others."""
    try:
        content = read_yaml(file)
    except yaml.YAMLError as error:
        return [], [str(error)]
    if not isinstance(content, list):
        return [], ["Expected a list of entries."]
    entries: list[Entry] = []
    problems: list[str] = []
    for place, record in enumerate(content, 1):
        name = str(record.get("id", "")) if isinstance(record, dict) else ""
        found = _problems(record)
        problems += [f"entry {place} ({name or 'without id'}): {problem}" for problem in found]
        if not found:
            lists = {key: tuple(map(str, record.get(key, ()))) for key in LISTS}
            entries.append(Entry(**{**record, **lists}))
    return entries, problems


def _problems(record: Any) -> list[str]:
    if not isinstance(record, dict):
        return ["Expected a mapping."]
    unknown = [key for key in record if key not in (*TEXTS, *LISTS, *MAPPINGS)]
    problems = [f"Unknown key '{key}'." for key in unknown]
    problems += [f"'{key}' is no text." for key in TEXTS if not isinstance(record.get(key, ""), str)]
    problems += [f"'{key}' is no list." for key in LISTS if not isinstance(record.get(key, []), list)]
    problems += [f"'{key}' is no mapping." for key in MAPPINGS if not isinstance(record.get(key, {}), dict)]
    problems += [f"'{key}' is missing." for key in ("id", "source") if not record.get(key)]
    if problems or record.get("outside"):
        return problems
    if not record.get("sheet") or not (record.get("shows") or record.get("verdict")):
        return ["'sheet' with 'shows' or 'verdict' is missing, or 'outside' with the reason."]
    return _inner_problems(record)


def _inner_problems(record: dict[str, Any]) -> list[str]:
    shows, given = record.get("shows", {}), record.get("given", [])
    problems = [
        f"'differs' names '{cell}', which 'shows' lacks." for cell in record.get("differs", {}) if cell not in shows
    ]
    problems += [
        f"'differs' gives no reason for '{cell}'." for cell, why in record.get("differs", {}).items() if not why
    ]
    verdicts = record.get("verdict", {}).items()
    problems += [
        f"'{limit}' is '{text}', not one of {[*VERDICTS]}." for limit, text in verdicts if text not in VERDICTS
    ]
    for cell, text in shows.items():
        try:
            figure(text)
        except ValueError as error:
            problems.append(f"'{cell}: {text}' is no figure: {error}")
    inverse, asks = record.get("inverse", ""), record.get("asks", "")
    if inverse and len([text for text in given if is_pin(str(text), inverse)]) != 1:
        problems.append(f"'inverse' is '{inverse}', which 'given' does not pin once.")
    if asks and (not inverse or asks not in shows):
        problems.append(f"'asks' is '{asks}', which needs 'inverse' and a line in 'shows'.")
    return problems


def files() -> list[Path]:
    """Return the validation files."""
    return sorted(FOLDER.glob("*.yaml"))


def entries() -> list[Entry]:
    """Return all entries that are well formed."""
    return [entry for file in files() for entry in entries_of(file)[0]]
