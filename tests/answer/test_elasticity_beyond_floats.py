"""Elasticities whose slopes, or products of these, are beyond floats: right or left out, and never an error."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.published.variables import variables

from flopsheet import solve

if TYPE_CHECKING:
    from pathlib import Path

exponents, digits = st.integers(-145, 145), st.integers(1, 999)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("beyond")


@drawn(digits, digits, st.tuples(exponents, exponents, exponents), st.sampled_from(("=", "<=", ">=")))
@settings(deadline=None, max_examples=40)
def test_a_quotient_of_any_size_has_the_elasticity_of_its_end(
    folder: Path, above: int, off: int, sizes: tuple[int, int, int], sign: str
) -> None:
    e, f, g = sizes
    total = above * Fraction(10) ** (e - g)
    x = total - off * Fraction(10) ** f
    sheet = variables(folder, {"x": {"signed": True}, "y": {}})
    answer = solve(sheet, "x", [f"{above}e{e}/(x + {off}e{f}) {sign} y", f"y = 1e{g}"])
    answer.as_dict()
    elasticities = answer.elasticities()
    if "y" in elasticities:  # x = above/y - off
        assert elasticities["y"] == pytest.approx(float(-total / x), rel=1e-9)


@drawn(st.tuples(*[st.integers(-14, 14)] * 3), st.sampled_from((-1, 1)), digits)
@settings(deadline=None, max_examples=40)
def test_products_of_slopes_that_leave_floats_are_not_told_with_lost_digits(
    folder: Path, off: tuple[int, int, int], way: int, digits: int
) -> None:
    first, middle, last = (way * size + own for size, own in zip((270, 0, -270), off, strict=True))
    cells = {
        "start": {},
        "next": {"formula": f"start*1e{middle - first}"},
        "end": {"formula": f"next*1e{last - middle}"},
    }
    elasticities = solve(variables(folder, cells), "end", f"start = {digits}e{first}").elasticities()
    assert elasticities in ({}, {"start": 1.0})
    assert elasticities or abs(last - first) > 300


def test_one_term_that_vanishes_takes_no_other_with_it(tmp_path: Path) -> None:
    cells = {"a": {}, "b": {}, "c": {}, "y": {"formula": "a + b*exp(-c)"}}
    answer = solve(variables(tmp_path, cells), "y", ["a = 3", "b = 2", "c = 710"])
    assert answer.elasticities() == {"a": 1.0}


@pytest.mark.parametrize("relation", ["1e-114/(x + 1e118) = 1e-233", "1e-114/(x + 1e118) <= 1e-240"])
def test_slopes_beyond_floats_raise_nothing(tmp_path: Path, relation: str) -> None:
    answer = solve(variables(tmp_path, {"x": {"signed": True}}), "x", relation)
    assert answer.as_dict()["answers"]["x"]["proof"] == "exact"
