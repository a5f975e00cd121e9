"""Two whole numbers that an equation ties to each other, beside an inequality that many of them meet, or none."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.inverse.method import Proof
from flopsheet.numbers.sets import is_in

STACK = ["d_model = 8192", "d_ff = 28672", "n_blocks = 80", "device_memory <= 90 % * chip.memory"]


@pytest.mark.parametrize("order", [("n_fsdp", "batch"), ("batch", "n_fsdp")])
def test_none_beside_an_equation(order: tuple[str, str]) -> None:
    given = [*STACK, "seq_len = 4096", "chip = rtx-4090", "batch = 4*n_fsdp"]
    state = (
        solve("ffn_memory", (), [*STACK[:3], "seq_len=4096", f"n_fsdp={count}", f"batch={4 * count}"])
        for count in (1, 64, 10**9)
    )
    room = 0.9 * 24 * 2**30
    assert all(own.cells["device_memory"].si > room for own in state)
    answer = solve("ffn_memory", order, given)
    assert [own.kind for own in answer.outcomes.values()] == ["none", "none"]
    assert all(own.proof is not Proof.OPEN for own in answer.outcomes.values())


@pytest.mark.slow
def test_endless_tuples_of_an_equation_leave_time_for_the_inequality() -> None:
    given = [*STACK, "seq_len = 1024", "chip = b200", "batch = n_fsdp**2"]
    answer = solve("ffn_memory", ["n_fsdp", "batch"], given)
    listed = answer.outcomes["n_fsdp"].listed  # tuples, or in less time the range of one
    assert [is_in(count, listed) for count in (3, 4, 30, 53, 54)] == [False, True, True, True, False]
    assert answer.cells["batch"].si == answer.cells["n_fsdp"].si ** 2


def test_counts_that_are_equal() -> None:
    """The equation has no operations, so all its whole numbers seemed little work to try."""
    given = [*STACK, "seq_len = 512", "chip = b200", "n_fsdp = batch"]
    answer = solve("ffn_memory", ["n_fsdp", "batch"], given)
    least = answer.cells["n_fsdp"].si
    assert answer.cells["batch"].si == least
    pairs = [["n_fsdp = batch", f"batch = {count}"] for count in (least, int(least or 0) - 1)]
    room = float(answer.cells["chip.memory"].si or 0) * 0.9
    held = [solve("ffn_memory", (), [*STACK[:3], "seq_len = 512", *pair]).cells["device_memory"].si for pair in pairs]
    assert float(held[0] or 0) <= room < float(held[1] or 0)
