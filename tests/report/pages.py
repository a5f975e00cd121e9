"""The texts that the tests of this folder read, and what is found in them."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.asked import answered, asked
from tests.cases import SHARED
from tests.models.points import SHEETS, example
from tests.report.latex_lines import in_one_row, relations

from flopsheet import sheet
from flopsheet.files import replace
from flopsheet.registry.packs import packs
from flopsheet.report import Extras
from flopsheet.report.pages import write_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet import Sheet

QUESTIONS = sorted((packs()[0].folder / "models" / "questions").glob("*.md"))
PAGES = [*(file.stem for file in QUESTIONS), *SHEETS]
DEFAULT = "-page"  # behind the name of a question: its default page, not its derivation
EVERY = [*PAGES, *(f"{file.stem}{DEFAULT}" for file in QUESTIONS)]


@cache
def page(name: str) -> str:
    """Return the derivation of a question by its file, its default page, or the write-up of a sheet's example.

    The first worker that needs a page writes it for the others.
    """
    kept = Path(os.environ[SHARED]) / f"{name}.md"
    if not kept.exists():
        replace(kept, _rendered(name).encode(), durable=False)
    return kept.read_bytes().decode()


def _rendered(name: str) -> str:
    files, stem = {file.stem: file for file in QUESTIONS}, name.removesuffix(DEFAULT)
    if stem not in files:
        return example(name).answer.derivation()
    return write_up(answered(stem), "derivation" if stem == name else "page", extras=Extras.of(asked(stem)))


def default_page(name: str, form: str) -> str:
    """Return the default page of a question by its file, or of a sheet's example, in a form."""
    files = {file.stem: file for file in QUESTIONS}
    if name not in files:
        return write_up(example(name).answer, "page", form)
    return write_up(answered(name), "page", form, Extras.of(asked(name)))


def sheet_of(name: str) -> Sheet:
    """Return the sheet that a page is by."""
    match = re.search(r"By the sheet `(\w+)`", page(name))
    assert match
    return sheet(match[1])


def chain(lines: list[str]) -> list[str]:
    """Return the lines of a step, without the last one of a count: the whole number at the end of a range."""
    return [line for place, line in enumerate(lines) if not place or line.lstrip().startswith("&")]


def steps(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the cell of each step, and its lines without line breaks."""
    section = text.partition("\n## Steps\n")[2].partition("\n## ")[0]
    steps = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    for step in steps:
        name = re.search(r"\(`([^`]+)`", step)
        aligned = re.findall(  # a condition before; the closed form behind is in no list
            r"^ +\\begin\{aligned\}\n(.*?)\\end\{aligned\}", step, re.DOTALL | re.MULTILINE
        )
        assert name, step
        assert aligned, step
        joined = in_one_row(re.sub(r" \\\\\n\s*&\\quad", "", aligned[-1]))
        rows = [line.strip().removesuffix(r"\\").strip() for line in joined.strip().splitlines()]
        yield name[1], rows if rows[1:] else relations(rows[0])


def sections(text: str) -> dict[str, str]:
    """Return the text below each heading."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(section: str) -> list[list[str]]:
    """Return the cells of the tables below their heads."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]
