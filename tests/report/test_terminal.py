"""The terminal says the answer first, then the cells, what decides, and what moves it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from tests.answer.toy import TOY
from tests.answer.worked_sheets import Roofline
from tests.report.chips import count, failing, fitting, shares

import flopsheet
from flopsheet.report.tables import MOST_CANDIDATES
from flopsheet.report.terminal import MOST_NAMED, MOST_RANKED, MOST_REJECTED, print_answer

MODEL = ["d_model = 16384", "d_ff = 53248", "n_blocks = 126", "batch = 128", "seq_len = 1024"]
STEP = {"work": "1200 TFLOP", "traffic": "4 TB", "exchanged": "50 GB"}
RATES = {"flop_rate": "400 TFLOP/s", "memory_bandwidth": "2 TB/s", "link_bandwidth": "50 GB/s"}


def printed(answer: flopsheet.Answer, *, every: bool = False) -> list[str]:
    buffer = io.StringIO()
    print_answer(answer, buffer, every=every)
    return buffer.getvalue().splitlines()


def table(lines: list[str]) -> list[dict[str, str]]:
    """Return the rows of the table, by column: those of one line each, columns apart by three blanks."""
    (rule,) = [place for place, line in enumerate(lines) if line.startswith("──")]
    head = lines[rule - 1].split()
    rows = []
    for line in lines[rule + 1 :]:
        cells = [cell.strip() for cell in line.split("   ") if cell.strip()]
        if len(cells) != len(head):
            break
        rows.append(dict(zip(head, cells, strict=True)))
    return rows


@pytest.mark.parametrize(("rate", "branch"), [(400, "compute_time"), (800, "memory_time")])
def test_what_decides(rate: int, branch: str) -> None:
    lines = printed(flopsheet.solve(Roofline(), "step_time", {**STEP, **RATES, "flop_rate": f"{rate} TFLOP/s"}))
    shown = (
        f"step_time: {branch} determines max(compute_time, memory_time, network_time) ({max(1200 / rate, 2):g} second)"
    )
    assert shown in lines


def test_what_moves_the_answer() -> None:
    lines = printed(
        flopsheet.solve(
            Roofline(), "work", {**{k: v for k, v in STEP.items() if k != "work"}, **RATES, "step_time": "3 second"}
        )
    )
    (line,) = [line for line in lines if "% more" in line]
    start, _, elasticities = line.partition(": ")
    assert start == "Percent change of work for 1 % more of each input"
    assert {*elasticities.split(", ")} == {"flop_rate +1", "step_time +1"}
    assert not any("% more" in line for line in printed(flopsheet.solve(TOY, "n", ["mod(30, n) = 0"])))


def test_whole_numbers_come_first() -> None:
    lines = printed(flopsheet.solve(TOY, "n", ["mod(n, 5) = 2", "n <= 20"], near=11))
    assert lines[0] == "n is one of 2, 7, 12, 17"
    assert lines[1].endswith("Of these 12 is nearest to 11.")


def test_every_value_is_a_row() -> None:
    lines = printed(flopsheet.solve(TOY, ["x", "y"], ["bowl = 1", "(y - 5)**2 = 4"]), every=True)
    rows = table(lines)
    pairs = [(x, y) for x in (1, 3) for y in (3, 7)]
    assert [(row["x"], row["y"], row["area"], row["scaled"]) for row in rows] == [
        (str(x), str(y), str(x * y), str(20 * x)) for x, y in pairs
    ]
    assert "hill" not in rows[0]
    assert not any(line.split()[:1] == ["rate"] for line in lines)
    assert any(line.split()[:1] == ["rate"] for line in printed(flopsheet.solve(TOY, "x", ["bowl = 1"])))


def some_of(names: list[str], most: int = MOST_NAMED) -> str:
    """Return names as the terminal lists them: the first ones, and how many others."""
    if len(names) <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {len(names) - most} others"


def test_ranked_names() -> None:
    relations = [*MODEL, "device_memory <= chip.memory", "n_fsdp <= 60"]
    lines = printed(flopsheet.solve("ffn_memory", ["chip", "n_fsdp"], relations))
    works, fails = fitting(60), failing(60)
    assert lines[0] == f"chip: {some_of([*works], MOST_RANKED)}"
    assert lines[1].startswith(f"{len(works)} of {count()} chips meet ")
    assert len(fails) > MOST_REJECTED + 1
    shown = [line.partition(":")[0] for line in lines[2 : 2 + MOST_REJECTED]]
    assert shown == [f"Not {some_of(names.split(', '))}" for names in fails][:MOST_REJECTED]
    others = sum(names.count(",") + 1 for names in [*fails][MOST_REJECTED:])
    assert lines[2 + MOST_REJECTED] == f"{others} more do not work; --as markdown and --as json list the reasons."
    best, least = next(iter(works.items()))
    assert lines[3 + MOST_REJECTED] == f"{float(shares()[best]):#.4g} <= n_fsdp <= 60, so {least}"
    head = next(place for place, line in enumerate(lines) if line.split()[:3] == ["chip", "n_fsdp", "device_memory"])
    named = [line.split()[:2] for line in lines[head + 2 :]][:MOST_CANDIDATES]
    assert named == [[chip, str(least)] for chip, least in works.items()][:MOST_CANDIDATES]


@pytest.mark.parametrize(
    ("unknown", "relations", "head"),
    [
        ("chip", [*MODEL, "n_fsdp = 2"], "no chip works"),
        ("chip", [*MODEL, "n_fsdp = 64", "chip.memory = 1 TiB"], "no chip works"),
        (["chip", "n_fsdp"], [*MODEL, "device_memory <= 1 GiB", "n_fsdp <= 9"], "no chip works"),
    ],
)
def test_no_name_works(unknown: Any, relations: list[str], head: str) -> None:
    lines = printed(flopsheet.solve("ffn_memory", unknown, relations))
    assert lines[0] == head
    assert lines[1].startswith(f"0 of {count()} chips meet ")
    heads = [line[4:].partition(":")[0] for line in lines if line.startswith("Not ")]
    rejected = [name for head in heads for name in head.partition(" and ")[0].split(", ")]
    others = sum(int(head.split()[-2]) for head in heads if head.endswith(" others"))
    others += next((int(line.split()[0]) for line in lines if " more do not work; " in line), 0)
    assert set(rejected) <= flopsheet.records("chip").keys()
    assert len(rejected) + others == len(flopsheet.records("chip"))
