"""The outcomes of an answer in words; of unknowns that have no values together, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import joined
from flopsheet.report.sentences import answer_line, outcome_text

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.answer.outcomes.outcome import Outcome


def nothing_together(answer: Answer) -> str:
    """Return that several unknowns have no values: `no n_pp, n_dp and n_tp work together`; empty for all else."""
    outcomes = [*answer.outcomes.values()]
    if len(outcomes) < 2 or any(own.kind != "none" or own.neighbours or own.open for own in outcomes):
        return ""
    return f"no {joined([own.cell.name for own in outcomes])} work together"


def outcome_texts(answer: Answer) -> list[tuple[str, bool]]:
    """Return the outcomes in words, `n_fsdp >= 45.76, so 46`, each with whether there is a value."""
    if together := nothing_together(answer):
        return [(together, False)]
    return [(outcome_text(own), own.kind != "none") for own in answer.outcomes.values()]


def answer_lines(answer: Answer) -> list[str]:
    """Return the outcomes as sentences: `Chips of the run (n_chips): at least 8192 chip.`."""
    if together := nothing_together(answer):
        return [f"{together[:1].upper()}{together[1:]}."]
    return [answer_line(own) for own in answer.outcomes.values()]


def has_two_ends(outcome: Outcome) -> bool:
    """Whether an outcome is one range with two ends that relations set."""
    is_single = len(outcome.listed) == 1 and not outcome.progressions
    return outcome.kind == "range" and is_single and outcome.is_one_of_several
