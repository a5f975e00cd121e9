"""Answers for people and programs: write-ups through templates, workbooks, pictures, JSON, text for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flopsheet.answer.question_file import QuestionFile
    from flopsheet.answer.table import Table

# The module of each function by which objects of lower rooms show themselves.
DISPLAYS = {
    "answer_as_csv": "flopsheet.report.as_csv",
    "answer_frame": "flopsheet.report.frames",
    "answer_text": "flopsheet.report.sentences",
    "as_dict": "flopsheet.report.as_json",
    "graph": "flopsheet.report.pictures.dependencies",
    "notebook_formula": "flopsheet.report.pages",
    "notebook_page": "flopsheet.report.pages",
    "notebook_sheet": "flopsheet.report.pages",
    "notebook_view": "flopsheet.report.pages",
    "one_line": "flopsheet.report.headlines",
    "html_table": "flopsheet.report.tables",
    "latex_table": "flopsheet.report.tables",
    "markdown_table": "flopsheet.report.tables",
    "question_file_page": "flopsheet.report.pages",
    "question_page": "flopsheet.report.pages",
    "record_page": "flopsheet.report.pages",
    "sheet_page": "flopsheet.report.pages",
    "table_as_csv": "flopsheet.report.as_csv",
    "table_frame": "flopsheet.report.frames",
    "write_up": "flopsheet.report.pages",
}


@dataclass(frozen=True)
class Extras:
    """What a page or workbook shows besides an answer."""

    title: str = ""  # the headline; empty for one that names unknowns and sheet
    question: str = ""  # the question as a person asks it; empty for a sentence made of unknowns and relations
    every: bool = False  # whether to show the cells at every value that works
    all_steps: bool = False  # whether a page has every step, not only those that the answer uses
    table: Table | None = None  # the same question at several values
    before: tuple[str, ...] = ()  # paragraphs before the answer
    after: tuple[str, ...] = ()  # paragraphs after it
    width: int = 120  # of plain text, in letters
    beside: str = ""  # name of the file beside a Markdown page that holds its curve; empty where none is written

    @classmethod
    def of(cls, file: QuestionFile, *, every: bool = False, all_steps: bool = False) -> Extras:
        """Return the extras of the page of a question file."""
        return cls(file.title, file.wording, every, all_steps, file.table, file.before, file.after)

    @property
    def varied(self) -> tuple[str, ...]:
        """The names that the table varies."""
        return () if self.table is None else self.table.varied


@dataclass(frozen=True)
class Detail:
    """What a terminal shows of an answer besides its first screen."""

    steps: str = ""  # `used`, the steps that the answer uses, or `all`
    cells: bool = False  # every cell, relation and limit
