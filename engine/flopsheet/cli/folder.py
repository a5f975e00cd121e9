"""Answers all question files of a folder again, and reports what has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from flopsheet.errors import FlopsheetError

if TYPE_CHECKING:
    from pathlib import Path


def ask_folder(folder: Path, template: str) -> tuple[int, int]:
    """Write the write-up of each question file of a folder beside the file.

    Returns:
        how many questions are wrong, and how many have no solution.

    Raises:
        FlopsheetError: there are no question files, or a write-up cannot be written.
    """
    from flopsheet.answer.question_file import is_question, read_question
    from flopsheet.answer.solve import answer
    from flopsheet.cli.output import write
    from flopsheet.report.pages import write_file

    files = [file for file in sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")]) if is_question(file)]
    if not files:
        raise FlopsheetError(str(folder), "There are no question files in it.", "A question file has the key 'sheet'.")
    wrong = unsolved = 0
    for place, file in enumerate(files, 1):
        try:
            asked = read_question(file)
            answered = answer(asked.question)
            text, stored = write_file(asked, template, answered), file.with_suffix(".md")
        except FlopsheetError as error:
            wrong += 1
            click.echo(f"{place} of {len(files)}  {file.name}: WRONG: {' '.join(str(error).split())}")
            continue
        change = _change(stored, text)
        if change != "unchanged":
            write(text, stored)
        unsolved += not answered.solved
        click.echo(f"{place} of {len(files)}  {stored.name}: {change}{'' if answered.solved else ', no solution'}")
    return wrong, unsolved


def _change(stored: Path, text: str) -> str:
    """Return how a write-up differs from the stored one."""
    from difflib import unified_diff

    if not stored.exists():
        return "new"
    before = stored.read_text(encoding="utf-8")
    if before == text:
        return "unchanged"
    lines = list(unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=0))[2:]
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"changed, {added} lines added, {removed} removed"
