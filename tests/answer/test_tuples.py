"""Cells on the way to an answer that have several values: each is followed on its own."""

from __future__ import annotations

import pytest

from flopsheet import solve
from flopsheet.answer.execute import Execution
from flopsheet.answer.several.tuples import SeveralValuesError


def test_values_next_to_each_other_are_followed_to_an_end() -> None:
    """Two values that a relation gives, and that are as good as equal, are each followed once."""
    execution = Execution(solve("ffn_memory", (), {"d_model": 4}).question, {"d_ff": 10.0})
    near = [(10.000000000000002,), (10.0,)]
    assert execution.chosen(("d_ff",), near) == (10.0,)
    with pytest.raises(SeveralValuesError):
        Execution(execution.question).chosen(("d_ff",), near)
