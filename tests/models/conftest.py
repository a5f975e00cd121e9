"""Prints how many pairs of an input and an output were solved back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

KEY = "round_trip"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figure `pairs solved / pairs`, from what the tests recorded; works over parallel workers."""
    outcomes = [
        report.outcome
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call" and (KEY, True) in report.user_properties
    ]
    if outcomes:
        terminalreporter.write_line(f"round trip: {outcomes.count('passed')} / {len(outcomes)} pairs solved")
