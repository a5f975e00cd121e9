"""Golden cases of a run in progress: a batch that grows, and the time that is left."""

from __future__ import annotations

from tests.golden.adapters.base import Adapter, Inputs, Probe

SOURCE_FINAL_BATCH = 2048


def _stage_relations(inputs: Inputs) -> list[str]:
    return [
        f"stage_samples = {inputs['samples_per_stage']} sequence",
        f"batch_increment = {inputs['increment']} sequence",
        f"start_batch = {inputs['increment']} sequence",
        f"final_batch = {SOURCE_FINAL_BATCH} sequence",
        f"batch = {inputs['target_gbs']} sequence",
    ]


def _stage_probes(_: Inputs) -> dict[str, Probe]:
    whole = Probe("reached_steps", read=lambda answer: int(answer.outcomes["reached_steps"].si or 0))
    return {"steps": Probe("reached_steps", "step"), "steps_floor": whole}


def _run_relations(inputs: Inputs) -> list[str]:
    return [
        f"ramp_samples = {inputs['rampup_samples']} sequence",
        f"start_batch = {inputs['start_batch']} sequence",
        f"final_batch = {inputs['global_batch']} sequence",
        f"dataset_tokens = {inputs['tokens']} token",
        f"seq_len = {inputs['seq_len']} token",
    ]


def _run_probes(_: Inputs) -> dict[str, Probe]:
    return {"steps": Probe("n_steps", "step")}


def _remaining_relations(inputs: Inputs) -> list[str]:
    return [
        f"step_time = {inputs['seconds_per_iter']} second",
        f"dataset_tokens = {inputs['goal_tokens']} token",
        f"consumed_tokens = {inputs['consumed_tokens']} token",
        f"batch = {inputs['batch_sequences']} sequence",
        f"seq_len = {inputs['seq_len']} token",
    ]


def _remaining_probes(_: Inputs) -> dict[str, Probe]:
    return {"days": Probe("remaining_time", "day")}


ADAPTERS: dict[str, Adapter] = {
    "rampup_steps_to_gbs": Adapter(
        "gpt_batch_ramp", _stage_relations, _stage_probes, printed={"steps": lambda values: str(values["steps_floor"])}
    ),
    "rampup_total_steps": Adapter(
        "batch_ramp", _run_relations, _run_probes, printed={"steps": lambda values: f"{float(values['steps']):.0f}"}
    ),
    "days_to_goal": Adapter(
        "remaining_time",
        _remaining_relations,
        _remaining_probes,
        printed={"days": lambda values: f"{float(values['days']):.13f}"},
    ),
}
