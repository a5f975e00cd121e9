"""Elasticities of random chains of formulas against differences in sixty digits, without the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mpmath
import pytest
import sympy
from hypothesis import assume, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from flopsheet import Sheet, solve
from flopsheet.functions.symbols import symbol
from flopsheet.sheets.cell import POSITIVE, Cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from decimal import Decimal

MP: Any = mpmath.MPContext()
MP.dps = 60
STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / (1 + b),
    "root": lambda a, b: (a**2 + b) ** sympy.Rational(1, 2) if isinstance(a, sympy.Expr) else MP.sqrt(a**2 + b),
    "power": lambda a, b: a**3 / (a + b),
}
NAMES = ("a", "b", "c")
places = st.integers(0, 20)
chains = st.lists(st.tuples(st.sampled_from([*STEPS]), places, places), min_size=1, max_size=7)
inputs = st.tuples(*[st.decimals("0.3", 4, places=2)] * 3)


def _run(chain: list[tuple[str, int, int]], cells: list[Any], step: Callable[[str, Any], Any]) -> list[Any]:
    """Return the cells of a chain, each computed from two before it; the last one rests on the one before it."""
    results = [*cells]
    for name, left, right in chain:
        results.append(step(name, (results[-1 - left % 2], results[right % len(results)])))
    return results


def _last(chain: list[tuple[str, int, int]], values: Mapping[str, Any]) -> Any:
    return _run(chain, [values[name] for name in NAMES], lambda name, pair: STEPS[name](*pair))[-1]


def _plain(chain: list[tuple[str, int, int]], values: Mapping[str, Decimal]) -> dict[str, float]:
    """Return the elasticities of the last cell by differences in sixty digits, without the engine."""
    at = {name: MP.mpf(str(value)) for name, value in values.items()}
    step = MP.mpf(10) ** -20
    ends = {name: [_last(chain, {**at, name: at[name] * (1 + sign * step)}) for sign in (1, -1)] for name in NAMES}
    return {name: float(MP.log(up / down) / (2 * step)) for name, (up, down) in ends.items()}


def _sheet(chain: list[tuple[str, int, int]]) -> Sheet:
    model = Sheet("chain")
    for name in NAMES:
        model.rows.add_cell(Cell(name, "An input", bounds=POSITIVE))

    def step(name: str, pair: Any) -> Any:
        cell = f"out{len(model.cells) - len(NAMES)}"
        model.rows.add_cell(Cell(cell, "A step", formula=STEPS[name](*pair), bounds=POSITIVE))
        return symbol(cell)

    _run(chain, [symbol(name) for name in NAMES], step)
    return model


@drawn(chains, inputs)
@settings(deadline=None, max_examples=30)
def test_random_chains_move_as_plain_differences_say(chain: list[tuple[str, int, int]], numbers: Any) -> None:
    values = dict(zip(NAMES, numbers, strict=True))
    model, expected = _sheet(chain), _plain(chain, values)
    last = [*model.cells][-1]
    elasticities = solve(model, last, {name: str(value) for name, value in values.items()}).elasticities()
    assert elasticities == pytest.approx({name: expected[name] for name in elasticities}, rel=1e-9, abs=1e-12)
    assert all(abs(value) < 1e-12 for name, value in expected.items() if name not in elasticities)


@drawn(chains, inputs, st.sampled_from(NAMES))
@settings(deadline=None, max_examples=30)
def test_inverted_random_chains_have_inverse_elasticities(
    chain: list[tuple[str, int, int]], numbers: Any, unknown: str
) -> None:
    values = dict(zip(NAMES, numbers, strict=True))
    forward = _plain(chain, values)
    assume(abs(forward[unknown]) > 0.1)
    model = _sheet(chain)
    last = [*model.cells][-1]
    target = _last(chain, {name: MP.mpf(str(value)) for name, value in values.items()})
    given = {name: str(value) for name, value in values.items() if name != unknown}
    answer = solve(model, unknown, {**given, last: MP.nstr(target, 25)}, near=str(values[unknown]))
    assert answer.value == pytest.approx(float(values[unknown]), rel=1e-9)
    expected = {name: -forward[name] / forward[unknown] for name in given} | {last: 1 / forward[unknown]}
    elasticities = answer.elasticities()
    assert elasticities == pytest.approx({name: expected[name] for name in elasticities}, rel=1e-6, abs=1e-9)
    assert all(abs(value) < 1e-9 for name, value in expected.items() if name not in elasticities)
