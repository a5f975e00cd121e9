"""Any YAML as a sheet: rows or an error of ours, soon, and so for questions of it. 5,000 sheets."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from tests.fuzz.watch import SECONDS, Looks, failures

from flopsheet import budget, solve
from flopsheet.errors import FlopsheetError
from flopsheet.registry import reading_time
from flopsheet.report.as_json import as_dict
from flopsheet.report.pages import write_up
from flopsheet.sheets.yaml_export import as_yaml
from flopsheet.sheets.yaml_sheet import parse_sheet

CHUNKS, EACH, FEWEST, BUDGET, QUESTIONS = 2, 500, 80, 0.03, 2
LOOKS = (3, 30, 100, 300)  # at the clock, until the time of a question is over
NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7/3",
    "1/3",
    "0.1",
    "1.0000001",
    "12345",
    "1e300",
    "1e-300",
    "9" * 40,
    "1e307",
    "4096",
)
ODD = (
    "1e999",
    "010",
    "9**9**9",
    "~",
    "{}",
    "[]",
    "nan",
    "1e",
    "٣",
    "x" * 1100,
    "'",
    "&a",
    "*a",
    "!!x",
    "\x00",
    "1 GiB",
    "5 %",
)
UNITS = (
    "GiB",
    "TB/s",
    "FLOP",
    "token",
    "s",
    "byte/param",
    "%",
    "degree",
    "USD/hour",
    "kg",
    "ns",
    "EFLOP",
    "furlong",
    "1/s",
)
BINARY = ("+", "-", "*", "/", "*", "**", "^", "*", "+")
NESTED = (("(", ")**2"), ("(1+", ")**3"), ("exp(", ")"), ("log(1+", ")"), ("max(1, ", ")"))
CALLS = (
    "max",
    "min",
    "max",
    "min",
    "ceil",
    "floor",
    "sqrt",
    "log",
    "log2",
    "exp",
    "abs",
    "ceil",
    "mod",
    "atan",
    "sin",
    "no",
)
SECTIONS = (
    "sheets",
    "parts",
    "choices",
    "limits",
    "aliases",
    "assumptions",
    "notes",
    "sources",
    "implicit",
    "override",
    "x",
)
CONTENT = (*ODD, "{a: {relation: c0 <= 5}}", "true", "{p: {sheet: c}}")
WHOLE = "choices: {k: {options: [x, y], default: x}}\nparts: {chip: {kind: chip, example: h100}}\n"


class Grower:
    """Grows sheets from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311  # the same ones each time
        self.names: list[str] = []

    def number(self) -> str:
        return self.random.choice(NUMBERS if self.random.random() < 0.995 else ODD)

    def formula(self, depth: int) -> str:
        """Return a formula over the cells so far, of so many layers."""
        if depth == 0:
            return self.random.choice((*self.names[-4:], *self.names[:2], self.number()))
        kinds = [self._leaf, self._binary, self._binary, self._chain, self._nested, self._indicator, self._call]
        return self.random.choice(kinds + [self._select] * ("k" in self.names))(depth - 1)

    def _leaf(self, _depth: int) -> str:
        return self.formula(0)

    def _binary(self, depth: int) -> str:
        return f"({self.formula(depth)}){self.random.choice(BINARY)}({self.formula(depth)})"

    def _chain(self, _depth: int) -> str:
        return self.random.choice(BINARY).join(self.formula(0) for _ in range(self.random.randint(2, 60)))

    def _nested(self, _depth: int) -> str:
        before, after = self.random.choice(NESTED)
        times = self.random.randint(1, 30)
        return before * times + self.formula(0) + after * times

    def _indicator(self, depth: int) -> str:
        return f"[{self.formula(depth)} {self.random.choice(('<', '<=', '=', '>'))} {self.formula(depth)}]"

    def _select(self, depth: int) -> str:
        return f"select(k, x={self.formula(depth)}, y={self.formula(depth)})"

    def _call(self, depth: int) -> str:
        call = self.random.choice(CALLS)
        terms = self.random.choice((1, 2, 3, 40)) if call in ("max", "min") else 1 + (call == "mod")
        return f"{call}({', '.join(self.formula(depth if terms < 4 else 0) for _ in range(terms))})"

    def row(self, name: str) -> str:
        """Return what a row states."""
        choose, says = self.random.choice, []
        if self.names and self.random.random() < 0.6:
            says.append(f"formula: '{self.formula(self.random.randint(0, 3))}'")
            says += ["signed: true"] * (self.random.random() < 0.5)
        elif self.random.random() < 0.8:
            says.append(f"{choose(('default', 'example'))}: {self.number()}")
        for key in ("minimum", "integer", "doc", "symbol", "source", "above", "unit", "formulla"):
            if self.random.random() < 0.01:
                says.append(f"{key}: {choose((choose(UNITS), self.number(), 'true', choose(ODD)))}")
        return f"  {name}: {{{', '.join(says)}}}\n"

    def sheet(self) -> str:
        """Return a sheet; one in four has a mistake in its text or its sections."""
        self.names = ["k"] if self.random.random() < 0.1 else []
        names, text = [f"c{place}" for place in range(self.random.choice((1, 2, 3, 5, 8, 30)))], ""
        for name in names:
            text += self.row(name)
            self.names.append(name)
        if self.random.random() < 0.2:  # a chain that multiplies digits
            step = self.random.choice(("{}*{}", "{}*{} + 1/{}", "{}**3", "({}/3)**2", "exp({})", "{}**{}"))
            for place in range(40):
                text += f"  d{place}: {{formula: '{step.replace('{}', f'd{place - 1}' if place else names[0])}'}}\n"
        text = f"sheet: fuzz\ntitle: T\ncells:\n{text}" + WHOLE * ("k" in self.names)
        if self.random.random() < 0.15:
            text += f"{self.random.choice(SECTIONS)}: {self.random.choice(CONTENT)}\n"
        for _ in range(self.random.choice((0,) * 9 + (1, 3))):
            at, length = self.random.randint(0, len(text)), self.random.randint(0, 9)
            text = text[:at] + self.random.choice((*ODD, "\n", ": ", "- ", "}", "{")) + text[at + length :]
        return text

    def question(self) -> tuple[str, list[str]]:
        """Return an unknown and a relation about the cells of the last sheet."""
        given, wanted = self.random.choice(self.names), self.random.choice(self.names)
        return given, [f"{wanted} {self.random.choice(('=', '<=', '>=', '>'))} {self.number()}"]


def questions(text: str, grower: Grower) -> int:
    """Read a sheet, write it, and ask a few questions of it; return 1 for a sheet."""
    sheet = parse_sheet(text, "fuzz")
    as_yaml(sheet)
    for shape in range(QUESTIONS):
        unknown, where = grower.question()
        asked: tuple[Any, list[str]] = ((), []) if shape == 0 else (unknown, where)
        try:
            answer = solve(sheet, *asked, budget=BUDGET)
            as_dict(answer)
            str(answer)
            if shape == 1 and grower.random.random() < 0.1:
                write_up(answer, "derivation", "markdown")
        except FlopsheetError:
            continue
    return 1


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_yaml_is_a_sheet_or_an_error_of_ours(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "monotonic", clock := Looks())
    monkeypatch.setattr(reading_time, "thread_time", time.thread_time)
    grower, steps, read = Grower(chunk), random.Random(chunk), 0  # noqa: S311  # the same each time

    def ask(text: str) -> None:
        nonlocal read
        clock.step = BUDGET / steps.choice(LOOKS)
        read += questions(text, grower)

    assert failures(ask, (grower.sheet() for _ in range(EACH)), seconds=SECONDS + QUESTIONS * (BUDGET + 0.3)) == []
    assert read >= FEWEST, "too few texts are sheets"
