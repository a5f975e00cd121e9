"""The README's way from nothing to an answer with a sheet of one's own: its commands are run, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.cli.conftest import run

from flopsheet.registry import packs
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Run = Callable[..., tuple[int, str, str]]

__all__ = ["run"]  # the fixture
README = Path(__file__).parents[2] / "README.md"
START, END = "## A sheet of your own, from nothing to an answer\n", "\n## "


@pytest.fixture
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(packs, "_named", [])
    SESSION.drop_files()
    yield
    SESSION.drop_files()


def _blocks(page: str) -> list[tuple[str, str, str]]:
    """Return marker, language and content of each block of code in the section."""
    section = page.partition(START)[2].partition(END)[0]
    pattern = r"(?:<!-- ([\w-]+) -->\n)?```(\w*)\n(.*?)```\n"
    return [(match[1] or "", match[2], match[3]) for match in re.finditer(pattern, section, re.DOTALL)]


@pytest.mark.usefixtures("_own_folder")
def test_commands_print_what_the_readme_shows(
    run: Run, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    page, printed = README.read_text(encoding="utf-8"), ""
    updated = page
    for marker, language, content in _blocks(page):
        if language == "sh":
            for line in content.splitlines():
                printed = _run(line, run, monkeypatch) or printed
        elif language == "python":
            name = re.match(r"# (models/\w+\.py)\n", content)
            assert name is not None
            Path("models").mkdir()
            Path(name[1]).write_text(content, encoding="utf-8")
        else:
            text = _sheet_and_question() if language == "yaml" else printed.partition("\n\n")[0] + "\n"
            block = f"<!-- {marker} -->\n```{language}\n"
            updated = updated.replace(f"{block}{content}```\n", f"{block}{text}```\n")
    if request.config.getoption("--update"):
        README.write_text(updated, encoding="utf-8")
        page = updated
    assert page == updated
    assert len(_blocks(page)) == 8


def _run(line: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a line of a shell, and return the first paragraph of what it prints."""
    words = shlex.split(line)
    if words[0] == "cd":
        monkeypatch.chdir(words[1])
        return ""
    if words[0] == "FLOPSHEET_TRUST=$PWD":
        monkeypatch.setenv("FLOPSHEET_TRUST", os.getcwd())  # noqa: PTH109  # what a shell has as $PWD
        words.pop(0)
    assert words[0] == "flopsheet"
    code, out, err = run(*words[1:])
    assert (code, err) == (0, ""), line
    return out


def _sheet_and_question() -> str:
    text = Path("flopsheet.yaml").read_text(encoding="utf-8")
    return text[text.index("sheets:\n") : text.index("sources:\n")]
