"""A write-up whose every text tries to break out."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from tests.asked import answered, asked

import flopsheet
from flopsheet.registry.packs import packs
from flopsheet.report import Extras
from flopsheet.report.pages import write_up
from flopsheet.report.writeup import WriteUp

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "<script>alert(1)</script> \"onload=x ' $x$ `tick` | \\input{/etc/passwd} } % # & ~ ^ _ ≤ × β µ é 中 --x [y]"
FORMULA = r"\input{x}<b>&lt;\foo"
QUESTIONS = sorted((packs()[0].folder / "models" / "questions").glob("*.yaml"))
NAMES = [file.stem for file in QUESTIONS]


def hostile() -> WriteUp:
    """Return a write-up with every part, each of its texts hostile."""
    return copy(_hostile())


@cache
def _hostile() -> WriteUp:
    w = WriteUp(flopsheet.solve("ffn_memory", "n_fsdp", ["chip = h100", "batch = 8", "seq_len = 8", "d_model = 64",
        "d_ff = 64", "n_blocks = 2", "device_memory <= chip.memory"]), Extras())  # fmt: skip
    for name in ("title", "question", "sheet", "sheet_title", "ranked"):
        setattr(w, name, TEXT)
    for name in (
        "rejected",
        "bindings",
        "warnings",
        "assumptions",
        "notes",
        "dropped_defaults",
        "table_head",
        "columns",
        "candidate_columns",
    ):
        setattr(w, name, [TEXT, TEXT])
    w.table_rows = w.rows = w.candidate_rows = [[TEXT, TEXT], [TEXT, TEXT]]
    w.compared = [[TEXT, TEXT], [TEXT, TEXT]]
    w.results = [replace(result, text=TEXT, why=TEXT, closed_form=(FORMULA,)) for result in w.results]
    w.inputs = [replace(entry, name=TEXT, value=TEXT, doc=TEXT, origin=TEXT, symbol=FORMULA) for entry in w.inputs]
    w.others = [replace(entry, name=TEXT, value=TEXT, doc=TEXT, symbol=FORMULA) for entry in w.others]
    w.steps = [
        replace(step, name=TEXT, doc=TEXT, how=TEXT, condition=(FORMULA, FORMULA), lines=(FORMULA, "x &= 1"))
        for step in w.steps
    ]
    w.checks = [replace(check, relation=TEXT, left=TEXT, right=TEXT, sign="<=") for check in w.checks]
    w.limits = [replace(limit, name=TEXT, relation=TEXT, left=TEXT, right=TEXT, slack=TEXT) for limit in w.limits]
    w.sources = [replace(source, title=TEXT, url=url, read=TEXT) for source in w.sources for url in _URLS]
    return w


_URLS = ("javascript:alert(1)", 'https://a.example/"onload=x<b>%25{}\\#a_b~', "")


def derived(file: Path, form: str) -> str:
    """Return the answer to a question file in this form."""
    return write_up(answered(file), asked(file).template, form, Extras.of(asked(file)))
