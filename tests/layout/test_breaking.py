"""Long formulas are broken at their own sums, and nothing else about them changes."""

from __future__ import annotations

import pytest
from tests.report.latex_lines import in_one_row, lines_of, terms
from tests.report.pages import PAGES, page

from flopsheet.formulas.parser import parse_formula
from flopsheet.formulas.printing import layout_of, order_of
from flopsheet.layout import nodes
from flopsheet.layout.breaking import WIDEST, broken, displayed, pieces, width
from flopsheet.layout.latex import latex
from flopsheet.layout.reader import read
from flopsheet.report.forms.html import math
from flopsheet.report.formulas import Formula, filled, is_formula, keys_of

NAMES = tuple(f"{letter}{place}" for letter in "qrabcnkx" for place in range(40))


def layout(text: str, *, dotted: bool = False) -> nodes.Node:
    """Return a formula over `q0`, `q1` and so on, whose symbols have an index."""
    blank = layout_of(parse_formula(text, NAMES), order_of(NAMES))
    symbols = (read(f"{key[0]}_{{{key[1:]}}}") for key in keys_of(blank))
    return filled(blank, tuple(symbols), dotted=dotted)


SUM = " + ".join(f"q{place}*r{place}" for place in range(30))
LONG = layout(" + ".join(f"q{place}**2*r{place}**2/c{place}*(3 - a{place})" for place in range(12)))


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("d f", 3),
        ("d + f", 5),
        (r"\frac{a + b}{c}", 5),
        (r"\frac{a}{\frac{b}{c d}}", 3),
        (r"n_{\text{fsdp}}", 5),
        (r"94.5\,\mathrm{GiB}", 7),
        (r"\left(a + \beta\right)^{2}", 8),
        (r"16{,}384", 6),
        (r"10\,\mathrm{\%}", 3),
        (r"\max\left(a, b\right)", 9),
    ],
)
def test_width_is_that_of_what_is_seen(text: str, wide: int) -> None:
    assert width(read(text)) in (wide, wide - text.count(" "), wide - 1)


@pytest.mark.parametrize(
    ("text", "wide"),
    [("q1*r1", 5), ("(q1 + r1)/c1", 7), ("1/(b1/c1 + x1)", 7), ("max(a1, b1)", 11), ("2*(a1 + b1)", 11)],
)
def test_width_of_layouts(text: str, wide: int) -> None:
    assert width(layout(text)) == wide


def test_what_fits_stays_on_its_line() -> None:
    small = layout("a1 + b1")
    assert pieces(small) == (small,)
    lines = broken(layout("x1"), "<=", (small, nodes.Number("3")))
    assert list(map(latex, lines)) == [r"x_{1} &\le a_{1} + b_{1}", "&= 3"]


def test_what_is_long_goes_on_below() -> None:
    terms = pieces(LONG)
    assert len(terms) > 1
    assert " ".join(map(latex, terms)) == latex(LONG)
    assert all(width(piece) <= WIDEST for piece in terms)
    assert all(latex(piece).startswith("+ ") for piece in terms[1:])
    lines = list(map(latex, broken(layout("x1"), "=", (LONG, nodes.Number("3")))))
    assert lines[0].startswith("x_{1} &= ")
    assert all(line.startswith(r"&\quad + ") for line in lines[1:-1])
    assert lines[-1] == "&= 3"


def test_a_relation_alone_is_broken_too() -> None:
    left, right = layout("a1"), layout("b1 + c1")
    assert list(map(latex, displayed(left, "=", right))) == ["a_{1} = b_{1} + c_{1}"]
    first, *others = map(latex, displayed(left, "<=", LONG))
    assert first.startswith(r"a_{1} &\le \frac{q_{0}")
    assert len(others) == len(pieces(LONG)) - 1
    assert all(line.startswith(r"&\quad + ") for line in others)
    start, *more, last = map(latex, displayed(LONG, "<=", left))
    assert start.startswith(r"&\frac{q_{0}")
    assert all(line.startswith(r"&\quad + ") for line in more)
    assert last == r"&\le a_{1}"


def test_a_long_product_is_broken_before_its_dots() -> None:
    number = nodes.Number("16,384")
    product = nodes.Chain((("", number), *((("·", number),) * 19)))
    lines = pieces(product)
    assert len(lines) == 2
    assert latex(lines[1]).startswith(r"\cdot 16{,}384")
    assert " ".join(map(latex, lines)) == latex(product)
    plain = layout("*".join(NAMES[:60]))
    assert pieces(plain) == (plain,)  # symbols without a dot between have no place to break


@pytest.mark.parametrize(
    "text",
    [
        f"({SUM})*n1",
        f"({SUM})/(a1 - b1)",
        f"(a1 - b1)/({SUM})",
        f"sqrt({SUM})",
        f"ceil({SUM})",
        f"ceil(({SUM})/n1)*3",
        f"({SUM})*k1/({SUM} + 1) - x1",
        f"max({', '.join(f'q{place}*r{place}' for place in range(40))})",
        f"max(a1, {SUM}, b1/c1)**2",
        f"[{SUM} > x1]",
        f"mod({SUM}, x1)",
    ],
)
@pytest.mark.parametrize("dotted", [False, True])
def test_what_is_wide_inside_brackets_and_fractions_goes_on_in_rows(text: str, dotted: bool) -> None:
    formula = layout(text, dotted=dotted)
    lines = pieces(formula)
    assert width(formula) > WIDEST
    assert all(width(piece) <= WIDEST + 5 for piece in lines), [width(piece) for piece in lines]
    assert any(r"\begin{array}{l}" in latex(piece) for piece in lines)
    assert in_one_row(" ".join(map(latex, lines))) == latex(formula)
    for piece in lines:
        assert is_formula(in_one_row(latex(piece)))
        assert "mtable" in math(Formula(piece)) or len(lines) > 1


def test_a_sign_behind_an_operator_stays() -> None:
    formula = layout(f"[ceil({SUM}) > -ceil({SUM}) - x1]")
    assert r"> - \left\lceil" in latex(formula)
    for widest in (WIDEST, 40, 20):
        assert in_one_row(" ".join(map(latex, pieces(formula, widest)))) == latex(formula)


def test_rows_inside_rows() -> None:
    formula = layout(f"({' + '.join(f'({SUM})*x{place}' for place in range(3))})/n1")
    lines = pieces(formula)
    assert latex(lines[0]).count(r"\begin{array}") == 4
    assert in_one_row(latex(lines[0])) == latex(formula)
    assert width(lines[0]) <= WIDEST + 5


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_no_sum_of_a_page_is_wider_than_it(name: str) -> None:
    for line in lines_of(page(name)):
        if line.strip().startswith("&") or " &= " in line:
            side = in_one_row(line.strip().removesuffix(r" \\").partition("&")[2])
            assert (
                len(terms(side.removeprefix(r"\quad "))) == 1 or width(read(side)) <= WIDEST + 5 or "array" in line
            ), side


@pytest.mark.parametrize("terms", range(2, 12))
def test_products_whose_brackets_stay_too_wide_are_broken_between_their_factors(terms: int) -> None:
    """Their brackets were narrowed, and the rest of the line left as wide as it was."""
    sums = " + ".join(f"q{place}*r{place}" for place in range(7))
    factors = "*".join(f"exp(k{place}/c{place})" for place in range(terms))
    (line,) = pieces(layout(f"(exp(({sums})/c20) - 1)*{factors}/n1", dotted=True))
    assert width(line) <= WIDEST + 2  # the room beside rows
