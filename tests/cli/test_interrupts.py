"""Ctrl-C at any moment of a command: an exit code, no traceback, no half a file, and nothing wrong afterwards."""

from __future__ import annotations

import json
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest

import flopsheet
from flopsheet.cli import main

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

MOMENTS = 70
QUESTION = "solve ffn_memory n_fsdp d_model=16384 d_ff=53248 n_blocks=126 batch=128 seq_len=1024 chip=tpu-v5p"
STEPS = 5  # moments of each of so many runs are spread over its time


def interrupt(_number: int, _frame: FrameType | None) -> None:
    """Press Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def run(words: list[str], after: float = 0) -> int:
    """Return the exit code of a command line from cold caches, interrupted after so many seconds of the processor."""
    flopsheet.reload()
    sys.argv = ["flopsheet", *words]
    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, after)
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    except KeyboardInterrupt:  # it had ended just before
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return 130


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file that was just opened
@pytest.mark.parametrize("part", range(STEPS))
def test_ctrl_c_at_any_moment(
    part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setenv("FLOPSHEET_TRACEBACK", "1")
    output = tmp_path / "answer.json"
    words = [*QUESTION.split(), "device_memory <= chip.memory", "-o", str(output)]
    assert run(words) == 0
    begun = time.process_time()
    assert run(words) == 0
    seconds, answer = time.process_time() - begun, output.read_text()
    capsys.readouterr()
    codes = []
    for moment in range(part, MOMENTS, STEPS):
        output.unlink(missing_ok=True)
        codes.append(run(words, seconds * (moment + 0.5) / MOMENTS))
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        assert [file.name for file in tmp_path.iterdir()] in ([], ["answer.json"])
        if output.exists():
            assert json.loads(output.read_text())["sheet"] == "ffn_memory"
        output.unlink(missing_ok=True)
        sys.argv = ["flopsheet", *words]
        with pytest.raises(SystemExit):
            main()  # with the caches that the interrupted run has left
        assert output.read_text() == answer
    assert {*codes} <= {0, 1, 130}
    assert 130 in codes
