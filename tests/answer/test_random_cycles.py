"""Random cells that depend on each other, against elimination, fixed points and trial."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext
from tests.answer.cycles import declared

from flopsheet import solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from flopsheet import Sheet

MP = MPContext()
MP.dps = 40


def eliminated(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """Return the solution of a linear system by Gaussian elimination; None where it is singular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(len(rows)):
        pivot = next((row for row in rows[at:] if row[at]), None)
        if pivot is None:
            return None
        rows.remove(pivot)
        rows = [[a - row[at] / pivot[at] * b for a, b in zip(row, pivot, strict=True)] for row in rows]
        rows.insert(at, pivot)
    return [row[-1] / row[at] for at, row in enumerate(rows)]


@st.composite
def linear(draw: st.DrawFn) -> tuple[list[list[Fraction]], list[Fraction]]:
    """Return factors and summands: each cell is its summand and the sum of its factors times the other cells."""
    size = draw(st.integers(1, 4))
    factors = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(2, 3), Fraction(-1, 4), Fraction(3)])
    row = st.lists(factors, min_size=size, max_size=size)
    summands = st.lists(st.fractions(-9, 9, max_denominator=8), min_size=size, max_size=size)
    return draw(st.lists(row, min_size=size, max_size=size)), draw(summands)


def linear_sheet(factors: list[list[Fraction]], summands: list[Fraction]) -> Sheet:
    rows = [f"b{at}: {{default: {summand}, signed: true}}" for at, summand in enumerate(summands)]
    for at, row in enumerate(factors):
        terms = " + ".join(f"({factor})*x{other}" for other, factor in enumerate(row) if factor)
        rows.append(f"x{at}: {{formula: '{terms or 0} + b{at}', signed: true}}")
    return declared(*rows)


HALF = Fraction(1, 2)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(linear())
@example(([[HALF, HALF, Fraction(0)], [HALF, HALF, HALF], [Fraction(0), HALF, Fraction(0)]], [Fraction(0)] * 3))
def test_random_linear_cycles_agree_with_elimination(system: tuple[list[list[Fraction]], list[Fraction]]) -> None:
    factors, summands = system
    model, size = linear_sheet(factors, summands), range(len(summands))
    matrix = [[int(at == other) - factors[at][other] for other in size] for at in size]
    expected = eliminated(matrix, summands)
    cells = solve(model).cells
    if expected is None:
        assert not all(f"x{at}" in cells for at in size)
        return
    assert [cells[f"x{at}"].si for at in size] == expected
    last = size[-1]
    slopes = eliminated(matrix, [Fraction(at == 0) for at in size])
    if not (slopes and slopes[last]):
        return
    goal = f"x{last} = {expected[last]}"
    found = solve(model, "b0", [goal]).quantity
    assert found is not None
    assert found.exact == summands[0]
    below = solve(model, "b0", [goal.replace("=", "<=" if slopes[last] > 0 else ">=")]).outcomes["b0"]
    assert below.proof is Proof.EXACT
    assert [(part.lower, part.upper) for part in below.solutions] == [(-math.inf, summands[0])]


# Each has a slope between -1 and 1 for terms above zero, so that half of it contracts: there is one fixed point.
GENTLE = {
    "exp(-{})": lambda x: MP.exp(-x),
    "1/(1 + {})": lambda x: 1 / (1 + x),
    "sqrt(1 + {})": lambda x: MP.sqrt(1 + x),
    "log(1 + {})": lambda x: MP.log(1 + x),
    "max(1, {})": lambda x: max(1, x),
    "min(2, {})": lambda x: min(2, x),
}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(GENTLE)), st.integers(1, 30)), min_size=1, max_size=4))
def test_random_nonlinear_cycles_agree_with_their_fixed_point(links: list[tuple[str, int]]) -> None:
    rows = [
        f"x{at}: {{formula: '{text.format(f'x{(at + 1) % len(links)}')}/2 + {summand}/10'}}"
        for at, (text, summand) in enumerate(links)
    ]
    values = [MP.mpf(1)] * len(links)
    for _ in range(150):
        following = [*values[1:], values[0]]
        values = [GENTLE[text](x) / 2 + MP.mpf(n) / 10 for x, (text, n) in zip(following, links, strict=True)]
    answer = solve(declared(*rows), "x0")
    assert answer.outcomes["x0"].kind == "value"
    assert answer.outcomes["x0"].proof is not Proof.OPEN
    assert [answer.cells[f"x{at}"].si for at in range(len(links))] == pytest.approx([*map(float, values)], rel=1e-11)


SMOOTH = sorted(text for text in GENTLE if not text.startswith("m"))


def ring(links: list[tuple[str, int]], first: float) -> list[float]:
    """Return the values of cells in a ring, of which the first has a summand of its own, by iteration."""
    values = [MP.mpf(1)] * len(links)
    summands = [first, *(n / 10 for _, n in links[1:])]
    for _ in range(150):
        following = [*values[1:], values[0]]
        steps = zip(links, following, summands, strict=True)
        values = [GENTLE[text](x) / 2 + summand for (text, _), x, summand in steps]
    return [*map(float, values)]


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(SMOOTH), st.integers(1, 30)), min_size=1, max_size=3),
    st.sampled_from(["<=", ">="]),
)
def test_random_inequalities_behind_nonlinear_cycles(links: list[tuple[str, int]], sign: str) -> None:
    """The first cell grows with its summand, so every cell rises or falls with it, and each range has one end."""
    rows = ["b: {maximum: 20}"]
    for at, (text, summand) in enumerate(links):
        following, own = f"x{(at + 1) % len(links)}", f"{summand}/10" if at else "b"
        rows.append(f"x{at}: {{formula: '{text.format(following)}/2 + {own}'}}")
    last, goal = len(links) - 1, ring(links, 2)[-1]
    outcome = solve(declared(*rows), "b", [f"x{last} {sign} {goal!r}"]).outcomes["b"]
    assert outcome.proof is not Proof.OPEN
    for b in (0.1, 0.5, 1.0, 1.9, 2.1, 3.0, 10.0, 19.0):
        value = ring(links, b)[-1]
        holds = value <= goal if sign == "<=" else value >= goal
        assert any(b in part for part in outcome.solutions) == holds, (b, value, goal, outcome.solutions)


def values_in_ratio(x: float, summand: int) -> list[tuple[float, float]]:
    """Return the pairs of u and v with `u = x/v - summand` and `v = x*u/7 + 8`."""
    middle, product = (8 - x * summand / 7) / 2, x * x / 7  # v**2 - 2*middle*v - product = 0
    roots = [middle + sign * math.sqrt(middle**2 + product) for sign in (1, -1)]
    return [(x / v - summand, v) for v in roots if v]


@pytest.mark.parametrize("summand", [1, 2])
@pytest.mark.parametrize("relation", ["u >= 0", "v <= 2.5", "v >= 9", "u <= 5"])
def test_ends_of_ranges_behind_a_cycle_with_two_solutions(relation: str, summand: int) -> None:
    """An end of the domain belongs to a range or not, and poles of the cell that gives the others find nothing."""
    rows = ["x: {minimum: 1, maximum: 20}", f"u: {{formula: 'x/v - {summand}', signed: true}}"]
    outcome = solve(declared(*rows, "v: {formula: 'x*u/7 + 8', signed: true}"), "x", [relation]).outcomes["x"]
    name, sign, level = relation.split()
    assert outcome.proof is not Proof.OPEN
    for step in range(96):
        x = 1 + step / 5
        values = [pair["uv".index(name)] for pair in values_in_ratio(x, summand)]
        holds = any(value >= float(level) if sign == ">=" else value <= float(level) for value in values)
        if min(abs(value - float(level)) for value in values) > 1e-9:
            assert any(x in part for part in outcome.solutions) == holds, (x, values, outcome.solutions)


@pytest.mark.parametrize(
    ("first", "second", "base"),
    [
        ("base + exp(-vv/2)", "uu**2", 25),
        ("base + exp(-vv)", "uu**2", 6),
        ("base + exp(-vv/10)", "uu**2", 40),
        ("base + 2**(-5*vv)", "uu", 30),
        ("base + 1/vv**9", "uu", 1000),
    ],
)
def test_a_cycle_is_followed_as_its_formulas_are_written(first: str, second: str, base: int) -> None:
    """Inverted, `uu = base + exp(-vv/2)` needs the logarithm of a difference that is zero in floats."""
    rows = "base: {doc: X}", f"uu: {{doc: X, formula: '{first}'}}", f"vv: {{doc: X, formula: '{second}'}}"
    outcome = solve(declared(*rows), "uu", [f"base = {base}"]).outcomes["uu"]
    assert (outcome.kind, bool(outcome.open)) == ("value", False)
    assert outcome.si == pytest.approx(base, rel=1e-15)
