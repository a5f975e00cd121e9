"""Each mistake answers in one paragraph: the command in `<case>.args`, the exit code and text in `<case>.txt`.

A line of `.args` is one argument; `{1000×text}` stands for many copies. `pytest tests/errors --update` rewrites texts.
The name of a case begins with its class: `under` or `over` (determined), `unreachable`, `contradiction`, `ambiguous`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from flopsheet.cli import main
from flopsheet.registry import packs
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*.args"))
CLASSES = ("under", "over", "unreachable", "contradiction", "ambiguous")
FEWEST, FEWEST_OF_A_CLASS = 40, 5
LONGEST = 1000  # of one mistake; of a file, all are told


def _arguments(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [re.sub(r"\{(\d+)×(.+?)\}", lambda many: many[2] * int(many[1]), line) for line in lines]


@pytest.fixture(autouse=True, scope="module")
def _read_anew() -> Iterator[None]:
    """Keep what was read beside other packs out of these cases, and what they read out of later tests."""
    SESSION.drop_files()
    yield
    SESSION.drop_files()


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_text(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(packs, "_named", [])
    monkeypatch.chdir(HERE)
    monkeypatch.setenv("COLUMNS", "500")  # a paragraph a line
    monkeypatch.setattr(sys, "argv", ["flopsheet", *_arguments(case)])
    with pytest.raises(SystemExit) as stop:
        main()
    if packs._named:  # what was read knows packs that no other case has named
        SESSION.drop_files()
    printed = capsys.readouterr()
    said = printed.out.rpartition("\n\n")[2] if stop.value.code == 1 and printed.out else printed.err
    text = f"exit {stop.value.code}\n{said}"
    stored = case.with_suffix(".txt")
    if request.config.getoption("--update"):
        stored.write_text(text, encoding="utf-8")
    assert text == stored.read_text(encoding="utf-8")
    assert stop.value.code in (1, 2)
    assert "Traceback" not in text
    assert "\n\n" not in text.strip()
    assert len(text) < LONGEST * (text.count(".yaml:") or 1)


def test_enough_questions_without_an_answer() -> None:
    """A "none" and a refusal are tested as carefully as an answer: many questions of each class, named by it."""
    counts = {name: len(list(HERE.glob(f"{name}-*.txt"))) for name in CLASSES}
    assert sum(counts.values()) >= FEWEST, counts
    assert min(counts.values()) >= FEWEST_OF_A_CLASS, counts


def test_each_text_has_its_question() -> None:
    assert [case.with_suffix(".txt") for case in CASES] == sorted(HERE.glob("*.txt"))
