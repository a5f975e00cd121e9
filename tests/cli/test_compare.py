"""`compare`: the rows of `solve --vary`, in every form that has them side by side."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

import flopsheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

STACK = ("d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024", "device_memory <= chip.memory")
CHIPS = ("h100-sxm", "h200", "tpu-v5p")
NAMED = ("compare", "ffn_memory", "n_fsdp", f"chip={','.join(CHIPS)}", *STACK)
VARIED = ("solve", "ffn_memory", "n_fsdp", "--vary", f"chip={','.join(CHIPS)}", *STACK)


def test_a_terminal_has_the_rows_of_a_table(run: Run) -> None:
    code, out, _ = run(*NAMED)
    assert code == 0
    assert out == run(*VARIED)[1]
    table = flopsheet.table("ffn_memory", "n_fsdp", [*STACK], vary={"chip": CHIPS})
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if line.startswith(CHIPS)}
    assert rows == {
        row.values[0]: str(row.answer.outcomes["n_fsdp"].whole) for row in table.rows if row.answer is not None
    }


@pytest.mark.parametrize("form", ["markdown", "html", "latex", "json", "csv"])
def test_other_forms_are_those_of_the_template(run: Run, form: str) -> None:
    assert run(*NAMED, "--as", form) == run(*VARIED, "--template", "compare", "--as", form)


def test_the_end_of_a_name_is_its_form(run: Run, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    for name in ("a.html", "a.xlsx", "a.csv"):
        assert run(*NAMED, "-o", str(tmp_path / name))[0] == 0
    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert {"n_fsdp", "chip.memory"} <= {
        row[0] for row in openpyxl.load_workbook(tmp_path / "a.xlsx")["Scenarios"].values
    }
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        assert [row["chip"] for row in csv.DictReader(file)] == [*CHIPS]


def test_numbers_are_compared_as_names_are(run: Run) -> None:
    words = ("compare", "ffn_memory", "n_fsdp", "batch = 64, 128 sequence", "chip=tpu-v5p", *STACK[:3], *STACK[4:])
    rows = json.loads(run(*words, "--as", "json")[1])["table"]
    assert [row["batch"] for row in rows] == ["64 sequence", "128 sequence"]
    assert rows[0]["n_fsdp"] < rows[1]["n_fsdp"]


def test_several_lists_are_compared_in_every_combination(run: Run) -> None:
    words = ("compare", "ffn_memory", "n_fsdp", "batch=64,128", "chip=h200,tpu-v5p", *STACK[:3], *STACK[4:])
    rows = [*csv.reader(io.StringIO(run(*words, "--as", "csv")[1]))]
    assert [row[:2] for row in rows[1:]] == [["64", "h200"], ["64", "tpu-v5p"], ["128", "h200"], ["128", "tpu-v5p"]]


def test_without_unknowns_the_cells_that_a_sheet_marks_are_compared(run: Run) -> None:
    words = ("compare", "run_cost", "chip_price=2, 3 USD/hour/chip", "n_chips=1000 chip", "train_time=30 day")
    marked = flopsheet.sheet("run_cost").rows.headline
    rows = json.loads(run(*words, "--as", "json")[1])["table"]
    assert marked
    assert all({*marked} <= {*row} for row in rows)
    assert not {*marked} & {*json.loads(run(*words, "--show", "chip_time", "--as", "json")[1])["table"][0]}


def test_an_answer_that_breaks_a_limit_is_no_success(run: Run) -> None:
    words = ("compare", "ffn_memory", "chip=h100-sxm,tpu-v5p", "n_fsdp=8", "--show", "device_memory", *STACK[:5])
    assert run(*words)[0] == 1


def test_what_binds_is_told_where_it_differs(run: Run) -> None:
    both = (*NAMED[:-1], "device_memory <= chip.memory", "n_fsdp >= 50")
    binds = {"h100-sxm": "device_memory <= chip.memory", "h200": "n_fsdp >= 50", "tpu-v5p": "n_fsdp >= 50"}
    rows = json.loads(run(*both, "--as", "json")[1])["table"]
    assert {row["chip"]: row["binds"] for row in rows} == binds
    assert [row["n_fsdp"] for row in rows] == [55, 50, 50]
    assert "| binds | device" in run(*both, "--as", "markdown")[1]
    assert "binds" not in run(*NAMED)[1]


SERVED = ("model=llama-3-70b", "prompt_len=2000", "output_len=300", "arrival_rate=5/s")


def test_a_name_without_an_answer_has_a_row_with_its_reason(run: Run) -> None:
    """The first one without an answer was the end of all; columns showed what is the same for the others."""
    code, out, _ = run("compare", "serving", "n_chips", "chip=h100-sxm,b200-sxm,mi355x", *SERVED)
    assert code == 0
    lines = out.splitlines()
    assert next(line for line in lines if line.startswith("h100-sxm ")).split()[1] == "-"
    assert next(line for line in lines if line.startswith("b200-sxm ")).split()[1] == "3"
    assert "d_model" not in next(line for line in lines if line.startswith("chip "))
    assert "The limits that are computed hold with n_tp = 2" in " ".join(out.split())
    assert "in every row" not in out


def test_where_no_name_has_an_answer_the_first_says_why(run: Run) -> None:
    code, out, error = run("compare", "serving", "n_chips", "chip=h100-sxm,h200", *SERVED)
    assert code
    assert not out
    assert "The limits that are computed hold with n_tp = 2" in " ".join(error.split())


def test_what_varies_is_one_column_and_a_broken_limit_leaves_no_room(run: Run) -> None:
    words = ("training_memory", "device_memory", "chip=h100-sxm,h200", "n_tp=2,8", "model=llama-3-70b", "seq_len=8192")
    text = run("compare", *words, "--as", "csv")[1]
    head = text.splitlines()[0].split(",")
    assert head.count("n_tp") == 1
    rows = json.loads(run("compare", *words, "--as", "json")[1])["table"]
    assert len(rows) == 4
    shown = run("compare", *words)[1]
    assert " % " not in "".join(line for line in shown.splitlines() if line.startswith(("h100-sxm", "h200")))


def test_a_text_of_records_lists_them(run: Run) -> None:
    words = ("n_fsdp", *STACK, "--as", "csv")
    listed = run("compare", "ffn_memory", *words, "chip.segment = datacenter", "chip.vendor = Meta")
    assert listed == run("compare", "ffn_memory", *words, "chip.vendor = Meta", "chip=mtia-v2,h100")
    assert [row[0] for row in csv.reader(io.StringIO(listed[1]))] == ["chip", "mtia-v2"]


def test_a_page_says_which_records_are_compared(run: Run) -> None:
    words = ("compare", "ffn_memory", "n_fsdp", *STACK, "chip.segment = workstation", "chip.vendor = AMD")
    for form in ("text", "markdown"):
        text = " ".join(run(*words, "--as", form)[1].replace("\\", "").split())
        assert "for several values of chip with segment = workstation and vendor = AMD, with " in text
        assert "d_model = 16384, d_ff = 53248" in text  # what all of them were given


def test_what_lists_nothing_says_how(run: Run) -> None:
    code, _, err = run("compare", "ffn_memory", "n_fsdp", *STACK)
    assert code == 2
    assert "or filter names, 'chip.vendor = AMD'" in " ".join(err.split())


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_advice_says_for_which_rows_it_holds(run: Run, form: str) -> None:
    words = ("model=llama-3-8b", "n_dp=64", "tokens=8388608")
    _, out, _ = run("compare", "training_memory", "chip=h100-sxm,mi355x,rtx-4090", *words, "--as", form)
    shown = " ".join(out.replace("\\allowbreak{}", "").replace("-{}", "-").replace("\\", "").split())
    assert "h100-sxm: All limits hold with n_pp = 8 (n_chips = 512);" in shown
    assert "rtx-4090: All limits hold with n_pp = 32 (n_chips = 2048);" in shown
    assert form == "text" or "h100-sxm: Limit states_fit" in shown
    assert "mi355x: seq_len is 65,536 token" not in shown  # that is so in every row


def test_figures_behind_what_is_shown_are_warned_of_in_each_row(run: Run) -> None:
    words = ("model=llama-3-8b", "n_chips=512", "dataset_tokens=1T", "utilization=40%", "--show", "train_cost")
    _, out, _ = run("compare", "training_run", "train_time", "chip=h100-sxm,h200", *words)
    assert out.count("chip.hourly_price of h") == out.count("was not verified in its source.") == 2
