"""Formulas as MathML, which browsers draw without scripts and without fonts of the page."""

from __future__ import annotations

import html
import re
from functools import cache
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup, escape

from flopsheet.errors import TemplateError
from flopsheet.report.maths.breaking import COLUMN, stands_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_UPRIGHT = re.compile(r"\\mathrm\{((?:[^\\{}^]|\\[%_])*)\}")
_ESCAPED = re.compile(r"\\([%_&#${} ])")


def math(latex: str) -> Markup:
    """Return a formula in LaTeX as MathML inside a line."""
    return _shown(latex, lambda: _drawn(latex, "inline"))


def display(latex: str) -> Markup:
    """Return a formula in LaTeX as MathML on a line of its own."""
    return _shown(latex, lambda: _drawn(latex, "block"))


def aligned(lines: Iterable[str]) -> Markup:
    """Return lines in LaTeX as MathML, one below the other, each with its `&` under that of the first; one alone."""
    given = [str(line) for line in lines]
    if stands_alone(given):
        return display(given[0])
    return _shown("\n".join(given), lambda: _table(given))


def _drawn(latex: str, shape: str) -> Element:
    made = Element("math", {"xmlns": NAMESPACE, "display": shape})
    made.extend(_parts(latex))
    return made


def _table(lines: list[str]) -> Element:
    made = Element("math", {"xmlns": NAMESPACE, "display": "block"})
    table = SubElement(made, "mtable", {"class": "aligned", "displaystyle": "true", "columnalign": "right left"})
    for line in lines:
        row = SubElement(table, "mtr")
        for part in COLUMN.split(line, maxsplit=1):
            SubElement(SubElement(row, "mtd"), "mrow").extend(_parts(part.strip()))
    return made


def _parts(latex: str) -> list[Element]:
    """Return the children of a formula; none for an empty one."""
    upright = _UPRIGHT.sub(r"\\text{\1}", latex)  # a unit is one word, not a product of its letters
    return [_tidied(each) for each in _converter()(upright)] if latex else []


def _tidied(element: Element) -> Element:
    text = element.text or ""
    element.text = html.unescape(text) if text.startswith("&") or "&#x" in text else text
    if element.tag == "mtext":
        element.text = _ESCAPED.sub(r"\1", element.text)
    elif "\\" in element.text or element.text in {"{", "}", "&"}:
        raise ValueError(element.text)
    if element.text in ("max", "min"):
        element.set("rspace", "0")  # a bracket follows
    children = [_tidied(each) for each in element]
    element[:] = _with_whole_numbers(children)
    return element


def _with_whole_numbers(children: list[Element]) -> list[Element]:
    """Put `20`, `,` and `000` together: as one number it has no space behind the comma, and is copied as one."""
    made: list[Element] = []
    for each in children:
        if each.tag == "mn" and len(made) > 1 and _is_comma(made[-1]) and made[-2].tag == "mn":
            made.pop()
            made[-1].text = f"{made[-1].text},{each.text}"
        elif _is_raised_number(each) and len(made) > 1 and _is_comma(made[-1]) and made[-2].tag == "mn":
            made.pop()
            each[0].text = f"{made.pop().text},{each[0].text}"
            made.append(each)
        else:
            made.append(each)
    return made


def _is_raised_number(element: Element) -> bool:
    return element.tag in ("msup", "msub", "msubsup") and element[0].tag == "mn"


def _is_comma(element: Element) -> bool:
    return element.tag == "mrow" and [each.text for each in element] == [","]


def _shown(latex: str, draw: Callable[[], Element]) -> Markup:
    """Return the MathML, or where this is no LaTeX that can be read, the text itself."""
    _converter()
    try:
        return Markup(tostring(draw(), encoding="unicode"))  # noqa: S704  # tostring escapes every text
    except TemplateError:
        raise
    except Exception:  # noqa: BLE001  # the library's errors share no class; a symbol of a user may be anything
        return Markup('<code class="latex">') + escape(latex) + Markup("</code>")


@cache
def _converter() -> Callable[[str], list[Element]]:
    try:
        from latex2mathml.converter import convert_to_element
    except ImportError:
        problem = "Formulas in HTML need the package latex2mathml, which is not installed."
        raise TemplateError("--as html", problem, 'Install it: pip install "flopsheet[html]".') from None
    return lambda latex: list(convert_to_element(latex))
