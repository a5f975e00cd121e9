"""The strokes, texts and dots of a chart, 356 pixels wide, so that it is read on a telephone without being scaled."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.report.pictures.drawing import shortened
from flopsheet.report.pictures.scales import Scale, tick_text
from flopsheet.session import cached
from flopsheet.units import in_unit
from flopsheet.units.text import shown_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.report.pictures.curves import Axis, Curve, Line
    from flopsheet.units import Number, Unit

WIDTH, HEIGHT = 356.0, 226.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 54.0, 12.0, 58.0, 40.0
_LETTER, MOST_LETTERS, MOST_TITLE = 6.6, 46, 46
_LINES = ("line", "line2", "line3", "line4")
_APART = 12.0  # between the text of a tick and the next


class Stroke(NamedTuple):
    """A line through points, in pixels from the left and from above."""

    points: tuple[tuple[float, float], ...]
    style: str  # `axis`, `grid`, `limit`, `line`, one of `line2` to `line4`, `bar` or `broken`


class Words(NamedTuple):
    """A text at a point: its `start`, `middle` or `end`."""

    x: float
    y: float
    text: str
    anchor: str
    style: str  # `title`, `tick`, `note`, or that of the line it names


class Dot(NamedTuple):
    """A filled circle."""

    x: float
    y: float
    style: str  # `chosen`, `works`, `works2` to `works4`, or `fails`


class Plot(NamedTuple):
    """A chart as strokes, texts and dots, and what it shows in words."""

    parts: tuple[Stroke | Words | Dot, ...]
    about: str
    height: float = HEIGHT


@cached(maxsize=256)
def plot(curve: Curve) -> Plot:
    """Return a curve as a chart."""
    return Plot(tuple(_Chart(curve).parts()), _about(curve))


def _about(curve: Curve) -> str:
    marks = "; ".join(mark.text for mark in curve.marks if mark.text)
    return f"{curve.title}{f' ({marks})' if marks else ''}"


class _Chart:
    """The scales of a curve and where its numbers are drawn."""

    def __init__(self, curve: Curve) -> None:
        self._curve = curve
        across = [x for line in curve.lines for x, _ in line.points] + [mark.at[0] for mark in curve.marks]
        up = [y for line in curve.lines for _, y in line.points] + [mark.at[1] for mark in curve.marks]
        self._x_unit, self._y_unit = _unit_of(curve.x, across), _unit_of(curve.y, up)
        self._x = Scale.over([_in(x, self._x_unit) for x in across], room=0.0)
        self._y = Scale.over([_in(y, self._y_unit) for y in up])

    def parts(self) -> Iterator[Stroke | Words | Dot]:
        """Yield all that is drawn, the background first."""
        yield from self._frame()
        names = [*dict.fromkeys(line.name for line in self._curve.lines if not line.is_limit)]
        for line in sorted(self._curve.lines, key=attrgetter("is_limit")):
            yield self._stroke(line, "limit" if line.is_limit else _LINES[names.index(line.name) % len(_LINES)])
        yield from (Dot(*self._at(mark.at), mark.kind) for mark in reversed(self._curve.marks))
        yield from self._legend()

    def _at(self, point: tuple[float, float]) -> tuple[float, float]:
        across, up = self._x.part(_in(point[0], self._x_unit)), self._y.part(_in(point[1], self._y_unit))
        wide, tall = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
        return round(_LEFT + across * wide, 1), round(HEIGHT - _BOTTOM - up * tall, 1)

    def _stroke(self, line: Line, style: str) -> Stroke:
        return Stroke(tuple(map(self._at, line.points)), style)

    def _frame(self) -> Iterator[Stroke | Words]:
        """Yield the title, the axes, their numbers and what they show."""
        bottom, right = HEIGHT - _BOTTOM, WIDTH - _RIGHT
        yield Words(8.0, 16.0, shortened(self._curve.title, MOST_TITLE), "start", "title")
        for number in self._y.ticks(4, whole=self._curve.y.whole):
            y = round(bottom - self._y.part(number) * (bottom - _TOP), 1)
            yield Stroke(((_LEFT, y), (right, y)), "grid")
            yield Words(_LEFT - 6, y + 4, tick_text(number), "end", "tick")
        yield Stroke(((_LEFT, bottom), (right, bottom)), "axis")
        reached = 0.0
        for number in self._x.ticks(whole=self._curve.x.whole):
            x, text = round(_LEFT + self._x.part(number) * (right - _LEFT), 1), tick_text(number)
            half = _LETTER * len(text) / 2
            if x - half >= reached and x + half <= WIDTH:
                yield Words(x, bottom + 15, text, "middle", "tick")
                reached = x + half + _APART
        yield Words(8.0, _TOP - 8, _labelled("", self._y_unit), "start", "tick")
        name = shortened(_labelled(self._curve.x.name, self._x_unit), MOST_TITLE)
        yield Words(right, bottom + 31, name, "end", "tick")

    def _legend(self) -> Iterator[Words | Dot]:
        """Yield the answer and the value beside it, then the limit, or the lines where there are several."""
        texts = [(mark.kind, mark.text) for mark in self._curve.marks if mark.text][:2]
        x = 14.0
        for kind, text in texts:
            yield Dot(x, 28.0, kind)
            shown = shortened(text, MOST_LETTERS // len(texts))
            yield Words(x + 8, 32.0, shown, "start", kind)
            x += _LETTER * len(shown) + 26
        names = dict.fromkeys((line.name, line.is_limit) for line in self._curve.lines)
        limit = next((f"{line.word} {line.name}" for line in self._curve.lines if line.is_limit), "")
        x = _LEFT + 26
        if limit:
            yield Words(WIDTH - _RIGHT, 48.0, shortened(limit, 36), "end", "limit")
        elif len(names) > 1:
            for place, (name, _) in enumerate([*names][: len(_LINES)]):
                shown = shortened(name, 46 // min(len(names), len(_LINES)))
                yield Words(x, 48.0, shown, "start", _LINES[place])
                x += _LETTER * len(shown) + 14


def _unit_of(axis: Axis, numbers: Sequence[float]) -> Unit:
    return shown_in(max(numbers, key=abs), axis.unit)


def _in(number: Number, unit: Unit) -> float:
    return float(in_unit(number, unit))


def _labelled(name: str, unit: Unit) -> str:
    return f"{name} [{unit.text}]".strip() if unit.text else name
