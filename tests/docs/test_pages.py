"""The API reference and the tutorial follow the docstrings, and the examples in these run."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.docs.api_page import GROUPS, api_page, example, tutorial_page
from tests.docs.tutorial import LESSONS
from tests.stored import compare

import flopsheet

if TYPE_CHECKING:
    from collections.abc import Callable

ENGINE = Path(flopsheet.__file__).parents[1]
PAGES: dict[Path, Callable[[], str]] = {
    ENGINE / "API.md": api_page,
    ENGINE / "TUTORIAL.md": lambda: tutorial_page(LESSONS),
}
NAMES: list[str] = vars(flopsheet)["__all__"]  # type checkers read them from the stub
EXAMPLES = [name for name in NAMES if example(name)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_follows_the_docstrings(page: Path, request: pytest.FixtureRequest) -> None:
    compare(page, PAGES[page](), request)


def test_every_public_name_is_in_the_reference_once() -> None:
    names = [name for group in GROUPS for name in group.names]
    assert sorted(names) == sorted(NAMES)


def test_every_lesson_has_an_example() -> None:
    assert {lesson.name for lesson in LESSONS} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_prints_what_it_says(name: str) -> None:
    value = getattr(flopsheet, name)
    parser = doctest.DocTestParser()
    test = parser.get_doctest(inspect.getdoc(value) or "", {}, name, f"{name} example", 0)
    printed: list[str] = []
    doctest.DocTestRunner(
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    ).run(test, out=printed.append)
    assert not printed, "".join(printed)
