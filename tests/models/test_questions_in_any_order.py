"""The questions of several unknowns, asked in another order: the same values, and as quick."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.asked import FOLDER, LONGEST, answered, asked

from flopsheet.answer.solve import answer as answer_to
from flopsheet.graph import rearranged

if TYPE_CHECKING:
    from collections.abc import Sequence

FILES = [file for file in sorted(FOLDER.glob("*.yaml")) if len(asked(file).question.unknowns) > 1]
STEMS = [file.stem for file in FILES if file.stem not in LONGEST]  # of those counts are listed for seconds first
MOST_FORMS = 700  # equations that are rearranged; none since inputs are solved first, before that thousands


@pytest.mark.slow
@pytest.mark.parametrize("stem", STEMS)
def test_the_order_of_unknowns_changes_no_value(stem: str) -> None:
    values = {name: outcome.si for name, outcome in answered(stem).outcomes.items()}
    question = asked(stem).question
    reverse = replace(question, unknowns=question.unknowns[::-1])
    assert {name: outcome.si for name, outcome in answer_to(reverse).outcomes.items()} == values


@pytest.mark.parametrize(
    ("stem", "order"),
    [
        ("moe-or-dense", ["chip_token_rate", "n_sequences"]),
        ("cost-h200-half-load", ["token_cost", "input_cost", "output_cost", "n_sequences"]),
    ],
)
def test_what_follows_from_a_later_unknown_is_not_rearranged_for_it(
    stem: str, order: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    forms = 0

    def counted(*args: Any) -> Any:
        nonlocal forms
        forms += 1
        return form(*args)

    form = rearranged._form
    monkeypatch.setattr(rearranged, "_form", counted)
    outcomes = answer_to(replace(asked(stem).question, unknowns=tuple(order))).outcomes
    assert {name: own.si for name, own in outcomes.items()} == {
        name: own.si for name, own in answered(stem).outcomes.items()
    }
    assert forms < MOST_FORMS
