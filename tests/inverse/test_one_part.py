"""Formulas of exponentials, or of logarithms, that are polynomials in one of them: all roots, double ones too."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet import given as given_cell
from flopsheet.inverse.method import Proof
from flopsheet.sheets.cell import ANY, Bounds, Cell

if TYPE_CHECKING:
    from flopsheet.answer.outcomes.outcome import Outcome

RATIOS = st.builds(Fraction, st.integers(-12, 24).filter(bool), st.integers(1, 7))


LINE = Sheet("line")
LINE.rows.add_cell(Cell("x", "A number of either sign", bounds=ANY))


class Positive(Sheet):
    """A positive number."""

    x = given_cell("Number", example=1)


def asked(relation: str, sheet: Sheet | None = None) -> Outcome:
    return solve(sheet or LINE, "x", [relation]).outcomes["x"]


def coefficients(roots: list[Fraction]) -> list[Fraction]:
    """Return those of the product of `t - root`, the constant first."""
    found = [Fraction(1)]
    for root in roots:
        raised = [Fraction(0), *found]
        found = [low - root * same for low, same in zip(raised, [*found, Fraction(0)], strict=True)]
    return found


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(roots=st.lists(RATIOS, min_size=1, max_size=4), doubled=st.booleans(), shift=st.integers(-2, 2))
def test_planted_roots_of_exponentials(roots: list[Fraction], doubled: bool, shift: int) -> None:
    every = roots * (1 + doubled)
    terms = (f"({each})*exp({place - shift}*x)" for place, each in enumerate(coefficients(every)) if each)
    outcome = asked(f"{' + '.join(terms)} = 0")
    expected = sorted({math.log(root) for root in roots if root > 0})
    assert [float(part.lower) for part in outcome.listed] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert all(part.is_point for part in outcome.listed)
    assert outcome.proof is Proof.EXACT


@settings(max_examples=30, deadline=None)
@given(roots=st.lists(RATIOS.map(lambda root: root / 4), min_size=1, max_size=3), doubled=st.booleans())
def test_planted_roots_of_logarithms(roots: list[Fraction], doubled: bool) -> None:
    every = roots * (1 + doubled)
    terms = [f"({each})*log(x)**{place}" for place, each in enumerate(coefficients(every)) if each and place]
    outcome = asked(f"{' + '.join(terms)} = {-coefficients(every)[0]}", Positive())
    expected = sorted({math.exp(root) for root in roots})
    assert [float(part.lower) for part in outcome.listed] == pytest.approx(expected, rel=1e-12)
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(
    "relation",
    [
        "7*exp(exp(-x/6)) = 7",  # tends to it
        "(exp(x) - exp(-x))/(exp(x) + exp(-x)) = 1",
        "2**(-x) = 0",
        "exp(x) + exp(-x) = 2 - 1e-30",
        "log(exp(-x)*exp(-2*x) + 1) = 0",
    ],
)
def test_a_level_that_is_never_reached_is_proven_so(relation: str) -> None:
    outcome = asked(relation)
    assert (outcome.listed, outcome.proof) == ((), Proof.EXACT)


@pytest.mark.parametrize(
    "relation", ["log(x**2) = 2*log(x)", "log(x**3) - log(x) >= log(x**2)", "log(x**3) + 1/7 > 3*log(x)"]
)
def test_an_identity_holds_wherever_its_logarithms_have_a_value(relation: str) -> None:
    outcome = asked(relation)
    assert [(part.lower, part.upper) for part in outcome.listed] == [(0, math.inf)]
    assert outcome.proof is Proof.EXACT
    assert asked(relation, Positive()).proof is Proof.EXACT


@pytest.mark.parametrize(
    ("relation", "end"),
    [
        ("4*exp(2*x)*2**(-x) <= 2.9", math.log(2.9 / 4) / (2 - math.log(2))),
        ("exp(x)*3**(-x)*2 >= 1", math.log(2) / (math.log(3) - 1)),
        ("4*4**x >= 0", math.inf),
        ("4**x + 2**x >= 0", math.inf),
        ("-2**x - 2**(-x) <= 0", math.inf),
    ],
)
def test_exponentials_are_decided_to_infinity(relation: str, end: float) -> None:
    outcome = asked(relation)
    (part,) = outcome.listed
    assert part.lower == -math.inf
    assert float(part.upper) == pytest.approx(end)
    assert outcome.proof is Proof.EXACT


@pytest.mark.parametrize(
    ("base", "level", "at"), [(2, 8, 3), (4, 8, Fraction(3, 2)), ("1/3", 9, -2), (10, "0.001", -3)]
)
def test_exponents_are_exact_where_powers_are(base: object, level: object, at: object) -> None:
    (part,) = asked(f"({base})**x = {level}").listed
    assert part.lower == at
    assert not isinstance(part.lower, float)


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["exp(x) - exp(x - 1e-20) = 0", "log(2*(1 + 1e-25)*x) = log(2*x)"])
def test_what_cancels_in_floats_is_not_taken_for_equal(relation: str) -> None:
    outcome = asked(relation, Positive())
    assert outcome.listed == () or "within its last digits" in outcome.why


def test_a_range_whose_end_is_beyond_floats_is_answered() -> None:
    """At the end of the domain, where a value is taken, one side of the relation is larger than numbers can be."""
    sheet = Sheet("line")
    sheet.rows.add_cell(Cell("x", "A number", bounds=Bounds(-(10**300), 10**300)))
    outcome = asked("-2**x - 2**(-x) <= 0", sheet)
    assert "Every value of x works" in outcome.why


@pytest.mark.parametrize(
    ("relation", "near", "value"),
    [
        pytest.param("exp(2*x) - exp(x) >= 1e-17", 1e-18, False, marks=pytest.mark.slow),
        pytest.param("exp(2*x) - exp(x) <= 1e-17", 1e-18, True, marks=pytest.mark.slow),
        pytest.param("exp(x)**2 - 2*exp(x) + 1 <= 2e-34", 1e-18, True, marks=pytest.mark.slow),
        ("2**(2**x) >= 2.0000000000000000001", 1e-21, False),
    ],
)
def test_roots_that_are_one_float_are_not_told_apart_in_floats(relation: str, near: float, value: bool) -> None:
    """Next to 1 the logarithm of a float has lost all digits, and two ends may be rounded to the same float."""
    for sheet in (LINE, Positive()):
        outcome = asked(relation, sheet)
        lies = any(near in part for part in outcome.listed)
        assert lies == value or any(near in part for part in outcome.open)


@pytest.mark.parametrize(
    ("relation", "roots"),
    [
        ("exp(2*x) - 3*exp(x) + 2 + 1e-17 = 0", [1e-17, math.log(2)]),
        ("exp(x)*log(2) = 0.69314718055994531", [8.407563283616704e-19]),
        ("exp(x) + log(2) = 1.69314718055994531", [5.827678785418234e-19]),
        ("2**(2**(2**x)) = 4.0000000000000000001", [3.7534758839461316e-20]),
    ],
)
def test_small_roots_have_all_digits(relation: str, roots: list[float]) -> None:
    assert [float(part.lower) for part in asked(relation).listed] == pytest.approx(roots, rel=1e-12, abs=0)


@pytest.mark.parametrize("relation", ["log(x)**2 - 4*log(x) + 4 = 2e-33", "exp(x)**2 - 4*exp(x) + 4 = 2e-33"])
def test_two_roots_in_one_float_are_open(relation: str) -> None:
    assert asked(relation, Positive()).proof is Proof.OPEN


def test_a_decimal_of_all_digits_is_not_met_by_its_float() -> None:
    """It lies 7e-40 below the least value of the formula."""
    assert asked("x**x = 0.69220062755534635386542199718278976149", Positive()).listed == ()
