"""A count is met by the float that is printed of an output there, however near the floats of its neighbours are."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.numbers.sets import whole_ends
from flopsheet.sheets.yaml_sheet import parse_sheet
from flopsheet.tolerances import TYPED
from flopsheet.units import is_finite

FORMULAS = {  # an output in floats, and counts at which it is asked back
    "sqrt(10**15 + n)": (1, 128256, 10**6 + 1),
    "sqrt(10**15 + 7*n) + log(n + 3)/10**6": (5, 777777),
    "10**5*(sqrt(2)*(1 + n) - 1.4142)**3": (0, 1, 17),
    "sqrt(10**18 + n)": (9478132, 4650355),  # as many counts have one float
    "10**13 - sqrt(n)/7": (1617409,),
    "exp(1/3) - exp((1 + n/10**9)/3) + 10**(-7)": (0, 2),
    "1/(exp(log(3)*(n + 1)) - 2.9999999)": (0, 1),
}


@pytest.mark.parametrize(("formula", "count"), [(text, at) for text, counts in FORMULAS.items() for at in counts])
def test_a_count_is_solved_back_from_what_is_printed(formula: str, count: int) -> None:
    cells = f"  n: {{integer: true, minimum: 0, maximum: 10000000}}\n  y: {{formula: '{formula}', signed: true}}\n"
    model = parse_sheet(f"sheet: printed\ntitle: Printed\ncells:\n{cells}", "printed")
    printed = solve(model, (), [f"n = {count}"]).as_dict()["cells"]["y"]["value"]
    outcome = solve(model, "n", [f"y = {printed!r}"]).outcomes["n"]
    assert any(count in part for part in outcome.solutions), outcome.why
    assert all(float(end).is_integer() for part in outcome.solutions for end in (part.lower, part.upper))


LOST = {  # the same where floats lose digits of the count, and hold many counts alike
    "sqrt(10**16 + n)": (1, 7, 3000, 10**6 + 1, 10**9, 123456789012, 10**17 + 1),
    "sqrt(10**17 + n)": (0, 3000, 10**6 + 1, 10**9, 123456789012, 10**17 + 1),
    "sqrt(10**18 + n)": (1, 10**6 + 1, 123456789012, 10**17 + 1),
    "sqrt(2)*10**6 + log(n + 1)/10**10": (0, 3000, 10**9, 10**17 + 1),
    "sqrt(2) + exp(-n)": (40, 10**6),
    "exp(n/10**20)": (1, 10**6 + 1, 123456789012, 10**17 + 1),
    "1/3 - 1/(3 + n/10**12)": (1, 10**4 + 1, 10**9 + 7),
    "sqrt(2)*n": (0, 10**9, 10**17 + 1),
}


@pytest.mark.parametrize(("formula", "count"), [(text, at) for text, counts in LOST.items() for at in counts])
def test_counts_with_one_float_are_all_met(formula: str, count: int) -> None:
    model = parse_sheet(
        "sheet: printed\ntitle: Printed\ncells:\n  n: {integer: true, minimum: 0}\n"
        f"  y: {{formula: '{formula}', signed: true}}\n",
        "printed",
    )

    def printed(at: int) -> float:
        value: float = solve(model, (), [f"n = {at}"]).as_dict()["cells"]["y"]["value"]
        return value

    level = printed(count)
    outcome = solve(model, "n", [f"y = {level!r}"]).outcomes["n"]
    assert any(count in part for part in outcome.solutions), outcome.why
    for part in outcome.listed:
        for end, way in zip(whole_ends(part), (-1, 1), strict=True):
            if is_finite(end):
                assert printed(int(end)) == pytest.approx(level, rel=float(TYPED)), "what is listed has this float"
                beside = int(end) + way
                assert beside < 0 or printed(beside) != level, "what is beside it has another one"
