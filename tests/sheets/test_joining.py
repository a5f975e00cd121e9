"""Sheets that extend several: shared rows are one, a formula fills what another leaves given, disputes are refused."""

from __future__ import annotations

import itertools
from types import new_class
from typing import Any

import pytest

from flopsheet import Sheet, choice, formula, given, limit, override, part, solve
from flopsheet.errors import DimensionError, FlopsheetError, SheetError, UnknownNameError


class Shape(Sheet):
    """A shape."""

    width = given("Width", example=4, integer=True)
    depth = given("Depth", default=2, integer=True)


class Size(Shape):
    """Its size."""

    params = formula(depth * width**2, "param", "Parameters")  # type: ignore[name-defined]  # noqa: F821


class Memory(Sheet):
    """Memory of parameters."""

    params = given("Parameters", "param", example=100)
    bytes_per_param = given("Two bytes", "byte/param", default=2)
    precision = choice("bf16", "fp8", default="bf16")
    memory = formula(params * bytes_per_param, "byte", "Memory")


def test_a_formula_fills_what_another_sheet_leaves_given() -> None:
    class Both(Memory, Size):
        """Both."""

    model = Both()
    assert solve(model, unknown="memory", where=["width = 10"]).value == 400
    names = list(model.cells)
    assert names.index("depth") < names.index("params") < names.index("memory")


class Roomy(Memory):
    """More memory, of the same parameters."""

    spare = formula(2 * memory, "byte", "Twice")  # type: ignore[name-defined]  # noqa: F821


class Tight(Memory):
    """Less memory, of the same parameters."""

    bytes_per_param = override(default=1)


@pytest.mark.parametrize("bases", list(itertools.permutations((Roomy, Size, Tight, Memory))))
def test_a_formula_fills_in_for_every_order_of_extended_sheets(bases: tuple[type[Sheet], ...]) -> None:
    ordered = [base for base in bases if not any(issubclass(other, base) and other is not base for other in bases)]
    model: Any = new_class("Every", tuple(ordered))()
    assert model.cells["params"].formula is not None
    assert model.cells["bytes_per_param"].default == 1
    again: Any = new_class("More", (type(model), Memory))()
    assert again.cells["params"].formula is not None


def test_a_formula_keeps_to_the_bounds_of_what_it_fills() -> None:
    class Limited(Sheet):
        params = given("Parameters", "param", integer=True, maximum=100)

    class Both(Limited, Size):
        """Both."""

    cell = Both().cells["params"]
    assert (cell.integer, cell.bounds.lower, cell.bounds.upper) == (True, 1, 100)


def test_a_sheet_without_texts_inherits_those_of_all_that_it_extends() -> None:
    class One(Sheet):
        length = given("Length")
        assumptions: tuple[str, ...] = ("First.", "Both.")

    class Two(Sheet):
        depth = given("Depth")
        assumptions: tuple[str, ...] = ("Both.", "Second.")
        notes: tuple[str, ...] = ("Note.",)

    class Both(One, Two):
        """Both."""

    class Own(One, Two):
        """Own."""

        assumptions: tuple[str, ...] = ("Own.",)

    assert (Both.assumptions, Both.notes) == (("First.", "Both.", "Second."), ("Note.",))
    assert Own.assumptions == ("First.", "Both.", "Second.", "Own.")


def test_a_sheet_takes_for_granted_what_those_it_extends_and_embeds_do_and_lifts_what_no_longer_holds() -> None:
    class Link(Sheet):
        rate = given("Rate", example=1)
        assumptions: tuple[str, ...] = ("No other traffic.", "Links are alike.")
        notes: tuple[str, ...] = ("A hint.",)
        sources: tuple[str, ...] = ("attention",)

    class Pair(Sheet):
        there = part(Link, "One way")
        lifted: tuple[str, ...] = ("Links are alike.",)
        assumptions: tuple[str, ...] = ("The way back is free.",)

    class Ring(Pair):
        assumptions: tuple[str, ...] = ("Links are alike.",)

    assert Pair.assumptions == ("No other traffic.", "The way back is free.")
    assert Ring().assumptions == (*Pair.assumptions, "Links are alike.")
    assert (Pair.notes, Pair().sources, Ring.sources) == ((), ("attention",), ("attention",))

    class Other(Link):
        assumptions: tuple[str, ...] = ("Other.",)

    class First(Pair, Other):
        """Extends what lifts a text before another sheet that has it."""

    class Last(Other, Pair):
        """Extends it behind."""

    assert First.assumptions == ("No other traffic.", "The way back is free.", "Other.")
    assert Last.assumptions == ("No other traffic.", "Other.", "The way back is free.")
    with pytest.raises(UnknownNameError, match=r"sheet wrong, 'lifted': .*'No traffic.'. Did you mean 'No other traf"):

        class Wrong(Pair):
            lifted: tuple[str, ...] = ("No traffic.",)


def test_sheets_of_equal_name_are_distinct() -> None:
    def first(default: int) -> type[Sheet]:
        class Base(Sheet):
            width = given("Width", default=default)

        return Base

    def second(default: int) -> type[Sheet]:
        class Base(Sheet):
            width = given("Width", default=default)

        return Base

    with pytest.raises(SheetError, match="declare it differently"):
        new_class("Both", (first(1), second(2)))


def test_a_row_inherited_twice_is_one_row() -> None:
    class Deeper(Shape):
        depth = override(default=7)

    class Both(Size, Deeper):
        """Both."""

    class Turned(Deeper, Size):
        """Both, the other way round."""

    assert Both().cells["depth"].default == Turned().cells["depth"].default == 7
    assert solve(Both(), unknown="params", where=["width = 1"]).value == 7


def test_override_changes_only_what_it_states() -> None:
    class Wide(Memory):
        bytes_per_param = override(doc="Four bytes", default=4, source="ieee-754")
        precision = override(default="fp8")

    mine, theirs = Wide(), Memory()
    assert (mine.cells["bytes_per_param"].default, theirs.cells["bytes_per_param"].default) == (4, 2)
    assert (mine.cells["bytes_per_param"].doc, mine.cells["bytes_per_param"].source) == ("Four bytes", "ieee-754")
    assert (mine.choices["precision"].default, theirs.choices["precision"].default) == ("fp8", "bf16")
    assert list(mine.cells) == list(theirs.cells)


def test_override_with_a_formula_moves_the_row_behind_what_it_needs() -> None:
    class Sized(Memory):
        width = given("Width", example=4, integer=True)
        params = override(width**2)

    assert list(Sized().cells) == ["bytes_per_param", "width", "params", "memory"]
    assert solve(Sized(), unknown="width", where=["memory = 200 byte"]).value == 10


def test_sheets_that_disagree_are_refused_unless_this_one_decides() -> None:
    class Narrow(Sheet):
        width = given("Width of another thing")

    with pytest.raises(SheetError, match=r"'width'.*Shape and Narrow declare it differently\. Decide with width = ov"):

        class Undecided(Shape, Narrow):
            """Both."""

    class Decided(Shape, Narrow):
        width = override(doc="Decided")

    assert Decided().cells["width"].doc == "Decided"


def test_a_choice_and_a_cell_of_one_name_are_refused() -> None:
    class Other(Sheet):
        width = choice("narrow", "wide")

    with pytest.raises(SheetError, match="'width'"):

        class Both(Shape, Other):
            """Both."""


def test_formulas_that_need_each_other_are_refused() -> None:
    with pytest.raises(
        SheetError, match=r"'(params|memory)' and '(params|memory)' form a cycle\. Leave one of them given"
    ):

        class Circle(Memory):
            params = override(memory / bytes_per_param)  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("widht", override(default=2), "No extended sheet has this row. Did you mean 'width'"),
        ("width", override(default=1.5), "'width' cannot be 1.5: it must be"),
        ("width", override(default="2 GB"), "GB|byte|unit"),
        ("width", override("text"), "needs an expression over cells"),
        ("width", given("Width"), r"declared twice\. To change the row of shape, write width = override\(\.\.\.\)"),
    ],
)
def test_wrong_overrides_are_refused(name: str, row: object, message: str) -> None:
    body = type(Shape).__prepare__("Wider", (Shape,))
    with pytest.raises(FlopsheetError, match=message):
        body[name] = row


def test_a_computed_row_has_no_default() -> None:
    body = type(Memory).__prepare__("Wider", (Memory,))
    with pytest.raises(SheetError, match=r"A cell with a formula has no default\. Remove 'default' or the formula"):
        body["memory"] = override(default=2)


def test_a_formula_is_not_cited_to_the_source_of_a_value() -> None:
    class Sourced(Sheet):
        width = given("Width", default=4, source="paper")

    class Computed(Sourced):
        half = given("Half", default=2)
        width = override(2 * half)

    assert Computed().cells["width"].source == ""


def test_a_limit_is_overridden_by_another_comparison() -> None:
    class Limited(Sheet):
        width = given("Width", example=3)
        small = limit(width <= 5, "It is small")

    class Wider(Limited):
        small = override(width <= 9)  # type: ignore[name-defined]  # noqa: F821  # a cell of the extended sheet

    class Worded(Limited):
        small = override(width <= 7, "It is not large")  # type: ignore[name-defined]  # noqa: F821  # the same

    limits = [own().limits["small"] for own in (Limited, Wider, Worded)]
    assert [limit.text for limit in limits] == ["width <= 5", "width <= 9", "width <= 7"]
    assert [limit.doc for limit in limits] == ["It is small", "It is small", "It is not large"]
    assert solve(Limited(), (), ["width = 8"]).broken
    assert not solve(Wider(), (), ["width = 8"]).broken


def test_a_limit_is_overridden_by_a_comparison_alone() -> None:
    class Limited(Sheet):
        width = given("Width")
        small = limit(width <= 5)
        other = part(Shape)

    body = type(Limited).__prepare__("Wider", (Limited,))
    with pytest.raises(SheetError, match="This is not a comparison of cells"):
        body["small"] = override(doc="x")
    with pytest.raises(SheetError, match=r"A limit has no default\. It has doc"):
        body["small"] = override(body["width"] <= 4, default=2)
    with pytest.raises(SheetError, match=r"declared twice\. To change the row of limited, write small = override"):
        body["small"] = limit(body["width"] <= 4)
    with pytest.raises(SheetError, match=r"Embedded sheets cannot be overridden\. Use another name"):
        body["other"] = override(doc="x")


def test_a_row_is_overridden_once() -> None:
    body = type(Shape).__prepare__("Wider", (Shape,))
    body["width"] = override(default=2)
    with pytest.raises(SheetError, match="declared twice"):
        body["width"] = override(default=3)


def test_an_override_keeps_the_dimension() -> None:
    body = type(Memory).__prepare__("Wider", (Memory,))
    with pytest.raises(DimensionError, match="param"):
        body["params"] = override(body["memory"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (override(default="bf15"), "There is no option 'bf15'. Did you mean 'bf16'"),
        (override(symbol="p"), "A choice has no symbol"),
    ],
)
def test_a_choice_is_overridden_by_an_option_of_its_own(row: object, message: str) -> None:
    body = type(Memory).__prepare__("Wider", (Memory,))
    with pytest.raises(SheetError, match=message):
        body["precision"] = row


def test_what_is_extended_must_be_a_sheet() -> None:
    for bases in ((Shape, int), (int, Shape)):
        with pytest.raises(SheetError, match="int is not a sheet"):
            type(Shape).__prepare__("Wider", bases)
