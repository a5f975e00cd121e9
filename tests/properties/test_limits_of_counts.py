"""Counts behind roundings, extremes, choices and limits, some of them lifted, against trying each count."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.properties.asked import HOLDS, says

from flopsheet import solve
from flopsheet.errors import FlopsheetError, UnderdeterminedError
from flopsheet.sheets.yaml_sheet import parse_sheet

FUNCTIONS: dict[str, Any] = {
    "floor": lambda term: Fraction(math.floor(term)),
    "ceil": lambda term: Fraction(math.ceil(term)),
    "mod": lambda term, by: term - by * math.floor(term / by),
    "max": max,
    "min": min,
    "abs": abs,
}
MOST = 25


def value(formula: str, cells: dict[str, Fraction]) -> Fraction:
    exactly = re.sub(r"\b(\d+)\b", r"Fraction(\1)", formula)
    return Fraction(eval(exactly, {**FUNCTIONS, "Fraction": Fraction, **cells}))  # noqa: S307  # a text of this file


def formula(chance: Random, names: str, depth: int = 2) -> str:
    if not depth or chance.random() < 1 / 5:
        leaves: list[str] = [*names, *names, *names, str(chance.randint(1, 12))]
        return chance.choice(leaves)
    one, other = (formula(chance, names, depth - 1) for _ in range(2))
    number = chance.randint(2, 9)
    forms: list[str] = [f"({one} {sign} {other})" for sign in "++-*"]
    forms += [f"max({one}, {other})", f"min({one}, {other})", f"abs({one} - {other})", f"({one}/{number})"]
    forms += [f"{name}({one}/{number})" for name in ("floor", "ceil")]
    forms.append(f"mod({one}, {number})")
    return chance.choice(forms)


class Case:
    """A sheet with limits, and a question for its count."""

    def __init__(self, chance: Random) -> None:
        self.option, self.a = chance.choice(["low", "high"]), chance.randint(1, 9)
        self.formulas = {"c": formula(chance, "na"), "d": formula(chance, "nac"), "e": formula(chance, "ncd")}
        self.other = formula(chance, "nac")  # of the option that is not taken
        levels = [formula(chance, names, 1) for names in ("ncd", "ne")]
        self.limits = [(level, chance.choice(["<=", ">=", "<"]), chance.randint(-2, 35)) for level in levels]
        self.without = [name for name in ("l0", "l1") if chance.random() < 1 / 3]
        output, planted = chance.choice(["e", "d", "e + c"]), chance.randint(1, MOST)
        self.asked: list[tuple[str, str, Fraction | int]] = [
            (output, chance.choice([*HOLDS]), value(output, self.cells(planted)))
        ]
        more: list[list[tuple[str, str, Fraction | int]]] = [[], [("n", ">=", 5)], [("mod(n, 3)", "=", 0)]]
        self.asked += chance.choice(more)

    def cells(self, count: int) -> dict[str, Fraction]:
        cells = {"n": Fraction(count), "a": Fraction(self.a)}
        for name, text in self.formulas.items():
            cells[name] = value(text, cells)
        return cells

    def holds(self, count: int) -> bool:
        cells = self.cells(count)
        kept = [own for at, own in enumerate(self.limits) if f"l{at}" not in self.without]
        return all(HOLDS[sign](value(left, cells) - right) for left, sign, right in (*self.asked, *kept))

    @property
    def text(self) -> str:
        forms = {self.option: self.formulas["d"], "low" if self.option == "high" else "high": self.other}
        rows = {"c": self.formulas["c"], "d": f"select(mode, low={forms['low']}, high={forms['high']})"}
        rows["e"] = self.formulas["e"]
        lines = ["sheet: b", "title: T", "choices:", "  mode: {options: [low, high], doc: M, default: low}", "cells:"]
        lines += [f"  n: {{integer: true, minimum: 1, maximum: {MOST}}}", "  a: {signed: true}"]
        lines += [f"  {name}: {{formula: '{own}', signed: true}}" for name, own in rows.items()]
        limits = enumerate(self.limits)
        return "\n".join(
            [
                *lines,
                "limits:",
                *(f"  l{at}: {{relation: {' '.join(map(str, own))}, doc: L}}" for at, own in limits),
                "",
            ]
        )


def checked(chance: Random) -> None:
    case = Case(chance)
    relations = [f"{left} {sign} {right}" for left, sign, right in case.asked]
    relations += [f"a = {case.a}", f"mode = {case.option}"]
    try:
        sheet = parse_sheet(case.text, "b")
    except FlopsheetError:  # the formula is one number, say
        return
    try:
        outcome = solve(sheet, "n", relations, without=case.without).outcomes["n"]
    except UnderdeterminedError:
        return
    for count in range(1, MOST + 1):
        assert says(outcome, count) in (case.holds(count), None), (case.text, relations, case.without, count)


@pytest.mark.parametrize("seed", range(60))
def test_counts_within_limits(seed: int) -> None:
    checked(Random(seed))  # noqa: S311  # no secret


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1010))
def test_more_counts_within_limits(seed: int) -> None:
    chance = Random(seed)  # noqa: S311  # no secret
    for _ in range(80):
        checked(chance)


def test_a_branch_that_is_not_taken_decides_nothing() -> None:
    """The count stands in the other branch only, so no value of it meets what does not hold: none is open."""
    text = """sheet: b
title: T
choices:
  mode: {options: [low, high], doc: M, default: low}
cells:
  n: {integer: true, minimum: 1, maximum: 9}
  a: {signed: true}
  c: {formula: 'select(mode, low=a + 1, high=n)', signed: true}
"""
    outcome = solve(parse_sheet(text, "b"), "n", ["a = 1", "c < 2", "n >= 7"]).outcomes["n"]
    assert outcome.kind == "none"
    assert not outcome.open
