"""Targets near an extremum: two roots on one side of it, none on the other, however near, each to all its digits."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import mpmath
import pytest
from mpmath import mp, mpf
from tests.published.variables import variables

from flopsheet import solve
from flopsheet.inverse.method import Proof

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DIGITS = 60
SCALE = 10**40  # targets are ratios of it, exact to the last digit
FUNCTIONS = 75
OFF = ("1e-3", "1e-6", "1e-9", "1e-12")  # of the value at the extremum, on either side


class Bend(NamedTuple):
    """A function with one extremum inside its domain, and none of its values twice on either side of it."""

    text: str
    value: Callable[[Any], Any]
    is_peak: bool
    ends: tuple[str, str] = ("1e-9", "1e9")


def drawn(chance: Random) -> Bend:
    """Return a function with random parameters, as a formula and as one of mpmath."""
    a, b, c = (f"{chance.uniform(0.1, 9):.3f}" for _ in range(3))
    p, q = chance.randint(1, 5), chance.randint(1, 4)
    x, y, z = mpf(a), mpf(b), mpf(c)
    top = str(chance.randint(2, 900))
    bends = (
        Bend(f"{a}*x**{p} + {b}/x**{q}", lambda t: x * t**p + y / t**q, is_peak=False),
        Bend(f"{a}*x**{p}*exp(-{b}*x)", lambda t: x * t**p * mpmath.exp(-y * t), is_peak=True, ends=("1e-9", "50")),
        Bend(f"{a}*log(x) - {b}*x + {c}", lambda t: x * mpmath.log(t) - y * t + z, is_peak=True),
        Bend(f"{a} + x**{p}*({top} - x)**{q}", lambda t: x + t**p * (mpf(top) - t) ** q, is_peak=True, ends=("0", top)),
        Bend(
            f"exp({a}*x) + {c}*exp(-{b}*x)",
            lambda t: mpmath.exp(x * t) + z * mpmath.exp(-y * t),
            is_peak=False,
            ends=("-30", "30"),
        ),
        Bend(f"{a}*sqrt(x) - {b}*x**{p}", lambda t: x * mpmath.sqrt(t) - y * t**p, is_peak=True, ends=("0", "1e9")),
        Bend(f"x/({a} + {b}*x + {c}*x**2)", lambda t: t / (x + y * t + z * t**2), is_peak=True, ends=("0", "1e9")),
        Bend(f"{a}*x*log(x) + {b}", lambda t: x * t * mpmath.log(t) + y, is_peak=False, ends=("1e-9", "1e6")),
        Bend(f"{a}*x**({a}*x)", lambda t: x * t ** (x * t), is_peak=False, ends=("1e-9", "5")),
        Bend(f"(x - {a})**2/(x + {b}) + {c}", lambda t: (t - x) ** 2 / (t + y) + z, is_peak=False, ends=("0", "30")),
    )
    return chance.choice(bends)


def extremum(bend: Bend) -> Any:
    """Return where a function has its extremum, by golden sections and then Newton's method on its derivative."""
    low, high = map(mpf, bend.ends)
    sign = -1 if bend.is_peak else 1
    shrink = (mpmath.sqrt(5) - 1) / 2
    for _ in range(300):
        first, second = high - shrink * (high - low), low + shrink * (high - low)
        low, high = (low, second) if sign * bend.value(first) < sign * bend.value(second) else (first, high)
    return (low + high) / 2


def root(bend: Bend, target: Any, inner: Any, outer: Any) -> Any | None:
    """Return the root between the extremum and an end of the domain, by bisection; None where there is none."""
    below = (bend.value(inner) - target) * (-1 if bend.is_peak else 1)
    beyond = (bend.value(outer) - target) * (-1 if bend.is_peak else 1)
    if below >= 0 or beyond < 0:
        return None
    for _ in range(230):
        middle = (inner + outer) / 2
        if ((bend.value(middle) - target) < 0) is not bend.is_peak:
            inner = middle
        else:
            outer = middle
    return inner


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FUNCTIONS))
def test_the_roots_near_an_extremum_are_all_found(seed: int, tmp_path: Path) -> None:
    with mp.workdps(DIGITS):
        bend = drawn(Random(seed))  # noqa: S311  # the same every time
        at = extremum(bend)
        sheet = variables(tmp_path, {"x": {"minimum": bend.ends[0], "maximum": bend.ends[1]}})
        for off, side in product(OFF, (1, -1)):
            scaled = int(mpmath.nint(bend.value(at) * (1 + side * mpf(off)) * SCALE))
            outcome = solve(sheet, "x", [f"{bend.text} = {scaled}/{SCALE}"]).outcomes["x"]
            roots = [root(bend, mpf(scaled) / SCALE, at, mpf(end)) for end in bend.ends]
            asked = (bend.text, off, side)
            assert outcome.proof is not Proof.OPEN, asked
            values = [Fraction(part.lower) for part in outcome.solutions]
            found = [mpf(value.numerator) / value.denominator for value in values]
            wanted = [value for value in roots if value is not None]
            assert len(found) == len(wanted), asked
            assert all(abs(a - b) <= mpf("1e-12") * abs(b) for a, b in zip(found, sorted(wanted), strict=True)), asked
