"""Charts of an answer, drawn by matplotlib: what moves it, and what makes up a sum.

matplotlib is asked for by the extra `plots`; without it all else works. Its figures are made without pyplot, so that
nothing of them stays behind, and the same answer gives the same file.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flopsheet.errors import FlopsheetError, QuestionError, find
from flopsheet.report.pictures.drawing import DECIDES, INK, LINE, shortened
from flopsheet.report.sentences import SMALLEST_MOVE
from flopsheet.report.terms import sum_of
from flopsheet.units import format_number, format_quantity, in_unit
from flopsheet.units.text import shown_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.answer.answer import Answer

MOST_BARS, LONGEST = 20, 60
_UP, _TOTAL = "#3b6fb6", "#52606d"
_WIDTH, _LETTER, _BAR, _AROUND = 6.0, 0.085, 0.36, 1.2  # inches
# What a user's own settings must not change: the same answer gives the same file.
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "flopsheet",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "text.usetex": False,
    "axes.unicode_minus": True,
}


def tornado(answer: Answer, name: str = "", shape: str = "svg") -> bytes:
    """Return a chart of the elasticities of a cell, the strongest on top.

    Args:
        answer: the answer.
        name: the cell; the unknown where it is empty.
        shape: `svg` or `png`.

    Raises:
        QuestionError: nothing moves the cell smoothly, or there is no single unknown.
        FlopsheetError: matplotlib is not installed.
    """
    bars, name = _moves(answer, name)
    lengths, texts = list(bars.values()), [f"{value:+.3g}".replace("-", "−") for value in bars.values()]
    colours = [_UP if value > 0 else DECIDES for value in lengths]
    title = f"Percent by which {name} moves with one percent more of"
    return _drawn(_Bars(title, [*map(_label, bars)], [0.0] * len(bars), lengths, texts, colours), shape)


def _moves(answer: Answer, name: str) -> tuple[dict[str, float], str]:
    cells = answer.question.sheet.cells
    if not name and len(answer.outcomes) != 1:
        raise QuestionError("tornado", "There is no single unknown.", "Name a cell: tornado:CELL:FILE.")
    name = answer.question.sheet.rows.called(name) if name else next(iter(answer.outcomes))
    find(name, cells, "cell", "tornado")
    found = {key: value for key, value in answer.elasticities(name).items() if abs(value) >= SMALLEST_MOVE}
    if not found:
        raise QuestionError(f"tornado of '{name}'", "No input moves it smoothly.", "Take another cell.")
    return dict(list(found.items())[:MOST_BARS]), name


def waterfall(answer: Answer, name: str = "", shape: str = "svg") -> bytes:
    """Return a chart of what makes up a sum, each term beginning where the one before ends, the total below.

    Args:
        answer: the answer.
        name: the cell; where it is empty the unknown, or the longest sum on the way to it.
        shape: `svg` or `png`.

    Raises:
        QuestionError: the formula of the cell is no sum.
        FlopsheetError: matplotlib is not installed.
    """
    found = sum_of(answer, name)
    unit = shown_in(found.si, found.cell.unit)
    lengths = [float(in_unit(each.si, unit)) for each in found.terms]
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    texts = [f"{format_quantity(each.si, unit)}{_share(each.si, found.si)}" for each in found.terms]
    colours = [_UP if length >= 0 else DECIDES for length in lengths]
    name, total = found.cell.name, float(in_unit(found.si, unit))
    names = [_label(each) for each in (*(term.text for term in found.terms), name)]
    shown = [*texts, format_quantity(found.si, unit)]
    title = f"What makes up {name}" + (f" [{unit.text}]" if unit.text else "")
    return _drawn(_Bars(title, names, [*starts, 0.0], [*lengths, total], shown, [*colours, _TOTAL]), shape)


def _label(text: str) -> str:
    return shortened(text, LONGEST)


def _share(part: Any, whole: Any) -> str:
    if not whole:
        return ""
    percent = round(100 * float(part / whole), 1)
    return f" ({format_number(percent)} %)" if percent or not part else " (below 0.1 %)"


@dataclass(frozen=True)
class _Bars:
    """Bars from left to right, one below the other.

    Args:
        title: the line above them.
        names: what each is.
        starts: where each begins.
        lengths: how long each is, negative to the left.
        texts: what stands at the end of each.
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
        """Write the numbers at the ends, and leave room for them."""
        for place, (start, length, text) in enumerate(zip(self.starts, self.lengths, self.texts, strict=True)):
            left = length < 0
            how = {"xytext": (-4 if left else 4, 0), "textcoords": "offset points", "ha": "right" if left else "left"}
            axes.annotate(text, (start + length, place), va="center", fontsize=9, parse_math=False, **how)
        axes.margins(x=0.15 if min(self.lengths) < 0 else 0.4)


def _drawn(bars: _Bars, shape: str) -> bytes:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        fix = 'Install it: pip install "flopsheet[plots]".'
        raise FlopsheetError("charts", "They are drawn by matplotlib, which is not installed.", fix) from None
    buffer = io.BytesIO()
    with mpl.rc_context(_SETTINGS):
        size = (_WIDTH + _LETTER * max(map(len, bars.names)), _BAR * len(bars.names) + _AROUND)
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        bars.draw(figure)
        without = {"Date": None, "Creator": None} if shape == "svg" else {"Software": None}
        figure.savefig(buffer, format=shape, metadata=without)
    return _alone(buffer.getvalue()) if shape == "svg" else buffer.getvalue()


def _alone(svg: bytes) -> bytes:
    """Return SVG without the lines that name documents elsewhere."""
    return re.sub(rb"<!DOCTYPE.*?>\s*|<metadata>.*?</metadata>\s*", b"", svg, flags=re.DOTALL)
