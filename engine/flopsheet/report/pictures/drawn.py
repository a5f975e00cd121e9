"""A chart as SVG, which follows a dark page and needs nothing else, and as TikZ for LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from flopsheet.report.forms.latex import tex
from flopsheet.report.pictures.plots import WIDTH, Dot, Plot, Stroke, Words

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator

# By style: in the light, in the dark, and in LaTeX.
COLOURS = {
    "ink": ("#1b1f24", "#e3e6ea", "black"),
    "soft": ("#59636e", "#9aa4af", "black!65"),
    "grid": ("#e4e8ec", "#2b3138", "black!12"),
    "line": ("#0b57d0", "#8ab4f8", "blue!75!black"),
    "line2": ("#b45309", "#f0b35e", "orange!80!black"),
    "line3": ("#0f766e", "#5eead4", "teal!80!black"),
    "line4": ("#7e22ce", "#d8b4fe", "violet"),
    "limit": ("#b3261e", "#f2867e", "red!75!black"),
}
STYLES = {  # the colour of each style, and how wide its strokes are
    "axis": ("soft", 1.0), "grid": ("grid", 1.0), "limit": ("limit", 1.6), "line": ("line", 2.0),
    "line2": ("line2", 2.0), "line3": ("line3", 2.0), "line4": ("line4", 2.0),
    "bar": ("line", 11.0), "broken": ("limit", 11.0),
    "title": ("ink", 0.0), "tick": ("soft", 0.0), "note": ("soft", 0.0),
    "chosen": ("line", 4.5), "works": ("line", 2.5), "fails": ("limit", 4.5),
    "works2": ("line2", 2.5), "works3": ("line3", 2.5), "works4": ("line4", 2.5),
}  # fmt: skip
SVG_MARK = '<svg xmlns="http://www.w3.org/2000/svg" class="plot"'
_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
_LARGE = 1.5  # how much larger than on a telephone a chart is where there is room
_SCALE = 0.0282  # centimetres of a pixel: 10 cm of 356
_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def plot_svg(plot: Plot) -> str:
    """Return a chart as an SVG without scripts, fonts and external files."""
    size = f'width="{WIDTH * _LARGE:.0f}" height="{plot.height * _LARGE:.0f}" viewBox="0 0 {WIDTH:.0f} {plot.height:g}"'
    shapes = "\n".join(map(_shape, plot.parts))
    about = quoteattr(plot.about)
    return (
        f'{SVG_MARK} {size} role="img" aria-label={about}>\n'
        f"<style>{_css({part.style for part in plot.parts})}</style>\n"
        f'<rect class="page" width="100%" height="100%"/>\n{shapes}\n</svg>\n'
    )


def _css(styles: Container[str]) -> str:
    """Return the rules for these styles alone."""
    used = {style: colour for style, (colour, _) in STYLES.items() if style in styles}
    light, dark = (_variables(place, used.values()) for place in (0, 1))
    rules = "".join(f".plot .{style}{{color:var(--plot-{colour})}}" for style, colour in used.items())
    return (
        f".plot{{{light};--plot-page:#fff}}@media(prefers-color-scheme:dark){{.plot{{{dark};--plot-page:#16191d}}}}"
        f".plot .page{{fill:var(--plot-page)}}.plot text{{fill:currentColor;font:12px {_FONT}}}"
        ".plot .title{font-weight:600}.plot path{fill:none;stroke:currentColor;stroke-linejoin:round}"
        f".plot path.limit{{stroke-dasharray:6 4}}.plot circle{{fill:currentColor}}{rules}"
    )


def _variables(place: int, names: Collection[str]) -> str:
    return ";".join(f"--plot-{name}:{colours[place]}" for name, colours in COLOURS.items() if name in names)


def _shape(part: Stroke | Words | Dot) -> str:
    width = STYLES[part.style][1]
    if isinstance(part, Stroke):
        points = "L".join(f"{x:g} {y:g}" for x, y in part.points)
        return f'<path class="{part.style}" d="M{points}" stroke-width="{width:g}"/>'
    if isinstance(part, Dot):
        return f'<circle class="{part.style}" cx="{part.x:g}" cy="{part.y:g}" r="{width:g}"/>'
    anchor = f'text-anchor="{part.anchor}"'
    return f'<text class="{part.style}" x="{part.x:g}" y="{part.y:g}" {anchor}>{escape(part.text)}</text>'


def plot_tikz(plot: Plot) -> str:
    """Return a chart for LaTeX, for a document with the package `tikz`."""
    drawn = "\n".join(_drawn(plot))
    return f"\\begin{{tikzpicture}}[x={_SCALE}cm,y=-{_SCALE}cm]\n{drawn}\n\\end{{tikzpicture}}"


def _drawn(plot: Plot) -> Iterator[str]:
    for part in plot.parts:
        name, width = STYLES[part.style]
        colour = COLOURS[name][2]
        if isinstance(part, Stroke):
            dashed = ",dashed" if part.style == "limit" else ""
            path = " -- ".join(f"({x:g},{y:g})" for x, y in part.points)
            yield rf"\draw[{colour},line width={width / 2:g}pt{dashed}] {path};"
        elif isinstance(part, Dot):
            yield rf"\fill[{colour}] ({part.x:g},{part.y:g}) circle[radius={width / 2.5:g}pt];"
        else:
            font = r"\footnotesize\bfseries" if part.style == "title" else r"\scriptsize"
            place = f"anchor={_ANCHORS[part.anchor]},inner sep=0pt,font={font}"
            yield rf"\node[{colour},{place}] at ({part.x:g},{part.y:g}) {{{tex(part.text)}}};"
