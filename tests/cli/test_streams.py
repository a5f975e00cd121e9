"""Streams that are closed, full or read no further, and settings of the terminal: exit codes as of any program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a POSIX shell and /dev/full")
SLOW = pytest.mark.slow  # each line starts a process of its own: the quick suite has one of each sort
COMMANDS = "sheets", "--help", "solve ffn_memory params d_model=8 d_ff=8 n_blocks=2"
FLOPSHEET = f"{sys.executable} -m flopsheet"


def shell(line: str, **settings: str) -> tuple[int, str, str]:
    """Run a line of a shell, in which `flopsheet` is this one; return exit code, output and errors."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **settings}
    command = ["bash", "-o", "pipefail", "-c", line.replace("flopsheet", FLOPSHEET, 1)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "sheets ffn_memory",
        pytest.param("solve ffn_memory params d_model=8 d_ff=8 n_blocks=2", marks=SLOW),
        pytest.param("sheets", marks=SLOW),
    ],
)
def test_closed_streams_are_no_defect(line: str) -> None:
    assert shell(f"flopsheet {line} >&-") == (0, "", "")
    code, out, err = shell(f"flopsheet {line} 2>&-")
    assert (code, err) == (0, "")
    assert out
    assert shell(f"flopsheet {line} <&- >&- 2>&-") == (0, "", "")


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        *(pytest.param(words, marks=SLOW) for words in ("sheets ffn_memory --as json", "sheets", "hardware list")),
    ],
)
def test_a_broken_pipe_ends_the_command_as_it_ends_cat(words: str) -> None:
    code, _, err = shell(f"flopsheet {words} | true")
    assert (code in (0, 141), err) == (True, "")


def test_a_full_stream_is_told_by_the_exit_code() -> None:
    code, _, err = shell("flopsheet sheets ffn_memory > /dev/full")
    assert (code, err) == (2, "The output cannot be written: No space left on device.\n")
    assert shell("flopsheet solve ffn_memory nothing 2> /dev/full")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "commands"),
    [
        ("1", COMMANDS[1:]),
        *(pytest.param(columns, COMMANDS, marks=SLOW) for columns in ("0", "-5", "x", "100000")),
        pytest.param("1", COMMANDS[:1], marks=SLOW),
    ],
)
def test_any_width_of_a_terminal_will_do(columns: str, commands: tuple[str, ...]) -> None:
    for words in commands:
        code, out, err = shell(f"flopsheet {words}", COLUMNS=columns)
        assert (code, err) == (0, "")
        assert out


@SLOW
def test_without_docstrings_titles_and_help_stay() -> None:
    for words in ("sheets", "sheets ffn_memory", "--help", "solve --help", "hardware show --help"):
        assert shell(f"flopsheet {words}", PYTHONOPTIMIZE="2") == shell(f"flopsheet {words}")


@pytest.mark.parametrize("width", [40, *(pytest.param(width, marks=SLOW) for width in (60, 200))])
def test_an_error_is_as_wide_as_the_terminal(width: int) -> None:
    line = "flopsheet solve ffn_memory n_fsdp d_model=16384 d_ff=53248 n_blocks=126 'device_memory <= chip.memroy'"
    code, _, err = shell(line, COLUMNS=str(width))
    assert code == 2
    lines = err.splitlines()
    widest = min(width, 100)
    assert max(map(len, lines)) <= widest
    assert len(lines) > 1
    assert len(lines[0]) + len(lines[1].split()[0]) + 1 > widest
