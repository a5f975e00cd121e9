"""The graph of an answer as pictures: Mermaid text for Markdown pages, and SVG that stands alone."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.report.pictures.drawing import DECIDES, LONGEST, STYLES, drawn, left_out_text, shortened

if TYPE_CHECKING:
    from flopsheet.answer.answer import Answer
    from flopsheet.report.pictures.dependencies import Graph, Node

_SIGN = re.compile(r"[^\w .,]")


def mermaid(answer: Answer) -> str:
    """Return the graph of what an answer rests on as Mermaid text, for a block of Markdown."""
    return mermaid_text(answer.graph)


def mermaid_text(found: Graph) -> str:
    """Return a graph as Mermaid text: ids are ours, and no text can end its label."""
    ids = {key: f"n{place}" for place, key in enumerate(found.nodes)}
    lines = ["flowchart LR", *(_node(ids[key], node) for key, node in found.nodes.items())]
    for edge in found.edges:
        arrow = "==>" if edge in found.deciding else "-->"
        lines.append(f"{ids[edge[0]]} {arrow} {ids[edge[1]]}")
    if found.left_out:
        lines.append(f'more["{left_out_text(found)}"]')
    return "\n    ".join([*lines, *_classes(found, ids)]) + "\n"


def _node(key: str, node: Node) -> str:
    label = "<br/>".join(_label(text) for text in (node.name, node.value) if text)
    return f'{key}{{{{"{label}"}}}}' if node.kind == "relation" else f'{key}["{label}"]'


def _classes(found: Graph, ids: dict[str, str]) -> list[str]:
    lines = []
    for kind, (fill, border) in STYLES.items():
        members = [ids[key] for key, node in found.nodes.items() if node.kind == kind]
        if members:
            lines += [
                f"classDef is_{kind} fill:{fill},stroke:{border},color:#1f2933",
                f"class {','.join(members)} is_{kind}",
            ]
    deciding = [ids[key] for key, node in found.nodes.items() if node.decides]
    if deciding:
        lines += [f"classDef decides stroke:{DECIDES},stroke-width:3px", f"class {','.join(deciding)} decides"]
    return lines


@lru_cache(maxsize=4096)
def _label(text: str) -> str:
    """Return a text with all but letters, digits and a few signs as Mermaid's codes: it can end no label."""
    return _SIGN.sub(lambda sign: f"#{ord(sign[0])};", shortened(text))


def svg(answer: Answer) -> str:
    """Return the graph of what an answer rests on as SVG: no script, no font or file from elsewhere."""
    found = answer.graph
    asked = ", ".join(answer.question.unknowns) or "all cells"
    title = shortened(f"What lies behind {asked} of {answer.question.sheet.name}", 2 * LONGEST)
    return drawn(found, title)
