"""Unknowns that were solved together: in a workbook they follow the inputs, on a page a calculator gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cases import but_slow
from tests.report.workbooks import by_formulas

from flopsheet import solve
from flopsheet.report.workbook.live import Live

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet import Answer

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning:openpyxl"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:formulas"),
]
STACK = ["n_blocks = 80", "batch = 64", "seq_len = 4096", "n_fsdp = 64", "chip = h100-sxm"]
RATIO = [*STACK, "d_ff = 3.5*d_model"]
PAIR = ("params", "dataset_tokens")
# A sheet, the unknowns, what is given, and a cell with its number before and after.
CASES: dict[str, tuple[str, tuple[str, ...], list[str], str, str, str]] = {
    "root": ("training_run", PAIR, ["tokens = 4M"], "total_work", "1e6 EFLOP", "3e6 EFLOP"),
    "quadratic": ("ffn_memory", ("d_model", "d_ff"), RATIO, "device_memory", "60 GiB", "40 GiB"),
    "counts": ("ffn_memory", ("d_model", "d_ff"), RATIO, "device_memory", "57.5 GiB", "36.5625 GiB"),
    "search": ("scaling_law", PAIR, ["overtraining = 2"], "total_work", "1e7 EFLOP", "2e7 EFLOP"),
}


def _answer(name: str, *, changed: bool = False) -> Answer:
    sheet, unknowns, where, cell, before, after = CASES[name]
    return solve(sheet, unknowns, [*where, f"{cell} = {after if changed else before}"], budget="20 s")


@pytest.mark.slow
@pytest.mark.parametrize("name", but_slow(CASES, "search"))
def test_unknowns_solved_together_follow_a_changed_input(name: str, tmp_path: Path) -> None:
    for module in ("xlsxwriter", "openpyxl", "formulas"):
        pytest.importorskip(module)
    _, unknowns, _, cell, _, number = CASES[name]
    before, after = (_answer(name, changed=changed) for changed in (False, True))
    values = by_formulas(_answer(name), tmp_path, {f"goal {cell}": float(number.split()[0])})
    for unknown in unknowns:
        expected = after.execution.values[unknown]
        assert before.execution.values[unknown] != expected
        if after.outcomes[unknown].kind == "none":  # no whole number works, though a fraction would
            assert str(values[unknown]) == "#N/A"
        else:
            assert values[unknown] == pytest.approx(float(expected), rel=1e-9)


def test_the_last_of_them_is_searched_where_it_has_no_closed_form() -> None:
    assert Live(_answer("root")).together.searched == ""
    assert Live(_answer("search")).together.searched != ""


def test_each_step_is_a_formula_over_the_steps_before_it() -> None:
    page = solve("training_run", ["params", "dataset_tokens"], ["tokens = 4M", "total_work = 1e24 FLOP"]).derivation(
        "page"
    )
    assert r"N &= \sqrt{\frac{F}{r_D \phi}} = \sqrt{\frac{1 \times 10^{24}\,\mathrm{FLOP}}" in page
    assert r"D &= N r_D = 91.29\mathrm{B}\,\mathrm{param} \cdot 20\,\mathrm{token/param}" in page
    assert "| $`r_D`$ `tokens_per_param` | 20 token/param |" in page  # a default that the answer rests on is an input


def test_a_count_that_is_not_whole_is_printed_where_other_steps_use_it() -> None:
    page = _answer("quadratic").derivation("page")
    assert r"&= \frac{7 d}{2} = \frac{7 \cdot 16{,}822.37}{2} = 58{,}878.3" in page
