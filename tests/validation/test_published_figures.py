"""Published figures: what papers, model cards and measurements print, asked of the sheets that speak of it.

Each file of this folder is a list of entries:

    - id: cs336-gpt2xl-params
      source: CS336 assignment 1, transformer_accounting (a)
      sheet: transformer
      given: [d_model = 1600, n_blocks = 48]     # relations, as on the command line
      shows: {params: 2127057600 param}          # exact; or "2.6 EFLOP +- 0.05" as printed, "7 s ~ 3 %" a band
      differs: {params: reason}                  # where it cannot be met; a figure that is met after all fails
      verdict: {fits: violated}                  # limits that must hold, or be violated
      inverse: n_blocks                          # slow: `asks` (or the first figure) pinned must give this back
      without: [fits]                            # limits that the question lifts
      figures: measured                          # which figures of records count
      note: convention of the source
    - {id: moe-latency, source: a paper, outside: no sheet speaks of latency under load}
"""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import pytest
from tests.cases import KEY
from tests.validation.entries import VERDICTS, Entry, entries, entries_of, figure, files, is_pin

from flopsheet import solve
from flopsheet.units import in_unit

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cases import Record

    from flopsheet import Answer

STATED = re.compile(r"(?P<number>\d+(,\d{3})*(\.\d+)?) ?(?P<unit>[A-Za-z/%]*)[,;:]")  # a result
NEAR = 1e-9  # the given value is at the end of what an answer contains, within rounding
ENTRIES = [entry for entry in entries() if not entry.outside]
SHOWN = [pytest.param(entry, cell, id=f"{entry.id}-{cell}") for entry in ENTRIES for cell in entry.shows]
VERDICT = [pytest.param(entry, limit, id=f"{entry.id}-{limit}") for entry in ENTRIES for limit in entry.verdict]
INVERSE = [pytest.param(entry, id=entry.id) for entry in ENTRIES if entry.inverse]


@cache
def _answer(sheet: str, cell: str, given: tuple[str, ...], without: tuple[str, ...], figures: str) -> Answer:
    return solve(sheet, cell or (), given, without=without, figures=figures or None)


@pytest.mark.parametrize("file", files(), ids=lambda file: file.stem)
def test_file(file: Path, record_property: Record) -> None:
    read, problems = entries_of(file)
    assert problems == []
    record_property(KEY, ["outside", sum(bool(entry.outside) for entry in read), len(read)])


def test_ids_are_unique() -> None:
    assert [name for name, count in Counter(entry.id for entry in entries()).items() if count > 1] == []


@pytest.mark.parametrize(("entry", "cell"), SHOWN)
def test_figure(entry: Entry, cell: str, record_property: Record) -> None:
    outcome = _answer(entry.sheet, cell, entry.given, entry.without, entry.figures).outcomes[cell]
    published, unit = figure(entry.shows[cell]), outcome.cell.unit
    assert outcome.si is not None, f"{entry.id}: no {cell}: {outcome.why}"
    assert published.value.unit.dimension == unit.dimension, f"{entry.id}: {cell} is in {unit.text or 'pure numbers'}"
    is_met = published.is_met(outcome.si)
    record_property(KEY, ["published", int(is_met), 1])
    got = f"{entry.id}: {cell} = {float(in_unit(outcome.si, published.value.unit)):.12g}, published {entry.shows[cell]}"
    if cell in entry.differs:
        assert not is_met, f"{got}: it is met, so drop the line in 'differs'"
        stated = STATED.match(entry.differs[cell])
        if stated and stated["unit"] in ("", published.value.unit.text):
            text, shown = stated["number"].replace(",", ""), float(in_unit(outcome.si, published.value.unit))
            decimals = len(text.partition(".")[2])
            assert f"{shown:.{decimals}f}" == text, f"{got}: 'differs' says {text}"
    else:
        assert is_met, got


@pytest.mark.parametrize(("entry", "limit"), VERDICT)
def test_verdict(entry: Entry, limit: str, record_property: Record) -> None:
    answer = _answer(entry.sheet, "", entry.given, entry.without, entry.figures)
    limits = {check.relation.name: check for check in answer.limits}
    assert limit in limits, f"{entry.id}: no limit '{limit}' is decided, only {[*limits]}"
    is_met = limits[limit].holds is VERDICTS[entry.verdict[limit]]
    record_property(KEY, ["verdicts", int(is_met), 1])
    assert is_met, f"{entry.id}: {limits[limit].failure}" if not limits[limit].holds else f"{entry.id}: {limit} holds"


@pytest.mark.slow
@pytest.mark.parametrize("entry", INVERSE)
def test_inverse(entry: Entry) -> None:
    published = figure(entry.shows[entry.pinned])
    given = [relation for relation in entry.given if not is_pin(relation, entry.inverse)]
    answer = solve(
        entry.sheet,
        entry.inverse,
        [*given, *published.conditions(entry.pinned)],
        without=entry.without,
        figures=entry.figures or None,
    )
    outcome, known = answer.outcomes[entry.inverse], entry.given_value()
    si = Fraction(known.exact) * Fraction(known.unit.factor)
    ends = [end for part in outcome.solutions for end in part.ends]
    assert any(si in part for part in outcome.solutions) or any(
        math.isclose(end, si, rel_tol=NEAR) for end, _ in ends
    ), f"{entry.id}: {entry.inverse} = {known.exact} is missed: {outcome.why}"
