"""Pictures of an answer: its curve as SVG or TikZ, its dependencies as Mermaid text or SVG, charts as SVG or PNG."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.errors import QuestionError, find
from flopsheet.report.pictures.drawing import DECIDES, INK, LONGEST, STYLES, Drawing, left_out_text, shortened
from flopsheet.session import cached

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.answer.answer import Answer
    from flopsheet.answer.table import Table
    from flopsheet.report.pictures.dependencies import Graph, Node
    from flopsheet.report.pictures.plots import Plot

KINDS = {"curve": ("svg", "tex"), "graph": ("svg", "mmd"), "tornado": ("svg", "png"), "waterfall": ("svg", "png")}
_UNSAFE = re.compile(r"[^\w .,]")
_CLASSES = {f"is_{kind}": f"fill:{fill},stroke:{border},color:{INK}" for kind, (fill, border) in STYLES.items()} | {
    "decides": f"stroke:{DECIDES},stroke-width:3px"
}


def picture(answer: Answer, kind: str, shape: str, cell: str = "") -> bytes:
    """Return a picture of an answer in a shape of its kind; of a cell, or of one that is chosen.

    Raises:
        QuestionError: there is no such shape, or nothing to draw.
        FlopsheetError: the library that draws charts is not installed.
    """
    find(kind, KINDS, "picture", "pictures")
    if shape not in KINDS[kind]:
        suffixes = " or ".join(f".{suffix}" for suffix in KINDS[kind])
        problem = f"It cannot be drawn as '{shape}'." if shape else "The file name has no suffix."
        raise QuestionError(f"picture {kind}", problem, f"Choose a file whose name ends in {suffixes}.")
    if kind == "graph":
        if cell:
            raise QuestionError("picture graph", "It shows the whole answer, not a cell.", "Write graph:FILE.")
        return (svg(answer) if shape == "svg" else mermaid(answer.graph)).encode()
    if kind == "curve":
        from flopsheet.report.pictures.curves import curve
        from flopsheet.report.pictures.drawn import plot_svg, plot_tikz
        from flopsheet.report.pictures.plots import plot

        return (plot_svg if shape == "svg" else plot_tikz)(plot(curve(answer, cell))).encode()
    from flopsheet.report.pictures.charts import tornado, waterfall

    return (tornado if kind == "tornado" else waterfall)(answer, cell, shape)


def plotted(answer: Answer, table: Table | None) -> Plot | None:
    """Return the chart of a page: of the table where there is one, else of the answer; None where there is none."""
    from flopsheet.report.pictures.bars import number_bars, ranking_bars, table_bars, tuple_bars
    from flopsheet.report.pictures.curves import curve_of
    from flopsheet.report.pictures.plots import plot
    from flopsheet.report.pictures.table_curves import table_curve

    bars = (ranking_bars(answer) or tuple_bars(answer)) if table is None else None
    if bars is not None:
        return bars
    drawn = curve_of(answer) if table is None else table_curve(table)
    return plot(drawn) if drawn is not None else number_bars(answer) if table is None else table_bars(table)


def svg(answer: Answer) -> str:
    """Return the dependency graph of an answer as SVG, without scripts, fonts or external files."""
    asked = ", ".join(answer.question.unknowns) or "all cells"
    title = shortened(f"Dependencies of {asked} in {answer.question.sheet.name}", 2 * LONGEST)
    return Drawing(answer.graph, title).text()


def mermaid(graph: Graph) -> str:
    """Return a graph as Mermaid text: node ids are generated, and labels escaped, so that no text can end its label."""
    ids = {key: f"n{place}" for place, key in enumerate(graph.nodes)}
    lines = ["flowchart LR", *(_node(ids[key], node) for key, node in graph.nodes.items())]
    for feeder, fed in graph.edges:
        lines.append(f"{ids[feeder]} {'==>' if (feeder, fed) in graph.deciding else '-->'} {ids[fed]}")
    if graph.left_out:
        lines.append(f'more["{left_out_text(graph)}"]')
    return "\n    ".join([*lines, *_classes(graph, ids)]) + "\n"


def _node(key: str, node: Node) -> str:
    label = "<br/>".join([_label(text) for text in (node.name, node.value) if text])
    return f'{key}{{{{"{label}"}}}}' if node.kind == "relation" else f'{key}["{label}"]'


def _classes(graph: Graph, ids: dict[str, str]) -> Iterator[str]:
    """Yield the style of each kind of node, with the nodes that have it."""
    members: dict[str, list[str]] = {name: [] for name in _CLASSES}
    for key, node in graph.nodes.items():
        members[f"is_{node.kind}"].append(ids[key])
        if node.decides:
            members["decides"].append(ids[key])
    for name, style in _CLASSES.items():
        if members[name]:
            yield f"classDef {name} {style}"
            yield f"class {','.join(members[name])} {name}"


@cached(maxsize=4096)
def _label(text: str) -> str:
    """Return a text with all but letters, digits and a few signs as Mermaid's character codes."""
    return _UNSAFE.sub(lambda sign: f"#{ord(sign[0])};", shortened(text))
