"""`ask FOLDER`: the write-up of each question file of a folder, and its curve, beside the file."""

from __future__ import annotations

from collections import Counter
from difflib import unified_diff
from typing import TYPE_CHECKING

from flopsheet.cli.output import ANSWERED, NO_SOLUTION, WRONG, say, write
from flopsheet.errors import FlopsheetError
from flopsheet.files import obstacle

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.answer import Answer

ENDINGS = (".yaml", ".yml")
MARK = "<!-- Written by `flopsheet ask FOLDER`, which overwrites changes. -->\n"
LARGEST = 50_000_000  # bytes of a stored write-up


def ask_folder(folder: Path, template: str) -> int:
    """Answer every question file of a folder, report what has changed, and return the exit code.

    A file that cannot be answered or stored is reported, and the others are answered.

    Raises:
        FlopsheetError: the folder cannot be read, or has no question files.
    """
    from flopsheet.answer.question_file import read_question
    from flopsheet.budget import each, is_stopped
    from flopsheet.report import Extras
    from flopsheet.report.pages import write_beside
    from flopsheet.report.pictures.drawn import SVG_MARK

    files = _questions(folder)
    several = Counter(file.stem for file in files)
    wrong = unsolved = 0
    for place, file in enumerate(each(files, "questions"), 1):
        head = f"{place} of {len(files)}  "
        try:
            _check_name(file, several[file.stem])
            asked = read_question(file)
            answered = asked.answer()
            if is_stopped():  # a partial answer must not replace a stored one
                say(f"Interrupted after {place - 1} of {len(files)}.", err=True)
                return NO_SOLUTION
            stored = file.with_suffix(".md")
            name = f"{file.stem}.svg"
            page, curve = write_beside(answered, template or asked.template, Extras.of(asked), name)
            change = _store(stored, MARK + page, MARK)
            if curve:
                _store(stored.with_name(name), curve, SVG_MARK)
        except FlopsheetError as error:
            wrong += 1
            say(f"{head}{file.name}: WRONG: {' '.join(str(error).split())}")
            continue
        unsolved += not answered.solved
        say(f"{head}{stored.name}: {change}{_failure(answered)}")
    return WRONG if wrong else NO_SOLUTION if unsolved else ANSWERED


def _questions(folder: Path) -> list[Path]:
    """Return the question files of a folder; links are among them, to be rejected by name."""
    from flopsheet.answer.question_file import is_question

    try:
        files = sorted(file for file in folder.iterdir() if file.suffix in ENDINGS)
    except OSError as error:
        raise FlopsheetError(str(folder), f"The folder cannot be read: {error.strerror}.") from None
    questions = [file for file in files if file.is_symlink() or is_question(file)]
    if not questions:
        raise FlopsheetError(str(folder), "There are no question files in it.", "A question file has the key 'sheet'.")
    return questions


def _check_name(file: Path, number: int) -> None:
    if file.is_symlink():
        raise FlopsheetError(str(file), "This is a link, which is not followed.", "Copy the file into the folder.")
    if number > 1:
        problem = f"Another question of this folder would be answered in {file.stem}.md too."
        raise FlopsheetError(str(file), problem, "Rename one of the two.")


def _store(stored: Path, text: str, mark: str) -> str:
    """Write a write-up or its curve if it has changed, and return how it differs from the stored one.

    Raises:
        FlopsheetError: there is something that `ask` did not write, or it cannot be written.
    """
    from flopsheet.registry.packs import content

    if problem := obstacle(stored):
        raise FlopsheetError(str(stored), problem, "Rename it, or delete it.")
    if not stored.exists():
        write(text, stored)
        return "new"
    before = content(stored, str(stored), LARGEST)
    if not before.startswith(mark.encode()):
        raise FlopsheetError(str(stored), "`ask` did not write this file, and keeps it.", "Rename it, or delete it.")
    if before == text.encode():
        return "unchanged"
    write(text, stored)
    lines = before.decode("utf-8", "replace").splitlines(), text.splitlines()
    changes = list(unified_diff(*lines, lineterm="", n=0))[2:]
    added, removed = (sum(line.startswith(sign) for line in changes) for sign in "+-")
    return f"changed, {added} lines added, {removed} removed"


def _failure(answered: Answer) -> str:
    if answered.solved or not answered.meets_question:
        return "" if answered.solved else ", no solution"
    if answered.broken:
        return ", a limit does not hold"
    if answered.unchecked:
        return ", a relation could not be checked"
    return ", a cell is outside of its bounds or no whole number"
