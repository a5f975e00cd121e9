"""What simplification takes out of a relation still has to have a value: sympy writes `sqrt(x)**2` as `x`."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import pytest
from tests.published.variables import variables

from flopsheet import solve

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.outcomes.outcome import Outcome
    from flopsheet.units import Number


def works(at: Number, outcome: Outcome) -> bool:
    return any(at in part for part in outcome.solutions)


def asked(folder: Path, relation: str, *, signed: bool = True) -> Outcome:
    return solve(variables(folder, {"x": {"signed": signed}}), "x", relation).outcomes["x"]


@pytest.mark.parametrize(
    ("relation", "inside", "outside"),
    [
        ("sqrt(x)**2 = -4", [], [-4]),
        ("exp(log(x)) = -2", [], [-2]),
        ("exp(2*log(x)) = 4", [2], [-2]),
        ("(x**0.5)**2 + 3 = 1", [], [-2]),
        ("x + sqrt(x - 5)**2 = 3", [], [4]),
        ("sqrt(x)**2 <= -4", [], [-4, -5, 1]),
        ("max(sqrt(x)**2, -5) <= -2", [], [-2, -5, 1]),
        ("sqrt(x)*sqrt(x) >= -5", [0, 1, 1e9], [-1, -5]),
        ("x + sqrt(x) - sqrt(x) <= 3", [0, 3], [-1, 4]),
        ("sqrt(x - 5)**2 <= 3", [5, 8], [4, 9]),
        ("sqrt(x)**2 = x", [0, 7], [-1]),
        ("exp(log(x)) = x", [Fraction(1, 10**9), 7], [0, -1]),
        ("x**0.5*x**0.5 = x", [0, 7], [-1]),
        ("x/sqrt(x) = sqrt(x)", [1, 7], [0, -1]),
        ("x**1.5/x**0.5 = x", [1, 7], [0, -1]),
        ("sqrt(x - 5)**2 = x - 5", [5, 7], [4]),
        ("1/(1/x) = x", [-3, 3], [0]),
        ("x*(1/x) + x = 1", [], [0]),
        ("x**2/x = 0", [], [0]),
        ("x**2/x <= 0", [-3], [0, 3]),
        ("sqrt(x)**2 = 4", [4], []),
        ("2**(log2(x)) >= -1", [1, 4], [0, -1]),
        ("select(x < 0, -x, sqrt(x)**2) <= 3", [-3, 3], [4, -4]),
        ("sqrt(x)**4 = 16", [4], [-4]),
        ("x**1.5*x**0.5 <= 4", [0, 2], [-1, 3]),
        ("((x - 2)**0.25)**8 <= 4", [2, 4], [0, 1, 5]),
        ("(1/x)*x**3 <= 4", [-2, 2], [0, 3]),
        ("x**2.5/sqrt(x) <= 4", [1, 2], [0, -1, 3]),
        ("x**1.5*x + 0*(1/x) <= 4", [1], [0, -1]),
        ("sqrt(x)**4 + log(x) <= 4", [1], [0, -1]),
    ],
)
def test_values_at_which_a_part_has_none_are_left_out(
    relation: str, inside: list[float], outside: list[float], tmp_path: Path
) -> None:
    outcome = asked(tmp_path, relation)
    assert not outcome.open
    assert all(works(at, outcome) for at in inside)
    assert not any(works(at, outcome) for at in outside)


def test_signs_of_cells_imply_what_a_part_needs(tmp_path: Path) -> None:
    outcome = asked(tmp_path, "sqrt(x)**2 = 4", signed=False)
    assert (outcome.si, outcome.why) == (4, "Computed from 'sqrt(x)**2 = 4'.")


FORMS = {  # what sympy simplifies, and where it has a value
    "sqrt({})**2": lambda t: t >= 0,
    "exp(log({}))": lambda t: t > 0,
    "({0})**2/({0})": lambda t: t != 0,
    "({0})**1.5/({0})**0.5": lambda t: t > 0,
}


@pytest.mark.parametrize("form", FORMS)
def test_random_terms(form: str, tmp_path: Path) -> None:
    chance = Random(form)  # noqa: S311  # the same each time
    for _ in range(12):
        slope, shift, bound = (chance.choice([-3, -2, -1, 1, 2, 3]) for _ in range(3))
        text = form.format(f"{slope}*x + {shift}")
        outcome = asked(tmp_path, f"{text} <= {bound}")
        for at in (Fraction(chance.randint(-40, 40), 8) for _ in range(20)):
            term = slope * at + shift
            assert works(at, outcome) is (FORMS[form](term) and term <= bound), (text, bound, at)


def test_what_is_left_in_a_relation_is_no_condition_more(tmp_path: Path) -> None:
    outcome = asked(tmp_path, "log(x) <= 0")
    assert works(1, outcome)
    assert not works(math.e, outcome)
    assert "x > 0" not in outcome.why


@pytest.mark.slow
def test_what_is_left_out_knows_the_literals_of_its_relation(tmp_path: Path) -> None:
    outcome = asked(tmp_path, "(x - 2.718281828459045)/(x + 2.718281828459045)**x > 0.5")
    assert outcome.listed or outcome.open
