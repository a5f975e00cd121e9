"""The line that shows what takes long, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from flopsheet import budget, solve, table
from flopsheet.answer import names
from flopsheet.answer import table as tables
from flopsheet.budget import Loop, Watch
from flopsheet.cli.progress import progress_text, watching
from flopsheet.registry.store import records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

STACK = ["d_model=16384", "d_ff=53248", "n_blocks=126", "batch=128", "seq_len=1024"]
TANGLE = """\
sheet: tangle
title: A search that takes long
about: Sines of growing rates.
cells:
  turn: {doc: One turn, unit: degree, default: "1 degree"}
  x: {doc: Argument, example: "2"}
  y: {doc: Tangled, signed: true, formula: "sin(turn * x**2) + sin(turn * x**3) * log(x) + exp(-x) * x"}
"""


def test_the_line_says_what_is_done() -> None:
    now = monotonic()
    searched = Watch(task="n_fsdp", boxes=12_000, begun=now - 1.4, seconds=2.0)
    assert progress_text(searched) == "n_fsdp: 12,000 boxes, 1.4 s of 2 s"
    tried = Watch(loops=[Loop("chips", 49, 17)], begun=now - 1.4, seconds=2.0, stopped=True)
    assert progress_text(tried) == "17 of 49 chips, 1.4 s of 2 s, stopping"


def test_a_table_over_names_says_which_row_it_is_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """The progress line counts the rows of a table, and beside them the chips tried in the current row."""
    shown: list[str] = []
    substituted = names._substituted

    def told(*args: Any) -> Any:
        shown.append(progress_text(watch).partition(" chips")[0])
        return substituted(*args)

    monkeypatch.setattr(names, "_substituted", told)
    with budget.watched() as watch:
        table("ffn_memory", "chip", STACK, vary={"n_fsdp": [16, 64]}, show=["device_memory"])
    chips = len(records("chip"))
    assert shown == [f"{row} of 2 rows, {done} of {chips}" for row in range(2) for done in range(chips)]
    assert watch.loops == []


def test_there_is_no_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    threads = threading.active_count()
    with watching():
        assert threading.active_count() == threads
    assert not capsys.readouterr().err


def test_the_first_ctrl_c_ends_a_question_and_the_second_all() -> None:
    with watching() as watch:
        with budget.within(60):
            signal.raise_signal(signal.SIGINT)
            assert watch.stopped
            assert budget.is_over()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_while_no_question_is_under_way_ends_all() -> None:
    with watching(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def _stops_after(most: int, watch: Watch, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that stops the watch when it was called so many times."""
    calls = iter(range(1, most))

    def call(*args: Any) -> Any:
        watch.stopped = next(calls, None) is None
        return function(*args)

    return call


def test_names_that_were_tried_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    with budget.watched() as watch:
        monkeypatch.setattr(names, "_substituted", _stops_after(17, watch, names._substituted))
        ranking = solve("ffn_memory", "chip", [*STACK, "n_fsdp = 64"]).ranking
    assert ranking is not None
    tried = {own.options["chip"] for own in (*ranking.working, *ranking.rejected)}
    assert len(tried) == 17
    newest = min(records("chip")[key].released for key in tried)
    assert all(chip.released <= newest for key, chip in records("chip").items() if key not in tried)
    assert " chips were tried, the newest first: interrupted." in ranking.why
    assert "Only 17 of " in ranking.why


@pytest.mark.parametrize("most", [0, 3])
def test_what_was_not_tried_is_not_said_to_fail(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """No chip has a memory of 1 EiB, but only a few of them are known not to."""
    with budget.watched() as watch:
        watch.stopped = most == 0
        monkeypatch.setattr(names, "_substituted", _stops_after(most, watch, names._substituted))
        text = str(solve("ffn_memory", "chip", [*STACK, "n_fsdp = 64", "chip.memory >= 1e6 TB"]))
    assert text.startswith("no chip was found. ")
    assert text.startswith("no chip was found. 0 of 3 chips meet") == (most > 0)
    assert f"{most} of {len(records('chip'))} chips were tried{', the newest first' * bool(most)}: interrupted." in text


def test_names_share_the_time_of_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(budget, "monotonic", lambda: now[0])

    def slow(*args: Any) -> Any:
        now[0] += 0.3
        return substituted(*args)

    substituted = names._substituted
    monkeypatch.setattr(names, "_substituted", slow)
    ranking = solve("ffn_memory", "chip", [*STACK, "n_fsdp = 64"]).ranking
    assert ranking is not None
    assert "Only 7 of " in ranking.why
    assert ranking.why.endswith(" chips were tried, the newest first: the time is over, and --budget 60s allows more.")


def test_rows_that_were_not_tried_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with budget.watched() as watch:
        monkeypatch.setattr(tables, "_row", _stops_after(2, watch, tables._row))
        rows = table("ffn_memory", where=STACK, vary={"n_fsdp": [16, 32, 64]}, show=["device_memory"]).rows
    assert [row.problem for row in rows] == ["", "", "Not tried: interrupted."]
    assert [row.values for row in rows] == [("16",), ("32",), ("64",)]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_prints_what_is_known(tmp_path: Path) -> None:
    import pty

    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tangle.yaml").write_text(TANGLE)
    ours, theirs = pty.openpty()
    question = ["--pack", str(tmp_path), "solve", "tangle", "x", "y = 0.9", "x <= 400", "--budget", "600s"]
    command = [sys.executable, "-m", "flopsheet", *question]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        shown = ""
        while " boxes, " not in shown:
            shown += os.read(ours, 4096).decode()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=120)[0].decode()
    shown += os.read(ours, 65536).decode()
    assert "\rx: " in shown
    assert shown.rstrip("\r").endswith(" ")  # the line is erased
    assert process.returncode in (0, 130)
    assert "interrupted" in out
