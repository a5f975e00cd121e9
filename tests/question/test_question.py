"""Questions: pins, records, choices, unknowns and relations, from texts and from mappings, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from flopsheet import Chip, Sheet, choice, formula, given, part, quantity, select, unit
from flopsheet.errors import (
    DimensionError,
    FlopsheetError,
    FormulaError,
    OverdeterminedError,
    QuestionError,
    UnknownNameError,
    UnknownUnitError,
    ValueOutOfBoundsError,
)
from flopsheet.functions.symbols import symbol
from flopsheet.question.ask import ask
from flopsheet.units import Quantity

if TYPE_CHECKING:
    from flopsheet.units import Number

GIB = 2**30


class Toy(Sheet):
    """A sheet with one row of each sort."""

    width = given("Width", integer=True)
    share = given("Share", default=0.5, minimum=0, maximum=1, source="ours")
    seen = given("Tokens seen", "token")
    room = given("Room", "GiB")
    tilt = given("Tilt", "degree", minimum=-90, maximum=90)
    precision = choice("bf16", "fp8", doc="Format")
    chip = part(Chip)
    size = formula(select(precision, bf16=2, fp8=1) * width, "", "Size")
    used = formula(share * room, "GiB", "Room used")


TOY = Toy()


@pytest.mark.parametrize(
    ("text", "cell", "value"),
    [
        ("width = 12", "width", 12),
        ("width=12", "width", 12),
        ("12 = width", "width", 12),
        ("width = 3 * 4", "width", 12),
        ("width = 2**10", "width", 1024),
        ("share = 1/3", "share", Fraction(1, 3)),
        ("share = 40 %", "share", Fraction(2, 5)),
        ("share = 0.1", "share", Fraction(1, 10)),
        ("room = 95 GiB", "room", 95 * GIB),
        ("room = 1.5 GB", "room", 1_500_000_000),
        ("room = 2 * 3 GiB / 4", "room", Fraction(3 * GIB, 2)),
        ("room = 1 GiB + 1 byte", "room", GIB + 1),
        ("seen = 1.4e12", "seen", 1_400_000_000_000),
        ("seen = 2 token", "seen", 2),
        ("used = 7 GiB", "used", 7 * GIB),
        ("used = 0", "used", 0),
        ("chip.memory = 80 GB", "chip.memory", 80_000_000_000),
    ],
)
def test_a_pin_is_exact_and_in_base_units(text: str, cell: str, value: Number) -> None:
    question = ask(TOY, (), [text])
    assert question.pins[cell].value == value
    assert not isinstance(question.pins[cell].value, float)
    assert question.relations == []


@pytest.mark.parametrize(
    ("text", "written", "sides", "quantities"),
    [
        ("room = 95 GiB", "95 GiB", ("room", "95 GiB"), ["95 GiB"]),
        ("95 GiB = room", "95 GiB", ("95 GiB", "room"), ["95 GiB"]),
        ("room = 2 * 3 GiB / 4", "", ("room", "3 GiB/2"), ["3 GiB"]),
        ("width = 12", "12", ("width", "12"), []),
        ("12 = width", "12", ("12", "width"), []),
        ("share = 40 %", "40 %", ("share", "40 %"), ["40 %"]),
        ("-30 degree = tilt", "-30 degree", ("-30 degree", "tilt"), ["30 degree"]),
        ("tilt = -(30 degree)", "-30 degree", ("tilt", "-30 degree"), ["30 degree"]),
    ],
)
def test_a_pin_keeps_what_was_written(text: str, written: str, sides: tuple[str, str], quantities: list[str]) -> None:
    (pin,) = ask(TOY, (), [text]).pins.values()
    assert str(pin.written or "") == written
    relation = pin.relation
    shown = {symbol(name): symbol(str(quantity)) for name, quantity in relation.literals.items()}
    assert (str(relation.left.xreplace(shown)), str(relation.right.xreplace(shown))) == sides
    assert [str(quantity) for quantity in relation.literals.values()] == quantities
    assert relation.text == text


@pytest.mark.parametrize(
    ("given_value", "cell", "si"),
    [
        (12, "width", 12),
        (Fraction(1, 3), "share", Fraction(1, 3)),
        (0.1, "share", Fraction(1, 10)),
        (1e-7, "share", Fraction(1, 10**7)),
        (0.0, "share", 0),
        (1.4e12, "seen", 1_400_000_000_000),
        ("40 %", "share", Fraction(2, 5)),
        ("95 GiB", "room", 95 * GIB),
        (quantity("1.5 GiB"), "room", Fraction(3 * GIB, 2)),
        (quantity("95 GiB"), "room", 95 * GIB),
        (Quantity(Fraction(1, 3), unit("GiB")), "room", Fraction(GIB, 3)),
        (Quantity(2.5e-07, unit("GiB")), "room", Fraction(25 * GIB, 10**8)),
        (Quantity(Fraction(1, 3), unit("")), "share", Fraction(1, 3)),
    ],
    ids=str,
)
def test_the_mapping_form_takes_numbers_and_quantities(given_value: object, cell: str, si: Number) -> None:
    assert ask(TOY, (), {cell: given_value}).pins[cell].value == si


def test_records_and_choices_go_by_name() -> None:
    by_text = ask(TOY, (), ["chip = h100-sxm", "precision = 'fp8'"])
    by_name = ask(TOY, (), {"chip": "h100-sxm", "precision": "fp8"})
    assert by_text.records["chip"].key == by_name.records["chip"].key == "h100-sxm"
    assert by_text.choices == by_name.choices == {"precision": "fp8"}
    assert ask(TOY, (), ["chip = a100"]).records["chip"].key == "a100-sxm4-80gb"


def test_relations_keep_their_text_and_order() -> None:
    texts = ["used <= 10 % * room", "width >= 3", "room = chip.memory", "share < 1"]
    question = ask(TOY, "width", texts)
    assert [relation.text for relation in question.relations] == texts
    assert [relation.text for relation in question.inequalities] == [texts[0], texts[1], texts[3]]
    assert question.unknowns == ("width",)
    assert question.pins == {}


def test_the_same_said_twice_is_one() -> None:
    question = ask(TOY, (), ["room = 1 GiB", "room = 1024 MiB", "chip = a100", "chip = a100-sxm4-80gb"])
    assert question.pins["room"].relation.text == "room = 1 GiB"
    assert question.records["chip"].key == "a100-sxm4-80gb"
    assert ask(TOY, (), ["precision = fp8", "precision = fp8"]).choices == {"precision": "fp8"}


@pytest.mark.parametrize(
    ("texts", "error", "says"),
    [
        (["width = 3", "width = 4"], OverdeterminedError, "already given by 'width = 3'"),
        (["chip = h100-sxm", "chip = tpu-v5p"], OverdeterminedError, "already given as h100-sxm"),
        (["precision = bf16", "precision = fp8"], OverdeterminedError, "already given"),
        (["width = 0"], ValueOutOfBoundsError, "at least 1"),
        (["width = 2.5"], ValueOutOfBoundsError, "whole number"),
        (["share = 1.5"], ValueOutOfBoundsError, "between 0 and 1"),
        (["room = -1 GiB"], ValueOutOfBoundsError, "positive"),
        (["room = 0"], ValueOutOfBoundsError, "positive"),
        (["room = 3"], DimensionError, "has no unit"),
        (["room = 3 s"], DimensionError, "time"),
        (["room <= 3"], DimensionError, "has no unit"),
        (["width = 3 GiB"], DimensionError, "information"),
        (["room = width"], DimensionError, "information"),
        (["wide = 3"], UnknownNameError, "Did you mean 'width'"),
        (["chip = h100-sxn"], UnknownNameError, "h100-sxm"),
        (["precision = fp9"], QuestionError, "fp8"),
        (["precision <= fp8"], QuestionError, "cannot be compared"),
        (["width = precision"], FlopsheetError, "precision"),
        (["2 * precision <= width"], FlopsheetError, "precision"),
        (["chip >= h100-sxm"], QuestionError, "cannot be compared"),
        (["1 = 2"], QuestionError, "No cell in it decides anything"),
        (["width ="], FormulaError, "side is empty"),
        (["room = 5 furlong"], UnknownUnitError, "relation 'room = 5 furlong': 'furlong' is not a unit"),
        (["share = 10 % width"], FormulaError, "relation 'share = 10 % width': .* is followed by a value"),
        (["width = max(16,384)"], FormulaError, r"relation 'width = max\(16,384\)': .*comma"),
        (["width"], FormulaError, "relation"),
        (["width == 12"], FormulaError, "not an operator"),
        (["width = 1 / 0"], FlopsheetError, "zero"),
        (["width = 3"] * 1001, QuestionError, "more than 1,000"),
    ],
    ids=lambda text: str(text)[:40],
)
def test_what_is_refused(texts: list[str], error: type[FlopsheetError], says: str) -> None:
    with pytest.raises(error, match=says):
        ask(TOY, (), texts)


@pytest.mark.parametrize(
    ("unknown", "texts", "says"),
    [
        ("widht", [], "Did you mean 'width'"),
        ("chpi", [], "Did you mean 'chip'"),
        ("precision", ["precision = fp8"], "asked for and given at once"),
        (("width", "width"), [], "asked for twice"),
        ("width", ["width = 3"], "asked for and given at once"),
    ],
)
def test_unknowns_that_are_refused(unknown: Any, texts: list[str], says: str) -> None:
    with pytest.raises(FlopsheetError, match=says):
        ask(TOY, unknown, texts)


def test_a_single_text_is_one_relation_or_refused_as_such() -> None:
    try:
        question = ask(TOY, (), "width = 3")
    except FlopsheetError as error:
        assert "width = 3" in str(error)  # noqa: PT017  # both are fine: taking it, or saying so
    else:
        assert question.pins["width"].value == 3
