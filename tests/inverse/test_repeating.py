"""Whole numbers at which formulas that repeat themselves are in a set: one period tells all, endlessly many too."""

from __future__ import annotations

import ast
import math
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from pathlib import Path

N_RANDOM = 60
BOUNDS = {"integer": True, "minimum": -1000, "maximum": 10**15}
AT = [*range(-40, 400), *range(10**12, 10**12 + 60)]


def value(text: str, n: int) -> Fraction | None:
    """Return a formula of n in exact arithmetic, evaluated without the engine; None where it has no value."""

    class Exact(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:  # the name that ast calls
            return ast.parse(f"F({node.value!r})", mode="eval").body

    code = ast.fix_missing_locations(Exact().visit(ast.parse(text, mode="eval")))
    functions = {"F": Fraction, "floor": math.floor, "ceil": math.ceil, "max": max, "min": min, "abs": abs}
    functions["mod"] = lambda a, b: a - b * math.floor(a / b)
    try:
        return Fraction(eval(compile(code, "", "eval"), functions, {"n": Fraction(n)}))  # noqa: S307  # our own text
    except ZeroDivisionError:
        return None


def drawn(random: Random, depth: int = 2) -> str:
    """Return a formula of remainders and roundings of n."""
    number = random.choice(["2", "3", "4", "5", "7", "(1/2)", "(3/4)"])
    counts = [f"n/{number}", f"{number}*n", f"n + {number}", "n", f"ceil(n/{number})", f"2 - floor(n/{number})"]
    part = f"mod({random.choice(counts)}, {random.choice(['2', '3', '5', '(3/2)'])})"
    if depth and random.random() < 0.7:
        other = drawn(random, depth - 1)
        whole = random.choice(
            ["max({0}, {1})", "min({0}, {1})", "({0})*({1})", "{0} + {1}", "abs({0} - {1})", "{0}/({1})"]
        )
        part = whole.format(part, other)
    return random.choice([part, part, f"floor({part})"])


@pytest.mark.parametrize("seed", range(N_RANDOM))
def test_a_random_formula_that_repeats_itself(seed: int, tmp_path: Path) -> None:
    random = Random(seed)  # noqa: S311  # no secret
    text, sign = drawn(random), random.choice(["=", "<=", "<", ">=", ">"])
    level = next((own for at in random.sample(range(60), 30) if (own := value(text, at)) is not None), Fraction(1))
    outcome = solve(variables(tmp_path, {"n": BOUNDS}), "n", [f"{text} {sign} {level}"]).outcomes["n"]
    holds: Any = {"=": "__eq__", "<=": "__le__", "<": "__lt__", ">=": "__ge__", ">": "__gt__"}[sign]
    for at in AT:
        own = value(text, at)
        is_listed = any(at in part for part in outcome.solutions)
        is_open = any(at in part for part in outcome.open)
        assert is_open or is_listed == (own is not None and getattr(own, holds)(level)), (text, sign, level, at)


@pytest.mark.parametrize(
    ("relation", "period", "residues"),
    [
        ("mod(ceil(n/3), 7) = 0", 21, {19, 20, 0}),
        ("min(1, mod(n, 3)) = 1", 3, {1, 2}),
        ("5*ceil(n/5) - n = 2", 5, {3}),
        ("c*ceil(n/c) - n = 2", 5, {3}),
        ("mod(n, 7)*mod(n, 9) = 6", 63, {at for at in range(63) if at % 7 * (at % 9) == 6}),
        ("sqrt(mod(n, 6)) < 1.9", 6, {0, 1, 2, 3}),
        ("log(mod(n, 6)) < 1.4", 6, {1, 2, 3, 4}),
    ],
)
def test_all_of_endlessly_many_are_told(relation: str, period: int, residues: set[int], tmp_path: Path) -> None:
    sheet = variables(tmp_path, {"n": {"integer": True}, "c": {"integer": True, "default": 5}})
    outcome = solve(sheet, "n", [relation]).outcomes["n"]
    met = {at for at in range(1, 10 * period) if any(at in part for part in outcome.solutions)}
    assert outcome.proof is Proof.EXACT
    assert met == {at for at in range(1, 10 * period) if at % period in residues}


@pytest.mark.parametrize(
    "relation",
    [
        "mod(n**2, 97) <= 20",
        "mod(n*n, 5) = 3",  # squares leave 0, 1 or 4
        "mod(n**3 - 2*n, 12) = 4",
        "mod(n**2 + floor(n/3), 7) >= 5",
        "mod(floor(n/2)*n, 10) = 8",
    ],
)
def test_remainders_of_polynomials_of_whole_numbers_repeat_themselves(relation: str, tmp_path: Path) -> None:
    outcome = solve(variables(tmp_path, {"n": {"integer": True, "minimum": 1}}), "n", [relation]).outcomes["n"]
    left, sign, right = relation.rsplit(" ", 2)
    assert outcome.proof is Proof.EXACT
    for at in range(1, 500):
        own = value(left, at)
        assert own is not None
        holds = {"<=": own <= int(right), "=": own == int(right), ">=": own >= int(right)}[sign]
        assert any(at in part for part in outcome.solutions) is holds, at


def test_a_polynomial_with_fractions_does_not_repeat_itself_so_soon(tmp_path: Path) -> None:
    """Of n**2/2, the remainder by 3 repeats itself after six, not after three."""
    outcome = solve(variables(tmp_path, {"n": {"integer": True, "minimum": 1}}), "n", ["mod(n**2/2, 3) = 2"]).outcomes[
        "n"
    ]
    for at in range(1, 400):
        listed = any(at in part for part in (*outcome.solutions, *outcome.open))
        assert listed or Fraction(at * at, 2) % 3 != 2
        assert Fraction(at * at, 2) % 3 == 2 or not any(at in part for part in outcome.solutions)


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        ("mod(n, 84) >= 70", "n = every 84 from each of 70 to 83 on."),
        ("mod(n, 84) <= 1", "n = every 84 from each of 1 and 84 on."),
        ("mod(7*n, 84) = 49", "n = every 12 from 7 on."),
        ("mod(n**2, 97) <= 20", "n = every 97 from each of 1 to 4, 10, 14, 20, 28, 37 and 14 more on."),
    ],
)
def test_progressions_with_one_step_are_told_at_once(relation: str, text: str, tmp_path: Path) -> None:
    answer = solve(variables(tmp_path, {"n": {"integer": True, "minimum": 1}}), "n", [relation])
    assert str(answer).startswith(text)


def test_progressions_that_end_are_told_at_once(tmp_path: Path) -> None:
    bounds = {"integer": True, "minimum": 1, "maximum": 10**6}
    answer = solve(variables(tmp_path, {"n": bounds}), "n", ["mod(n, 5) + mod(n, 7) <= 5"])
    last = max(at for at in range(10**6 - 35, 10**6 + 1) if at % 5 + at % 7 <= 5)
    assert str(answer).startswith(f"n = every 35 from each of 1, 2, 5, 7, 8, 10 and 14 more up to {last:,}.")
