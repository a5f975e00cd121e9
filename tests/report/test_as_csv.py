"""Answers as CSV: what a spreadsheet and a data frame read is what JSON has, to the last digit."""

from __future__ import annotations

import csv
import io

from flopsheet import solve, table
from flopsheet.registry.store import records
from flopsheet.report.candidates import candidates

MODEL = ["d_model=16384", "d_ff=53248", "n_blocks=126", "seq_len=1024"]
FITS = "device_memory <= chip.memory"


def rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    return [*csv.DictReader(io.StringIO(text))]


def without(shown: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows of names that do not work, which come last."""
    return [row for row in shown if row["works"] == "no"]


def test_every_cell_is_a_row_with_the_number_of_json() -> None:
    answer = solve("ffn_memory", "n_fsdp", [*MODEL, "batch=128", "chip=tpu-v5p", FITS])
    shown = {row["cell"]: row for row in rows(answer.as_csv())}
    cells = answer.as_dict()["cells"]
    assert [*shown] == [*cells]
    for name, row in shown.items():
        assert float(row["value"]) == cells[name]["value"]
        assert (row["unit"], row["origin"]) == (cells[name]["unit"], cells[name]["origin"])
    assert shown["chip.memory"]["source"].startswith("tpu-v5p (hardware/chips/google.yaml:")


def test_every_name_that_was_tried_is_a_row_and_says_why_not() -> None:
    answer = solve("ffn_memory", ("chip", "n_fsdp"), [*MODEL, "batch=128", FITS, "n_fsdp <= 20"], best="min:n_fsdp")
    candidates = answer.as_dict()["candidates"]
    shown = rows(answer.as_csv())
    assert [row["chip"] for row in shown] == [candidate["names"]["chip"] for candidate in candidates]
    assert [row["works"] == "yes" for row in shown] == [candidate["works"] for candidate in candidates]
    assert all(row["why"] for row in without(shown))
    numbers = [candidate["values"].get("n_fsdp") for candidate in candidates]
    assert [float(row["n_fsdp"]) for row in shown if row["works"] == "yes"] == numbers[
        : len(shown) - len(without(shown))
    ]


def test_names_have_the_columns_of_a_page_in_full() -> None:
    where = [*MODEL, "batch=128", FITS, "n_fsdp <= 20", "chip.vendor = AMD"]
    answer = solve("ffn_memory", ("chip", "n_fsdp"), where)
    page = candidates(answer)
    shown = rows(answer.as_csv())
    head = [name.partition(" [")[0] for name in shown[0]]
    assert head == ["chip", "works", *page.head[1:], "why"]
    assert {"chip.memory", "chip.hourly_price", "chip.power", "slack"} <= {*head}
    for row, written in zip(shown, page.rows, strict=False):
        own = records("chip")[row["chip"]].values
        assert float(row["chip.memory [GiB]"]) == float(own["memory"].quantity.si / 2**30)
        assert f"{float(row['slack [%]']):.2f}" == f"{float(written[page.head.index('slack')].split()[0]):.2f}"
    assert all(float(row["chip.memory [GiB]"]) > 0 for row in without(shown))


def test_names_of_which_none_works_say_what_differs() -> None:
    answer = solve("ffn_memory", ("chip", "n_fsdp"), [*MODEL, "batch=128", FITS, "n_fsdp <= 2", "chip.vendor = AMD"])
    shown = rows(answer.as_csv())
    assert {row["works"] for row in shown} == {"no"}
    assert {row["n_fsdp"] for row in shown} == {""}
    assert len({row["chip.memory [GiB]"] for row in shown}) > 4


def test_every_tuple_of_several_unknowns_is_a_row() -> None:
    where = [*MODEL, "chip=tpu-v5p", FITS, "n_fsdp * batch = 4096", "n_fsdp <= 256"]
    answer = solve("ffn_memory", ("n_fsdp", "batch"), where)
    shown = rows(answer.as_csv())
    assert len(shown) == len(answer.tuples) > 1
    for row, values, own in zip(shown, answer.tuples, answer.alternatives, strict=True):
        assert (int(row["n_fsdp"]), int(row["batch [sequence]"])) == (values["n_fsdp"], values["batch"])
        assert float(row["device_memory [GiB]"]) == own.cells["device_memory"].value


def test_every_combination_of_a_table_is_a_row() -> None:
    answers = table("ffn_memory", where=[*MODEL, "n_fsdp=64"], vary={"batch": [128, 256]}, show="device_memory")
    assert [(row["batch"], float(row["device_memory [GiB]"])) for row in rows(answers.as_csv())] == [
        ("128", 67.921875),
        ("256", 84.65625),
    ]


def test_an_answer_is_represented_on_one_line() -> None:
    question = [*MODEL, "batch=128", FITS]
    assert repr(solve("ffn_memory", "n_fsdp", [*question, "chip=tpu-v5p"])) == (
        "<Answer of ffn_memory: n_fsdp >= 45.76, so 46>"
    )
    many = repr(solve("ffn_memory", ("chip", "n_fsdp"), question))
    assert len(many) < 140
    assert many.endswith(" ...>")
