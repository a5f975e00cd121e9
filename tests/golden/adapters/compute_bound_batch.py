"""Golden cases of the smallest batch that is bound by computation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.golden.adapters.base import Adapter, Inputs, Probe

if TYPE_CHECKING:
    from flopsheet import Answer

AXES = 3
BOUND = "communication_time <= math_time"
MODELS = {"overlapped_axes": "overlapped", "summed_axes": "summed"}


def _relations(inputs: Inputs) -> list[str]:
    return [
        f"d_model = {inputs['d_model']}",
        f"d_ff = {inputs['d_ff']}",
        f"peak_rate = {inputs['C']} FLOP/s",
        f"axis_bandwidth = {inputs['W_ici']} byte/s",
        f"fsdp_axes = {inputs['M_X']}",
        f"tp_axes = {inputs['M_Y']}",
        f"n_fsdp = {inputs['X']}",
        f"n_tp = {inputs['Y']}",
    ]


def _tp_bound(answer: Answer) -> bool:
    return next(check.holds for check in answer.limits if check.relation.name == "tp_bound")


def _probes(inputs: Inputs) -> dict[str, Probe]:
    torus, summed = (f"n_axes = {AXES}",), ("axes = summed",)
    smallest = (*summed, "tokens = min_tokens")
    probes = {
        "alpha": Probe("critical_intensity", "FLOP/byte"),
        "chips": Probe("n_chips"),
        "tp_side_compute_bound": Probe("max_n_tp", read=_tp_bound),
        "optimal_xy_summed_min_tokens_per_chip": Probe("best_min_tokens_per_chip", "token", extra=summed),
        "optimal_xy_overlapped_min_tokens_per_chip": Probe("best_min_tokens_per_chip", "token"),
        "x_opt_at_summed_min_batch": Probe("best_n_fsdp", extra=smallest),
        "dp_or_fsdp_only_1axis_min_tokens_per_chip": Probe("one_axis_tokens_per_chip", "token"),
        "fsdp_only_3axes_min_tokens_per_chip": Probe("all_axes_tokens_per_chip", "token", extra=torus),
        "tp_only_max_Y": Probe("max_n_tp"),
        "T_math_at_that_batch": Probe("math_time", "second", extra=smallest),
        "T_fsdp_comms": Probe("fsdp_time", "second"),
        "T_tp_comms_at_that_batch": Probe("tp_time", "second", extra=smallest),
    }
    for name, option in MODELS.items():
        extra = (f"axes = {option}",)
        probes[f"{name}_min_batch_tokens"] = Probe("tokens", "token", goal=BOUND, extra=extra)
        probes[f"{name}_min_tokens_per_chip"] = Probe("tokens_per_chip", "token", goal=BOUND, extra=extra)
        probes[f"{name}_min_tokens_per_fsdp_shard"] = Probe("min_tokens_per_shard", "token", extra=extra)
    if inputs["Y"] > inputs["M_Y"] * inputs["d_ff"] * inputs["W_ici"] / inputs["C"]:
        return probes | _of_no_batch()
    return probes


def _of_no_batch() -> dict[str, Probe]:
    """Return the probes of a mesh whose tensor parallelism alone is too slow: no batch is enough.

    The source still finds the best shape, for the batch that hides the weights alone.
    """
    nothing = {option: Probe("tokens", "token", goal=BOUND, extra=(f"axes = {option}",)) for option in MODELS.values()}
    names = ("min_batch_tokens", "min_tokens_per_chip", "min_tokens_per_fsdp_shard")
    return {
        **{f"{model}_{name}": nothing[option] for model, option in MODELS.items() for name in names},
        **dict.fromkeys(("T_math_at_that_batch", "T_tp_comms_at_that_batch"), nothing["summed"]),
        "x_opt_at_summed_min_batch": Probe("best_n_fsdp", extra=("axes = overlapped", "tokens = min_tokens")),
    }


ADAPTERS: dict[str, Adapter] = {
    "fsdp_tp_compute_bound_batch (handout part c)": Adapter("compute_bound_batch", _relations, _probes),
}
