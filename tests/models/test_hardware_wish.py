"""What a chip must have: a chip that has a need, and whose other parts are free, keeps the promise and no more."""

from __future__ import annotations

import pytest

from flopsheet import Answer, solve

FREE = 10**9  # times the rates of the chip: the time of a part is none
PARTS = {
    "bandwidth": ("chip.memory_bandwidth", "needed_memory_bandwidth"),
    "link": ("scale_up_bandwidth", "needed_link_bandwidth"),
    "network": ("scale_out_bandwidth", "needed_network_bandwidth"),
}
SERVED = {
    "llama-3.1-405b-16-chips": [
        *("model = llama-3.1-405b", "chip = h100-sxm", "n_tp = 16", "weight_format = fp8", "precision = fp8"),
        *("n_sequences = 64", "seq_len = 8192", "token_target = 45 ms"),
    ],
    "llama-3-70b-stages-and-drafts": [
        *("model = llama-3-70b", "chip = a100-sxm4-80gb", "n_tp = 4", "n_pp = 2", "n_draft = 2"),
        *("n_sequences = 32", "seq_len = 4096", "token_target = 35 ms"),
    ],
    "llama-3-70b-short-last-stage": [
        *("model = llama-3-70b", "chip = h100-sxm", "n_tp = 4", "n_pp = 3", "weight_format = fp8", "precision = fp8"),
        *("n_sequences = 32", "seq_len = 4096", "token_target = 20 ms"),
    ],
    "deepseek-v3-groups": [
        *("model = deepseek-v3", "chip = h200-sxm", "n_adp = 16", "n_ep = 16", "precision = fp8", "overlap = full"),
        *("n_sequences = 512", "seq_len = 4096", "token_target = 40 ms"),
    ],
}


def _rates(answer: Answer, times: float) -> list[str]:
    rates = {name: cell.si for name, cell in answer.cells.items() if name.startswith("chip.flops.")}
    return [f"{name} = {float(si) * times!r} FLOP/s" for name, si in rates.items()]


def _answer(known: list[str]) -> Answer:
    return solve("hardware_wish", (), known)


IDLE = {("network", "llama-3-70b-stages-and-drafts")}  # all chips are in one domain
BUSY = [(need, served) for need in (*PARTS, "rate") for served in SERVED if (need, served) not in IDLE]


@pytest.mark.parametrize(("need", "served"), sorted(IDLE))
def test_a_part_that_has_nothing_to_do_has_no_need(need: str, served: str) -> None:
    assert _answer(SERVED[served]).cells[PARTS[need][1]].si == 0


@pytest.mark.parametrize(("need", "served"), BUSY)
def test_a_part_that_has_its_need_keeps_the_promise(need: str, served: str) -> None:
    answer = _answer(SERVED[served])
    others = [has for name, (has, _) in PARTS.items() if name != need]
    free = [f"{has} = {float(answer.cells[has].si) * FREE!r} byte/s" for has in others]
    met = [f"{PARTS[need][0]} = {float(answer.cells[PARTS[need][1]].si)!r} byte/s"] if need in PARTS else []
    rates = _rates(answer, float(answer.cells["rate_need"].si) if need == "rate" else FREE)
    exact = _answer([*SERVED[served], *free, *met, *rates])
    assert exact.cells["token_time"].si == pytest.approx(answer.cells["token_target"].si)
    assert exact.cells["largest_need"].si == pytest.approx(1)
