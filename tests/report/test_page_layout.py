"""Pages in a browser: what fits on the first screen, how long they are, and that a telephone shows them."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.report.pages import PAGES, QUESTIONS, default_page
from tests.report.test_browser import inspected, modules

__all__ = ["modules"]  # a fixture
FIRST_SCREEN, PAGE, SMALLEST = 900, 2500, 11  # pixels

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]  # one installation, each question answered once


@pytest.fixture(scope="module")
def layouts(modules: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:  # the fixture
    """Return the layout of the page of every question, and of every sheet at its example, by width and file."""
    folder, files = tmp_path_factory.mktemp("pages"), list[Path]()
    for name in PAGES:
        file = folder / f"{name}.html"
        file.write_text(default_page(name, "html"), encoding="utf-8")
        files.append(file)
    layouts: dict[str, Any] = {}
    for found in inspected(modules, "layout.js", files):
        for width, pages in found.items():
            layouts.setdefault(width, {}).update(pages)
    return layouts


def test_the_first_screen_holds_the_answer(layouts: dict[str, Any]) -> None:
    pages = [layouts["1200"][f"{question.stem}.html"] for question in QUESTIONS]
    heights = {question.stem: page["first"] for question, page in zip(QUESTIONS, pages, strict=True)}
    assert {name: height for name, height in heights.items() if height >= FIRST_SCREEN} == {}


@pytest.mark.parametrize("width", ["1200", "390"])
def test_the_usual_page_is_short(layouts: dict[str, Any], width: str) -> None:
    pages = [layouts[width][f"{question.stem}.html"] for question in QUESTIONS]
    assert median(page["first"] for page in pages) < FIRST_SCREEN
    assert median(page["page"] for page in pages) < PAGE


def test_steps_are_folded_on_a_telephone_only(layouts: dict[str, Any]) -> None:
    steps = {name: page["steps"] for name, page in layouts["1200"].items()}
    assert median(steps.values()) > 1
    assert not any(page["steps"] for page in layouts["390"].values())
    for pages in layouts.values():
        assert {name: page["printed"] for name, page in pages.items()} == steps


@pytest.mark.parametrize("width", ["1200", "390"])
def test_every_page_is_legible_without_scrolling_sideways(layouts: dict[str, Any], width: str) -> None:
    assert len(layouts[width]) == len(PAGES)
    assert {name for name, page in layouts[width].items() if page["sideways"]} == set()
    assert min(page["smallest"] for page in layouts[width].values()) >= SMALLEST
