"""The sentence of a table: how far what was asked for ranges, where its ends are, and what has no answer."""

from __future__ import annotations

import html
import re

import pytest
from tests.report.test_headlines import Total

from flopsheet import table
from flopsheet.report import Extras
from flopsheet.report.pages import write_up
from flopsheet.report.templating import listing
from flopsheet.report.terminal.screen import answer_lines
from flopsheet.report.texts.tables import table_text


def test_the_ends_are_where_their_rows_are() -> None:
    rows = table(Total, vary={"each": ["1 GB", "2 GB"], "count": [1, 2]}, show="size")
    assert table_text(rows) == "Size of all (size): 1 GB (each = 1 GB, count = 1) to 4 GB (each = 2 GB, count = 2)."


def test_an_end_in_several_rows_is_told_by_what_they_share() -> None:
    rows = table(Total, vary={"each": ["1 GB", "2 GB"], "most": ["8 GB", "9 GB"]}, where=["count = 3"], show="size")
    assert table_text(rows) == "Size of all (size): 3 GB (each = 1 GB) to 6 GB (each = 2 GB)."


def test_a_value_of_all_rows_is_told_once() -> None:
    rows = table(Total, where=["each = 2 GB", "count = 3"], vary={"most": ["8 GB", "9 GB"]}, show="size")
    assert table_text(rows) == "Size of all (size): 6 GB in every row."


def test_unknowns_come_before_what_is_shown_with_the_side_that_is_bounded() -> None:
    rows = table(Total, "count", ["size <= 7 GB"], vary={"each": ["1 GB", "2 GB"]}, show="half")
    assert table_text(rows) == "How many (count): at most 3 (each = 2 GB) to 7 (each = 1 GB)."


def test_rows_without_an_answer_and_with_a_broken_limit_are_counted() -> None:
    rows = table(Total, "count", ["size = 7 GB"], vary={"each": ["1 GB", "2 GB", "7 GB"]})
    assert table_text(rows) == "How many (count): 1 (each = 7 GB) to 7 (each = 1 GB). 1 of 3 rows has no answer."
    broken = table(Total, where=["each = 2 GB"], vary={"count": [1, 5, 6]}, show="size")
    assert table_text(broken).endswith(" 2 of 3 rows have an answer that breaks a limit.")


def test_names_are_listed_in_the_order_of_the_rows() -> None:
    where = ["d_model = 8192", "d_ff = 28672", "seq_len = 4096", "batch = 128", "n_fsdp = 64"]
    where += ["device_memory <= chip.memory", "chip.vendor = NVIDIA", "chip.segment = data center"]
    rows = table("ffn_memory", "chip", where, vary={"n_blocks": [80, 160, 1600]})
    best = [row.answer.ranking.options("chip") for row in rows.rows if row.answer and row.answer.ranking]
    others = f" and {len(best[0]) - 1} others"
    assert table_text(rows).startswith(f"chip: {best[0][0]}{others} (n_blocks = 80), {best[1][0]}")
    assert not best[2]
    assert table_text(rows).endswith(" 1 of 3 rows has no answer.")


@pytest.mark.parametrize(("template", "form"), [(name, form) for name, form, _ in listing() if name != "catalogue"])
def test_every_page_of_a_table_has_its_sentence(template: str, form: str) -> None:
    rows = table(Total, "count", ["size <= 7 GB"], vary={"each": ["1 GB", "2 GB"]})
    assert rows.rows[0].answer is not None
    if template == "sheet":
        return
    page = write_up(rows.rows[0].answer, template, form, Extras(table=rows))
    shown = html.unescape(re.sub(r"</?\w+[^>]*>|\\", "", page)).replace("texttt{", "").replace("allowbreak{}", "")
    assert "at most 3 (each = 2 GB) to 7 (each = 1 GB)." in shown


def test_it_is_the_last_line_of_a_terminal() -> None:
    rows = table(Total, "count", ["size <= 7 GB"], vary={"each": ["1 GB", "2 GB"]})
    assert rows.rows[0].answer is not None
    lines = answer_lines(rows.rows[0].answer, 120, Extras(table=rows))
    assert lines[-1].text == table_text(rows)
