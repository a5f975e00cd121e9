"""Relations and limits as the terminal states them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.report.entries import Verdict
from flopsheet.report.sentences import slack_text

if TYPE_CHECKING:
    from flopsheet.answer.verification.checks import Check
    from flopsheet.report.steps.digits import LeastDigits


def check_text(check: Check, digits: LeastDigits) -> str:
    """Return a relation with the values of its sides, whether it holds, and by how much."""
    verdict = Verdict.of(check, digits)
    name = f"limit {verdict.name}" if verdict.name else "check"
    result = "lifted" if verdict.lifted else "holds" if verdict.holds else "DOES NOT HOLD"
    slack = "" if check.relation.is_equation else f", slack {verdict.slack}"
    return f"{name}: {verdict.relation}: {verdict.left} {verdict.sign} {verdict.right}: {result}{slack}"


def checks_text(checks: list[Check], bounded: list[Check]) -> str:
    """Return how many relations and limits hold, which are lifted, and which has the least room."""
    hold = [check for check in checks if check.holds and not check.lifted]
    lifted = [check.relation.name for check in checks if check.lifted]
    relations = sum(not check.relation.name for check in hold)
    counts = [(relations, "relation"), (len(hold) - relations, "limit")]
    text = " and ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count)
    verb = "holds" if len(hold) == 1 else "hold"
    tight = min(bounded, key=lambda check: check.slack, default=None)
    room = "" if tight is None else f", the least room in '{tight.relation.text}': {slack_text(tight.slack)}"
    texts = [f"{text} {verb}{room}."] if text else []
    return " ".join([*texts, *([f"Lifted: {', '.join(lifted)}."] if lifted else [])])
