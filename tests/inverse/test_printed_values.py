"""A count is met by the float that is printed of an output there, however near the floats of its neighbours are."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.sheets.yaml_sheet import parse_sheet

FORMULAS = {  # an output in floats, and counts at which it is asked back
    "sqrt(10**15 + n)": (1, 128256, 10**6 + 1),
    "sqrt(10**15 + 7*n) + log(n + 3)/10**6": (5, 777777),
    "10**5*(sqrt(2)*(1 + n) - 1.4142)**3": (0, 1, 17),
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
