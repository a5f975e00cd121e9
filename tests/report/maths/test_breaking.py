"""Long formulas are broken at their own sums, and nothing else about them changes."""

from __future__ import annotations

import pytest
from tests.report.pages import PAGES, page

from flopsheet.report.maths import mathml
from flopsheet.report.maths.breaking import WIDEST, broken, displayed, in_one_row, pieces, terms, width
from flopsheet.report.maths.escaping import is_formula

LONG = r" + ".join(
    rf"\frac{{{place}00{{,}}000\,\mathrm{{GB}}}}{{16}} \cdot \left(3 - 1\right)" for place in range(1, 9)
)


@pytest.mark.parametrize(
    ("latex", "wide"),
    [
        ("d f", 3),
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
def test_width_is_that_of_what_is_seen(latex: str, wide: int) -> None:
    assert width(latex) == wide


def test_only_signs_of_the_outermost_sum_divide_terms() -> None:
    assert terms(r"a + \frac{b - c}{2} - \left(d + e\right) \cdot 3") == [
        "a", r"+ \frac{b - c}{2}", r"- \left(d + e\right) \cdot 3"
    ]  # fmt: skip
    assert terms("- a") == ["- a"]


def test_what_fits_stays_on_its_line() -> None:
    assert pieces("a + b") == ("a + b",)
    assert broken(["a + b", "3"], r"\le") == [r"&\le a + b", r"&\le 3"]


def test_what_is_long_goes_on_below() -> None:
    found = pieces(LONG)
    assert len(found) > 1
    assert " ".join(found) == LONG
    assert all(width(piece) <= WIDEST for piece in found)
    assert all(piece.startswith("+ ") for piece in found[1:])
    lines = broken([LONG, "3"], "=")
    assert lines[0].startswith("&= ")
    assert all(line.startswith(r"&\quad + ") for line in lines[1:-1])
    assert lines[-1] == "&= 3"


def test_a_relation_alone_is_broken_too() -> None:
    assert displayed("a", "=", "b + c") == ("a = b + c",)
    first, *others = displayed("a", r"\le", LONG)
    assert first.startswith(r"a &\le \frac{100")
    assert len(others) == len(pieces(LONG)) - 1
    assert all(line.startswith(r"&\quad + ") for line in others)


def test_a_long_product_is_broken_before_its_dots() -> None:
    product = r" \cdot ".join(["16{,}384"] * 20)
    found = pieces(product)
    assert len(found) == 2
    assert found[1].startswith(r"\cdot 16{,}384")
    assert " ".join(found) == product
    assert pieces("x " * 60 + "y") == ("x " * 60 + "y",)  # symbols without a dot between have no place to break


SUM = " + ".join(f"q_{{{each}}} r_{{{each}}}" for each in range(30))


@pytest.mark.parametrize(
    "formula",
    [
        rf"\left({SUM}\right) n",
        rf"\frac{{{SUM}}}{{a - b}}",
        rf"\frac{{a - b}}{{{SUM}}}",
        rf"\sqrt{{{SUM}}}",
        rf"\left\lceil{{{SUM}}}\right\rceil",
        rf"\left\lceil{{\frac{{{SUM}}}{{n}}}}\right\rceil \cdot 3",
        rf"\frac{{\left({SUM}\right) k}}{{{SUM}}} - x",
        r"\max\left(" + ", ".join(f"q_{{{each}}} r_{{{each}}}" for each in range(40)) + r"\right)",
        rf"\max\left(a, {SUM}, \frac{{b}}{{c}}\right)^{{2}}",
    ],
)
def test_what_is_wide_inside_brackets_and_fractions_goes_on_in_rows(formula: str) -> None:
    found = pieces(formula)
    assert width(formula) > WIDEST
    assert all(width(piece) <= WIDEST + 5 for piece in found), [width(piece) for piece in found]
    assert r"\begin{array}{l}" in found[0]
    assert in_one_row(" ".join(found)) == formula
    for piece in found:
        assert is_formula(piece)
        assert mathml.math(piece).startswith("<math")


def test_rows_inside_rows() -> None:
    inner = rf"\left({SUM}\right)"
    formula = rf"\frac{{{' + '.join([inner] * 3)}}}{{n}}"
    found = pieces(formula)
    assert found[0].count(r"\begin{array}") == 4
    assert in_one_row(found[0]) == formula
    assert width(found[0]) <= WIDEST + 5


@pytest.mark.parametrize("name", PAGES)
def test_no_sum_of_a_page_is_wider_than_it(name: str) -> None:
    for line in page(name).splitlines():
        if line.strip().startswith("&") or " &= " in line:
            side = line.strip().removesuffix(r" \\").partition("&")[2]
            assert width(side) <= WIDEST + 5 or len(terms(side.removeprefix(r"\quad "))) == 1, side
