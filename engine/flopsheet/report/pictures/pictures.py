"""Pictures of an answer by kind and form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import QuestionError, find

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer

KINDS = {"graph": ("svg", "mmd"), "tornado": ("svg", "png"), "waterfall": ("svg", "png")}


def picture(answer: Answer, kind: str, shape: str, cell: str = "") -> bytes:
    """Return a picture of an answer.

    Args:
        answer: the answer.
        kind: `graph`, `tornado` or `waterfall`.
        shape: `svg`; `mmd` of a graph, `png` of the others.
        cell: of a tornado or waterfall, the cell; chosen where it is empty.

    Raises:
        QuestionError: there is no such form, or nothing to draw.
        FlopsheetError: the library that draws charts is not installed.
    """
    find(kind, KINDS, "picture", "pictures")
    if shape not in KINDS[kind]:
        shapes = " or ".join(f".{each}" for each in KINDS[kind])
        problem = f"It cannot be drawn as '{shape}'." if shape else "The file's name does not say its form."
        raise QuestionError(f"picture {kind}", problem, f"Choose a file whose name ends in {shapes}.")
    if kind == "graph":
        return _graph(answer, shape, cell)
    from flopsheet.report.pictures.charts import tornado, waterfall

    return (tornado if kind == "tornado" else waterfall)(answer, cell, shape)


def _graph(answer: Answer, shape: str, cell: str) -> bytes:
    from flopsheet.report.pictures.dependency_graph import mermaid, svg

    if cell:
        raise QuestionError("picture graph", "It is of the whole answer, not of a cell.", "Write graph:FILE.")
    return (svg if shape == "svg" else mermaid)(answer).encode()
