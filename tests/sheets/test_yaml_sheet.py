"""Sheets as YAML: what a file can say, what its mistakes are told as, and what hostile files cannot do."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import pytest

from flopsheet import solve
from flopsheet.errors import RegistryError
from flopsheet.sheets.cell import Bounds
from flopsheet.sheets.yaml_export import as_yaml, scalar
from flopsheet.sheets.yaml_sheet import read_sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flopsheet import Sheet

Declare: TypeAlias = "Callable[[str], Sheet]"

WHOLE = r"""
sheet: model
title: Memory of a buffer.
about: |
  First paragraph.

  Second one.
sheets:
  layer: {sheet: linear_layer, doc: A layer}
parts:
  chip: {kind: chip, doc: Holds it, example: tpu-v5p, after: size}
  layer.there: {kind: datacenter, doc: Far away, example: jean-zay}
choices:
  precision: {options: [bf16, fp8], doc: Of a number, default: fp8}
  layer.mode: {options: [fast, slow]}
cells:
  size: {formula: 'n * select(precision, bf16=two, fp8=one) + extra', unit: MiB, doc: Memory, symbol: '\Sigma'}
  n: {doc: Numbers, integer: true, example: 4096}
  two: {unit: byte, doc: bf16 number, default: 2 byte, source: bfloat16}
  one: {unit: byte, default: 8 bit}
  extra: {unit: MB, doc: Beside them, minimum: 0 byte, maximum: 1 GB, example: 1/3 kB}
  balance: {formula: n - 2 * share, signed: true}
  share: {default: 4/5, above: 1/2, maximum: 1}
  layer.time: {unit: second, formula: '[share > 1/2] * max(layer.wait, 2 * layer.wait)'}
  layer.wait: {unit: ms, example: 3 ms}
limits:
  fits: {relation: size <= chip.memory, doc: The chip holds it}
  same: {relation: layer.time = 2 * layer.wait}
aliases:
  layer.width: n
  layer.chip: chip
assumptions: [Numbers are packed.]
notes:
  - "A note: with a colon, and more"
sources: [bfloat16]
"""


@pytest.fixture
def declare(tmp_path: Path) -> Declare:
    """Read a sheet from a text."""

    def declared(text: str) -> Sheet:
        file = tmp_path / "model.yaml"
        file.write_text(text.lstrip("\n"), encoding="utf-8")
        return read_sheet(file, "models/model.yaml")

    return declared


def test_a_file_can_say_all_that_a_class_can(declare: Declare) -> None:
    model = declare(WHOLE)
    cells = model.cells
    assert (model.name, model.title) == ("model", "Memory of a buffer.")
    assert type(model).__doc__ == "Memory of a buffer.\n\nFirst paragraph.\n\nSecond one."
    assert (model.assumptions, model.sources) == (("Numbers are packed.",), ("bfloat16",))
    assert model.notes == ("A note: with a colon, and more",)
    assert (cells["two"].default, cells["one"].default, cells["extra"].example) == (2, 1, Fraction(1000, 3))
    assert cells["extra"].bounds == Bounds(0, 10**9)
    assert cells["share"].bounds == Bounds(Fraction(1, 2), 1, lower_closed=False)
    assert cells["balance"].bounds == Bounds()
    assert (cells["n"].bounds.lower, cells["size"].bounds.lower, cells["two"].bounds.lower) == (1, 0, 0)
    assert [cells[name].bounds.lower_closed for name in ("n", "size", "two")] == [True, True, False]
    assert (cells["size"].latex, cells["two"].source, cells["n"].integer) == (r"\Sigma", "bfloat16", True)
    assert (model.choices["precision"].default, model.choices["layer.mode"].example) == ("fp8", "fast")
    assert (cells["layer.time"].prefix, cells["layer.there.pue"].prefix, cells["n"].prefix) == ("layer", "layer", "")
    assert model.limits["same"].operator == "="
    assert model.rows.resolve("layer.chip.memory") == "chip.memory"
    assert str(cells["n"].place) == "models/model.yaml:17"


def test_a_formula_may_use_cells_declared_below_it(declare: Declare) -> None:
    names = [name for name, cell in declare(WHOLE).cells.items() if not cell.part]
    assert names == ["n", "two", "one", "extra", "size", "share", "balance", "layer.wait", "layer.time"]


def test_questions_are_answered(declare: Declare) -> None:
    model = declare(WHOLE)
    answer = solve(model, "n", ["extra = 0 byte", "size = 1 MiB", "precision = bf16", "layer.wait = 1 ms"])
    assert answer.value == 2**19


def test_an_export_reads_back_to_the_same(declare: Declare) -> None:
    model = declare(WHOLE)
    again = declare(as_yaml(model))
    assert as_yaml(again) == as_yaml(model)
    assert list(again.cells) == list(model.cells)
    assert again.rows.aliases == model.rows.aliases
    assert {name: cell.formula for name, cell in again.cells.items()} == {
        name: cell.formula for name, cell in model.cells.items()
    }


HEAD = "sheet: model\ntitle: T\n"
ROWS = HEAD + "cells:\n  a: {unit: GiB, doc: A}\n  b: {unit: GiB, doc: B}\n  n: {doc: N, integer: true}\n"
CHIP = "parts: {chip: {kind: chip}}\n"
KIND = "choices: {k: {options: [x, y]}}\n"

MISTAKES = [
    (ROWS + "  c: {formula: a + n, unit: GiB}\n", "7:16, key 'cells.c.formula': It adds 'a' (information) and 'n'"),
    (ROWS + "  c: {formula: a * b, unit: GiB}\n", "7:16, key 'cells.c.formula': 'c' is declared in GiB (information)"),
    (ROWS + "  c: {formula: aa, unit: GiB}\n", "7:16, key 'cells.c.formula': There is no cell 'aa'. Did you mean 'a'?"),
    (ROWS + "  c: {formula: a / 0}\n", "7:16, key 'cells.c.formula': 'a / 0' divides by zero"),
    (
        ROWS + "  c: {formula: a + 3 GiB}\n",
        "The quantity '3 GiB' cannot be used inside a formula. Make it a",
    ),
    (ROWS + "  c: {formula: sinn(n)}\n", "There is no function 'sinn'. Did you mean 'sin'"),
    (ROWS + "  c: {formula: n <= 3}\n", "'n <= 3' is not a formula|This is not part of a formula"),
    (ROWS + "  c: {formula: 2 * c}\n", "key 'cells.c.formula': The formula of 'c' uses 'c' itself"),
    (ROWS + "  c: {formula: d}\n  d: {formula: c}\n", "7:16, .*The formulas of 'c' and 'd' form a cycle. Leave one"),
    (ROWS + "  c: {formula: n, default: 3}\n", "7:28, key 'cells.c.default': A cell with a formula has no default"),
    (ROWS + "  c: {formula: n, unti: s}\n", "7:19, key 'cells.c.unti': There is no such key. Did you mean 'unit'"),
    (ROWS + "  c: {unit: Gb}\n", "7:13, key 'cells.c.unit': 'Gb' is not how a unit is spelt here"),
    (ROWS + "  c: {default: 3 GiB}\n", "7:16, key 'cells.c.default': '3 GiB' is information, but"),
    (ROWS + "  c: {unit: GiB, default: 3}\n", "'3' has no unit, but information is needed. Write it in GiB"),
    (ROWS + "  c: {default: many}\n", "'many' does not start with a number"),
    (ROWS + "  c: {default: 1/0}\n", "'1/0' divides by zero"),
    (ROWS + "  c: {default: 1 s/2 s}\n", "key 'cells.c.default'"),
    (ROWS + "  c: {default: -1}\n", "7:16, key 'cells.c.default': 'c' cannot be -1: it must be positive"),
    (ROWS + "  c: {example: 1/2, integer: true}\n", "7:16, key 'cells.c.example': 'c' cannot be 0.5: it must be at"),
    (ROWS + "  c: {minimum: 1, signed: true}\n", "7:27, key 'cells.c.signed': The row has both 'minimum' and 'signed'"),
    (ROWS + "  c: {minimum: 2, maximum: 1}\n", "The maximum leaves no value: the cell is at least 2"),
    (ROWS + "  c: {above: 2, maximum: 2}\n", "The maximum leaves no value"),
    (ROWS + "  c: {maximum: 0}\n", "The maximum leaves no value: the cell is positive"),
    (ROWS + "  c: {integer: yes}\n", "7:16, key 'cells.c.integer': 'yes' is neither true nor false"),
    (ROWS + "  c: Text\n", "7:6, key 'cells.c': Expected a mapping"),
    (ROWS + "  c: {doc: [a]}\n", "7:12, key 'cells.c.doc': Expected a text"),
    (ROWS + "  c: {doc: }\n", "key 'cells.c.doc': Expected a text"),
    (ROWS + "  a: {doc: again}\n", "7:3: The key 'a' is also in line 4"),
    (ROWS + "  GB: {doc: unit}\n", "7:3, key 'cells.GB': This is also the name of a unit"),
    (ROWS + "  max: {doc: word}\n", "7:3, key 'cells.max': This cannot be the name of a cell"),
    (ROWS + "  lambda: {doc: word}\n", "key 'cells.lambda': This cannot be the name of a cell"),
    (ROWS + "  __class__: {doc: word}\n", "key 'cells.__class__': This cannot be the name of a cell"),
    (ROWS + "  '': {doc: word}\n", "key 'cells.': This cannot be the name of a cell"),
    (ROWS + f"  {'x' * 101}: {{doc: word}}\n", "A name has at most 100 characters"),
    (ROWS + "limits: {one: {relation: a <= n}}\n", "7:26, key 'limits.one.relation': It compares 'a' (information)"),
    (ROWS + "limits: {one: {relation: a}}\n", "7:26, key 'limits.one.relation': This is not a relation"),
    (ROWS + "limits: {one: {relation: a <= 3 GiB}}\n", "The limit contains the quantity '3 GiB'"),
    (ROWS + "limits: {one: {doc: x}}\n", "7:15, key 'limits.one': The key 'relation' is missing"),
    (ROWS + "limits: {a: {relation: a <= b}}\n", "key 'limits.a.*': This name is declared twice"),
    (ROWS + CHIP.replace("chip}", "chp}"), "7:22, key 'parts.chip.kind': There is no kind of records 'chp'. Did you"),
    (ROWS + CHIP.replace("chip}", "chip, after: z}"), "key 'parts.chip.after': There is no cell 'z'"),
    (ROWS + "  chip.x: {doc: X}\n" + CHIP, "'chip' is a record of kind chip, which has its own figures"),
    (ROWS + "  c: {formula: chip.memry}\n" + CHIP, "There is no cell 'chip.memry'. Did you mean 'chip.memory'"),
    (ROWS + "parts: {a: {kind: chip}}\n", "This name is declared twice"),
    (ROWS + "parts: [chip]\n", "7:8, key 'parts': Expected a mapping"),
    (ROWS + KIND.replace("x, y", "x, x"), "key 'choices.k.options': An option is listed twice"),
    (ROWS + KIND.replace("x, y", "x-1"), "'x-1' cannot be an option"),
    (ROWS + KIND.replace("]", "], default: z"), "7:41, key 'choices.k.default': There is no option 'z'. Known: x, y"),
    (ROWS + "choices: {k: {doc: x}}\n", "key 'choices.k': The key 'options' is missing"),
    (ROWS + "  c: {formula: 'select(k, x=n)'}\n" + KIND, r"select\(\) has x, but 'k' is x, y. Give each option one"),
    (ROWS + "  c: {formula: 'select(n, x=n)'}\n" + KIND, r"select\(\) needs a choice as its first argument"),
    (ROWS + "  c: {formula: n * k}\n" + KIND, "'k' is a choice, not a number"),
    (ROWS + "sheets: {a: {sheet: x}}\n", "This name is declared twice"),
    (ROWS + "aliases: {x.y: a}\n", "7:11, key 'aliases.x.y': This cannot be another name of a row"),
    (ROWS + "sheets: {x: {sheet: z}}\naliases: {x.y: aa}\n", "There is no row 'aa'. Did you mean 'a'"),
    (ROWS + "notes: {a: b}\n", "7:8, key 'notes': Expected a text"),
    (ROWS + "override: maybe\n", "7:11, key 'override': 'maybe' is neither true nor false"),
    (ROWS + "title2: maybe\n", "7:1, key 'title2': There is no such key. Did you mean 'title'"),
    (ROWS.replace("sheet: model", "sheet: other"), "1:8, key 'sheet': The file is called model, and its sheet 'other'"),
    (ROWS.replace("title: T", "title: |\n  T\n  U"), "The title has several lines"),
    (ROWS.replace("title: T\n", ""), "1:1: The key 'title' is missing"),
    (HEAD, "1:1: The key 'cells' is missing"),
    (HEAD + "cells: []\n", "3:8, key 'cells': Expected a mapping"),
    ("[]\n", "1:1: Expected a mapping"),
    ("", "The file is empty"),
    ("sheet: *a\n", "1:8: .*not YAML|Anchors and aliases"),
    ("sheet: !!python/object:os.system {}\n", "is not supported. Remove it"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_a_mistake_names_its_place_and_the_fix(text: str, message: str, declare: Declare) -> None:
    with pytest.raises(RegistryError) as caught:
        declare(text)
    import re

    shown = str(caught.value)
    assert shown.startswith("models/model.yaml")
    assert any(pattern in shown or re.search(pattern, shown) for pattern in [message]), shown


def test_all_mistakes_are_reported_at_once_and_none_twice(declare: Declare) -> None:
    with pytest.raises(RegistryError) as caught:
        declare(ROWS + "  c: {unit: Gb}\n  p: {formula: c * n}\n  q: {formula: p + a}\n  r: {formula: zz}\n")
    assert [problem.where.partition("'")[2] for problem in caught.value.problems] == [
        "cells.c.unit'",
        "cells.r.formula'",
        "cells.q.formula'",
    ]


HOSTILE = [
    '__import__("os").system("x")',
    "__import__",
    "().__class__.__bases__",
    "a.__class__",
    "lambda: 3",
    "lambda",
    "9**9**9",
    "9**9**9**9",
    "2**16**16 * n",
    "exp(exp(exp(9)))",
    "[x for x in n]",
    "n if n else n",
    "eval(n)",
    "open(n)",
    "f'{n}'",
    "(n := 3)",
    "n; n",
    "*n",
    "{n}",
    "n[0]",
    "'n'",
    "(" * 300 + "n" + ")" * 300,
    "-" * 900 + "n",
    "(n + " * 100 + "n" + ")" * 100,
    "n" + " + 1" * 400,
    "n" * 5000,
    "9" * 900,
    "n\u0000",
    "\u202en",
]


@pytest.mark.parametrize("formula", HOSTILE)
def test_a_hostile_formula_is_refused_and_not_run(formula: str, declare: Declare) -> None:
    from yaml import dump

    with pytest.raises(RegistryError, match=r"^models/model\.yaml:7:\d+, key 'cells\.c\.formula': "):
        declare(ROWS + f"  c: {{formula: {dump(formula, default_style=chr(34), width=10**6).strip()}}}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sheet: a\0\n", "is not text"),
        (HEAD + "cells: " + "{a: " * 100, "nested more than 20 levels deep"),
        (HEAD + "cells:\n" + "".join(f"  c{i}: {{doc: x}}\n" for i in range(5001)), "more than 5,000 rows"),
        (HEAD + "cells: {c: {default: " + "9" * 5000 + "}}", "longer or larger than numbers may be"),
        (HEAD + "cells: {c: {doc: " + "x" * 500_000 + "}}", "larger than 500,000 bytes"),
        (HEAD + "cells:\n" + "".join(f"  c{i}: {{formula: zz}}\n" for i in range(300)), "mistakes"),
    ],
)
def test_a_hostile_file_is_refused_soon(text: str, message: str, declare: Declare) -> None:
    with pytest.raises(RegistryError, match=message):
        declare(text)


def test_a_file_name_that_cannot_name_a_sheet_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "My-model.yaml"
    file.write_text("sheet: My-model\ntitle: T\ncells: {a: {doc: A}}\n")
    with pytest.raises(RegistryError, match="The file name 'My-model' cannot be the name of a sheet"):
        read_sheet(file)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "plain",
            "a: b",
            "a #b",
            "- a",
            "[a]",
            "{a}",
            "a, b",
            "'a'",
            '"',
            "it's",
            " a ",
            "a:",
            "",
            "&a",
            "*a",
            "!a",
            "%",
        ),
        *(
            "a\nb",
            "\t",
            "\u0085",
            "\u2028",
            "é",
            "🦉",
            "\\Sigma",
            "? a",
            "| a",
            "> a",
            "@a",
            "`a",
            "~",
            "a\u0000b",
            "#",
        ),
        *("---", "\\", "a\n", "\ufeffa", "a'b: c", "x:y", "x,", "(a", "$"),
    ],
)
def test_any_text_is_written_so_that_it_reads_back(text: str) -> None:
    from yaml import BaseLoader, load

    assert load(f"k: {scalar(text)}\n", Loader=BaseLoader)["k"] == text  # noqa: S506  # makes texts only
    assert load(f"k: {{a: {scalar(text, inside=True)}}}\n", Loader=BaseLoader)["k"]["a"] == text  # noqa: S506
