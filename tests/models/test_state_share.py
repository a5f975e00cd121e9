"""Recurrent mixers over tensor-parallel ranks, part by part: heads are divided, keys of a state copied if need be."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from tests.models.solved import cells


@dataclass(frozen=True)
class Mixer:
    """Figures of Mamba-2: of its configuration."""

    layers: int
    width: int
    heads: int
    head: int
    groups: int
    size: int = 128
    attention: int = 0
    parts: int = 0  # feed-forward parts that end in a sum

    def channels(self, n_tp: int) -> tuple[int, int]:
        """Return the channels of values on a rank, and those of keys and queries: whole groups of both."""
        return self.heads // n_tp * self.head, 2 * max(1, -(-self.groups // n_tp)) * self.size

    def params(self, n_tp: int) -> int:
        """Return the parameters of a mixer on a rank: gate, values, keys, steps, convolution, numbers, norm, output."""
        values, keys = self.channels(n_tp)
        steps = self.heads // n_tp
        mixed = values + keys
        return self.width * (values + mixed + steps) + 5 * mixed + 3 * steps + values + values * self.width


GRANITE = Mixer(layers=36, width=4096, heads=128, head=64, groups=1, attention=4, parts=40)
NEMOTRON = Mixer(layers=54, width=8192, heads=256, head=64, groups=8, size=256, attention=10, parts=54)
MODELS = {"granite-4.0-h-small": GRANITE, "nemotron-h-56b": NEMOTRON}
KNOWN = ("chip = h200", "seq_len = 8192 token")


@pytest.mark.parametrize("n_tp", [2, 4, 8, 16])
@pytest.mark.parametrize("model", MODELS)
def test_a_rank_has_a_key_head_at_least(model: str, n_tp: int) -> None:
    """What ranks copy is what they have together beyond one chip: of Mamba-2, and of heads of attention."""
    mixer = MODELS[model]
    served = [cells("decode", f"model = {model}", *KNOWN, "n_sequences = 64", f"n_tp = {n}") for n in (1, n_tp)]
    heads = mixer.attention * n_tp * served[1]["copied_key_params"]
    spare = mixer.layers * (n_tp * mixer.params(n_tp) - mixer.params(1))
    one, more = (found["rank_matrix_params"] + found["rank_vector_params"] for found in served)
    whole = (n_tp - 1) * served[0]["whole_vector_params"]
    assert n_tp * more - one - whole == pytest.approx(spare + heads, rel=1e-9, abs=1)
    trained = [
        cells("training_memory", f"model = {model}", *KNOWN, "n_dp = 1", f"n_tp = {n}", "n_pp = 1") for n in (1, n_tp)
    ]
    layers = trained[0]["n_blocks"]
    copies = n_tp * trained[1]["rank_block_params"] - trained[0]["rank_block_params"]
    whole = (n_tp - 1) * trained[1]["undivided_params"] + n_tp * trained[1]["copied_key_params"]
    assert layers * (copies - whole) == pytest.approx(spare, rel=1e-9, abs=1)
    worked = 2 * mixer.layers * (mixer.channels(n_tp)[1] - mixer.channels(1)[1] / n_tp) * (mixer.width + 4)
    keys = 2 * mixer.attention * served[1]["copied_key_params"]
    assert served[1]["copied_key_work"] == pytest.approx(worked + keys)


@pytest.mark.parametrize("n_tp", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("model", MODELS)
def test_a_rank_convolves_and_keeps_the_keys_that_it_has(model: str, n_tp: int) -> None:
    mixer = MODELS[model]
    mixed = sum(mixer.channels(n_tp))
    trained = cells("training_memory", f"model = {model}", *KNOWN, "n_dp = 1", f"n_tp = {n_tp}", "n_pp = 1")
    assert trained["conv_memory"] == 2 * 2 * 8192 * mixed  # before and after it, in bf16
    served = cells("decode", f"model = {model}", *KNOWN, "n_sequences = 64", f"n_tp = {n_tp}")
    states = 4 * mixer.heads // n_tp * mixer.head * mixer.size
    assert served["rank_state_cache"] == mixer.layers * (states + 2 * 3 * mixed)
    split = cells("decode", f"model = {model}", *KNOWN, "n_sequences = 64", f"n_tp = {n_tp}", "cache_split = sequences")
    assert split["rank_state_cache"] == split["state_cache"] / n_tp


@pytest.mark.parametrize("sheet", ["decode", "training_step"])
@pytest.mark.parametrize(
    ("model", "n_tp", "norms"),
    [
        ("granite-4.0-h-small", 8, 36),  # one group: the norm is over all ranks
        ("nemotron-h-56b", 8, 0),  # a rank has a group
        ("nemotron-h-56b", 16, 54),  # two ranks have one
        ("minimax-m1", 8, 70),  # a norm over all heads
        ("falcon-h1-34b", 4, 0),  # no norm
        ("qwen3-next-80b-a3b", 8, 0),  # norms of heads
    ],
)
def test_a_norm_over_ranks_takes_a_sum(sheet: str, model: str, n_tp: int, norms: int) -> None:
    load = ("n_sequences = 64",) if sheet == "decode" else ("n_dp = 8", "batch = 64", "n_pp = 1")
    found = cells(sheet, f"model = {model}", *KNOWN, *load, f"n_tp = {n_tp}")
    assert found["n_blocks"] * (found["tp_sums"] - found["layer_sums"]) == pytest.approx(norms)
    assert found["tp_streams"] == found["layer_sums"]


@pytest.mark.parametrize(("model", "sums"), [("falcon-h1-3b", 2), ("jamba-1.5-mini", 2), ("mamba-2.8b", 1)])
def test_a_mixer_beside_attention_is_added_up_with_it(model: str, sums: int) -> None:
    """A block of Falcon-H1 adds both to its input at once; elsewhere a block has one of them."""
    assert cells("tensor_sums", f"model = {model}", "n_tp = 2", "expert_sums = 1")["layer_sums"] == sums
