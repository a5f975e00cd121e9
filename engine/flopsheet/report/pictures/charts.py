"""Charts of an answer, drawn by matplotlib: sensitivities as a tornado, the terms of a sum as a waterfall.

matplotlib comes with the extra `plots`; everything else works without it. Figures are made without pyplot, which would
keep global state, so the same answer gives the same file.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from flopsheet.errors import ArithmeticTrapError, QuestionError, find, joined
from flopsheet.formulas.evaluate import Values, binding_branch, evaluate
from flopsheet.formulas.printing import in_order, in_text
from flopsheet.formulas.relation import cells_of
from flopsheet.functions import Trait, nodes, taken
from flopsheet.report.drivers import drivers
from flopsheet.report.pictures.curves import limit_text
from flopsheet.report.pictures.dependencies import Dependencies
from flopsheet.report.pictures.drawing import DECIDES, INK, LINE, shortened
from flopsheet.report.pictures.scales import tick_text
from flopsheet.units import Number, Unit, format_number, format_quantity, in_unit
from flopsheet.units.columns import headed
from flopsheet.units.text import shown_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes

    from flopsheet.answer.answer import Answer
    from flopsheet.functions.symbols import Expr
    from flopsheet.sheets.cell import Cell

MOST_BARS, LONGEST, MOST_SUGGESTED = 20, 60, 6
FURTHEST = 4  # a line further away than so many times the longest bar would make all of them short
_UP, _TOTAL, _PAGE = "#3b6fb6", "#52606d", "#ffffff"
_IN_THE_DARK = {  # instead of each colour, on a dark page
    _UP: "#8ab4f8", _TOTAL: "#9aa4af", _PAGE: "#16191d", DECIDES: "#f2867e", INK: "#e3e6ea", LINE: "#59636e",
}  # fmt: skip
_WIDTH, _LETTER, _BAR, _AROUND = 6.0, 0.085, 0.36, 1.2  # inches
_ROW = 0.55  # of the label of a line, in bars
_ON_LINES = {"facecolor": _PAGE, "linewidth": 0, "pad": 2.0}  # behind a text, so that a line does not touch it
# Overrides a user's own settings, so that the same answer gives the same file.
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "flopsheet",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "text.usetex": False,
    "axes.unicode_minus": True,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color"), INK),
}


class Bar(NamedTuple):
    """A horizontal bar: its label, where it starts, its length (negative to the left), the text at its end."""

    name: str
    start: float
    length: float
    text: str
    colour: str


class Line(NamedTuple):
    """A level across all bars: its label, and where it is."""

    name: str
    at: float


def tornado(answer: Answer, name: str = "", shape: str = "svg") -> bytes:
    """Return a chart of the drivers of a cell, the unknown by default, as `svg` or `png`; the largest on top.

    Raises:
        QuestionError: the cell has no elasticity, or there is no single unknown.
        FlopsheetError: matplotlib is not installed.
    """
    if not name and len(answer.outcomes) != 1:
        raise QuestionError("tornado", "There is no single unknown.", "Name a cell: tornado:CELL:FILE.")
    name = answer.question.sheet.rows.resolve(name) if name else next(iter(answer.outcomes))
    find(name, answer.question.sheet.cells, "cell", "tornado")
    large = drivers(answer, name)
    if not large:
        raise QuestionError(f"tornado of '{name}'", "It has no derivative by any input.", "Choose another cell.")
    bars = [_bar(key, 0.0, value, f"{value:+.3g}".replace("-", "−")) for key, value in large[:MOST_BARS]]
    return _render(f"Percent change of {name} for one percent more of", bars, shape)


def waterfall(answer: Answer, name: str = "", shape: str = "svg") -> bytes:
    """Return a chart of the terms of a cell by `sum_of`, each bar starting where the previous ends, the total below.

    Terms that are zero have no bar. Lines stand where the relations and limits of the answer bound the cell, unless
    that is far beyond the bars.

    Raises:
        QuestionError: the formula of the cell is not a sum.
        FlopsheetError: matplotlib is not installed.
    """
    total = sum_of(answer, name)
    unit, bars, start = shown_in(total.si, total.cell.unit), [], 0.0
    for term in [term for term in total.terms if term.si] or total.terms:
        text, length = format_quantity(term.si, unit), float(in_unit(term.si, unit))
        bars.append(_bar(term.text, start, length, text + _share(term.si, total.si)))
        start += length
    label, length = shortened(total.cell.name, LONGEST), float(in_unit(total.si, unit))
    bars.append(Bar(label, 0.0, length, format_quantity(total.si, unit), _TOTAL))
    longest = max(abs(bar.start + bar.length) for bar in bars)
    lines = [line for line in _bounds(answer, total.cell, unit) if abs(line.at) <= FURTHEST * longest]
    return _render(headed(f"Terms of {total.cell.name}", unit.text), bars, shape, lines)


def _bounds(answer: Answer, cell: Cell, unit: Unit) -> list[Line]:
    """Return what relations and limits compare a cell with, in a unit; each level once."""
    levels, names = dict[float, Line](), tuple(answer.question.sheet.cells)
    for check in answer.binding:
        own = check.relation
        for side, other, value in ((own.left, own.right, check.right), (own.right, own.left, check.left)):
            if side == cell.symbol and not own.is_equation:
                at, text = float(in_unit(value, unit)), limit_text(other, value, unit, names)
                levels.setdefault(at, Line(shortened(text, LONGEST), at))
    return [*levels.values()]


def _bar(name: str, start: float, length: float, text: str) -> Bar:
    return Bar(shortened(name, LONGEST), start, length, text, _UP if length >= 0 else DECIDES)


def _share(part: Number, whole: Number) -> str:
    if not whole:
        return ""
    percent = round(100 * float(part / whole), 1)
    return f" ({format_number(percent)} %)" if percent or not part else " (below 0.1 %)"


def _render(title: str, bars: Sequence[Bar], shape: str, lines: Sequence[Line] = ()) -> bytes:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        from flopsheet.report.missing import not_installed

        raise not_installed("--picture", "Charts", "matplotlib") from None
    buffer = io.BytesIO()
    with mpl.rc_context(_SETTINGS):
        height = _BAR * (len(bars) + len(lines) / 2) + _AROUND
        size = (_WIDTH + _LETTER * max(len(bar.name) for bar in bars), height)
        figure = Figure(figsize=size, dpi=150, layout="constrained")
        axes = figure.add_subplot()
        _draw(axes, title, bars)
        _draw_lines(axes, lines, len(bars))
        removed = {"Date": None, "Creator": None} if shape == "svg" else {"Software": None}
        figure.savefig(buffer, format=shape, metadata=removed)
    if shape != "svg":
        return buffer.getvalue()
    external = rb"<!DOCTYPE.*?>\s*|<metadata>.*?</metadata>\s*"  # lines that refer to other documents
    return re.sub(external, b"", buffer.getvalue(), flags=re.DOTALL).replace(
        b"</style>", _dark_rules() + b"</style>", 1
    )


def _dark_rules() -> bytes:
    """Return the rules by which a chart follows a dark page; programs that know no such rules show it as on paper."""
    pairs = ((use, *colours) for colours in _IN_THE_DARK.items() for use in ("fill", "stroke"))
    rules = "".join(f'[style*="{use}: {light}"]{{{use}:{dark}!important}}' for use, light, dark in pairs)
    return f"@media(prefers-color-scheme:dark){{{rules}}}".encode()


def _draw(axes: Axes, title: str, bars: Sequence[Bar]) -> None:
    names, starts, lengths, texts, colours = zip(*bars, strict=True)
    axes.barh(range(len(bars)), lengths, left=starts, color=colours, height=0.66)
    axes.set_yticks(range(len(bars)), labels=names, parse_math=False)
    axes.invert_yaxis()
    axes.axvline(0, color=INK, linewidth=0.8)
    axes.set_title(shortened(title, 90), loc="left", fontsize=11, parse_math=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(lambda value, _: tick_text(value).replace("-", "−"))
    axes.grid(axis="x", color=LINE, alpha=0.3)
    axes.set_axisbelow(True)
    for place, (start, length, text) in enumerate(zip(starts, lengths, texts, strict=True)):
        side: dict[str, Any] = {"xytext": (-4, 0), "ha": "right"} if length < 0 else {"xytext": (4, 0), "ha": "left"}
        end = (start + length, place)
        shown = {"va": "center", "fontsize": 9, "parse_math": False, "bbox": _ON_LINES, **side}
        axes.annotate(text, end, textcoords="offset points", **shown)
    axes.margins(x=0.15 if min(lengths) < 0 else 0.4)


def _draw_lines(axes: Axes, lines: Sequence[Line], below: int) -> None:
    """Draw levels, each with its label in a row of its own below so many bars."""
    if lines:
        axes.set_ylim(below - 0.5 + _ROW * len(lines), -0.6)
    for row, (name, at) in enumerate(sorted(lines, key=lambda line: line.at)):
        axes.axvline(at, color=DECIDES, linewidth=1.2, linestyle="--", zorder=1)
        place: dict[str, Any] = {"xytext": (-5, 0), "ha": "right", "va": "center", "fontsize": 9, "bbox": _ON_LINES}
        label = (at, below - 0.25 + _ROW * row)
        axes.annotate(name, label, textcoords="offset points", color=DECIDES, parse_math=False, **place)


class Term(NamedTuple):
    """A term of a sum as text, `state_memory/n_fsdp`, and its value in base units, negative where it is subtracted."""

    text: str
    si: Number


class Sum(NamedTuple):
    """A cell, the terms of its formula in the order of declaration, and the value of all terms in base units."""

    cell: Cell
    terms: tuple[Term, ...]
    si: Number


def sum_of(answer: Answer, name: str = "") -> Sum:
    """Return the terms of the formula of a cell; for a max or min, those of the branch that determines it.

    With no name, the cell is the first unknown whose formula is a sum, else the one with most terms on the way to the
    unknowns; among equals, the nearest.

    Raises:
        UnknownNameError: there is no such cell.
        QuestionError: its formula is not a sum, or has no value.
    """
    where = f"waterfall of '{name}'" if name else "waterfall"
    if name:
        name = answer.question.sheet.rows.resolve(name)
        find(name, answer.question.sheet.cells, "cell", where)
    unknowns = filter(None, (_sum(answer, unknown) for unknown in answer.outcomes))
    result = _sum(answer, name) if name else next(unknowns, None) or max(_sums(answer), key=_named, default=None)
    if result is None:
        sums = [candidate.cell.name for candidate in _sums(answer)][:MOST_SUGGESTED]
        problem = f"The formula of '{name}' is not a sum that has a value." if name else "No cell on the way is a sum."
        raise QuestionError(where, problem, f"Choose {joined(sums, 'or')}." if sums else "")
    return result


def _named(total: Sum) -> int:
    return sum(term.text[:1].isalpha() for term in total.terms)


def _sums(answer: Answer) -> Iterator[Sum]:
    """Yield the sums on the way to the unknowns, nearest first."""
    return filter(None, (_sum(answer, key) for key in Dependencies(answer).nearest_first()))


def _sum(answer: Answer, name: str) -> Sum | None:
    cell = answer.cells[name].cell if name in answer.cells else None
    if cell is None or cell.formula is None:
        return None
    values, names = answer.values, tuple(answer.question.sheet.cells)
    try:
        terms = _terms(taken(cell.formula, answer.question.options), values)
        if len(terms) < 2:
            return None
        total = sympy.Add(*terms, evaluate=False)
        shown = tuple(Term(in_text(term, names), evaluate(term, values)) for term in in_order(total, names))
        return Sum(cell, shown, evaluate(total, values))
    except (ArithmeticTrapError, KeyError):  # a cell in it has no value
        return None


def _terms(formula: Expr, values: Values) -> list[Expr]:
    """Return the terms of a formula, nested sums flattened.

    A product with one sum as factor is multiplied out, unless a term of it is a plain number or subtracted: `a (b + c)`
    is two terms, `a (1 - b)` is one.
    """
    while isinstance(formula, nodes(Trait.EXTREME)):
        formula = binding_branch(formula, values)
    if isinstance(formula, sympy.Add):
        return [term for summand in formula.args for term in _terms(summand, values)]
    factors = formula.args if isinstance(formula, sympy.Mul) else ()
    sums = [factor for factor in factors if isinstance(factor, sympy.Add)]
    if len(sums) != 1 or any(not cells_of(term) or term.could_extract_minus_sign() for term in sums[0].args):
        return [formula]
    rest = sympy.Mul(*(factor for factor in factors if factor is not sums[0]))
    return [rest * term for summand in sums[0].args for term in _terms(summand, values)]
