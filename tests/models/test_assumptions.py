"""What sheets take for granted of those that they extend: what their own rows refute, none of their pages may say."""

from __future__ import annotations

import pytest
from tests.models.points import SHEETS

from flopsheet import sheet

# A text, and the sheets whose own rows refute it: in none that extends them may it come back by another way.
REFUTED = {
    "Pipeline stages share no weights.": ("training_memory",),  # two do in DualPipe
    # ranks copy them
    "An even share of the model divides norms and routers too.": ("megatron_estimate", "training_memory"),
    "Buffers of communication and fragmentation are left out.": ("training_memory",),
    "Memory is not fragmented: allocators of frameworks reserve some percent more than tensors take.": (
        "training_memory",
    ),
    "Stages take equal times, and transfers between them none.": ("stage_time",),
    "The work of the optimizer is left out.": ("training_step",),
    "The run has no failures and no checkpoints: the sheet training_plan has them.": ("training_plan",),
    "Each token is seen once, and all batches but the last are full.": ("training_plan",),  # those of a ramp are not
    "Each site trains one replica of the model.": ("training_plan",),
    "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.": (
        "gpt_training",
    ),
    "Computation, memory traffic and communication overlap fully.": ("optimal_run",),
}


@pytest.mark.parametrize("text", REFUTED)
def test_a_sheet_does_not_say_what_a_sheet_that_it_extends_refutes(text: str) -> None:
    sheets = {name: sheet(name) for name in SHEETS}
    assert any(text in each.assumptions for each in sheets.values())
    refuting = tuple(type(sheets[name]) for name in REFUTED[text])
    assert [name for name, each in sheets.items() if isinstance(each, refuting) and text in each.assumptions] == []


# What a sheet with such a cell computes, against what others take for granted: it may not say both
BY_CELL = {
    "exchange_launch_time": "Launches of kernels take no time.",
    "pair_width": "Latent attention computes keys and values of all heads, as in training.",
    "load_energy_price": (
        "An owned chip costs the same whether it is used or not; a rented one is paid for the hours used."
    ),
    "cache_transfer_time": "Sending keys and values to another replica takes no time.",
    "computing_room": (
        "Two measured loads tell shared_share: what a line through both leaves without sequences, over token_time."
    ),
}
CHIPS_ALIKE = "All chips are alike."


@pytest.mark.parametrize("name", SHEETS)
def test_no_sheet_inherits_what_its_cells_refute(name: str) -> None:
    model = sheet(name)
    cells = {cell.rpartition(".")[2] for cell in model.cells}
    texts = {*model.assumptions, *model.notes}
    assert {text for cell, text in BY_CELL.items() if cell in cells} & texts == set()
    rates = [cell for cell in model.cells if cell.rpartition(".")[2] == "peak_rate"]  # one of each kind of chip
    assert len(rates) <= 1 or CHIPS_ALIKE not in texts


def test_what_sheets_refute_is_taken_for_granted_by_others() -> None:
    texts = {text for name in SHEETS for text in (*sheet(name).assumptions, *sheet(name).notes)}
    assert {*BY_CELL.values(), CHIPS_ALIKE} <= texts
