"""The roofline of one operator: which of computation and memory bounds it, and the batch at which that changes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from flopsheet import solve

PRODUCT = ("chip = h100-sxm", "d_in = 4096", "d_out = 8192")
PEAK, BANDWIDTH = Fraction(9894 * 10**11), Fraction(335 * 10**10)


def values(*relations: str, figures: str = "nominal") -> dict[str, Any]:
    """Return the cells of the sheet by name [base units]."""
    return {name: cell.si for name, cell in solve("roofline", (), relations, figures=figures).cells.items()}


def turning_point(left: int, right: int, result: int) -> Fraction:
    """Return the rows at which the product takes as long to compute as its bytes to move, from bytes of a number."""
    bytes_per_row, fixed = 4096 * left + 8192 * result, 4096 * 8192 * right
    return fixed / (2 * 4096 * 8192 / PEAK * BANDWIDTH - bytes_per_row)


@pytest.mark.parametrize(
    ("formats", "widths"),
    [
        ([], (2, 2, 2)),
        (["right_format = int8"], (2, 1, 2)),
        (["left_format = fp8", "right_format = fp8"], (1, 1, 2)),
        (["left_format = fp32", "right_format = fp16", "result_format = fp32"], (4, 2, 4)),
    ],
)
def test_a_product_becomes_compute_bound_where_both_times_are_equal(
    formats: list[str], widths: tuple[int, int, int]
) -> None:
    expected = turning_point(*widths)
    equal = solve("roofline", "n_rows", [*PRODUCT, *formats, "compute_time = memory_time"]).outcomes["n_rows"]
    assert equal.si == expected
    (bound,) = solve("roofline", "n_rows", [*PRODUCT, *formats, "compute_bound = 1"]).outcomes["n_rows"].solutions
    assert bound.lower == pytest.approx(float(expected), rel=1e-12)
    assert bound.upper == math.inf
    for rows, verdict in ((math.floor(expected), 0), (math.ceil(expected), 1)):
        assert values(*PRODUCT, *formats, f"n_rows = {rows}")["compute_bound"] == verdict


def test_the_critical_rows_are_those_of_a_product_with_large_weights() -> None:
    found = values("chip = h100-sxm", "n_rows = 1", "d_in = 4096", "d_out = 8192", "right_format = int8")
    assert found["critical_rows"] == PEAK / BANDWIDTH / 2
    large = ("chip = h100-sxm", "d_in = 1e9", "d_out = 1e9", "right_format = int8", "compute_time = memory_time")
    assert solve("roofline", "n_rows", large).value == pytest.approx(float(found["critical_rows"]), rel=1e-5)


def test_times_overlap_or_add_up() -> None:
    product = (*PRODUCT, "n_rows = 512", "launch_time = 3 us")
    full, none = values(*product), values(*product, "overlap = none")
    compute, memory = Fraction(2 * 512 * 4096 * 8192) / PEAK, 2 * (512 * 12288 + 4096 * 8192) / BANDWIDTH
    assert (full["compute_time"], full["memory_time"]) == (compute, memory)
    launch = Fraction(3, 10**6)
    assert full["operator_time"] == launch + max(compute, memory)
    assert none["operator_time"] == launch + compute + memory
    assert full["utilization"] == compute / (launch + compute)
    assert full["bandwidth_utilization"] == memory / (launch + compute)


def test_products_with_operands_of_their_own_stay_memory_bound() -> None:
    one, many = (values(*PRODUCT, "n_rows = 1", f"n_matmuls = {count}") for count in (1, 64))
    assert many["intensity"] == one["intensity"]
    assert many["operator_time"] == 64 * one["operator_time"]
    assert values(*PRODUCT, "n_rows = 64")["intensity"] > 60 * one["intensity"]


def test_an_operator_is_stated_by_its_flop_and_bytes() -> None:
    add = (
        "chip = h100-sxm",
        "precision = fp32",
        "operator = stated",
        "stated_work = 1e9 FLOP",
        "stated_traffic = 12 GB",
    )
    found = values(*add)
    assert (found["intensity"], found["compute_bound"]) == (Fraction(1, 12), 0)
    assert found["operator_time"] == Fraction(12 * 10**9) / BANDWIDTH
    share = solve("roofline", "memory_share", [*add, "operator_time = 4 ms"])
    assert share.value == 12e9 / 3.35e12 / 4e-3


def test_measured_figures_and_shares_lower_the_rate() -> None:
    product = (*PRODUCT, "n_rows = 8192")
    assert values(*product, figures="measured")["operator_rate"] == 7945 * 10**11
    shared = values(*product, "compute_share = 0.5")
    assert shared["operator_rate"] == PEAK / 2
    assert shared["utilization"] == Fraction(1, 2)
    assert shared["ridge_point"] == PEAK / 2 / BANDWIDTH


def test_a_system_gives_its_chip() -> None:
    assert values("system = dgx-h100", *PRODUCT[1:], "n_rows = 512") == values(*PRODUCT, "n_rows = 512")
