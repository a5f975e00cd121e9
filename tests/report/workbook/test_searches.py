"""Searches whose ends have no value or do not enclose the answer, and inputs that no question may have."""

from __future__ import annotations

import math
import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from tests.report.workbooks import places_by_formulas, recomputable

import flopsheet
from flopsheet import Sheet, choice, exp, formula, given, limit, max_, select
from flopsheet.report.workbook import workbook
from flopsheet.report.workbook.conclusion import BROKEN, HOLDS, NO_VALUE
from flopsheet.report.workbook.live_texts import shown_number
from flopsheet.report.workbook.lost import LOST
from flopsheet.report.workbook.model.inputs import OUTSIDE
from flopsheet.units import unit

if TYPE_CHECKING:
    from pathlib import Path

for module in ("xlsxwriter", "openpyxl", "formulas"):
    pytest.importorskip(module)
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


class Loan(Sheet):
    """What a machine costs in a year."""

    price = given("Price", "USD", example=1000)
    rate = given("Cost of capital of a year", example=0.07)
    life = given("Years of use", example=5)
    part = formula(1 / (1 + rate) ** life, "", "What a payment at the end is worth")
    yearly = formula(price * rate / (1 - part) + price / life, "USD", "Cost of a year")


class Window(Sheet):
    """A loss that is large for short and for long intervals."""

    interval = given("Interval", "second", example=2)
    stall = given("Stall", "second", example=1)
    one = given("One second", "second", example=1)
    loss = formula(interval / one + (stall / interval) ** 3 + exp(-interval / one), "", "Loss")


class Share(Sheet):
    """A share that stays below one."""

    size = given("Size", example=2)
    half = given("Size at the half", example=1)
    part = given("Part that counts", example=0.5, maximum=1)
    share = formula(part * size / (size + half) * (1 - exp(-size)), "", "Share")


class Rule(Sheet):
    """A size with a limit that may rest on a number which is not given."""

    rule = choice("plain", "strict", doc="Which limit", default="plain")
    room = given("Room", "GiB", example=40)
    spare = given("Spare room", "GiB", example=20)
    size = given("Size of one", "GiB", example=3)
    count = given("How many", integer=True, minimum=1, example=4)
    used = formula(count * size, "GiB", "Size of all")
    fits = limit(used <= select(rule, plain=room, strict=spare), "It fits")


class Server(Sheet):
    """A wait that has no value from the rate on at which a server is busy all the time."""

    rate = given("Requests per second", "1/second", example=20)
    service = given("Time of a request", "second", example=8)
    n_servers = given("Servers", integer=True, minimum=1, example=192)
    load = formula(rate * service / n_servers, "", "Load")
    wait = formula(service * exp(load) * load / max_(1 - load, 0), "second", "Wait")


class Case(NamedTuple):
    """A question, an input that changes, and what the workbook says then."""

    sheet: type[Sheet] | str
    unknown: str
    where: tuple[str, ...]
    changes: tuple[tuple[str, Any], ...]
    value: float | None  # None where it says that there is none
    verdict: str


GOODPUT = ("chip_mtbf = 50677 hour", "n_chips = 16384", "params = 405e9", "write_bandwidth = 2 TB/s")
CASES = {
    "a power that overflows at the upper end": Case(
        Loan, "life", ("price = 1000 USD", "rate = 0.07", "yearly <= 400 USD"), (("goal yearly", 443.89),), 5, HOLDS
    ),
    "an end beyond the answers": Case(
        Window, "interval", ("stall = 1 second", "one = 1 second", "loss <= 5"), (("goal loss", 2.5),), 0.951, HOLDS
    ),
    "none however far": Case(
        Share, "size", ("half = 1", "part = 1", "share >= 0.5"), (("goal share", 1.2),), None, NO_VALUE
    ),
    "outside its bounds": Case(
        Share, "size", ("half = 1", "part = 0.9", "share >= 0.5"), (("part", 1.5),), None, OUTSIDE
    ),
    "a limit without a number": Case(
        Rule, "count", ("room = 40 GiB", "size = 3 GiB", "used <= 30 GiB"), (("rule", "strict"),), 10, HOLDS
    ),
    "nothing to find": Case(
        "goodput",
        "checkpoint_interval",
        (*GOODPUT, "interval_rule = given", "goodput >= 90 %"),
        (("interval_rule", "daly"),),
        None,
        BROKEN,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_gives_what_the_engine_says(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    answer = flopsheet.solve(case.sheet, case.unknown, [*case.where])
    data, names = recomputable(answer, dict(case.changes))
    computed = places_by_formulas(data, tmp_path)
    texts = [str(text) for (sheet, _), text in computed.items() if sheet == "ANSWER"]
    assert case.verdict in texts, texts
    if case.value is None:
        assert any(text.endswith(f"({case.unknown}): {LOST}") for text in texts), texts
    else:
        value = computed["MODEL", f"B{names.index(case.unknown) + 1}"]
        assert value == pytest.approx(case.value, rel=1e-3)


@pytest.mark.parametrize("changes", [{"n_servers": 10}, {"service": 40}])
def test_both_ends_are_found_where_an_input_moves_the_rates_without_a_value(
    changes: dict[str, float], tmp_path: Path
) -> None:
    """A load that was far below one is far above it then; what is tried there has no value, on the upper side."""
    given_at = {"n_servers": 192, "service": 8} | changes
    waits = ["wait >= 10 second", "wait <= 1000 second"]
    answer = flopsheet.solve(Server, "rate", ["n_servers = 192", "service = 8 second", *waits])
    data, names = recomputable(answer, changes)
    computed = places_by_formulas(data, tmp_path)
    (text,) = [own for (_, place), own in computed.items() if place == "B3" and str(own).startswith("Requests")]
    least, most = (
        _load(bound / given_at["service"]) * given_at["n_servers"] / given_at["service"] for bound in (10, 1000)
    )
    shown = [float(own.replace(",", "")) for own in re.findall(r"[\d,.]+(?= to | 1/second)", text)]
    assert shown == [pytest.approx(least, rel=1e-3), pytest.approx(most, rel=1e-3)]
    assert computed["MODEL", f"B{names.index('rate') + 1}"] == pytest.approx(least, rel=1e-9)


def _load(ratio: float) -> float:
    """Return the load at which the wait is so many times the service, by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        above = math.exp(middle) * middle > ratio * (1 - middle)
        low, high = (low, middle) if above else (middle, high)
    return low


def test_a_last_digit_is_not_shown_behind_a_whole_number() -> None:
    assert shown_number(24156.000000001, unit("token")) == "24,156"
    assert shown_number(24156.1, unit("token")) == "24,156.1"


def test_errors_of_a_search_are_shown_in_grey() -> None:
    """A search tries numbers at which a formula has no value, such as a power that overflows; the answer has one."""
    case = CASES["a power that overflows at the upper end"]
    answer = flopsheet.solve(case.sheet, case.unknown, [*case.where])
    book = pytest.importorskip("openpyxl").load_workbook(BytesIO(workbook(answer)))
    sheet = book["Search"]
    (rule,) = [own for cells in sheet.conditional_formatting for own in cells.rules if own.type == "containsErrors"]
    assert rule.dxf.font.color.rgb == "FF9CA3AF"
    (area,) = [cells.sqref for cells in sheet.conditional_formatting if rule in cells.rules]
    assert str(area) == f"D1:{sheet.cell(1, sheet.max_column).column_letter}{sheet.max_row}"
