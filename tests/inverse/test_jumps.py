"""What an answer printed at a jump of a formula leads back to the jump, though rounding puts it beside the piece."""

from __future__ import annotations

from math import exp, floor
from random import Random
from typing import TYPE_CHECKING

import pytest

from flopsheet import solve
from flopsheet.units import close

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.answer.outcomes.outcome import Outcome

# Each jumps at whole numbers, or at multiples of three, where the piece that holds them is closed.
FORMULAS = {
    "floor(a)*exp(-a/10)": 1,
    "ceil(a)*exp(-a/10)": 1,
    "mod(a, 3) + log(a)": 3,
    "log(1 + floor(a*26)*log2(1 + a)/a)": 1,
    "floor(a)*a**0.7": 1,
    "sqrt(a) + floor(a/3)/7": 3,
}


def asked_back(folder: Path, text: str, at: int) -> Outcome:
    file = folder / "jumps.yaml"
    cells = "  a: {doc: Place, minimum: 0.001, maximum: 1000}\n"
    file.write_text(f"sheet: jumps\ntitle: Jumps.\ncells:\n{cells}  y: {{doc: Value, formula: '{text}'}}\n", "utf-8")
    value = solve(str(file), "y", [f"a = {at}"]).value
    assert isinstance(value, float)
    return solve(str(file), "a", [f"y = {value!r}"]).outcomes["a"]


@pytest.mark.slow
@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("seed", range(8))
def test_a_jump_is_found_from_what_was_printed_there(tmp_path: Path, text: str, seed: int) -> None:
    at = FORMULAS[text] * Random(f"{text} {seed}").randint(2, 40)  # noqa: S311  # the same each time
    outcome = asked_back(tmp_path, text, at)
    assert any(close(part.lower, at) or at in part for part in (*outcome.listed, *outcome.open))


def test_what_is_told_beside_a_jump_is_met(tmp_path: Path) -> None:
    """At 12 the formula is 3.6143 and before it 3.3131: a jump that passes over a level does not meet it."""
    outcome = asked_back(tmp_path, "floor(a)*exp(-a/10)", 12)
    values = [floor(at) * exp(-at / 10) for part in outcome.listed for at in (float(part.lower),)]
    assert values == [pytest.approx(values[0], rel=1e-12)] * 4
