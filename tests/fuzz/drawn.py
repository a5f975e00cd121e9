"""Small sheets and questions at random, whose unknowns have few values: ratios of Python tell what works at each."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import yaml

from flopsheet.numbers.arithmetic import HOLDS
from flopsheet.sheets.yaml_sheet import parse_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from random import Random

    from flopsheet import Sheet

    Point = dict[str, Any]  # a value, or an option, by unknown

NUMBERS = ("1", "2", "3", "4", "7", "0.5", "2.5", "0.75", "1.2", "10", "25")
FORMS = (
    *("{a} + {b}", "{a}*{b}", "{a} - {b}", "{a}/{n}", "{a}/({b}**2 + 1)", "ceil({a}/{n})", "floor({a}/{n})"),
    *("max({a}, {b})", "min({a}, {n})", "mod({a}, 3)", "{a}**2 - {b}", "{n}*{a} + {b}", "select({a} <= 5, {b}, {n})"),
)
OPTIONS = ("red", "blue", "green", "grey")
KINDS = ("count", "count", "names", "names and a count", "several", "follower", "cycle")
BOUNDS = ("minimum", "maximum")
SIGNS = ("<=", ">=", "<", ">")
MOST = 30


def _select(condition: bool | str, *branches: Fraction, **options: Fraction) -> Fraction:
    return options[condition] if isinstance(condition, str) else branches[0 if condition else 1]


WORDS: dict[str, Any] = {"ceil": math.ceil, "floor": math.floor, "max": max, "min": min, "select": _select}
WORDS |= {"mod": lambda value, by: value % by, "ratio": Fraction}


def value_of(formula: str, values: Mapping[str, Any]) -> Any:
    """Return the value of a formula as a ratio."""
    exact = re.sub(r"(?<![\w.])\d+(\.\d+)?", r"ratio('\g<0>')", formula)
    return eval(exact, {**WORDS, **values})  # noqa: S307  # of tests


def holds(relation: str, values: Mapping[str, Any]) -> bool:
    """Whether a relation between two formulas without signs of their own holds."""
    left, sign, right = re.split(r" (<=|>=|=|<|>) ", relation)
    return HOLDS[sign](value_of(left, values), value_of(right, values))


def within(row: Mapping[str, Any], value: Fraction) -> bool:
    """Whether a value is within the bounds that a row states or has by default."""
    is_computed, whole = "formula" in row, row.get("integer", False)
    low = row.get("minimum", -math.inf if row.get("signed") else 1 if whole else 0)
    is_above = value > low if not (is_computed or whole or "minimum" in row) else value >= low
    return is_above and value <= row.get("maximum", math.inf) and (is_computed or not whole or value == int(value))


@dataclass
class Drawn:
    """A sheet and a question."""

    kind: str
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict)
    limits: dict[str, str] = field(default_factory=dict)
    domains: dict[str, list[Any]] = field(default_factory=dict)  # the values of each unknown
    given: dict[str, str] = field(default_factory=dict)
    relations: list[str] = field(default_factory=list)
    follows: dict[str, str] = field(default_factory=dict)  # inputs that no relation names, as they follow from others
    solved: dict[str, str] = field(default_factory=dict)  # cells of a cycle, as what they are
    near: dict[str, int] = field(default_factory=dict)
    best: str | None = None
    without: tuple[str, ...] = ()

    @property
    def sheet(self) -> Sheet:
        """The sheet, read from YAML."""
        rows = {name: {"doc": f"Cell {name}", "symbol": "c", **row} for name, row in self.rows.items()}
        rows = {name: row | {key: str(row[key]) for key in BOUNDS if key in row} for name, row in rows.items()}
        content: dict[str, Any] = {"sheet": "drawn", "title": "Drawn", "implicit": bool(self.solved), "cells": rows}
        content["choices"] = {name: {"options": [*own], "doc": name} for name, own in self.choices.items()}
        content["limits"] = {name: {"relation": text, "doc": name} for name, text in self.limits.items()}
        return parse_sheet(yaml.safe_dump(content, sort_keys=False), "drawn")

    @property
    def where(self) -> list[str]:
        """The relations of the question."""
        return [*(f"{name} = {value}" for name, value in self.given.items()), *self.relations]

    def values(self, point: Point) -> dict[str, Any]:
        """Return the value of each cell where the unknowns have some."""
        inputs = {name for name, row in self.rows.items() if "formula" not in row}
        texts = {name: own for name, own in self.given.items() if name in self.choices}
        known = {name: Fraction(own) for name, own in self.given.items() if name in inputs} | texts | point
        known |= {name: value_of(own, {**known, "u": Fraction(self.given["u"])}) for name, own in self.follows.items()}
        for name, row in self.rows.items():
            if "formula" in row:
                known[name] = value_of(self.solved.get(name, row["formula"]), known)
        return known

    def meets(self, point: Point, without: tuple[str, ...] = ()) -> bool:
        """Whether relations, bounds and limits hold, but for some limits."""
        values = self.values(point)
        asked = [*self.relations, *(f"u = {self.given['u']}" for _ in self.follows)]
        binding = (text for name, text in self.limits.items() if name not in (*self.without, *without))
        if not all(within(row, values[name]) for name, row in self.rows.items()):
            return False
        return all(holds(relation, values) for relation in (*asked, *binding))

    def points(self, without: tuple[str, ...] = ()) -> Iterator[Point]:
        """Yield the values of the unknowns at which all holds."""
        for values in product(*self.domains.values()):
            point = dict(zip(self.domains, values, strict=True))
            if self.meets(point, without):
                yield point


def drawn(draw: Random) -> Drawn:
    """Return a question that something may meet."""
    own = Drawn(draw.choice(KINDS))
    names = ["x", "z"] if own.kind == "several" else [] if own.kind == "names" else ["x"]
    for name in names:
        _add_count(own, name, draw)
    for name in ("p", "q"):
        own.rows[name] = {"signed": True}
        own.given[name] = draw.choice(NUMBERS)
    cells = [*names, "p", "q", *_add_choices(own, draw)]
    more = {"follower": _add_follower, "cycle": _add_cycle}.get(own.kind)
    cells += more(own, draw) if more is not None else []
    for place in range(draw.randint(2, 4)):
        a, b = draw.choice(cells), draw.choice(cells)
        formula = draw.choice(FORMS).format(a=a, b=b, n=draw.choice(NUMBERS))
        own.rows[f"y{place}"] = {"formula": formula, "signed": draw.random() < 1 / 2}
        cells.append(f"y{place}")
    _add_relations(own, [name for name in cells if name not in ("p", "q", "w")], draw)
    return own


def _add_count(own: Drawn, name: str, draw: Random) -> None:
    low = draw.choice([0, 1, 1, 2])
    high = low + draw.randint(3, MOST - 2 if own.kind != "several" else 9)
    own.rows[name] = {"integer": True, "minimum": low, "maximum": high}
    own.domains[name] = [*range(low, high + 1)]


def _add_choices(own: Drawn, draw: Random) -> list[str]:
    """Add one or two choices that are asked for, or one that is given, and return the cells that they decide."""
    asked = own.kind.startswith("names")
    for name in ("hue", "tint")[: draw.choice([1, 1, 2]) if asked else draw.choice([0, 1])]:
        options = OPTIONS[: draw.randint(2, 4)]
        own.choices[name] = options
        if asked:
            own.domains[name] = [*options]
        else:
            own.given[name] = draw.choice(options)
        factors = {option: f"{draw.choice(NUMBERS)}*{draw.choice([*own.rows])}" for option in options}
        branches = ", ".join(f"{option}={factor}" for option, factor in factors.items())
        own.rows[f"of_{name}"] = {"formula": f"select({name}, {branches})", "signed": draw.random() < 1 / 2}
    return [f"of_{name}" for name in own.choices]


def _add_follower(own: Drawn, draw: Random) -> list[str]:
    """Add an input that only a computed cell reaches, which is given: it follows from the unknown."""
    own.rows["w"] = {"integer": True} if draw.random() < 1 / 2 else {}
    own.rows["w"] |= {"minimum": draw.choice([1, 2]), "maximum": draw.randint(3, MOST)}
    formula, own.follows["w"] = draw.choice([("x*w", "u/x"), ("x + w", "u - x"), ("w/(x + 1)", "u*(x + 1)")])
    own.rows["x"]["minimum"] = max(own.rows["x"]["minimum"], 1)
    own.domains["x"] = [number for number in own.domains["x"] if number]
    own.rows["u"] = {"formula": formula}
    own.given["u"] = str(draw.choice([6, 12, 24, 7, 30]))
    return ["w"]


def _add_cycle(own: Drawn, draw: Random) -> list[str]:
    """Add two cells that depend on each other."""
    base, share = draw.choice(["3*x", "x + 7", "2.5*x"]), draw.choice(["0.2", "x/50", "x/100"])
    own.rows["over"] = {"formula": f"{share}*total"}
    own.rows["total"] = {"formula": f"{base} + over"}
    own.solved = {"over": f"{share}*({base})/(1 - {share})", "total": f"({base})/(1 - {share})"}
    return ["over", "total"]


def _add_relations(own: Drawn, cells: list[str], draw: Random) -> None:
    """Add relations, limits and bounds that are met at a point, or hardly miss it."""
    at = {name: draw.choice(values) for name, values in own.domains.items()}
    values = own.values(at)

    def relation(equal: float) -> str:
        name, sign = draw.choice(cells), draw.choice(SIGNS)
        near = values[name] + draw.choice([0, 0, 0, 1, -1, Fraction(1, 4)])
        if draw.random() < equal and name not in own.domains and 8 * values[name] == int(8 * values[name]):
            return f"{name} = {float(values[name])}"
        return f"{name} {sign} {float(round(8 * near) / 8)}"

    own.relations += dict.fromkeys(relation(1 / 4) for _ in range(draw.choice([1, 1, 2])))
    for name in ("fits", "cap")[: draw.choice([0, 1, 1, 2])]:
        own.limits[name] = relation(0)
        own.without = (name,) if draw.random() < 1 / 8 else own.without
    if draw.random() < 1 / 4:
        own.rows[cells[-1]]["maximum"] = max(round(8 * values[cells[-1]]) / 8, 0) + draw.choice([1, 2])
    if own.kind != "names" and draw.random() < 1 / 3:
        own.near = {"x": draw.randint(0, MOST)}
    elif own.kind in ("names", "names and a count", "several") and draw.random() < 1 / 2:
        own.best = f"{draw.choice(['max', 'min'])}:{draw.choice(cells)}"
