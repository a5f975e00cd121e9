"""Any command line: an answer or one paragraph on the error stream, soon. 6,000 of them, in this process."""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import pytest
from tests.fuzz.watch import SECONDS, Looks, failures

from flopsheet import budget
from flopsheet.cli import main
from flopsheet.registry import packs, reading_time
from flopsheet.session import SESSION

CHUNKS, EACH, FEWEST, BUDGET = 2, 600, 50, "0.03 s"
CODES = (0, 1, 2)
COMMANDS = {
    "sheets": (["ffn_memory"], ["--as", "--output", "-o"]),
    "solve": (
        ["ffn_memory", "n_fsdp", "d_model=16384", "d_ff=53248", "n_blocks=126", "device_memory <= 95 GiB", "chip=h100"],
        ["--near", "--without", "--best", "--all", "--vary", "--show", "--as", "-o", "--template", "--picture"],
    ),
    "ask": (["question.yaml"], ["--all", "--as", "-o", "--template", "--picture"]),
    "hardware": (["show", "h100"], ["--all", "--as", "-o"]),
    "packs": ([], []),
    "templates": ([], []),
}
HARDWARE = ("list", "show", "compare", "where", "check", "new", "import", "nothing")
ODD = ("", " ", "x" * 300, "x" * 5000, "\n", "\x1b[31m", "\udcff", "é", "٣", "'", '"', "\0")
WORDS = (*ODD, *(Path(__file__).parent / "command_words.txt").read_text(encoding="utf-8").splitlines())


class Lines:
    """Grows command lines from a seed: a right one with a few words changed, or any words."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  # the same ones each time

    def line(self) -> list[str]:
        """Return the words of a command line."""
        if self.random.random() < 0.1:
            return [self.random.choice((*WORDS, *COMMANDS)) for _ in range(self.random.randint(0, 6))]
        command = self.random.choice((*COMMANDS, "solve", "solve", "solve", "ask", "hardware"))
        words, options = [list(part) for part in COMMANDS[command]]
        if command == "hardware":
            words = [self.random.choice(HARDWARE), *words[1:]]
        if options and self.random.random() < 0.5:
            option = self.random.choice(options)
            words += [option] if option == "--all" else [option, self.random.choice(WORDS)]
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))):
            if words and self.random.random() < 0.5:
                words[self.random.randrange(len(words))] = self.random.choice(WORDS)
            else:
                words.insert(self.random.randint(0, len(words)), self.random.choice(WORDS))
        if words and self.random.random() < 0.3:
            at = self.random.randrange(len(words))
            words[at] = self.mutated(words[at])
        return [command, *words, *(["--budget", BUDGET] if command == "solve" else [])]

    def mutated(self, word: str) -> str:
        """Return a word with a piece changed."""
        at = self.random.randint(0, len(word))
        piece: str = self.random.choice((*WORDS, *"+-*/()^<>=[]{}.,:;&|$`"))
        return word[:at] + piece + word[at + self.random.randint(0, 3) :]


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder with a few files, without the packs that an earlier line named."""
    stack = (
        "d_model=16384, d_ff=53248, n_blocks=126, batch=128, seq_len=1024, chip=tpu-v5p, device_memory <= chip.memory"
    )
    text = f"sheet: ffn_memory\nunknown: n_fsdp\nbudget: {BUDGET}\nwhere: [{stack}]\n"
    (tmp_path / "question.yaml").write_text(text)
    (tmp_path / "broken.yaml").write_text("sheet: [\n")
    (tmp_path / "config.json").write_text('{"model_type": "llama", "hidden_size": 64}')
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(packs, "_named", [])
    monkeypatch.setenv("FLOPSHEET_TRACEBACK", "1")  # a defect is the exception itself


@pytest.mark.slow
@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_command_line_ends_with_an_exit_code(
    chunk: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(budget, "monotonic", Looks())
    monkeypatch.setattr(reading_time, "thread_time", time.thread_time)
    lines, answered = Lines(chunk), 0

    def run(words: list[str]) -> None:
        nonlocal answered
        if packs._named:
            packs._named.clear()
            SESSION.drop_files()
        monkeypatch.setattr(sys, "argv", ["flopsheet", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        answered += stop.value.code == 0
        printed = capsys.readouterr()
        says = printed.err.strip() or (words[:1] == ["ask"] and "WRONG: " in printed.out)  # of a folder, line by line
        if stop.value.code not in CODES or (stop.value.code == CODES[-1] and not says):
            raise LookupError(f"code {stop.value.code}: {printed.err}")

    run(["solve", "ffn_memory", "n_fsdp", "--budget", BUDGET])
    assert failures(run, (lines.line() for _ in range(EACH)), seconds=2 * SECONDS) == []
    assert answered >= FEWEST, "too few lines are answered"
    assert os.listdir("folder") == []  # noqa: PTH208
