"""Ctrl-C at any moment of a command: an exit code, no traceback, no half a file, and nothing wrong afterwards."""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

import flopsheet
from flopsheet.cli import main

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

MOMENTS = 70
QUESTION = "solve ffn_memory n_fsdp d_model=16384 d_ff=53248 n_blocks=126 batch=128 seq_len=1024 chip=tpu-v5p"
STEPS = 5  # moments of each of so many runs are spread over its calls


@dataclass
class Calls:
    """Count the calls of a command, and press Ctrl-C at one of them: clocks differ from run to run."""

    last: int | None = None
    number: int = 0

    def __call__(self, _frame: FrameType, event: str, _value: object) -> None:
        """Count a call, and interrupt the command at the last."""
        self.number += event == "call"
        if self.number == self.last and event == "call":
            signal.raise_signal(signal.SIGINT)


def run(words: list[str], calls: Calls) -> int:
    """Return the exit code of a command line from cold caches, interrupted at the last of the calls."""
    flopsheet.reload()
    sys.argv = ["flopsheet", *words]
    sys.setprofile(calls)
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    except KeyboardInterrupt:  # it had ended just before
        pass
    finally:
        sys.setprofile(None)
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
    assert run(words, Calls()) == 0
    calls = Calls()
    assert run(words, calls) == 0
    answer = output.read_text()
    capsys.readouterr()
    codes = []
    for moment in range(part, MOMENTS, STEPS):
        output.unlink(missing_ok=True)
        codes.append(run(words, Calls(calls.number * (2 * moment + 1) // (2 * MOMENTS))))
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
