"""Any arguments of any public function: a result or an error of ours, soon. 6,000 calls, most of them wrong."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from itertools import count
from pathlib import Path
from types import new_class
from typing import Any, NamedTuple

import pint
import pytest
import sympy
from tests.fuzz.watch import SECONDS, Looks, failures

import flopsheet
from flopsheet import budget
from flopsheet.registry import packs, reading_time

CHUNKS, EACH, BUDGET = 2, 600, 0.05
API: Any = flopsheet
X = sympy.Symbol("d_model", real=True)
REGISTRY: Any = pint.UnitRegistry()


class Made:
    """An object that has every attribute."""

    def __getattr__(self, name: str) -> Made:
        return self

    def __repr__(self) -> str:
        return "Made()"


class Model(flopsheet.Sheet):
    """A sheet of two rows."""

    a = flopsheet.given("A number", example=1)
    b = flopsheet.formula(2 * a, "", "Twice the number")


NUMBERS: tuple[Any, ...] = (
    *(0, 1, -3, 4096, True, 1.5, -0.0, 1e308, 10**400, float("nan"), float("inf"), Fraction(1, 3), 1j),
    *(Decimal("1.5"), Decimal("nan"), Decimal("1e999999999"), sympy.Integer(3), sympy.Rational(1, 7), sympy.pi),
    *(sympy.zoo, sympy.nan, sympy.I, sympy.oo, REGISTRY.Quantity(5, "byte"), REGISTRY.Quantity("5 s")),
)
TEXTS: tuple[Any, ...] = (
    *(
        "",
        " ",
        "5",
        "95 GiB",
        "1/3",
        "010",
        "x" * 5000,
        "\0",
        "\x1b[31m",
        "\ud800",
        "d_model",
        "params",
        "chip",
        "fits",
    ),
    *("ffn_memory", "ffn_memroy", "h100", "h100-sxm", "d_model = 4096", "n_fsdp >= 4", "max:params", "GB/s", "~"),
    *(
        "__import__('os')",
        "architecture",
        "derivation",
        "1 min",
        "a",
        "b",
        "a = 2",
        b"bytes",
        Path("models"),
        Path("\0"),
    ),
)
OBJECTS: tuple[Any, ...] = (
    *(None, ..., NotImplemented, [], (), {}, set(), [[]], [None], {"a": 1}, {"a": None}, {1: 2}, {"d_model": 4}),
    *(["a = 3"], ["params"], {"a": [1, 2]}, {"a": "12"}, {"d_model": [4, 8]}, {"a": Decimal(3)}, {None: None}),
    *(X, X > 1, X + 1, sympy.Eq(X, 1), sympy.true, Made(), object(), len, int, Exception, random, range(3), count()),
    *(Model, Model(), flopsheet.Sheet, flopsheet.Chip, flopsheet.sheet("ffn_memory"), flopsheet.unit("GB")),
    *(flopsheet.quantity("3 GB"), flopsheet.record("chip", "h100"), flopsheet.given("A"), type, Mapping),
)
NOT_CALLED = ("Expr", "pi", "FlopsheetError", "reload", "Answer")
FUNCTIONS = sorted(name for name in API.__all__ if callable(getattr(API, name)) and name not in NOT_CALLED)
METHODS = ("elasticities", "condition", "derivation", "as_dict")
KEYWORDS = (
    *("sheet", "unknown", "where", "near", "without", "best", "vary", "show", "kind", "name", "text", "path", "folder"),
    *("doc", "unit_text", "default", "example", "integer", "symbol", "source", "minimum", "maximum", "expression"),
    *("comparison", "term", "first", "left", "choice", "above", "a", "signed", "value", "unit"),
)
RIGHT: dict[str, tuple[object, ...]] = {
    "solve": ("ffn_memory", "params", {"d_model": 4, "d_ff": 8, "n_blocks": 2}),
    "table": ("ffn_memory", "params", {"d_model": 4, "d_ff": 8}),
    "record": ("chip", "h100"),
    "given": ("A number", "GB"),
    "formula": (2 * X, "", "Twice"),
    "choice": ("a", "b"),
    "limit": (X <= 3, "A limit"),
    "part": ("chip", "A chip"),
    "quantity": ("3 GB",),
}


class Call(NamedTuple):
    """A call of a public function."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def make(self, answer: flopsheet.Answer) -> object:
        """Call the function; a row is also put into a sheet, and what comes out is asked for all that it has."""
        function: Callable[..., object] = getattr(answer if self.name in METHODS else API, self.name)
        made = function(*self.args, **self.kwargs)
        if self.name in ("given", "formula", "limit", "choice", "part", "override"):
            return new_class(
                "Fuzzed", (Model,), {}, lambda body: body.__setitem__("a" if "override" in self.name else "c", made)
            )
        for attribute in ("si", "exact", "value", "rows", "dimension", "question"):
            if not isinstance(made, sympy.Basic | Made | flopsheet.Sheet):
                getattr(made, attribute, None)
        return made


def calls(seed: int) -> list[Call]:
    """Return calls: half of them are right but for one argument, the others have any."""
    draw = random.Random(seed)  # noqa: S311  # the same ones each time

    def value() -> Any:
        return draw.choice(draw.choice((NUMBERS, TEXTS, OBJECTS)))

    def odd() -> Call:
        name = draw.choice(list(RIGHT))
        args = list(RIGHT[name])
        if draw.random() < 0.8:
            args[draw.randrange(len(args))] = value()
        kwargs: dict[str, Any] = {"budget": BUDGET} if name in ("solve", "table") else {}
        kwargs |= {"vary": {"n_blocks": [1, draw.choice(NUMBERS)]}} if name == "table" else {}
        if name == "solve" and draw.random() < 0.5:
            args = [Model, draw.choice(("a", "b", (), ["a"])), {draw.choice("ab"): draw.choice(NUMBERS)}]
        return Call(name, tuple(args), kwargs)

    def wrong() -> Call:
        name = draw.choice((*FUNCTIONS, *METHODS, *RIGHT))
        args = list(RIGHT.get(name, ()))[: draw.randint(0, 3)]
        args += [value() for _ in range(draw.choice((0, 1, 1, 2, 3, 7)))]
        kwargs = {draw.choice(KEYWORDS): value() for _ in range(draw.choice((0, 0, 1, 1, 2)))}
        kwargs |= {"budget": value()} if name == "solve" else {}
        return Call(name, tuple(args), kwargs)

    return [draw.choice((odd, wrong))() for _ in range(EACH)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of sympy and pint, about what they are handed
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_any_call_gives_a_result_or_an_error_of_ours(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "monotonic", Looks())
    monkeypatch.setattr(reading_time, "thread_time", time.thread_time)
    monkeypatch.setattr(packs, "_named", [])
    answer = flopsheet.solve(Model, "a", ["b = 4"])
    answer.derivation()
    assert failures(lambda call: call.make(answer), calls(chunk), seconds=SECONDS + 2) == []
