"""The table of names that work: count, memory, slack, price and power, each as the answer of that name has it."""

from __future__ import annotations

import pytest

import flopsheet
from flopsheet.registry.kinds import KINDS
from flopsheet.report import Extras
from flopsheet.report.candidates import candidates, compared
from flopsheet.report.pages import write_up
from flopsheet.units import format_quantity

WHERE = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "batch = 256", "seq_len = 4096"]
BOUNDS = ["device_memory <= 90 % * chip.memory", "n_fsdp <= 16"]


@pytest.fixture(scope="module")
def answer() -> flopsheet.Answer:
    return flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*WHERE, *BOUNDS])


def test_a_row_has_count_memory_slack_and_power(answer: flopsheet.Answer) -> None:
    grid = candidates(answer)
    assert list(grid.head[:2]) == ["chip", "n_fsdp"]
    assert {"device_memory", "chip.memory", "slack", "chip.power"} <= {*grid.head}
    assert answer.ranking is not None
    for row, candidate in zip(grid.rows, answer.ranking.working, strict=True):
        shown = dict(zip(grid.head, row, strict=True))
        record = candidate.answer.question.records["chip"]  # type: ignore[union-attr]
        assert shown["chip"] == record.key
        memory, power = record.values["memory"], record.values.get("power")
        assert shown["chip.memory"] == format_quantity(memory.si, KINDS["chip"].all_fields["memory"].unit)
        assert (shown["chip.power"] == "-") is (power is None)


def test_slack_is_the_least_room(answer: flopsheet.Answer) -> None:
    grid = candidates(answer)
    first = dict(zip(grid.head, grid.rows[0], strict=True))
    used = float(first["device_memory"].split()[0]) / (0.9 * float(first["chip.memory"].split()[0]))
    assert float(first["slack"].split()[0]) == pytest.approx(100 * (1 - used), abs=0.1)


def test_one_name_is_no_table() -> None:
    answer = flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], [*WHERE, *BOUNDS, "chip.memory >= 500 GiB"])
    assert list(candidates(answer).head) == []


def test_slack_leaves_out_what_is_the_same_for_all() -> None:
    """Limits that no chip changes, as one on micro-batches with nothing to spare, say nothing of the chips."""
    stack = ["model = llama-3-70b", "seq_len = 4096", "n_tp = 8", "n_pp = 2", "n_chips = 64", "chip.vendor = NVIDIA"]
    answer = flopsheet.solve("training_memory", "chip", [*stack, "device_memory <= chip.memory"], budget="60 s")
    grid = candidates(answer)
    assert len(grid.rows) > 2
    assert answer.ranking is not None
    for row, candidate in zip(grid.rows, answer.ranking.working, strict=True):
        cells = candidate.answer.cells  # type: ignore[union-attr]
        left = 1 - float(cells["device_memory"].si / cells["chip.memory"].si)
        assert float(dict(zip(grid.head, row, strict=True))["slack"].split()[0]) == pytest.approx(100 * left, abs=0.1)


def test_varied_names_are_compared_as_names_that_work_are(answer: flopsheet.Answer) -> None:
    grid = candidates(answer)
    names = [row[0] for row in grid.rows[:3]]
    table = flopsheet.table("ffn_memory", "n_fsdp", [*WHERE, *BOUNDS], vary={"chip": [*names, "x"]})
    head, shown, *more, remark = compared(table)
    assert (head[:4], shown[0], remark[0]) == (["chip", *names], "n_fsdp", "remark")
    columns = {name: values for name, *values in more}
    assert {"device_memory", "chip.memory", "slack", "chip.power"} <= columns.keys()
    for place, row in enumerate(grid.rows[:3]):
        texts = dict(zip(grid.head, row, strict=True))
        for name in ("device_memory", "chip.memory", "chip.power"):
            assert columns[name][place] == texts[name]
    assert {values[3] for values in columns.values()} == {"-"}


def test_a_machine_is_compared_with_its_chip() -> None:
    stack, vary = ["model = llama-3-8b", "seq_len = 4096", "n_tp = 8"], {"system": ["hgx-h100", "hgx-h200"]}
    lines = compared(flopsheet.table("training_memory", (), stack, vary=vary, show="device_memory"))
    names = [name for name, *_ in lines]
    assert names[:2] == ["system", "device_memory [GiB]"]
    assert {"slack", "chip.memory", "chip.hourly_price", "system.power"} <= {*names}


def test_numbers_that_vary_are_compared_by_what_is_shown_alone() -> None:
    table = flopsheet.table(
        "ffn_memory", "tokens", [*WHERE[:3], BOUNDS[0], "chip = h100-sxm"], vary={"n_fsdp": [8, 16]}
    )
    assert [name for name, *_ in compared(table)] == ["n_fsdp", "tokens [token]"]


def test_a_page_of_a_table_has_them_where_nothing_else_is_shown() -> None:
    table = flopsheet.table("ffn_memory", "n_fsdp", [*WHERE, BOUNDS[0]], vary={"chip": ["h100-sxm", "h200-sxm"]})
    first = table.rows[0].answer
    assert first is not None
    head = "| chip | n_fsdp | device_memory | chip.memory | slack | chip.hourly_price |"
    assert head in write_up(first, "page", extras=Extras(table=table))
    shown = flopsheet.table("ffn_memory", "n_fsdp", [*WHERE, BOUNDS[0]], vary={"chip": ["h200-sxm"]}, show="tokens")
    assert "slack |" not in write_up(first, "page", extras=Extras(table=shown)).partition("What follows is for")[0]


def test_what_is_compared_comes_first_and_no_column_repeats_another() -> None:
    asked = ["model = llama-3.1-70b", "seq_len = 8192", "sharding = weights", "recomputation = full"]
    chips = ["chip.vendor = NVIDIA", "chip.memory >= 140 GB", "device_memory <= 90 % * chip.memory"]
    grid = candidates(flopsheet.solve("training_memory", ["chip", "n_dp"], [*asked, *chips], budget=30))
    assert grid.head[:3] == ["chip", "n_dp", "device_memory"]
    columns = [tuple(row[place] for row in grid.rows) for place in range(len(grid.head))]
    assert len({*columns}) == len(columns)
    assert not {"data_ranks", "weight_ranks", "n_shard"} & {*grid.head}
