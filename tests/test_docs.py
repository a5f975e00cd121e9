"""Documents that cannot drift: README outputs, the catalogue, rendered questions, the template reference."""

from __future__ import annotations

import io
import re
import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

import flopsheet
from flopsheet.cli import main
from flopsheet.registry.packs import packs
from flopsheet.report.catalogue import catalogue
from flopsheet.report.templating.reference import reference
from flopsheet.report.writeup import WriteUp, write_file
from flopsheet.sheets.catalogue import sheet_files

ROOT = packs()[0].folder
QUESTIONS = sorted((ROOT / "models" / "questions").glob("*.yaml"))
README = Path(__file__).parents[1] / "README.md"


def _compare(stored: Path, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        stored.write_text(text, encoding="utf-8")
    assert stored.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("file", QUESTIONS, ids=[file.stem for file in QUESTIONS])
def test_rendered_question(file: Path, request: pytest.FixtureRequest) -> None:
    _compare(file.with_suffix(".md"), write_file(flopsheet.read_question(file)), request)


def test_catalogue(request: pytest.FixtureRequest) -> None:
    _compare(ROOT / "models" / "README.md", catalogue(map(flopsheet.sheet, sheet_files())), request)


def test_template_reference(request: pytest.FixtureRequest) -> None:
    _compare(ROOT / "templates" / "README.md", reference(), request)


def test_template_reference_has_every_field() -> None:
    write = WriteUp(flopsheet.solve("ffn_memory", "params", {"d_model": 2, "d_ff": 2, "n_blocks": 2}))
    assert {name for name in vars(write) if not name.startswith("_")} == set(WriteUp.__annotations__)


def _block(marker: str) -> tuple[str, str]:
    """Return the code block behind a marker in the README, and the code block before it."""
    text = README.read_text(encoding="utf-8")
    before, _, after = text.partition(f"<!-- {marker} -->\n")
    shown = re.match(r"```\n(.*?)```\n", after, re.DOTALL)
    code = re.findall(r"```(?:sh|python)\n(.*?)```\n", before, re.DOTALL)
    assert shown
    return shown[1], code[-1]


def _replace_block(marker: str, text: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        page = README.read_text(encoding="utf-8")
        pattern = rf"(<!-- {marker} -->\n```\n).*?(```\n)"
        page = re.sub(pattern, lambda match: match[1] + text + match[2], page, flags=re.DOTALL)
        README.write_text(page, encoding="utf-8")
    assert _block(marker)[0] == text


def _printed(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path = README.parent) -> str:
    arguments = shlex.split(command.replace("\\\n", " "))
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["flopsheet", *arguments[1:]])
    out = io.StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit):
        main()
    return out.getvalue()


@pytest.mark.parametrize("marker", ["answer", "batch", "chips", "divisors"])
def test_readme_command(marker: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    command = _block(marker)[1].rpartition("&&")[2].strip()
    end = "\n## Inputs" if "markdown" in command else "\ncheck:" if "--all" in command else "\n\n"
    shown = _printed(command, monkeypatch).partition(end)[0]
    _replace_block(marker, shown.rstrip() + "\n", request)


def test_readme_counts_records() -> None:
    text = README.read_text(encoding="utf-8")
    counts = [len(flopsheet.records(kind)) for kind in ("chip", "system", "datacenter", "architecture")]
    assert "{} chips, {} systems, {} datacenters and {} models are built in".format(*counts) in text


def test_readme_own_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Write the file that the page shows, and run the command below it beside that file."""
    before = README.read_text(encoding="utf-8").partition("<!-- own-chip -->")[0]
    place, content = re.findall(r"```yaml\n# (\S+)\n(.*?)```\n", before, re.DOTALL)[-1]
    file = tmp_path / place
    file.parent.mkdir(parents=True)
    file.write_text(content)
    packs.cache_clear()
    try:
        shown = _printed(_block("own-chip")[1].strip(), monkeypatch, tmp_path)
    finally:
        packs.cache_clear()
    _replace_block("own-chip", shown, request)


def test_readme_python(request: pytest.FixtureRequest) -> None:
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(_block("python")[1], "README.md", "exec"), {})  # noqa: S102  # our own README
    _replace_block("python", out.getvalue(), request)
