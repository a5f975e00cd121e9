"""How validation entries are read: figures with their margins, and what is wrong with a file."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from tests.validation.entries import entries_of, figure

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "id: a, source: b, sheet: c"
FIGURES = [
    ("7 GB", 7 * 10**9, True),
    ("7 GB", 7 * 10**9 + 1, False),
    ("2127057600 param", 2127057600.5, False),
    ("0.7 GB", 0.1 * 7 * 10**9, True),
    ("7.0 GB +- 0.05", Fraction(705, 100) * 10**9, True),
    ("7.0 GB +- 0.05", 7051 * 10**6, False),
    ("200 GB ~ 3 %", 206 * 10**9, True),
    ("200 GB ~ 3 %", 193 * 10**9, False),
    ("46 % +- 0.5", Fraction(465, 1000), True),
    (17, 17, True),
]
PROBLEMS = {
    "- {id: a, source: b, sheet: c, show: {x: 1}}": "entry 1 (a): Unknown key 'show'.",
    "- {id: a, sheet: c, shows: {x: 1}}": "entry 1 (a): 'source' is missing.",
    "- {id: a, source: b, sheet: c}": "'sheet' with 'shows' or 'verdict' is missing",
    f"- {{{GOOD}, shows: {{x: 1 nonsense}}}}": "'x: 1 nonsense' is no figure: ",
    f"- {{{GOOD}, shows: {{x: 1}}, differs: {{y: why}}}}": "'differs' names 'y', which 'shows' lacks.",
    f"- {{{GOOD}, shows: {{x: 1}}, differs: {{x: ''}}}}": "'differs' gives no reason for 'x'.",
    f"- {{{GOOD}, verdict: {{fits: 'yes'}}}}": "'fits' is 'yes', not one of ['holds', 'violated'].",
    f"- {{{GOOD}, given: [y = 2], shows: {{x: 1}}, inverse: z}}": "'inverse' is 'z', which 'given' does not pin once.",
    f"- {{{GOOD}, given: y = 2, shows: {{x: 1}}}}": "'given' is no list.",
    "- a: b: c": "mapping values are not allowed",
    "id: a": "Expected a list of entries.",
}


@pytest.mark.parametrize(("text", "computed", "is_met"), FIGURES, ids=str)
def test_figure(text: object, computed: float | Fraction, is_met: bool) -> None:
    assert figure(text).is_met(computed) is is_met


@pytest.mark.parametrize("content", PROBLEMS)
def test_problem(content: str, tmp_path: Path) -> None:
    file = tmp_path / "some.yaml"
    file.write_text(content, encoding="utf-8")
    entries, problems = entries_of(file)
    assert entries == []
    assert len(problems) == 1
    assert PROBLEMS[content] in problems[0]


def test_conditions() -> None:
    assert figure("7 GB").conditions("memory") == ["memory = 7 GB"]
    assert figure("7 GB ~ 50 %").conditions("memory") == ["memory >= 7/2 GB", "memory <= 21/2 GB"]
