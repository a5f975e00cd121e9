"""A graph as self-contained SVG: boxes in layers, curves between them, a legend."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from flopsheet.report.pictures.layers import Layers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.report.pictures.dependencies import Graph, Node

LONGEST = 48
STYLES = {  # fill, border
    "given": ("#dbeafe", "#3b6fb6"),
    "default": ("#f1f5f9", "#7b8794"),
    "record": ("#dcfce7", "#3f8f5b"),
    "choice": ("#cffafe", "#3a8aa8"),
    "computed": ("#ffffff", "#7b8794"),
    "relation": ("#ede9fe", "#7a5bb5"),
    "unknown": ("#fde68a", "#b7791f"),
}
DECIDES, LINE, INK = "#c2410c", "#9aa5b1", "#1f2933"
_LETTER, _PAD, _TALL, _LOW = 6.9, 22.0, 40.0, 26.0
_BETWEEN, _ABOVE, _MARGIN, _HEAD, _FOOT = 56.0, 12.0, 24.0, 36.0, 48.0
_LEGEND = 96.0
_FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="12"'


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, without control characters, truncated where it is too long."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(letter).startswith("C") else letter for letter in text)
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def left_out_text(graph: Graph) -> str:
    """Return the note on nodes that are not shown."""
    return f"{graph.left_out} more, farther from the unknowns, not shown"


def draw(graph: Graph, title: str) -> str:
    """Return a graph as SVG.

    Args:
        graph: the graph.
        title: the line above it.
    """
    return _Drawing(graph, title).text()


class _Drawing:
    """The positions of all boxes, and the SVG."""

    def __init__(self, graph: Graph, title: str) -> None:
        self.graph, self.title = graph, title
        self.labels = {key: _labels(node) for key, node in graph.nodes.items()}
        self.tall = {key: _TALL if len(texts) > 1 else _LOW for key, texts in self.labels.items()}
        layers = Layers(list(graph.nodes), graph.edges)
        self.paths = layers.paths
        middle = layers.heights(self.tall, _ABOVE)
        top = min((middle[key] - tall / 2 for key, tall in self.tall.items()), default=0.0)
        top = min([top, *middle.values()])
        self.y = {key: y - top + _MARGIN + _HEAD for key, y in middle.items()}
        self.x, self.wide = self._columns(layers)
        kinds = {node.kind for node in graph.nodes.values()}
        self.legend = [*(kind for kind in STYLES if kind in kinds), *(["decides"] if graph.deciding else [])]
        self.width = self._width()
        bottoms = [self.y[key] + self.tall.get(key, 0) / 2 for key in self.y]
        self.height = max(bottoms, default=_HEAD) + _MARGIN + _FOOT

    def _width(self) -> float:
        ends = [self.x[key] + self.wide[key] for key in self.x]
        texts = [_LETTER * len(self.title), _LEGEND * len(self.legend), _LETTER * len(left_out_text(self.graph))]
        return max([*ends, *(_MARGIN + width for width in texts)]) + _MARGIN

    def _columns(self, layers: Layers) -> tuple[dict[str, float], dict[str, float]]:
        """Return the left edge and the width of each node and bend: a layer is as wide as its widest node."""
        x: dict[str, float] = {}
        wide: dict[str, float] = {}
        left = _MARGIN
        for column in layers.columns:
            longest = max((len(text) for key in column for text in self.labels.get(key, ())), default=0)
            width = _LETTER * longest + _PAD
            x |= dict.fromkeys(column, left)
            wide |= dict.fromkeys(column, width)
            left += width + _BETWEEN
        return x, wide

    def text(self) -> str:
        """Return the SVG."""
        size = f'width="{self.width:.0f}" height="{self.height:.0f}" viewBox="0 0 {self.width:.0f} {self.height:.0f}"'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(self.title)} {_FONT}>',
            f'<rect width="100%" height="100%" fill="#ffffff"/>{_arrowheads()}',
            _text(_MARGIN, _MARGIN + 4, self.title, 'font-size="14" font-weight="bold"'),
            *self._curves(),
            *self._boxes(),
            *self._legend(),
        ]
        return "\n".join([*lines, "</svg>", ""])

    def _curves(self) -> Iterator[str]:
        """Yield the edges; the deciding ones last, so that they are drawn above the others."""
        for edge in sorted(self.graph.edges, key=self.graph.deciding.__contains__):
            decides = edge in self.graph.deciding
            colour, width, head = (DECIDES, 2.5, "decides") if decides else (LINE, 1.2, "plain")
            style = f'fill="none" stroke="{colour}" stroke-width="{width}" marker-end="url(#{head})"'
            yield f'<path d="{self._curve(self.paths[edge])}" {style}/>'

    def _curve(self, path: tuple[str, ...]) -> str:
        first, *rest = path
        at, y = self.x[first] + self.wide[first], self.y[first]
        parts = [f"M{at:.1f} {y:.1f}"]
        for key in rest:
            to = self.x[key] - (2 if key == rest[-1] else 0)
            bow = max(abs(to - at) / 2, _BETWEEN / 2)
            parts.append(f"C{at + bow:.1f} {y:.1f} {to - bow:.1f} {self.y[key]:.1f} {to:.1f} {self.y[key]:.1f}")
            at, y = (self.x[key] + self.wide[key]), self.y[key]
            parts += [f"H{at:.1f}"] if key != rest[-1] else []
        return "".join(parts)

    def _boxes(self) -> Iterator[str]:
        for key, node in self.graph.nodes.items():
            tall, (fill, border) = self.tall[key], STYLES[node.kind]
            stroke = f'stroke="{DECIDES}" stroke-width="2.5"' if node.decides else f'stroke="{border}"'
            around = f'rx="{tall / 2 if node.kind == "relation" else 5:.0f}" fill="{fill}" {stroke}'
            place = f'x="{self.x[key]:.1f}" y="{self.y[key] - tall / 2:.1f}" width="{self.wide[key]:.1f}"'
            tip = f"<title>{escape(shortened(f'{node.kind}: {node.doc or node.name}', 10 * LONGEST))}</title>"
            yield f'<g>{tip}<rect {place} height="{tall:.0f}" {around}/>{"".join(self._words(key))}</g>'

    def _words(self, key: str) -> Iterator[str]:
        name, *value = self.labels[key]
        middle, y = self.x[key] + self.wide[key] / 2, self.y[key]
        yield _text(middle, y + (-3 if value else 4), name, 'text-anchor="middle" font-weight="bold"')
        for text in value:
            yield _text(middle, y + 13, text, 'text-anchor="middle"')

    def _legend(self) -> Iterator[str]:
        """Yield the legend, and the note on nodes that are not shown."""
        y = self.height - _MARGIN
        for place, kind in enumerate(self.legend):
            fill, border = STYLES.get(kind, ("#ffffff", DECIDES))
            x = _MARGIN + place * _LEGEND
            yield f'<rect x="{x}" y="{y - 10}" width="14" height="12" rx="3" fill="{fill}" stroke="{border}"/>'
            yield _text(x + 20, y, kind, "")
        if self.graph.left_out:
            yield _text(_MARGIN, y - 24, left_out_text(self.graph), 'font-style="italic"')


def _labels(node: Node) -> list[str]:
    return [shortened(text) for text in (node.name, node.value) if text] or [""]


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" {style}>{escape(text)}</text>'


def _arrowheads() -> str:
    heads = (("plain", LINE), ("decides", DECIDES))
    shape = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"'
    marks = [f'<marker id="{name}" {shape} orient="auto"><path d="M0 0L8 4L0 8Z" fill="{colour}"/></marker>'
             for name, colour in heads]  # fmt: skip
    return f"<defs>{''.join(marks)}</defs>"
