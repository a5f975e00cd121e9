"""A training run in fifty cells: as a sheet, and as one forward pass that runs on floats and on pint quantities."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet import Sheet, ceil, formula, given, max_, quantity, sqrt
from flopsheet.units import pint_registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GIVEN = {
    "n_layers": "80",
    "width": "8192",
    "vocabulary": "128000",
    "context": "4096",
    "batch": "1024",
    "data_tokens": "12e12",
    "state_size": "16 byte",
    "value_size": "2 byte",
    "work_each": "6 FLOP",
    "chip_flops": "500 TFLOP/s",
    "chip_memory": "80 GiB",
    "link_bandwidth": "400 GB/s",
    "n_chips": "2048",
    "chip_price": "2.5 USD/hour",
}


class FiftyCells(Sheet):
    """Time, memory and cost of a training run, from the shape of the model to the bill."""

    n_layers = given("Layers", "layer", example=80, integer=True)
    width = given("Width of the residual stream", example=8192, integer=True)
    vocabulary = given("Tokens that the model knows", example=128_000, integer=True)
    context = given("Tokens in a sequence", example=4096, integer=True)
    batch = given("Sequences in a batch", "sequence", example=1024, integer=True)
    data_tokens = given("Tokens of the data", example=12e12)
    state_size = given("Weight, gradient and moments of a parameter", "byte", example=16)
    value_size = given("Number in the forward pass", "byte", example=2)
    work_each = given("Computation for a token and a parameter", "FLOP", example=6)
    chip_flops = given("Computation that a chip does", "TFLOP/s", example=500)
    chip_memory = given("Memory of a chip", "GiB", example=80)
    link_bandwidth = given("Bandwidth between chips", "GB/s", example=400)
    n_chips = given("Chips", "chip", example=2048, integer=True)
    chip_price = given("Price of a chip", "USD/hour", example=2.5)

    hidden_width = formula(ceil(8 * width / 3), "", "Width of a gated feed-forward block", integer=True)
    attention_params = formula(4 * width**2, "", "Matrices of one attention", integer=True)
    feed_forward_params = formula(3 * width * hidden_width, "", "Matrices of one feed-forward block", integer=True)
    norm_params = formula(2 * width, "", "Scales of both norms of a layer", integer=True)
    layer_params = formula(attention_params + feed_forward_params + norm_params, "", "One layer", integer=True)
    embedding_params = formula(2 * vocabulary * width, "", "Input and output embedding", integer=True)
    params = formula(n_layers * layer_params + embedding_params, "", "Parameters of the model", integer=True)
    batch_tokens = formula(batch * context, "", "Tokens in a batch", integer=True)
    n_steps = formula(ceil(data_tokens / batch_tokens), "step", "Steps through the data", integer=True)
    dense_work = formula(work_each * params * batch_tokens, "PFLOP", "Computation of a step in matrices")
    attention_work = formula(2 * work_each * n_layers * width * context * batch_tokens, "PFLOP", "And in attention")
    step_work = formula(dense_work + attention_work, "PFLOP", "Computation of a step")
    chip_work = formula(step_work / n_chips, "PFLOP", "Computation of a chip in a step")
    compute_time = formula(chip_work / chip_flops, "second", "Time of that, undisturbed")
    state_bytes = formula(state_size * params, "GiB", "Training state")
    chip_state = formula(state_bytes / n_chips, "GiB", "Part of the state that a chip holds")
    chip_tokens = formula(batch_tokens / n_chips, "", "Tokens that a chip works on in a step")
    layer_values = formula(value_size * chip_tokens * (8 * width + 2 * hidden_width), "GiB", "Activations of a layer")
    model_values = formula(n_layers * layer_values, "GiB", "Activations of all layers")
    logit_values = formula(value_size * chip_tokens * vocabulary, "GiB", "Logits")
    peak_values = formula(max_(model_values, logit_values), "GiB", "Most activations at once")
    chip_bytes = formula(chip_state + peak_values, "GiB", "What a chip would hold")
    memory_share = formula(chip_bytes / chip_memory, "", "And that as a share of its memory")
    recompute_factor = formula(max_(1, memory_share), "", "Work repeated for want of memory")
    straggler_factor = formula(1 + sqrt(n_chips) / 1000, "", "Time lost to the slowest of many")
    work_time = formula(compute_time * recompute_factor * straggler_factor, "second", "Time to compute a step")
    gathered_bytes = formula(3 * value_size * params, "GB", "Weights gathered twice, gradients scattered once")
    ring_share = formula((n_chips - 1) / n_chips, "", "Share of these that crosses a link")
    exchange_time = formula(gathered_bytes * ring_share / link_bandwidth, "second", "Time to exchange them")
    step_time = formula(max_(work_time, exchange_time), "second", "Time of a step, both overlapped")
    exposed_time = formula(step_time - work_time, "second", "Time that a chip waits in a step")
    utilization = formula(chip_work / (step_time * chip_flops), "", "Share of the peak")
    throughput = formula(batch_tokens / step_time, "1/second", "Tokens in a second")
    train_time = formula(n_steps * step_time, "day", "Time of the run")
    chip_time = formula(n_chips * train_time, "hour", "Time of the run times its chips")
    cost = formula(chip_time * chip_price, "USD", "Price of the run")


def forward(v: Mapping[str, Any], round_up: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the 36 formulas of the sheet at the 14 given values, floats or pint quantities alike."""
    f: dict[str, Any] = {"hidden_width": round_up(8 * v["width"] / 3)}
    f["attention_params"] = 4 * v["width"] ** 2
    f["feed_forward_params"] = 3 * v["width"] * f["hidden_width"]
    f["norm_params"] = 2 * v["width"]
    f["layer_params"] = f["attention_params"] + f["feed_forward_params"] + f["norm_params"]
    f["embedding_params"] = 2 * v["vocabulary"] * v["width"]
    f["params"] = v["n_layers"] * f["layer_params"] + f["embedding_params"]
    f["batch_tokens"] = v["batch"] * v["context"]
    f["n_steps"] = round_up(v["data_tokens"] / f["batch_tokens"])
    f["dense_work"] = v["work_each"] * f["params"] * f["batch_tokens"]
    f["attention_work"] = 2 * v["work_each"] * v["n_layers"] * v["width"] * v["context"] * f["batch_tokens"]
    f["step_work"] = f["dense_work"] + f["attention_work"]
    f["chip_work"] = f["step_work"] / v["n_chips"]
    f["compute_time"] = f["chip_work"] / v["chip_flops"]
    return f | _memory(v, f) | _time(v, f | _memory(v, f))


def _memory(v: Mapping[str, Any], f: Mapping[str, Any]) -> dict[str, Any]:
    g: dict[str, Any] = {"state_bytes": v["state_size"] * f["params"]}
    g["chip_state"] = g["state_bytes"] / v["n_chips"]
    g["chip_tokens"] = f["batch_tokens"] / v["n_chips"]
    g["layer_values"] = v["value_size"] * g["chip_tokens"] * (8 * v["width"] + 2 * f["hidden_width"])
    g["model_values"] = v["n_layers"] * g["layer_values"]
    g["logit_values"] = v["value_size"] * g["chip_tokens"] * v["vocabulary"]
    g["peak_values"] = max(g["model_values"], g["logit_values"])
    g["chip_bytes"] = g["chip_state"] + g["peak_values"]
    g["memory_share"] = g["chip_bytes"] / v["chip_memory"]
    g["recompute_factor"] = max(1, g["memory_share"])
    return g


def _time(v: Mapping[str, Any], f: Mapping[str, Any]) -> dict[str, Any]:
    g: dict[str, Any] = {"straggler_factor": 1 + v["n_chips"] ** 0.5 / 1000}
    g["work_time"] = f["compute_time"] * f["recompute_factor"] * g["straggler_factor"]
    g["gathered_bytes"] = 3 * v["value_size"] * f["params"]
    g["ring_share"] = (v["n_chips"] - 1) / v["n_chips"]
    g["exchange_time"] = g["gathered_bytes"] * g["ring_share"] / v["link_bandwidth"]
    g["step_time"] = max(g["work_time"], g["exchange_time"])
    g["exposed_time"] = g["step_time"] - g["work_time"]
    g["utilization"] = f["chip_work"] / (g["step_time"] * v["chip_flops"])
    g["throughput"] = f["batch_tokens"] / g["step_time"]
    g["train_time"] = f["n_steps"] * g["step_time"]
    g["chip_time"] = v["n_chips"] * g["train_time"]
    g["cost"] = g["chip_time"] * v["chip_price"]
    return g


def on_floats(values: Mapping[str, float]) -> dict[str, float]:
    """Return the formulas on plain floats in base units."""
    return forward(values, math.ceil)


def on_pint(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the formulas on pint quantities."""
    return forward(values, lambda term: math.ceil(term.to("").magnitude))


def float_values() -> dict[str, float]:
    """Return the given values in base units."""
    return {name: float(quantity(text).si) for name, text in GIVEN.items()}


def pint_values() -> dict[str, Any]:
    """Return the given values as pint quantities."""
    units = {name: quantity(text) for name, text in GIVEN.items()}
    registry = pint_registry()
    return {name: registry.Quantity(float(value.value), value.unit.pint()) for name, value in units.items()}
