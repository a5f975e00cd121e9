"""Options of the whole suite, and the figures of the round trip over all sheets at its end."""

from __future__ import annotations

import gc
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from tests.cases import KEY, SHARED, in_share, mark_long

from flopsheet import budget
from flopsheet.cli import COLLECTED_AFTER
from flopsheet.registry import packs, reading_time

if TYPE_CHECKING:
    from collections.abc import Iterator

settings.register_profile("any machine", settings(), deadline=None)  # no test depends on how busy the machine is
settings.load_profile("any machine")

MOST_ASKED = 55
KINDS = {
    "pairs": "round trip: {} / {} pairs solved",
    "asked": "sheets, slow questions: {} / {} are asked (`--pairs all` asks each)",
    "bounds": "round trip, <= and >=: {} / {} bounds met",
    "systems": "round trip, two unknowns: {} / {} systems solved",
    "random points": "round trip at random points, exact and pasted: {} / {} questions contain the input",
    "decided": "round trip at random points: {} / {} questions leave nothing open",
    "random bounds": "inequalities at random bounds: {} / {} met inside and nowhere else",
    "golden": "golden: {} / {} cases passed",
    "published": "published figures: {} / {} met",
    "measured": "measured runs of serving: {} / {} within 12 %",
    "verdicts": "published verdicts: {} / {} met",
    "outside": "published entries that no sheet speaks of: {} / {}",
}


@pytest.fixture(autouse=True, scope="session")
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep packs, settings and caches of the person who runs the tests out of them."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("FLOPSHEET_CACHE", str(folder / "cache"))
        patched.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        patched.setenv(SHARED, str(folder.parent.parent if "PYTEST_XDIST_WORKER" in os.environ else folder.parent))
        patched.delenv("FLOPSHEET_PATH", raising=False)
        yield


def pytest_collection_finish() -> None:
    """Look for garbage in what tests make only, and less often: among modules and sheets, it takes a sixth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED_AFTER)


@pytest.fixture(autouse=True)
def _no_question() -> None:
    """Forget the question file that another test has read: the pack around it stays in use."""
    packs._asked.set(None)


@pytest.fixture(autouse=True, scope="session")
def _no_clock() -> Iterator[None]:
    """Let bounds of work and size alone end searches and reading: nothing depends on how busy the machine is.

    In the fixtures of modules, too, which answer questions before a test begins.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(budget, "monotonic", lambda: 0.0)
        patched.setattr(reading_time, "thread_time", lambda: 0.0)
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time end searches as it does for a user, that of the processor: others may be busy."""
    monkeypatch.setattr(budget, "monotonic", time.process_time)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--golden-file", default="", help="run the golden adapters over this file instead of our own")
    parser.addoption("--draws", type=int, default=1, help="random points of each sheet")
    parser.addoption(
        "--pairs",
        type=_number,
        default=MOST_ASKED,
        help="questions of one kind that the tests ask a sheet, a third of a large one; or: all",
    )
    parser.addoption("--share", default="1/1", help="the slow tests to run: 2/3 is the second third of them, by name")
    parser.addoption("--update", action="store_true", help="rewrite stored texts and rendered questions")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take a share of the slow tests, and give all of a sheet or page to one worker, which solves and renders it once.

    Others are given by the file.
    """
    mark_long(items)
    share: str = config.getoption("--share")
    left_out = {own for own in items if own.get_closest_marker("slow") and not in_share(own.nodeid, share)}
    if left_out:
        config.hook.pytest_deselected(items=[*left_out])
        items[:] = [own for own in items if own not in left_out]
    for item in items:
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        about = parameters.get("name", parameters.get("file"))
        own = item.nodeid if item.get_closest_marker("slow") else item.path.stem
        group = (
            about.stem if isinstance(about, Path) else about.removesuffix("-page") if isinstance(about, str) else own
        )
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))


def _number(text: str) -> int:
    if text == "all":
        return sys.maxsize
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


@pytest.fixture(scope="session")
def most_asked(request: pytest.FixtureRequest) -> int:
    """Return how many questions of one kind the tests ask a sheet at most."""
    most: int = request.config.getoption("--pairs")
    return most


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figure `solved / asked` of each kind, from what the tests recorded; works over parallel workers."""
    records = [
        value
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call"
        for name, value in report.user_properties
        if name == KEY
    ]
    for kind, text in KINDS.items():
        counts = [(solved, asked) for recorded, solved, asked in records if recorded == kind]
        if counts:
            terminalreporter.write_line(text.format(*map(sum, zip(*counts, strict=True))))
