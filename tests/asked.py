"""The questions of the built-in pack: what many tests ask is read and answered once in a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet import Answer, read_question
from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from flopsheet.answer.question_file import QuestionFile

FOLDER = packs()[0].folder / "models" / "questions"
LONGEST = (
    "disaggregated-chat-70b",
    "chips-1000-users-30-tokens",
    "spare-nodes-for-goodput",
)  # to answer: the slow suite asks these


@cache
def asked(name: str | Path) -> QuestionFile:
    """Return the question of a file, or of its stem."""
    return read_question(FOLDER / f"{Path(name).stem}.yaml")


def answered(name: str | Path) -> Answer:
    """Return its answer, which keeps what was prepared for printing."""
    return _answered(Path(name).stem)


@cache
def _answered(name: str) -> Answer:
    return asked(name).answer()
