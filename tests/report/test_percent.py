"""Percent is `%` on every page, however a sheet or a question writes it, and what is printed can be typed."""

from __future__ import annotations

import re

import pytest

from flopsheet import Sheet, formula, given, solve
from flopsheet.report import Extras
from flopsheet.report.pages import write_up
from flopsheet.report.templating import listing
from flopsheet.units import quantity, unit


class Shares(Sheet):
    """Shares in both spellings."""

    share = given("Share of it", "percent", example=5)
    rate = given("What is added", "percent/year", example=7)
    wait = given("How long it lasts", "year", example=2)
    added = formula(rate * wait, "%", "What is added in all", headline=True)
    left = formula(1 - share - added, "percent", "What is left", headline=True, signed=True)


WHERE = ["share = 5 percent", "rate = 7 percent/year", "wait = 2 year"]


@pytest.mark.parametrize(
    ("template", "form"), [(name, form) for name, form, _ in listing() if name not in ("catalogue", "sheet", "compare")]
)
def test_pages_have_one_spelling(template: str, form: str) -> None:
    page = write_up(solve(Shares, where=WHERE), template, form, Extras())
    plain = re.sub(r"```math.*?```|\$`.*?`\$", "", page, flags=re.DOTALL)  # in formulas, GitHub drops the sign
    assert "percent" not in plain
    assert "%" in plain


def test_both_spellings_are_one_unit_and_what_is_printed_is_read() -> None:
    assert unit("percent/year") == unit("%/year")
    assert quantity("7 %/year").si == quantity("7 percent/year").si
    value = solve(Shares, where=WHERE).cells["rate"]
    again = solve(Shares, where=[WHERE[0], f"rate = {value.cell.text(value.si)}", WHERE[2]])
    assert again.cells["left"].si == solve(Shares, where=WHERE).cells["left"].si
