"""`--template compare` in every form: pages, and the same columns as data in full."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.test_main import QUESTION

from flopsheet.report.forms.html import breakable
from flopsheet.report.terminal import columns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

SHARDS = str(QUESTION.with_name("fsdp-shards.yaml"))
COMPARE = ("ask", SHARDS, "--vary", "chip=h100-sxm,tpu-v5p,apple-m2", "--template", "compare")
LINES = {"n_fsdp": ["55", "46", "182"], "chip.hourly_price": ["3.99 USD/hour", "4.2 USD/hour", "-"]}


def test_a_page_has_a_column_for_each_name(run: Run) -> None:
    code, page, _ = run(*COMPARE, "--as", "html")
    assert code == 0
    for name, texts in LINES.items():
        row = page.partition(f'<th scope="row">{breakable(name)}</th>')[2].partition("</tr>")[0]
        assert [part.partition("</td>")[0] for part in row.split('<td class="number">')[1:]] == texts
    assert '<div class="chart"><svg' in page


def test_a_document_has_them_too(run: Run) -> None:
    code, page, _ = run(*COMPARE, "--as", "latex")
    assert code == 0
    assert r"n\_\allowbreak{}fsdp & 55 & 46 & 182 \\" in page


def test_plain_text_has_a_column_for_each_name_that_fits(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (60, 80, 120):
        monkeypatch.setattr(columns, "output_width", lambda width=width: width)
        code, out, _ = run(*COMPARE, "--as", "text")
        assert code == 0
        assert max(map(len, out.splitlines())) <= width
        assert ["n_fsdp", *LINES["n_fsdp"]] in [line.split() for line in out.splitlines()]


def test_data_have_the_same_columns_in_full(run: Run) -> None:
    code, out, _ = run(*COMPARE, "--as", "csv")
    assert code == 0
    rows = [*csv.DictReader(io.StringIO(out))]
    assert [row["n_fsdp"] for row in rows] == LINES["n_fsdp"]
    assert [row["chip.hourly_price [USD/hour]"] for row in rows] == ["3.99", "4.2", ""]
    listed = json.loads(run(*COMPARE, "--as", "json")[1])["table"]
    assert [row["chip"] for row in listed] == ["h100-sxm", "tpu-v5p", "apple-m2"]
    for row, text in zip(listed, rows, strict=True):
        assert float(text["device_memory [GiB]"]) == row["device_memory"] <= row["chip.memory"]
        assert row["slack"] == pytest.approx(100 * (1 - row["device_memory"] / row["chip.memory"]), abs=1e-9)
        assert "slack" not in run(*COMPARE[:-2], "--as", "csv")[1]


def test_a_workbook_shows_what_is_compared(run: Run, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    file = tmp_path / "compared.xlsx"
    assert run(*COMPARE, "-o", str(file))[0] == 0
    first = [row[0] for row in openpyxl.load_workbook(file)["Scenarios"].values][:5]
    assert {"chip", "n_fsdp", "device_memory", "chip.memory"} <= {*first}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("ask", SHARDS, "--template", "compare", "--as", "html"), "--vary chip=h100-sxm,tpu-v5p."),
        (("ask", SHARDS, "--template", "page", "--as", "text"), "add --as html, latex or markdown"),
        (("ask", SHARDS, "--template", "compare", "--as", "csv"), "--vary chip=h100-sxm,tpu-v5p."),
        (("ask", SHARDS, "--template", "brief", "--as", "csv"), "Leave it out for --as csv."),
        (("ask", SHARDS, "--template", "notebook", "--as", "latex"), "add --as html"),
    ],
)
def test_forms_without_sense_say_what_has_it(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert problem in " ".join(err.split())
