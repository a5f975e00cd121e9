"""Texts of relations for fuzzers: grown from the grammar over the cells of a sheet, or our own with pieces changed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from flopsheet.answer.question_file import read_question
from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from flopsheet.sheets.body import Sheet

UNITS = ("GiB", "GB/s", "TFLOP/s", "%", "token", "param", "USD/hour", "degree", "s", "byte/param", "Gbps", "K", "m^9")
CLEAR = ("0", "1", "2", "4096", "0.5", ".5", "5.", "1e9", "1e300", "1e-300", "16_384", "3/4", "123456789.123456789")
UNCLEAR = ("010", "1__0", "1_", "٣", "５", "2024-01-01", "2024-10-11", "1e999", "9" * 320, "0x10", "1e5.5", "²", "½")
FUNCTIONS = (
    *("max", "min", "ceil", "floor", "mod", "sqrt", "log", "log2", "exp", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("select", "indicator", "f"),
)
SIGNS = ("=", "<=", ">=", "<", ">")
WRONG_SIGNS = ("==", "!=", "≤", "≥", "=<", "<>", "")
PIECES = (
    *("(", ")", "[", "]", "{", "}", "**", "^", "%", ",", ";", ":", ".", "'", '"', "\\", "\n", "\0", "\x1b", "\ud800"),
    *("×", "−", "÷", "·", "√", "∞", "__import__('os')", "lambda: 1", "x if x else y", "a.b.c.d", "pi", "nan", "inf"),
    *("chip.memory", "and", "not", "#", "@", "!", "\u200b", "\u00a0", "=", "~", "null", "&a", "*a", "- ", ": "),
)
FILES = packs()[0].files("models/questions", "*.yaml")


def ours() -> list[str]:
    """Return the relations that our own questions give."""
    questions = [read_question(file).question for file in FILES]
    return sorted({pin.text for question in questions for pin in question.pins.values()})


class Texts:
    """Grows texts from a seed, over the cells of a sheet."""

    def __init__(self, seed: int, sheet: Sheet, known: list[str]) -> None:
        self.random, self.sheet, self.known = random.Random(seed), sheet, known  # noqa: S311  # the same ones each time
        self.names = [*sheet.cells, *sheet.parts, *sheet.choices]

    def relation(self) -> str:
        """Return a relation: fitting, grown without regard of units, or one of ours with pieces changed."""
        choose, pick = self.random.choice, self.random.random()
        if pick < 0.35:
            return self.fitting()
        if pick < 0.75:
            return f"{self.term(3)} {choose((*SIGNS, *SIGNS, *WRONG_SIGNS))} {self.term(2)}"
        return self.mutated(choose(self.known))

    def fitting(self) -> str:
        """Return a relation whose units fit: between a cell and a number, or another cell of its unit."""
        choose = self.random.choice
        name = choose(list(self.sheet.cells))
        shown = self.sheet.cells[name].unit
        others = [other.name for other in self.sheet.cells.values() if other.unit.dimension == shown.dimension]
        left = choose((name, name, f"2 * {name}", f"{name} / 3", f"max({name}, {choose(others)})"))
        number = choose((*CLEAR, *UNCLEAR))
        right = choose((f"{number} {shown}", f"{choose(CLEAR)} * {choose(others)}", f"{choose(others)} ** 1"))
        return f"{left} {choose(SIGNS)} {right}"

    def term(self, depth: int) -> str:
        """Return a formula of so many layers."""
        choose, pick = self.random.choice, self.random.random()
        if depth == 0 or pick < 0.25:
            return choose((choose(self.names), self.number(), self.number(), choose(PIECES)))
        if pick < 0.65:
            joint = choose(("+", "-", "*", "/", "**", "^", " ", "*", "/"))
            return f"{self.term(depth - 1)}{joint}{self.term(depth - 1)}"
        if pick < 0.75:
            return f"({self.term(depth - 1)})"
        if pick < 0.8:
            return f"[{self.term(depth - 1)} {choose(SIGNS)} {self.term(depth - 1)}]"
        return f"{choose(FUNCTIONS)}({', '.join(self.term(depth - 1) for _ in range(self.random.randint(0, 3)))})"

    def constant(self, depth: int) -> str:
        """Return a formula of numbers alone, of so many layers."""
        choose, pick = self.random.choice, self.random.random()
        if depth == 0 or pick < 0.2:
            return choose(("0", "1", "2", "0.5", "3", "1e30", "1e9", "-1", "7/3", "pi"))
        if pick < 0.5:
            return f"({self.constant(depth - 1)} {choose('+-*/')} {self.constant(depth - 1)})"
        return f"{choose(('floor', 'ceil', 'asin', 'acos', 'atan', 'log', 'sqrt', 'exp'))}({self.constant(depth - 1)})"

    def number(self) -> str:
        """Return a number, often with a unit; one in three can be read in several ways."""
        number = self.random.choice((*CLEAR, *CLEAR, *UNCLEAR))
        return f"{number} {self.random.choice(UNITS)}" if self.random.random() < 0.4 else number

    def mutated(self, text: str) -> str:
        """Return a text with some pieces changed, doubled or left out."""
        for _ in range(self.random.randint(1, 4)):
            at, end = sorted(self.random.randint(0, len(text)) for _ in range(2))
            again = text[at:end] * self.random.choice((2, 40))
            piece = self.random.choice((*PIECES, *CLEAR, *UNCLEAR, *UNITS, *SIGNS, again))
            text = text[:at] + piece + text[self.random.choice((at, end)) :]
        return text
