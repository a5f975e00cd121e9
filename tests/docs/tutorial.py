"""The outline of the tutorial: what each lesson teaches, and whose example it shows."""

from __future__ import annotations

from tests.docs.api_page import Lesson

LESSONS = (
    Lesson(
        "Ask a question",
        "Name a sheet, the cell that is wanted, and what is known. Any cell can be the unknown.",
        "solve",
    ),
    Lesson(
        "Read an answer",
        "An answer has a kind: one value, several, a range, whole numbers, or none with the reason. "
        "It also knows every other cell, the closed form, and what moves it.",
        "Answer",
    ),
    Lesson(
        "Write quantities",
        "A value carries its unit. A GiB is never a GB, and bytes are never added to tokens.",
        "quantity",
    ),
    Lesson(
        "Look up hardware",
        "Chips, systems, datacenters and architectures come from the registry. Every figure has a source.",
        "record",
    ),
    Lesson(
        "Compare several cases",
        "A table asks the same question at several values of some cells, one row for each combination.",
        "table",
    ),
    Lesson(
        "Write a sheet",
        "A sheet is a class, and each line of its body is a row. Units are checked when Python reads the class; "
        "the engine inverts its formulas as those of any other sheet.",
        "Sheet",
    ),
)
