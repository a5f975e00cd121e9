"""Symbols are letters with scripts: nothing in one can end a formula, a table row or a page."""

from __future__ import annotations

import pytest

from flopsheet import Sheet, given
from flopsheet.errors import SheetError
from flopsheet.report.forms.html import math
from flopsheet.report.formulas import is_formula
from flopsheet.sheets.catalogue import nomenclature, sheets_and_problems
from flopsheet.sheets.cell import symbol_problem

GOOD = [
    *(
        "x",
        "d_{2}",
        r"M_{\text{dev}}",
        r"\hat{x}_i^2",
        r"\frac{a}{b}",
        "o''",
        r"\varphi^{\text{here}}",
        r"n^{*}",
        "R_D",
    ),
    *(r"\mathrm{hav}", r"\sqrt{x}", "D'_{k}", r"C_{\text{bf16}}^{\text{a b}}", r"R_{\oplus}", r"\ell_{\text{arc}}"),
]
BAD = [
    *(r"\frac", r"\frac{a}", r"\sqrt", r"\hat x", r"\left(", r"\right)", r"\left. x", "x_a_b", "x^a^b", "x'^2", "x_"),
    *("x_ a", "x & y", "\\", "x$ <img src=x>", "a|b", "a`b", "{x", "x}", "x_{", r"\input{x}", r"\\", "", " ", "x\ny"),
    *("é", "x%y", "x#1", "a~b", "[x](y)", r"\text{a$b}", r"\text{a\input{b}}", "x" * 200),
]


@pytest.mark.parametrize("latex", GOOD)
def test_symbols_that_are_taken(latex: str) -> None:
    assert not symbol_problem(latex)
    assert is_formula(latex)
    assert math(latex).startswith("<math")


@pytest.mark.parametrize("latex", BAD, ids=range(len(BAD)))
def test_symbols_that_are_refused(latex: str) -> None:
    assert symbol_problem(latex)


@pytest.mark.parametrize("latex", [latex for latex in BAD if latex])
def test_a_sheet_refuses_them(latex: str) -> None:
    with pytest.raises(SheetError, match=r"Symbol '"):

        class Broken(Sheet):
            """A sheet."""

            x = given("A number", symbol=latex)


def test_all_of_ours_are_taken() -> None:
    symbols = {row["symbol"] for row in nomenclature().values()}
    symbols |= {cell.latex for sheet in sheets_and_problems()[0] for cell in sheet.cells.values() if cell.latex}
    assert not {latex: symbol_problem(latex) for latex in symbols if symbol_problem(latex)}
