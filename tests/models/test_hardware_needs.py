"""Needs of hardware_wish at random places of many models, against a step that is counted from their records."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.models.first_principles import shape
from tests.models.served_step import Step, known_shape

from flopsheet import records, solve

MODELS = tuple(name for name in records("architecture") if known_shape(name))
CHIPS = ("h100-sxm", "h200-sxm", "a100-sxm4-80gb", "b200-sxm", "mi300x")
ACCEPTANCE, DRAFT = Fraction(4, 5), Fraction(1, 20)


def drawn_step(model: str, draw: Random) -> Step:
    """Return a step of a model on chips of one kind, drawn at random."""
    a, chip = shape(model), draw.choice(CHIPS)
    keys = a["n_kv_heads"]
    n_tp = draw.choice([n for n in (1, 2, 4, 8) if a["n_heads"] % n == 0 and (keys % n == 0 or n % keys == 0)])
    n_pp = draw.choice([n for n in (1, 1, 2, 4) if a["n_blocks"] % n == 0])
    width = draw.choice([Fraction(2), Fraction(1)])
    has_fp8 = "flops.fp8" in records("chip")[chip].values
    precision = draw.choice(["fp8", "bf16"]) if width == 1 and has_fp8 else "bf16"
    sequences, drafts = n_pp * draw.choice([1, 8, 64, 200]), draw.choice([0, 0, 2])
    return Step(model, chip, n_tp, n_pp, sequences, draw.choice([512, 2048, 8192]), drafts, width, precision)


def expected(step: Step, target: Fraction, first: Fraction, prompt_len: int, *, overlap: bool) -> dict[str, Fraction]:
    """Return times of a step [second], and what the chip must have."""
    gained = sum(ACCEPTANCE**draft for draft in range(step.drafts + 1))
    fixed = Fraction(1, 1000) + step.sequences * Fraction(1, 10**5) + step.gaps + step.waiting
    left = target * gained / (1 + step.drafts * DRAFT) - fixed
    working = left + step.waiting if overlap else left
    link, network = step.sending
    read, found = step.read / Fraction(4, 5), {"fixed_time": fixed}
    found |= {"memory_time": read / step.figure("memory_bandwidth"), "link_time": link / step.figure("link.bandwidth")}
    found |= {"needed_memory_bandwidth": read / working, "needed_peak_rate": step.work / working}
    found |= {"needed_link_bandwidth": link / left, "needed_network_bandwidth": network / left}
    return found | {"needed_prompt_rate": step.prompt(prompt_len) / (step.n_tp * step.n_pp * first)}


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_needs_at_random_places(model: str) -> None:
    draw = Random(model)  # noqa: S311  # no secret
    for _ in range(4):
        step, overlap = drawn_step(model, draw), draw.choice([True, False])
        target, first = Fraction(draw.choice([100, 250]), 1000), Fraction(draw.choice([300, 2000]), 1000)
        prompt_len = draw.choice([1, 2048, 8192])
        layout = [f"n_tp = {step.n_tp}", f"n_pp = {step.n_pp}", f"n_sequences = {step.sequences}"]
        numbers = [f"weight_format = {'bf16' if step.width > 1 else 'fp8'}", f"precision = {step.precision}"]
        lengths = ["seq_len = 8192 token", f"context = {step.context} token", f"prompt_len = {prompt_len} token"]
        promised = [f"token_target = {target} s", f"first_token_target = {first} s", f"n_draft = {step.drafts}"]
        where = [f"model = {model}", f"chip = {step.chip}", *layout, *numbers, *lengths, *promised]
        where.append(f"overlap = {'full' if overlap else 'none'}")
        cells: dict[str, Any] = {name: cell.si for name, cell in solve("hardware_wish", (), where).cells.items()}
        for name, value in expected(step, target, first, prompt_len, overlap=overlap).items():
            assert cells[name] == pytest.approx(float(value), rel=1e-9), (name, where)
        kept = cells["token_time"] <= target and cells["memory_need"] <= 1
        assert ("largest_need" in cells and cells["largest_need"] <= 1) == kept, where
