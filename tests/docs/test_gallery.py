"""The gallery beside the templates: one answer by every template and in every picture, as the tool makes them."""

from __future__ import annotations

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.stored import compare

import flopsheet
from flopsheet.registry.packs import packs
from flopsheet.report import Extras
from flopsheet.report.pages import write_up
from flopsheet.report.pictures import KINDS, picture

if TYPE_CHECKING:
    from flopsheet.answer.question_file import QuestionFile

ROOT = packs()[0].folder
GALLERY = ROOT / "templates" / "gallery"
FILE = ROOT / "models" / "questions" / "fsdp-shards.yaml"
TEMPLATES = ("brief", "compare", "derivation", "memo", "table")
CHIPS = ("h100-sxm", "h200-sxm", "tpu-v5p", "mi300x")
CELLS = {"waterfall": "device_memory"}  # what a picture is of, where that is not the answer
PINNED = re.compile(r"^matplotlib==(.+)$", re.MULTILINE)


@cache
def asked() -> QuestionFile:
    """Return the question of the gallery."""
    return flopsheet.read_question(FILE)


def extras(template: str) -> Extras:
    """Return what a page shows beside the answer: chips side by side, where a template compares."""
    if template != "compare":
        return Extras.of(asked())
    question = asked().question
    where = [*(pin.text for pin in question.pins.values()), *(own.text for own in question.relations)]
    return Extras(table=flopsheet.table("ffn_memory", "n_fsdp", where, vary={"chip": CHIPS}))


@pytest.mark.parametrize("template", TEMPLATES)
def test_pages(template: str, request: pytest.FixtureRequest) -> None:
    text, stored = write_up(asked().answer(), template, "markdown", extras(template)), GALLERY / f"{template}.md"
    compare(stored, text, request)


@pytest.mark.parametrize("kind", KINDS)
def test_pictures(kind: str, request: pytest.FixtureRequest) -> None:
    if kind in ("tornado", "waterfall"):
        _skip_other_matplotlib()
    drawn, stored = picture(asked().answer(), kind, "svg", CELLS.get(kind, "")), GALLERY / f"{kind}.svg"
    compare(stored, drawn, request)


def _skip_other_matplotlib() -> None:
    """Skip charts where matplotlib is not the version that drew the stored ones: each draws a little differently."""
    pinned = PINNED.search(Path(__file__).parents[2].joinpath(".ci", "constraints.txt").read_text(encoding="utf-8"))
    try:
        installed = version("matplotlib")
    except PackageNotFoundError:
        pytest.skip("matplotlib is not installed")
    if pinned is None or installed != pinned[1]:
        pytest.skip(f"the stored chart is of another version of matplotlib than {installed}")


def test_the_reference_shows_all_of_it() -> None:
    text = (ROOT / "templates" / "README.md").read_text(encoding="utf-8")
    for file in GALLERY.iterdir():
        assert f"(gallery/{file.name})" in text
    assert {file.name for file in GALLERY.iterdir()} == {f"{name}.md" for name in TEMPLATES} | {
        f"{kind}.svg" for kind in KINDS
    }
