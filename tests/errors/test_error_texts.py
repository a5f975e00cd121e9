"""Each mistake answers in one paragraph: the command in `<case>.args`, the exit code and text in `<case>.txt`.

A line of `.args` is one argument; `{1000×text}` stands for many copies. `pytest tests/errors --update` rewrites texts.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from flopsheet.cli import main

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*.args"))


def _arguments(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [re.sub(r"\{(\d+)×(.+?)\}", lambda many: many[2] * int(many[1]), line) for line in lines]


@pytest.mark.parametrize("case", CASES, ids=[case.stem for case in CASES])
def test_text(
    case: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(HERE)
    monkeypatch.setattr(sys, "argv", ["flopsheet", *_arguments(case)])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capsys.readouterr()
    said = printed.err if stop.value.code != 1 else printed.out.partition("\n\n")[0] + "\n"
    text = f"exit {stop.value.code}\n{said}"
    stored = case.with_suffix(".txt")
    if request.config.getoption("--update"):
        stored.write_text(text, encoding="utf-8")
    assert text == stored.read_text(encoding="utf-8")
    assert stop.value.code in (1, 2)
    assert "Traceback" not in text
    assert "\n\n" not in text.strip()
    assert len(text) < 1000
