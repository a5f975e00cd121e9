"""Options of the whole suite, and the figures of the round trip over all sheets at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

KEY = "round_trip"
KINDS = {
    "pairs": "round trip: {} / {} pairs solved",
    "bounds": "round trip, <= and >=: {} / {} bounds met",
    "systems": "round trip, two unknowns: {} / {} systems solved",
    "golden": "golden: {} / {} cases passed",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--golden-file", default="", help="run the golden adapters over this file instead of our own")
    parser.addoption("--update", action="store_true", help="rewrite stored texts and rendered questions")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figure `solved / asked` of each kind, from what the tests recorded; works over parallel workers."""
    outcomes = [
        (dict(report.user_properties).get(KEY), report.outcome)
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call"
    ]
    for kind, text in KINDS.items():
        asked = [outcome for each, outcome in outcomes if each == kind]
        if asked:
            terminalreporter.write_line(text.format(asked.count("passed"), len(asked)))
