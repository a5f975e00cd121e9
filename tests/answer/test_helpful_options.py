"""Where no count works, an answer tells options of choices with which one does; each is asked again here."""

from __future__ import annotations

import re

import pytest

from flopsheet import Sheet, choice, formula, given, part, ratio, select, solve
from flopsheet.numbers.sets import is_in

TRAINING = ["model = llama-3.1-405b", "system = hgx-h100", "n_dp = 8", "n_tp = 8", "seq_len = 8192"]
SPLIT = ["sharding = optimizer", "recomputation = selective", "device_memory <= 90 % * chip.memory"]
DECODE = ["model = llama-3.1-405b", "system = gb200-nvl72", "n_sequences = 32", "seq_len = 8192"]
FP8 = ["weight_format = fp8", "precision = fp8", "token_time <= 15 ms"]


class Cut(Sheet):
    """What is left of a length."""

    way = choice("whole", "half", "none", doc="What is left", default="whole")
    tool = choice("saw", "knife", doc="What cuts it", default="saw")
    length = given("Length", example=8)
    left = formula(length * select(way, whole=1, half=ratio(1, 2), none=0) + select(tool, saw=1, knife=0), "", "Left")


class Pieces(Sheet):
    """Pieces of two cuts, of which one is always a half."""

    n = given("Pieces", integer=True, example=2)
    size = given("Size", example=10)
    own = part(Cut, "Cut that a user chooses", length=size)
    other = part(Cut, "Cut that is a half", length=size, way="half")
    rest = formula(own.left / n + other.left, "", "What is left of both")


@pytest.mark.parametrize(
    ("sheet", "unknown", "where"),
    [("training_memory", "n_pp", [*TRAINING, *SPLIT]), ("decode", "n_tp", [*DECODE, *FP8])],
)
def test_the_options_that_are_told_give_the_values_that_are_told(sheet: str, unknown: str, where: list[str]) -> None:
    answer = solve(sheet, unknown, where, budget=30)
    assert answer.outcomes[unknown].kind == "none"
    told = next(text for text in answer.cautions if text.startswith("It works with "))
    options = re.findall(r"(\S+ = \w+) \((\w+) = ([\d, or]+)\)", told)
    assert options
    for option, name, numbers in options:
        assert name == unknown
        again = solve(sheet, unknown, [*where, option], budget=30)
        assert again.solved
        assert all(is_in(int(number), again.outcomes[unknown].listed) for number in re.findall(r"\d+", numbers))


def test_what_a_sheet_sets_in_its_parts_is_not_offered() -> None:
    answer = solve(Pieces, "n", ["size = 10", "rest <= 5.5"])
    assert answer.outcomes["n"].kind == "none"
    told = [text for text in answer.cautions if "It works with" in text]
    assert told == ["It works with other.tool = knife (n >= 22)."]


def test_nothing_is_told_where_no_option_helps() -> None:
    answer = solve(Pieces, "n", ["size = 10", "rest <= 4"])
    assert answer.outcomes["n"].kind == "none"
    assert not [text for text in answer.cautions if "It works with" in text]
