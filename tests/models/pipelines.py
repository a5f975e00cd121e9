"""Simulated pipelines: the passes of each stage in order, when they run, and the micro-batches in flight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Pass: TypeAlias = tuple[str, int, int]  # forward or backward, micro-batch, chunk


@dataclass(frozen=True)
class Run:
    """What a simulated step gives: micro-batches in flight of each stage, waiting over computing time."""

    in_flight: list[float]
    waiting: float


def orders(schedule: str, stages: int, microbatches: int, chunks: int) -> list[list[Pass]]:
    """Return the passes of each stage as Megatron-LM orders them."""
    total = microbatches * chunks

    def at(index: int, *, forward: bool) -> tuple[int, int]:
        group, rest = divmod(index, stages * chunks)
        chunk, member = divmod(rest, stages)
        return group * stages + member, chunk if forward else chunks - 1 - chunk

    found = []
    for stage in range(stages):
        forward = [("F", *at(index, forward=True)) for index in range(total)]
        backward = [("B", *at(index, forward=False)) for index in range(total)]
        warm = {
            "gpipe": total,
            "one_f_one_b": stages - stage - 1,
            "interleaved": 2 * (stages - stage - 1) + (chunks - 1) * stages,
        }[schedule]
        warm = min(warm, total)
        steady = [pass_ for pair in zip(forward[warm:], backward, strict=False) for pass_ in pair]
        found.append([*forward[:warm], *steady, *backward[total - warm :]])
    return found


def run(schedule: str, stages: int, microbatches: int, chunks: int = 1, backward: int = 2) -> Run:
    """Run each pass as soon as its stage is free and what it needs is there; a forward pass takes 1."""
    order = orders(schedule, stages, microbatches, chunks)
    ends: dict[tuple[str, int, int, int], int] = {}
    clock, place = [0] * stages, [0] * stages
    while any(place[stage] < len(order[stage]) for stage in range(stages)):
        before = list(place)
        for stage in range(stages):
            while place[stage] < len(order[stage]):
                kind, microbatch, chunk = order[stage][place[stage]]
                needed = [(kind, microbatch, *other) for other in _neighbour(kind, chunk, stage, stages, chunks)]
                needed += [("F", microbatch, chunk, stage)] if kind == "B" else []
                if any(need not in ends for need in needed):
                    break
                clock[stage] = max([clock[stage], *(ends[need] for need in needed)]) + (1 if kind == "F" else backward)
                ends[kind, microbatch, chunk, stage] = clock[stage]
                place[stage] += 1
        assert place != before, "the passes wait for each other"
    busy = microbatches * chunks * (1 + backward)
    return Run([_most(passes) / chunks for passes in order], (max(clock) - busy) / busy)


def _neighbour(kind: str, chunk: int, stage: int, stages: int, chunks: int) -> list[tuple[int, int]]:
    """Return the chunk and stage whose pass comes before, none for the first one."""
    position = chunk * stages + stage + (-1 if kind == "F" else 1)
    return [divmod(position, stages)] if 0 <= position < stages * chunks else []


def _most(passes: list[Pass]) -> int:
    live = most = 0
    for kind, _, _ in passes:
        live += 1 if kind == "F" else -1
        most = max(most, live)
    return most


def split_run(stages: int, microbatches: int, times: tuple[int, int, int], *, doubled: bool) -> tuple[list[int], int]:
    """Run forward passes, gradients of inputs, and gradients of weights, which fill gaps.

    Args:
        stages: stages of the pipeline.
        microbatches: micro-batches of a step.
        times: times of the three passes.
        doubled: whether a stage may keep 2p - 1 micro-batches (ZB-H2), or p (ZB-H1).

    Returns:
        The micro-batches that each stage keeps at most, and the longest time that one waits between its passes.
    """
    ends: dict[tuple[str, int, int], int] = {}
    counts = {kind: [0] * stages for kind in "FBW"}
    free, starts, most = [0] * stages, [-1] * stages, [0] * stages
    now = 0
    while min(counts["W"]) < microbatches:
        for stage in range(stages):
            kind = _next_pass(stage, stages, microbatches, counts, ends, now, doubled) if free[stage] <= now else ""
            if not kind:
                continue
            kept = counts["F"][stage] - counts["W"][stage] + (kind == "F")
            most[stage] = max(most[stage], kept)
            starts[stage] = now if starts[stage] < 0 else starts[stage]
            free[stage] = now + times["FBW".index(kind)]
            ends[kind, counts[kind][stage], stage] = free[stage]
            counts[kind][stage] += 1
        now += 1
    busy = microbatches * sum(times)
    return most, max(end - start - busy for start, end in zip(starts, free, strict=True))


def _next_pass(  # noqa: PLR0913, PLR0917
    stage: int,
    stages: int,
    microbatches: int,
    counts: dict[str, list[int]],
    ends: dict[tuple[str, int, int], int],
    now: int,
    doubled: bool,
) -> str:
    forward, backward, weight = (counts[kind][stage] for kind in "FBW")

    def is_done(kind: str, microbatch: int, place: int) -> bool:
        return ends.get((kind, microbatch, place), now + 1) <= now

    if is_done("F", backward, stage) and (stage == stages - 1 or is_done("B", backward, stage + 1)):
        return "B"
    fills = backward > weight
    if not doubled and fills and backward - weight > stage:
        return "W"
    room = forward - weight < (2 * stages - 1 if doubled else stages)
    paced = doubled or forward - backward < stages - stage
    if forward < microbatches and room and paced and (stage == 0 or is_done("F", forward, stage - 1)):
        return "F"
    return "W" if fills and (doubled or backward == microbatches) else ""
