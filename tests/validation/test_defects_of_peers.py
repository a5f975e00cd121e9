"""Defects that other tools had, each with a question that would show it here, and the answer that is right.

An entry of peers/defects.yaml:

    - id: cookbook-gradients                     # tool and what is wrong
      tool: EleutherAI cookbook
      defect: divides gradients by no parallelism
      see: https://github.com/EleutherAI/cookbook
      sheet: model_states
      given: [params = 70553706496, n_tp = 8]    # relations, as on the command line
      right: {gradient_memory: 70553706496 * 4 / 8 byte}     # reckoned from the widths alone; "+- 0.5", "~ 1 %" bands
      wrong: {gradient_memory: 262.97 GiB}       # what the tool shows; the answer must be far from it
      verdict: {fits: violated}                  # limits that must hold, or be violated
      refused: [n_chips to be 32]                # texts in the error that the question must raise
      impossible: n_rows                         # the unknown that must have no value
      without: [fits]
      figures: usable
"""

from __future__ import annotations

import ast
import operator
import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.stored import read_yaml
from tests.validation.entries import VERDICTS, figure

from flopsheet import FlopsheetError, solve

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet import Answer

FILE = Path(__file__).parent / "peers" / "defects.yaml"
ARITHMETIC = re.compile(r"(?:\d+(?:\.\d+)?|[-+*/() ])+(?<![-+ ])")
SIGNS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
FAR = Fraction(1, 100)  # of the wrong figure: nearer to it than 1 %, an answer shares the defect


@dataclass(frozen=True)
class Defect:
    """What a tool does wrong, and a question to which the answer is known."""

    id: str
    tool: str
    defect: str
    see: str
    sheet: str
    given: tuple[str, ...] = ()
    right: dict[str, object] = field(default_factory=dict)
    wrong: dict[str, object] = field(default_factory=dict)
    verdict: dict[str, str] = field(default_factory=dict)
    refused: tuple[str, ...] = ()
    impossible: str = ""
    without: tuple[str, ...] = ()
    figures: str = ""


def _defects() -> list[Defect]:
    lists = ("given", "refused", "without")
    records = read_yaml(FILE)
    return [Defect(**{**record, **{key: tuple(record.get(key, ())) for key in lists}}) for record in records]


def _number(node: ast.expr) -> Fraction:
    if isinstance(node, ast.BinOp):
        return Fraction(SIGNS[type(node.op)](_number(node.left), _number(node.right)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    return Fraction(str(ast.literal_eval(node)))


def _evaluated(text: object) -> str:
    """Return the text of a figure with its arithmetic done: `2 * 3 GiB` is `6/1 GiB`."""
    written = str(text)
    matched = ARITHMETIC.match(written)
    assert matched is not None, f"'{written}' begins with no number"
    number = _number(ast.parse(matched.group().strip(), mode="eval").body)
    return f"{number.numerator}/{number.denominator} {written[matched.end() :].strip()}".strip()


DEFECTS = _defects()
RIGHT = [pytest.param(defect, cell, id=f"{defect.id}-{cell}") for defect in DEFECTS for cell in defect.right]
VERDICT = [pytest.param(defect, limit, id=f"{defect.id}-{limit}") for defect in DEFECTS for limit in defect.verdict]
REFUSED = [pytest.param(defect, id=defect.id) for defect in DEFECTS if defect.refused]
IMPOSSIBLE = [pytest.param(defect, id=defect.id) for defect in DEFECTS if defect.impossible]


@cache
def _answer_to(sheet: str, unknown: str, given: tuple[str, ...], without: tuple[str, ...], figures: str) -> Answer:
    return solve(sheet, unknown or (), given, without=without, figures=figures or None)


def _answer(defect: Defect, unknown: str = "") -> Answer:
    return _answer_to(defect.sheet, unknown, defect.given, defect.without, defect.figures)


def test_entries() -> None:
    assert [name for name, count in Counter(defect.id for defect in DEFECTS).items() if count > 1] == []
    untested = [each.id for each in DEFECTS if not (each.right or each.verdict or each.refused or each.impossible)]
    assert untested == []
    assert [defect.id for defect in DEFECTS if not defect.wrong.keys() <= defect.right.keys()] == []


@pytest.mark.parametrize(("text", "done"), [("2 * 3.5 GiB", "7/1 GiB"), ("(1 - 2**3) / 2 ~ 1 %", "-7/2 ~ 1 %")])
def test_arithmetic(text: str, done: str) -> None:
    assert _evaluated(text) == done


@pytest.mark.parametrize(("defect", "cell"), RIGHT)
def test_figure(defect: Defect, cell: str) -> None:
    computed = _answer(defect).cells[cell]
    right = figure(_evaluated(defect.right[cell]))
    assert right.value.unit.dimension == computed.cell.unit.dimension
    assert right.is_met(computed.si), f"{cell} is {float(computed.si):.12g}, not {float(right.si):.12g}"
    if cell in defect.wrong:
        wrong = figure(_evaluated(defect.wrong[cell]))
        assert wrong.value.unit.dimension == computed.cell.unit.dimension
        assert abs(Fraction(computed.si) - wrong.si) > FAR * abs(wrong.si), f"{cell} is that of {defect.tool}"


@pytest.mark.parametrize(("defect", "limit"), VERDICT)
def test_verdict(defect: Defect, limit: str) -> None:
    verdicts = {check.relation.name: check.holds for check in _answer(defect).limits}
    assert verdicts[limit] is VERDICTS[defect.verdict[limit]]


@pytest.mark.parametrize("defect", REFUSED)
def test_refused(defect: Defect) -> None:
    with pytest.raises(FlopsheetError) as raised:
        solve(defect.sheet, (), defect.given)
    assert [text for text in defect.refused if text not in str(raised.value)] == [], str(raised.value)


@pytest.mark.parametrize("defect", IMPOSSIBLE)
def test_impossible(defect: Defect) -> None:
    outcome = _answer(defect, defect.impossible).outcomes[defect.impossible]
    assert (outcome.kind, outcome.solutions) == ("none", ())
    assert outcome.why
