"""A sheet inside another under a prefix: its rows, what is bound, what is shared, and how it is asked."""

from __future__ import annotations

from typing import Any

import pytest

from flopsheet import (
    Chip,
    Datacenter,
    Sheet,
    ceil,
    choice,
    formula,
    given,
    limit,
    max_,
    mod,
    override,
    part,
    select,
    solve,
)
from flopsheet.errors import FlopsheetError
from flopsheet.layout.latex import latex
from flopsheet.report.formulas import symbol_of


class Holder(Sheet):
    """What a chip holds of a model."""

    params = given("Parameters", "param", example=7e9)
    bytes_per_param = given("Two bytes", "byte/param", default=2)
    spread = choice("all", "half", default="all")
    n_chips = given("Chips", "chip", default=1, integer=True)
    chip = part(Chip, "Holds it", example="h100-sxm")
    memory = formula(params * bytes_per_param / n_chips * select(spread, all=1, half=2), "GB", "Held")
    fits = limit(memory <= chip.memory, "It fits")


class TwoModels(Sheet):
    """A model and a draft of it on the same chips."""

    chip = part(Chip, "Holds both", example="h100-sxm")
    n_chips = given("Chips", "chip", example=4, integer=True)
    size_ratio = given("How much smaller the draft is", default=10)
    target = part(Holder, "The model", chip=chip, n_chips=n_chips)
    draft = part(
        Holder,
        "Its draft",
        params=target.params / size_ratio,
        chip=chip,
        n_chips=n_chips,
        bytes_per_param=1,
        spread="half",
    )
    both = formula(target.memory + draft.memory, "GB", "Both together")
    both_fit = limit(both <= chip.memory, "A chip holds its part of both")


MODEL = TwoModels()


def test_rows_are_under_the_prefix_unless_bound() -> None:
    own = [name for name, cell in MODEL.cells.items() if not cell.part]
    inner = ["params", "bytes_per_param", "memory"]
    targets, drafts = ([f"{prefix}.{name}" for name in inner] for prefix in ("target", "draft"))
    assert own == ["n_chips", "size_ratio", *targets, *drafts, "both"]
    assert (list(MODEL.parts), list(MODEL.sheets)) == (["chip"], ["target", "draft"])
    assert MODEL.cells["draft.bytes_per_param"].default == 1
    assert MODEL.choices["draft.spread"].default == "half"
    assert list(MODEL.limits) == ["target.fits", "draft.fits", "both_fit"]
    assert MODEL.limits["draft.fits"].text == "draft.memory <= chip.memory"


class Stages(Sheet):
    """The slower one of two stages, and in whole slots."""

    left = given("Time of the first stage", "s", example=3)
    right = given("Time of the second stage", "s", example=2)
    slot = given("A slot of time", "s", example=1)
    slower = formula(max_(left, right), "s", "The slower one")
    rest = formula(mod(left, right), "s", "Time of the first stage that no whole second stage fills")
    slotted = formula(max_(right, ceil(left / slot) * slot), "s", "The same with the first stage in whole slots")


class BothStages(Sheet):
    """The same with one time for both stages, and with a time of each."""

    time = given("Time of both stages", "s", example=3)
    same = part(Stages, "Two stages of one time", left=time, right=time)
    apart = part(Stages, "Two stages", slot=same.slot)


def test_formulas_are_those_that_would_be_written_here() -> None:
    cells = BothStages().cells
    time, slot = cells["time"].symbol, cells["same.slot"].symbol
    assert cells["same.slower"].formula == time
    assert cells["same.rest"].formula == mod(time, time)
    assert cells["same.slotted"].formula == max_(time, ceil(time / slot) * slot)
    left, right = cells["apart.left"].symbol, cells["apart.right"].symbol
    assert cells["apart.slower"].formula == max_(left, right)
    assert cells["apart.slotted"].formula == max_(right, ceil(left / slot) * slot)


def test_it_is_solved_in_every_direction() -> None:
    given_ = ["target.params = 100e9 param", "chip = h100-sxm"]
    assert solve(MODEL, unknown="both", where=[*given_, "n_chips = 4"]).value == 55
    assert solve(MODEL, unknown="n_chips", where=[*given_, "both <= chip.memory"]).value == 3
    wide = solve(MODEL, unknown="target.params", where=["both = 220 GB", "n_chips = 1", "target.spread = all"])
    assert wide.value == pytest.approx(100e9)
    assert solve(MODEL, unknown="draft.spread", where=[*given_, "n_chips = 4", "both = 52.5 GB"]).value == "all"


def test_what_is_bound_may_be_called_by_either_name() -> None:
    where = ["target.params = 100e9 param", "draft.chip = h100-sxm", "draft.n_chips * 2 = 8"]
    assert solve(MODEL, unknown="both", where=where).value == 55
    assert list(solve(MODEL, unknown="draft.n_chips", where=[*where[:2], "both = 55 GB"]).outcomes) == ["n_chips"]
    with pytest.raises(FlopsheetError, match=r"There is no cell 'draft\.chip'"):
        solve(MODEL, unknown="both", where=["draft.chip * 2 = 8"])


def test_symbols_bear_the_name_of_the_part() -> None:
    assert latex(symbol_of(MODEL.cells["draft.params"])) == r"N^{\text{draft}}"
    assert latex(symbol_of(MODEL.cells["target.params"])) == r"N^{\text{target}}"
    text = solve(MODEL, unknown="both", where=["target.params = 1e9 param", "n_chips = 1", "chip = h100-sxm"])
    assert r"N^{\text{draft}} \cdot" not in text.derivation()


def test_a_record_of_a_part_is_asked_for_by_its_own_name() -> None:
    class Alone(Sheet):
        """One."""

        holder = part(Holder, "It")
        double = formula(2 * holder.memory, "GB", "Twice")

    model = Alone()
    assert model.parts["holder.chip"].kind == "chip"
    where = ["holder.params = 100e9 param", "holder.memory <= holder.chip.memory", "holder.chip = a100-80gb"]
    assert solve(model, unknown="holder.n_chips", where=where).value == 3


def test_rows_inherited_by_both_sheets_are_not_repeated() -> None:
    class Base(Sheet):
        width = given("Width", example=2)
        chip = part(Chip, example="h100-sxm")

    class Inner(Base):
        area = formula(width**2, "", "Area")  # type: ignore[name-defined]  # noqa: F821
        full = limit(area <= 9)

    class Outer(Base):
        inner = part(Inner, "It")
        total = formula(inner.area + inner.width + width, "", "Sum")  # type: ignore[name-defined]  # noqa: F821

    model = Outer()
    assert [name for name, cell in model.cells.items() if not cell.part] == ["width", "inner.area", "total"]
    assert list(model.parts) == ["chip"]
    assert solve(model, unknown="total", where=["width = 3"]).value == 15


def test_a_shared_row_that_the_part_changed_is_its_own() -> None:
    class Base(Sheet):
        width = given("Width", example=2)
        depth = given("Depth", example=3)

    class Inner(Base):
        depth = override(width * 10)  # type: ignore[name-defined]  # noqa: F821
        area = formula(width * depth, "", "Area")  # type: ignore[name-defined]  # noqa: F821

    class Outer(Base):
        inner = part(Inner, "It")
        total = formula(inner.area + depth, "", "Sum")  # type: ignore[name-defined]  # noqa: F821

    assert solve(Outer(), unknown="total", where=["width = 2", "depth = 1"]).value == 41


class Square(Sheet):
    """Rows that an outer sheet and its part inherit."""

    width = given("Width", example=2)
    way = choice("plain", "double", default="plain")
    chip = part(Chip, example="h100-sxm")
    area = formula(width**2 * select(way, plain=1, double=2), "", "Area")
    rate = formula(area * chip.memory, "GB", "Rows of the chip")
    depth = given("Depth: as deep as wide", inferred=area, example=3)
    small = limit(area <= 100)
    mass = formula(area * depth, "", "Mass")


class Cut(Square):
    """The part."""

    weight = formula(3 * mass, "", "Weight")  # type: ignore[name-defined]  # noqa: F821


class WideCut(Square):
    """A part that changes a row that it inherits."""

    area = override(width**2 * 10)  # type: ignore[name-defined]  # noqa: F821
    weight = formula(3 * mass, "", "Weight")  # type: ignore[name-defined]  # noqa: F821


def test_rows_with_other_inputs_are_not_shared() -> None:
    class Outer(Square):
        breadth = given("Breadth", example=5)
        bound = part(Cut, "Another width", width=breadth)
        number = part(Cut, "A width of its own", width=7)
        option = part(Cut, "Another way", way="double")
        same = part(Cut, "All is the same", width=width)  # type: ignore[name-defined]  # noqa: F821
        wide = part(WideCut, "Another area")
        far = part(Chip, example="b200-sxm")
        elsewhere = part(Cut, "Another chip", chip=far)

    model = Outer()
    own = {name for name, cell in model.cells.items() if not cell.part and "." in name}
    rows = ("area", "rate", "depth", "mass", "weight")
    expected = {f"{prefix}.{row}" for prefix in ("bound", "number", "option", "wide") for row in rows}
    assert own == expected | {"number.width", "same.weight", "elsewhere.rate", "elsewhere.weight"}
    assert {"small", "bound.small", "number.small", "option.small", "wide.small"} == model.limits.keys()
    known = ["width = 2", "breadth = 3", "option.way = double", "way = plain", "chip = h100-sxm", "far = b200-sxm"]
    values = solve(model, unknown=(), where=known).cells
    assert [values[f"{name}.weight"].value for name in ("same", "bound", "number", "option", "wide", "elsewhere")] == [
        3 * area**2 for area in (4, 9, 49, 8, 40, 4)
    ]
    assert values["elsewhere.rate"].si == 4 * values["far.memory"].si > 4 * values["chip.memory"].si


def test_a_record_that_a_part_of_a_part_shares_is_called_by_its_place() -> None:
    class Outer(Sheet):
        chip = part(Chip, "Another", example="a100-sxm4-80gb")
        pair = part(TwoModels, "Two")
        spare = formula(pair.target.chip.memory - pair.both, "GB", "Left", signed=True)

    model = Outer()
    assert model.rows.resolve("pair.target.chip") == "pair.chip"
    where = ["pair.target.params = 1e9 param", "pair.n_chips = 1", "pair.chip = h100-sxm"]
    assert solve(model, unknown="spare", where=where).value == pytest.approx(80 * 1.073741824 - 2.2)


def test_a_part_may_hold_parts() -> None:
    class Outer(Sheet):
        pair = part(TwoModels, "Two")
        result = formula(2 * pair.draft.memory, "GB", "Twice")
        peak = formula(pair.chip.flops.bf16, "TFLOP/s", "Rate")

    model = Outer()
    assert {"pair.draft.params", "pair.chip.flops.bf16"} <= model.cells.keys()
    assert latex(symbol_of(model.cells["pair.draft.params"])) == r"N^{\text{pair draft}}"
    where = ["pair.target.params = 1e9 param", "pair.n_chips = 1", "pair.chip = h100-sxm"]
    assert solve(model, unknown=("result", "peak"), where=where).cells["result"].value == pytest.approx(0.4)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"parms": 1}, "Did you mean 'params'"),
    ({"params": "5 GB"}, "GB|param"),
    ({"bytes_per_param": -1}, "cannot be"),
    ({"spread": "al"}, "Did you mean 'all'"),
    ({"chip": 5}, "'chip' is a record"),
    ({"spread": 5}, r"5 is not an option of 'spread'\. It is one of all, half"),
]


@pytest.mark.parametrize(("bound", "message"), WRONG)
def test_what_is_bound_wrongly_is_refused(bound: dict[str, Any], message: str) -> None:
    body = type(Sheet).__prepare__("Outer", (Sheet,))
    with pytest.raises(FlopsheetError, match=message):
        body["inner"] = part(Holder, "It", **bound)


def test_what_is_bound_must_be_of_the_same_nature() -> None:
    body = type(Sheet).__prepare__("Outer", (Sheet,))
    body["width"] = given("Width")
    body["way"] = choice("all", "none")
    body["chip"] = part(Chip)
    body["site"] = part(Datacenter)
    for bound, message in (
        ({"params": body["chip"].memory}, "params"),
        ({"spread": body["width"]}, "'width' is a number"),
        ({"n_chips": body["way"]}, "'way' is a choice"),
        ({"spread": body["way"]}, "has the options all, none, not all, half"),
        ({"params": body["chip"]}, "'params' is not a record"),
        ({"params": body["chip"].memory * 2}, "params"),
        ({"chip": body["site"]}, "'chip' is a chip, and 'site' is not"),
        ({"chip": body["chip"].flops}, "'chip' is a chip, and 'chip.flops' is not"),
    ):
        with pytest.raises(FlopsheetError, match=message):
            body["inner"] = part(Holder, "It", **bound)


def test_a_record_binds_nothing() -> None:
    with pytest.raises(FlopsheetError, match="Rows of a record cannot be bound, and memory is"):
        part(Chip, "It", memory=5)


def test_a_part_has_the_rows_of_its_sheet_only() -> None:
    body = type(Sheet).__prepare__("Outer", (Sheet,))
    body["inner"] = part(Holder, "It")
    with pytest.raises(FlopsheetError, match=r"'inner' has no 'memry'\. Did you mean 'memory'"):
        _ = body["inner"].memry
    with pytest.raises(FlopsheetError, match="'inner' is a sheet, not a number"):
        _ = body["inner"] * 2


def test_what_is_overridden_stays_an_input_with_another_default() -> None:
    class OneDraft(Sheet):
        """A draft that has as many chips as its model unless stated."""

        n_chips = given("Chips", "chip", example=4, integer=True)
        draft = part(Holder, "The draft", n_chips=override(inferred=n_chips), params=override(default=1e9))

    rows = ["draft.chip = h100-sxm", "n_chips = 4"]
    assert solve(OneDraft(), "draft.memory", rows).value == 0.5
    assert solve(OneDraft(), "draft.memory", [*rows, "draft.n_chips = 2"]).value == 1


def test_a_row_that_is_overridden_must_be_under_the_prefix() -> None:
    with pytest.raises(FlopsheetError, match="No extended sheet has this row"):

        class NoSuchRow(Sheet):
            """A sheet."""

            draft = part(Holder, "The draft", n_cards=override(default=2))
