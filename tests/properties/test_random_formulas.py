"""Random formulas: what their line of numbers says, read back by another program, is what the engine computes."""

from __future__ import annotations

import re
from fractions import Fraction

from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from tests.report.latex_lines import in_one_row
from tests.report.latex_reader import read

from flopsheet.errors import FlopsheetError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.formulas.parser import parse_formula
from flopsheet.layout.breaking import pieces
from flopsheet.layout.latex import latex
from flopsheet.report.forms.html import math
from flopsheet.report.formulas import Formula, Formulas, is_formula
from flopsheet.sheets.cell import Cell

NAMES = ("w", "x", "y", "z")
CELLS = {name: Cell(name, "a number", latex=name) for name in NAMES}
LARGEST = 10**12
DECIMAL = re.compile(r"\.\d|\d\d\d\d")

_numbers = st.sampled_from(["1", "2", "3", "7", "12", "0.5", "0.897", "17.5", "1000", "65536", "1e6"])
_values = st.sampled_from([*range(-6, 7), 12, 1000, 65536, Fraction(1, 2), Fraction(-5, 4), Fraction(897, 1000)])
_leaves = st.one_of(st.sampled_from(NAMES), _numbers)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda terms: f"({terms[0]} + {terms[1]})"),
        two.map(lambda terms: f"({terms[0]} - {terms[1]})"),
        two.map(lambda terms: f"({terms[0]})*({terms[1]})"),
        two.map(lambda terms: f"({terms[0]})/({terms[1]})"),
        two.map(lambda terms: f"mod({terms[0]}, {terms[1]})"),
        two.map(lambda terms: f"[{terms[0]} > {terms[1]}]"),
        st.lists(inner, min_size=2, max_size=3).map(lambda terms: f"max({', '.join(terms)})"),
        st.lists(inner, min_size=2, max_size=3).map(lambda terms: f"min({', '.join(terms)})"),
        inner.map(lambda term: f"(-({term}))"),
        inner.map(lambda term: f"floor({term})"),
        inner.map(lambda term: f"ceil({term})"),
        inner.map(lambda term: f"abs({term})"),
        st.tuples(inner, st.sampled_from(["2", "3", "-1", "-2", "y"])).map(lambda terms: f"({terms[0]})**({terms[1]})"),
    )


def letters(mathml: str) -> str:
    """Return what MathML shows, without its tags."""
    return re.sub("<[^>]*>", "", mathml)


@settings(max_examples=300, deadline=None)
@given(st.recursive(_leaves, _combined, max_leaves=8), st.tuples(_values, _values, _values, _values))
def test_a_line_of_numbers_says_what_is_computed(text: str, given_values: tuple[int | Fraction, ...]) -> None:
    values = dict(zip(NAMES, given_values, strict=True))
    try:
        formula = parse_formula(text, NAMES)
        value = evaluate(formula, values)
    except FlopsheetError:
        reject()
    if isinstance(value, float) or not -LARGEST < value < LARGEST:
        reject()
    formulas = Formulas(CELLS, values, {})
    for shown in (formulas.symbols(formula), formulas.numbers(formula)):
        assert is_formula(latex(shown))
        assert letters(math(Formula(shown))) == letters(math(latex(shown)))
        assert in_one_row(" ".join(map(latex, pieces(shown)))) == latex(shown)
        assert in_one_row(" ".join(map(latex, pieces(shown, 20)))) == latex(shown)
    line = latex(formulas.numbers(formula))
    try:
        interval = read(line)
    except AssertionError as error:
        assume("divisor may be zero" not in str(error) and "rounded number" not in str(error))
        raise
    assert interval.low <= value <= interval.high, line
    if not DECIMAL.search(line):  # all numbers are exact, and so is what follows from them
        assert interval.low == interval.high, line
