"""Charts of an answer, drawn by matplotlib: sensitivities as a tornado, the terms of a sum as a waterfall.

matplotlib comes with the extra `plots`; everything else works without it. Figures are made without pyplot, which would
keep global state, so the same answer gives the same file.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flopsheet.errors import FlopsheetError, QuestionError, find
from flopsheet.report.drivers import SMALLEST_ELASTICITY
from flopsheet.report.pictures.drawing import DECIDES, INK, LINE, shortened
from flopsheet.report.pictures.sums import sum_of
from flopsheet.units import format_number, format_quantity, in_unit
from flopsheet.units.text import shown_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer

MOST_BARS, LONGEST = 20, 60
_UP, _TOTAL = "#3b6fb6", "#52606d"
_WIDTH, _LETTER, _BAR, _AROUND = 6.0, 0.085, 0.36, 1.2  # inches
# Overrides a user's own settings, so that the same answer gives the same file.
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "flopsheet",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "text.usetex": False,
    "axes.unicode_minus": True,
}


def tornado(answer: Answer, name: str = "", shape: str = "svg") -> bytes:
    """Return a chart of the elasticities of a cell, largest on top.

    Args:
        answer: the answer.
        name: the cell; empty for the unknown.
        shape: `svg` or `png`.

    Raises:
        QuestionError: the cell has no elasticity, or there is no single unknown.
        FlopsheetError: matplotlib is not installed.
    """
    bars, name = _elasticities(answer, name)
    lengths, texts = list(bars.values()), [f"{value:+.3g}".replace("-", "−") for value in bars.values()]
    colours = [_UP if value > 0 else DECIDES for value in lengths]
    title = f"Percent change of {name} for one percent more of"
    return _render(_Bars(title, [*map(_label, bars)], [0.0] * len(bars), lengths, texts, colours), shape)


def _elasticities(answer: Answer, name: str) -> tuple[dict[str, float], str]:
    cells = answer.question.sheet.cells
    if not name and len(answer.outcomes) != 1:
        raise QuestionError("tornado", "There is no single unknown.", "Name a cell: tornado:CELL:FILE.")
    name = answer.question.sheet.rows.resolve(name) if name else next(iter(answer.outcomes))
    find(name, cells, "cell", "tornado")
    large = {key: value for key, value in answer.elasticities(name).items() if abs(value) >= SMALLEST_ELASTICITY}
    if not large:
        raise QuestionError(f"tornado of '{name}'", "It has no derivative by any input.", "Choose another cell.")
    return dict(list(large.items())[:MOST_BARS]), name


def waterfall(answer: Answer, name: str = "", shape: str = "svg") -> bytes:
    """Return a chart of the terms of a sum, each bar starting where the previous one ends, the total below.

    Args:
        answer: the answer.
        name: the cell; empty for the unknown, or the longest sum on the way to it.
        shape: `svg` or `png`.

    Raises:
        QuestionError: the formula of the cell is not a sum.
        FlopsheetError: matplotlib is not installed.
    """
    total = sum_of(answer, name)
    name, unit = total.cell.name, shown_in(total.si, total.cell.unit)
    lengths = [float(in_unit(term.si, unit)) for term in total.terms]
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    texts = [f"{format_quantity(term.si, unit)}{_share(term.si, total.si)}" for term in total.terms]
    colours = [_UP if length >= 0 else DECIDES for length in lengths]
    names = [_label(text) for text in (*(term.text for term in total.terms), name)]
    title = f"Terms of {name}" + (f" [{unit.text}]" if unit.text else "")
    lengths, texts = [*lengths, float(in_unit(total.si, unit))], [*texts, format_quantity(total.si, unit)]
    return _render(_Bars(title, names, [*starts, 0.0], lengths, texts, [*colours, _TOTAL]), shape)


def _label(text: str) -> str:
    return shortened(text, LONGEST)


def _share(part: Any, whole: Any) -> str:
    if not whole:
        return ""
    percent = round(100 * float(part / whole), 1)
    return f" ({format_number(percent)} %)" if percent or not part else " (below 0.1 %)"


@dataclass(frozen=True)
class _Bars:
    """Horizontal bars, one below the other.

    Args:
        title: the line above them.
        names: the label of each bar.
        starts: the position at which it starts.
        lengths: its length, negative to the left.
        texts: the text at its end.
        colours: its colour.
    """

    title: str
    names: Sequence[str]
    starts: Sequence[float]
    lengths: Sequence[float]
    texts: Sequence[str]
    colours: Sequence[str]

    def draw(self, figure: Any) -> None:
        """Draw the bars on a figure."""
        axes = figure.add_subplot()
        places = range(len(self.names))
        axes.barh(places, self.lengths, left=self.starts, color=self.colours, height=0.66)
        axes.set_yticks(places, labels=self.names, parse_math=False)
        axes.invert_yaxis()
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.set_title(shortened(self.title, 90), loc="left", fontsize=11, parse_math=False)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: format_number(float(f"{value:.6g}")).replace("-", "−"))
        axes.grid(axis="x", color=LINE, alpha=0.3)
        axes.set_axisbelow(True)
        self._write(axes)

    def _write(self, axes: Any) -> None:
        """Write the texts at the ends of the bars, and leave room for them."""
        for place, (start, length, text) in enumerate(zip(self.starts, self.lengths, self.texts, strict=True)):
            left = length < 0
            side = {"xytext": (-4 if left else 4, 0), "textcoords": "offset points", "ha": "right" if left else "left"}
            axes.annotate(text, (start + length, place), va="center", fontsize=9, parse_math=False, **side)
        axes.margins(x=0.15 if min(self.lengths) < 0 else 0.4)


def _render(bars: _Bars, shape: str) -> bytes:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        fix = 'Install it: pip install "flopsheet[plots]".'
        raise FlopsheetError("charts", "They need matplotlib, which is not installed.", fix) from None
    buffer = io.BytesIO()
    with mpl.rc_context(_SETTINGS):
        size = (_WIDTH + _LETTER * max(map(len, bars.names)), _BAR * len(bars.names) + _AROUND)
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        bars.draw(figure)
        removed = {"Date": None, "Creator": None} if shape == "svg" else {"Software": None}
        figure.savefig(buffer, format=shape, metadata=removed)
    return _self_contained(buffer.getvalue()) if shape == "svg" else buffer.getvalue()


def _self_contained(svg: bytes) -> bytes:
    """Return SVG without the lines that refer to external documents."""
    return re.sub(rb"<!DOCTYPE.*?>\s*|<metadata>.*?</metadata>\s*", b"", svg, flags=re.DOTALL)
