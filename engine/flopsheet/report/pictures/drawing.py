"""A graph as self-contained SVG: boxes in layers, curves between them, a legend."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.report.pictures.dependencies import Graph

    Edge = tuple[str, str]

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
SWEEPS = 8
BEND = "\n"  # starts the key of a bend: no name contains it
_LETTER, _PAD, _TALL, _LOW = 6.9, 22.0, 40.0, 26.0
_BETWEEN, _ABOVE, _MARGIN, _HEAD, _FOOT = 56.0, 12.0, 24.0, 36.0, 48.0
_LEGEND = 96.0
_DARK = "<style>@media(prefers-color-scheme:dark){.dependencies{filter:invert(1) hue-rotate(180deg)}}</style>"
_FONT = 'font-family="Helvetica, Arial, sans-serif" font-size="12"'
_MARKER = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"'


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return a text on one line, without control characters, truncated where it is too long."""
    if not text.isprintable():
        text = "".join(" " if unicodedata.category(letter).startswith("C") else letter for letter in text)
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def left_out_text(graph: Graph) -> str:
    """Return the note on nodes that are not shown."""
    return f"{graph.left_out} more, farther from the unknowns, not shown"


class Drawing:
    """The positions of all boxes of a graph, and the SVG with a title above them."""

    def __init__(self, graph: Graph, title: str) -> None:
        self.graph, self.title = graph, title
        texts = {key: (node.name, node.value) for key, node in graph.nodes.items()}
        self.labels = {key: [shortened(text) for text in pair if text] or [""] for key, pair in texts.items()}
        self.tall = {key: _TALL if len(texts) > 1 else _LOW for key, texts in self.labels.items()}
        layers = Layers(list(graph.nodes), graph.edges)
        self.paths = layers.paths
        middle = layers.heights(self.tall, _ABOVE)
        top = min((y - self.tall.get(key, 0) / 2 for key, y in middle.items()), default=0.0)
        self.y = {key: y - top + _MARGIN + _HEAD for key, y in middle.items()}
        self.x, self.wide = self._columns(layers)
        kinds = {node.kind for node in graph.nodes.values()}
        self.legend = [*(kind for kind in STYLES if kind in kinds), *(["decides"] if graph.deciding else [])]
        ends = [self.x[key] + self.wide[key] for key in self.x]
        widths = [_LETTER * len(title), _LEGEND * len(self.legend), _LETTER * len(left_out_text(graph))]
        self.width = max([*ends, *(_MARGIN + width for width in widths)]) + _MARGIN
        bottoms = [y + self.tall.get(key, 0) / 2 for key, y in self.y.items()]
        self.height = max(bottoms, default=_HEAD) + _MARGIN + _FOOT

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
        arrowheads = (_arrowhead("plain", LINE), _arrowhead("decides", DECIDES))
        about = f'role="img" aria-label={quoteattr(self.title)} {_FONT}'
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="dependencies" {size} {about}>{_DARK}',
            f'<rect width="100%" height="100%" fill="#ffffff"/><defs>{"".join(arrowheads)}</defs>',
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


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{INK}" {style}>{escape(text)}</text>'


def _arrowhead(name: str, colour: str) -> str:
    return f'<marker id="{name}" {_MARKER} orient="auto"><path d="M0 0L8 4L0 8Z" fill="{colour}"/></marker>'


class Layers:
    """The layers of a graph, from left to right, with short edges and few crossings.

    The method of K. Sugiyama, S. Tagawa and M. Toda (1981): the longest path gives the layer of a node, an edge across
    several layers gets a bend in each, and sweeps order each layer by the barycentres of its neighbours.

    Nodes come nearest to the unknowns first; edges run from left to right, except those that close a cycle.
    """

    def __init__(self, keys: Sequence[str], edges: Sequence[Edge]) -> None:
        self._feeders: dict[str, list[str]] = {key: [] for key in keys}
        self._fed: dict[str, list[str]] = {key: [] for key in keys}
        self.paths: dict[Edge, tuple[str, ...]] = {}
        depths = _depths(keys, edges)
        self.columns: list[list[str]] = [[] for _ in range(1 + max(depths.values(), default=0))]
        for key in keys:
            self.columns[-1 - depths[key]].append(key)
        for edge in edges:
            self._route(edge, depths)
        self._order()

    def _route(self, edge: Edge, depths: Mapping[str, int]) -> None:
        """Route an edge through a bend in each layer that it crosses."""
        feeder, fed = edge
        crossed = range(depths[feeder] - 1, depths[fed], -1)
        bends = [f"{BEND}{feeder}{BEND}{fed}{BEND}{depth}" for depth in crossed]
        for depth, bend in zip(crossed, bends, strict=True):
            self.columns[-1 - depth].append(bend)
            self._feeders[bend], self._fed[bend] = [], []
        self.paths[edge] = (feeder, *bends, fed)
        if depths[feeder] > depths[fed]:
            for left, right in pairwise(self.paths[edge]):
                self._feeders[right].append(left)
                self._fed[left].append(right)

    def _order(self) -> None:
        """Order each layer by the mean position of the neighbours, in sweeps to the left and to the right."""
        for sweep in range(SWEEPS):
            columns = self.columns[::-1] if sweep % 2 == 0 else self.columns
            links = self._fed if sweep % 2 == 0 else self._feeders
            for before, column in pairwise(columns):
                places = {key: place for place, key in enumerate(before)}
                own = {key: place for place, key in enumerate(column)}
                column.sort(key=lambda key: _mean([places[neighbour] for neighbour in links[key]], own[key]))

    def heights(self, sizes: Mapping[str, float], gap: float) -> dict[str, float]:
        """Return the middle of each node and bend, so that boxes do not overlap and edges are as level as possible.

        The sizes are the heights of the nodes, a bend has none; the gap is between two nodes of a layer.
        """
        middle: dict[str, float] = {}
        for column in self.columns:
            at = 0.0
            for key in column:
                middle[key] = at + sizes.get(key, 0.0) / 2
                at += sizes.get(key, 0.0) + gap
        for sweep in range(SWEEPS):
            for column in self.columns[::-1] if sweep % 2 == 0 else self.columns:
                self._level(column, middle, sizes, gap)
        return middle

    def _level(self, column: list[str], middle: dict[str, float], sizes: Mapping[str, float], gap: float) -> None:
        """Move the nodes of a layer towards their neighbours, and keep them apart."""
        links = {key: [middle[end] for end in (*self._feeders[key], *self._fed[key])] for key in column}
        wanted = {key: _mean(links[key], middle[key]) for key in column}
        down, edge = {}, float("-inf")
        for key in column:
            down[key] = max(wanted[key], edge + sizes.get(key, 0.0) / 2)
            edge = down[key] + sizes.get(key, 0.0) / 2 + gap
        up, edge = {}, float("inf")
        for key in reversed(column):
            up[key] = min(wanted[key], edge - sizes.get(key, 0.0) / 2)
            edge = up[key] - sizes.get(key, 0.0) / 2 - gap
        # Both keep the distances within the layer, hence so does their mean.
        middle |= {key: (down[key] + up[key]) / 2 for key in column}


def _mean(numbers: Sequence[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default


def _depths(keys: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Return the layer of each node, counted from the right: the length of its longest path, each cycle cut once."""
    fed: dict[str, list[str]] = {key: [] for key in keys}
    for feeder, target in edges:
        fed[feeder].append(target)
    depths: dict[str, int] = {}
    for key in reversed(keys):
        _measure(key, fed, depths)
    return depths


def _measure(start: str, fed: Mapping[str, list[str]], depths: dict[str, int]) -> None:
    """Set the depth of a node and of all that it feeds: a depth-first search that skips edges to a node in progress."""
    stack, open_ = [(start, iter(fed[start]))], {start}
    if start in depths:
        return
    while stack:
        key, rest = stack[-1]
        child = next((target for target in rest if target not in depths and target not in open_), None)
        if child is not None:
            open_.add(child)
            stack.append((child, iter(fed[child])))
            continue
        stack.pop()
        open_.discard(key)
        depths[key] = max((1 + depths[target] for target in fed[key] if target in depths), default=0)
