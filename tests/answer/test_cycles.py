"""Cells that depend on each other: solved together, exactly where linear, with all solutions, and within all bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from mpmath.ctx_mp import MPContext
from tests.answer.cycles import declared

from flopsheet import solve, table
from flopsheet.inverse.method import Proof
from flopsheet.report.pages import write_up
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Sheet

MP = MPContext()
MP.dps = 40

BUDGET = """sheet: budget
title: Cost of a project with an overhead on its total.
implicit: true
cells:
  base: {unit: USD, example: 90 USD}
  share: {default: 1/10}
  overhead: {formula: share*total, unit: USD}
  total: {formula: base + overhead, unit: USD}
  twice: {formula: 2*total, unit: USD}
"""
# The leakage of a chip grows with its temperature, and the temperature with its power.
CHIP = """sheet: chip
title: Chip whose leakage grows with its temperature.
implicit: true
cells:
  inlet: {default: 30}
  resistance: {unit: 1/W, default: 1/20 1/W}
  work: {unit: W, example: 600 W}
  leak: {unit: W, default: 50 W}
  temperature: {formula: inlet + resistance*power}
  power: {formula: work + leak*exp((temperature - inlet)/30), unit: W}
  cooling: {formula: 3*power/10, unit: W}
"""
BUDGETED, HOT = parse_sheet(BUDGET, "budget"), parse_sheet(CHIP, "chip")


def test_all_cells_are_computed() -> None:
    cells = solve(BUDGETED, (), ["base = 90 USD"]).cells
    assert {name: cell.si for name, cell in cells.items()} == {
        "base": 90, "share": Fraction(1, 10), "overhead": 10, "total": 100, "twice": 200,
    }  # fmt: skip


LINEAR = [
    ("total", ["base = 90 USD"], "total = 100 USD"),
    ("overhead", ["base = 90 USD"], "overhead = 10 USD"),
    ("base", ["total = 110 USD"], "base = 99 USD"),
    ("base", ["twice = 110 USD"], "base = 49.5 USD"),
    ("base", ["overhead = 11 USD"], "base = 99 USD"),
    ("share", ["base = 100 USD", "total = 125 USD"], "share = 0.2"),
    ("base", ["twice <= 110 USD"], "base <= 49.5 USD"),
    ("base", ["total >= 20 USD", "overhead <= 5 USD"], "18 USD <= base <= 45 USD"),
    ("share", ["base = 100 USD", "total <= 125 USD"], "share <= 0.2"),
    ("share", ["base = 100 USD", "total >= 125 USD"], "0.2 <= share < 1"),
    ("twice", ["total = 110 USD"], "twice = 220 USD"),
]


@pytest.mark.parametrize(("unknown", "where", "text"), LINEAR)
def test_a_linear_cycle_is_solved_exactly(unknown: str, where: list[str], text: str) -> None:
    answer = solve(BUDGETED, unknown, where)
    assert str(answer).startswith(f"{text}. ")
    assert answer.outcomes[unknown].proof is Proof.EXACT
    assert all(check.holds for check in answer.checks)


def test_a_cell_of_the_cycle_may_be_given() -> None:
    cells = solve(BUDGETED, (), ["total = 110 USD"]).cells
    assert (cells["base"].si, cells["overhead"].si, cells["total"].origin) == (99, 11, "given")


def heat(work: float, start: float) -> float:
    """Return the temperature of the chip near a start, by Newton's method in mpmath."""
    return float(MP.findroot(lambda t: 30 + (work + 50 * MP.exp((t - 30) / 30)) / 20 - t, start))


def test_every_solution_is_listed() -> None:
    cool, hot = heat(600, 60), heat(600, 130)
    answer = solve(HOT, "temperature", ["work = 600 W"])
    assert [part.lower for part in answer.outcomes["temperature"].solutions] == pytest.approx([cool, hot], rel=1e-12)
    assert solve(HOT, "temperature", ["work = 600 W"], near=50).value == pytest.approx(cool, rel=1e-12)
    powers = [(temperature - 30) * 20 for temperature in (cool, hot)]
    answer = solve(HOT, "power", ["work = 600 W"])
    assert [part.lower for part in answer.outcomes["power"].solutions] == pytest.approx(powers, rel=1e-11)
    assert solve(HOT, "cooling", ["work = 600 W"]).tuples == [
        {"cooling": pytest.approx(0.3 * power, rel=1e-11)} for power in powers
    ]


def test_without_an_unknown_a_cell_with_several_values_says_so() -> None:
    answer = solve(HOT, (), ["work = 600 W"])
    assert "power" not in answer.cells
    assert answer.warnings == ["temperature is 69.25 or 129.9: give it to see what follows from it."]


def test_a_bound_of_any_cell_of_the_cycle_binds() -> None:
    cool = heat(600, 60)
    for row, bound in (("temperature", "maximum: 100, "), ("power", "maximum: 1 kW, ")):
        model = parse_sheet(CHIP.replace(f"{row}: {{", f"{row}: {{{bound}"), "chip")
        assert solve(model, (), ["work = 600 W"]).cells["temperature"].si == pytest.approx(cool, rel=1e-12)
        for unknown in ("temperature", "power", "cooling"):
            assert solve(model, unknown, ["work = 600 W"]).outcomes[unknown].kind == "value"
        goal = "power = 2 kW" if row == "temperature" else "temperature = 90"
        assert solve(model, "work", [goal]).outcomes["work"].kind == "none"


def test_a_bound_that_no_method_inverts_binds() -> None:
    rows = ["x: {formula: '(x**2 + 2)/3 + y - x*exp(x/2)'}", "y: {maximum: 5, formula: x*exp(x/2)}"]
    assert solve(declared(*rows)).cells["x"].si == 1
    assert "x is 1 or 2" in solve(declared(rows[0], rows[1].replace("5", "6"))).warnings[0]


def test_a_bound_binds_where_the_unknown_is_behind_the_cycle() -> None:
    model = parse_sheet(BUDGET.replace("overhead: {", "overhead: {maximum: 5 USD, "), "budget")
    assert str(solve(model, "base", ["total >= 20 USD"])).startswith("18 USD <= base <= 45 USD. ")
    assert solve(model, "base", ["total = 100 USD"]).outcomes["base"].kind == "none"


def test_limits_bind_on_cells_of_the_cycle() -> None:
    cool = heat(600, 60)
    model = parse_sheet(CHIP + "limits:\n  safe: {relation: temperature <= inlet + 60}\n", "chip")
    answer = solve(model, "temperature", ["work = 600 W"])
    assert answer.value == pytest.approx(cool, rel=1e-12)
    assert answer.outcomes["temperature"].limits == ("safe",)
    model = parse_sheet(BUDGET + "limits:\n  small: {relation: overhead <= base/4}\n", "budget")
    answer = solve(model, "share", ["base = 100 USD", "total >= 110 USD"])
    assert str(answer).startswith("0.09091 <= share <= 0.2 (limit small). ")


PLANNED = """sheet: plan
title: Tasks whose overhead grows with their number.
implicit: true
cells:
  n: {integer: true, minimum: 0, maximum: 18}
  overhead: {formula: OVERHEAD}
  total: {formula: n + 7 + overhead}
  beyond: {formula: (n - 8)*(n - 10), signed: true}
limits:
  fits: {relation: total >= LEAST}
"""


def planned(overhead: str, least: int) -> Sheet:
    return parse_sheet(PLANNED.replace("OVERHEAD", overhead).replace("LEAST", str(least)), "plan")


@pytest.mark.parametrize("least", [8, 12, 18, 21, 30, 100])
def test_bounds_tell_that_a_factor_of_a_cell_of_the_cycle_is_never_zero(least: int) -> None:
    met = [n for n in range(19) if Fraction(n + 7) / (1 - Fraction(n, 50)) >= least]
    sheet = planned("n/50*total", 0)
    outcome = solve(sheet, "n", [f"total >= {least}"]).outcomes["n"]
    assert [n for n in range(19) if any(n in part for part in outcome.solutions)] == met
    limited = solve(planned("n/50*total", least), "n", ["beyond = 0"]).outcomes["n"]
    assert [n for n in (8, 10) if any(n in part for part in limited.solutions)] == [n for n in (8, 10) if n in met]


@pytest.mark.parametrize(
    ("least", "works", "told"),
    [
        (15, [8, 10], "2 of 2 work"),
        (17, [10], "1 of 2 works"),
        (18, [], "none of 2 works"),
        (99, [], "none of 2 works"),
    ],
)
def test_a_limit_that_cannot_be_inverted_excludes_the_values_that_break_it(
    least: int, works: list[int], told: str
) -> None:
    sheet = planned("n/50*sqrt(total)", least)
    outcome = solve(sheet, "n", ["beyond = 0"]).outcomes["n"]
    assert [n for n in (8, 10) if any(n in part for part in outcome.solutions)] == works
    assert told in outcome.why
    alone = solve(sheet, "n", ["beyond = 0", "n <= 9"]).outcomes["n"]
    assert alone.kind == ("value" if 8 in works else "none")
    assert ("Without it: n = 8." in alone.why) is (8 not in works)


def test_a_cycle_without_a_solution_says_so() -> None:
    answer = solve(BUDGETED, (), ["base = 90 USD", "share = 2"])
    assert "total" not in answer.cells
    assert "It holds for no value of 'overhead' within its bounds (zero or more)" in answer.warnings[0]
    assert solve(BUDGETED, "total", ["base = 90 USD", "share = 2"]).outcomes["total"].kind == "none"
    model = declared("a: {default: 1}", "x: {formula: y + a}", "y: {formula: x + a}")
    assert solve(model, "x").outcomes["x"].kind == "none"


def test_a_cycle_that_leaves_its_cells_free_says_so() -> None:
    model = declared("a: {default: 1}", "x: {formula: y + a}", "y: {formula: x - a}")
    assert "'x' has a range" in solve(model).warnings[0] or "has a range of values" in solve(model).warnings[0]
    assert solve(model, "x").outcomes["x"].kind == "range"


NONLINEAR = [
    (["x: {formula: exp(-x)}"], "x", lambda: MP.lambertw(1)),
    (["x: {formula: 'sqrt(1 + x)'}"], "x", lambda: (1 + MP.sqrt(5)) / 2),
    (["half: {unit: degree, default: 180 degree}", "x: {formula: cos(x*half/pi)}"], "x",
     lambda: MP.findroot(lambda x: MP.cos(x) - x, 0.7)),
    (["x: {formula: 'max(3, y/2)'}", "y: {formula: x + 1}"], "y", lambda: 4),
    (["x: {formula: 'ceil(y/8)'}", "y: {formula: x + 100}"], "x", lambda: 15),
    (["x: {formula: '1/(1 + y)'}", "y: {formula: '1/(2 + x)'}"], "x", lambda: MP.sqrt(3) - 1),
    (["x: {formula: exp(-y)}", "y: {formula: 'log(1 + z)'}", "z: {formula: sqrt(x)}"], "z",
     lambda: MP.findroot(lambda z: z**2 * (1 + z) - 1, 0.7)),
    (["x: {formula: 'exp(-x - y)'}", "y: {formula: 'exp(-x*y)/2'}"], "y",
     lambda: MP.findroot([lambda x, y: x - MP.exp(-x - y), lambda x, y: y - MP.exp(-x * y) / 2], (0.4, 0.4))[1]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "unknown", "expected"), NONLINEAR)
def test_nonlinear_cycles(rows: list[str], unknown: str, expected: Callable[[], float]) -> None:
    answer = solve(declared(*rows), unknown)
    assert answer.value == pytest.approx(float(expected()), rel=1e-11)
    assert answer.outcomes[unknown].proof is not Proof.OPEN
    assert all(name in answer.cells for name in answer.question.sheet.cells)


def test_an_input_behind_a_nonlinear_cycle() -> None:
    for goal in ("temperature = 80", "power = 1000 W", "cooling = 300 W"):
        assert solve(HOT, "work", [goal]).value == pytest.approx(1000 - 50 * math.exp(50 / 30), rel=1e-12)


AT_80 = 1000 - 50 * math.exp(50 / 30)
RANGES = [
    ("work", ["temperature <= 80"], (0, AT_80)),
    ("work", ["cooling <= 300 W"], (0, AT_80)),
    ("work", ["temperature <= 80", "power >= 800 W"], (800 - 50 * math.exp(40 / 30), AT_80)),
    ("resistance", ["work = 500 W", "temperature <= 60"], (0, 30 / (500 + 50 * math.e))),
    ("leak", ["work = 500 W", "temperature <= 60"], (0, 100 / math.e)),
]


@pytest.mark.parametrize(("unknown", "where", "ends"), RANGES)
def test_an_inequality_behind_a_nonlinear_cycle(unknown: str, where: list[str], ends: tuple[float, float]) -> None:
    answer = solve(HOT, unknown, where)
    (part,) = answer.outcomes[unknown].solutions
    assert [float(part.lower), float(part.upper)] == pytest.approx(ends, rel=1e-9)
    assert answer.outcomes[unknown].proof is Proof.PROVEN
    assert all(check.holds for check in answer.checks)
    assert all(text.split()[0] in answer.outcomes[unknown].why for text in where if "<" in text or ">" in text)


def test_a_formula_of_formulas_is_put_in_before_a_cell_is_solved_for() -> None:
    relations = ["2 * stages_reached > n_stages", "reached_samples = 500000"]
    outcome = solve("gpt_batch_ramp", ["reached_samples", "start_batch"], relations).outcomes["start_batch"]
    (part,) = outcome.solutions
    assert part.lower == Fraction(1168928, 1811)  # 3 s + 1.6384 (2048 - s) / 16 = 2080


def test_a_whole_number_behind_a_nonlinear_cycle() -> None:
    model = parse_sheet(
        CHIP.replace("work: {unit: W", "n: {integer: true}\n  work: {formula: n*unit, unit: W").replace(
            ", example: 600 W}", "}\n  unit: {unit: W, default: 100 W}"
        ),
        "chip",
    )
    answer = solve(model, "n", ["temperature <= 80"])
    assert (answer.value, answer.cells["work"].si) == (7, 700)
    assert answer.cells["temperature"].si == pytest.approx(heat(700, 70), rel=1e-12)
    nothing = solve(model, "n", ["temperature <= 31"]).outcomes["n"]
    assert (nothing.kind, nothing.solutions, nothing.proof) == ("none", (), Proof.PROVEN)
    assert nothing.why == "No n satisfies 'temperature <= 31' while the cells between are within their bounds."


def test_elasticities_go_through_the_cycle() -> None:
    low, middle, high = (heat(work, 60) for work in (499.95, 500, 500.05))
    slope = (high - low) / 0.1 * 500 / middle
    answer = solve(HOT, "temperature", ["work = 500 W", "temperature <= 100"])
    assert answer.elasticities("temperature")["work"] == pytest.approx(slope, rel=1e-6)
    shares = solve(BUDGETED, "total", ["base = 90 USD"]).elasticities("total")
    assert shares == pytest.approx({"base": 1, "share": 1 / 9})


def test_a_table_solves_the_cycle_in_each_row() -> None:
    rows = table(BUDGETED, vary={"base": ["90 USD", "180 USD"]}, show=["total"]).rows
    assert [row.answer.cells["total"].si for row in rows if row.answer] == [100, 200]


def test_the_derivation_says_what_is_solved_together() -> None:
    text = write_up(solve(BUDGETED, (), ["base = 90 USD"]))
    assert "(`overhead`, from 'overhead = share\\*total', solved as a linear equation, together with total)" in text
    assert r"\frac{\text{base} \cdot \text{share}}{1 - \text{share}}" in text


def test_a_choice_may_cut_a_cycle() -> None:
    text = BUDGET.replace("cells:", "choices:\n  of: {options: [total, base], default: total}\ncells:")
    model = parse_sheet(text.replace("share*total", "'share*select(of, total=total, base=base)'"), "budget")
    assert solve(model, "total", ["base = 90 USD"]).value == 100
    assert solve(model, "total", ["base = 90 USD", "of = base"]).value == 99


LIMITED = [
    (["u: {formula: x + sqrt(v), signed: true}", "v: {formula: u}"], "x: {}", "u <= 15", "u <= 26"),
    (["u: {formula: x + sqrt(v), signed: true}", "v: {formula: u}"], "x: {}", "x <= 5", "u <= 26"),
    (["u: {formula: x + sqrt(v)}", "v: {formula: u}", "t: {formula: 2*x}"], "x: {}", "t <= 5", "u <= 26"),
    (["u: {formula: exp(v)}", "v: {formula: u - x, signed: true}"], "x: {maximum: 10}", "x >= 2", "u >= 0.245"),
    (["u: {formula: x*exp(-v)}", "v: {formula: 5*u}"], "x: {minimum: 0, maximum: 20}", "u < 0.59", "u <= 0.655"),
    (
        ["u: {formula: x/v}", "v: {formula: u + 10}", "t: {formula: u**2 + x}"],
        "x: {maximum: 20}",
        "v <= 11.1",
        "t <= 21",
    ),
    (["u: {formula: x/v}", "v: {formula: u + 10}", "t: {formula: u**2 + x}"], "x: {maximum: 20}", "v >= 99", "t <= 21"),
]


@pytest.mark.parametrize(("cycle", "unknown", "limit", "relation"), LIMITED)
def test_a_limit_on_a_nonlinear_cycle_binds_as_a_relation_does(
    cycle: list[str], unknown: str, limit: str, relation: str
) -> None:
    rows = "".join(f"  {row}\n" for row in (unknown, *cycle))
    text = f"sheet: cycle\ntitle: Cycle.\nimplicit: true\ncells:\n{rows}"
    limited = solve(parse_sheet(f"{text}limits:\n  fits: {{relation: {limit}}}\n", "cycle"), "x", [relation])
    asked = solve(parse_sheet(text, "cycle"), "x", [relation, limit]).outcomes["x"]
    outcome = limited.outcomes["x"]
    assert (outcome.kind, outcome.open) == (asked.kind, asked.open) == (asked.kind, ())
    assert [(float(part.lower), float(part.upper)) for part in outcome.listed] == [
        pytest.approx((float(part.lower), float(part.upper)), rel=1e-12) for part in asked.listed
    ]
    assert outcome.limits == ("fits",)


def test_a_limit_on_a_cell_of_the_cycle_that_is_given_holds_or_not_whatever_the_unknown_is() -> None:
    text = "sheet: cycle\ntitle: Cycle.\nimplicit: true\ncells:\n  x: {signed: true}\n"
    text += "  u: {formula: x**2 + x*v, signed: true}\n  v: {formula: u, signed: true}\n"
    broken = solve(parse_sheet(f"{text}limits:\n  fits: {{relation: u = -9}}\n", "cycle"), "x", ["u = -1000"])
    assert broken.outcomes["x"].kind == "none"
    assert "whatever x is. Without it: x = 1.001 or 999.0." in broken.outcomes["x"].why


def test_where_the_cycle_divides_by_zero_is_no_solution() -> None:
    text = "sheet: cycle\ntitle: Cycle.\nimplicit: true\ncells:\n  x: {signed: true}\n"
    text += "  u: {formula: x/v, signed: true}\n  v: {formula: u + 5, signed: true}\n"
    parts = solve(parse_sheet(text, "cycle"), "x", ["v < 0.04"]).outcomes["x"].listed
    assert [(float(part.lower), float(part.upper)) for part in parts] == [(-0.1984, 0), (0, math.inf)]
    assert not any(0 in part for part in parts)  # there v would be 0, and x/v has no value
