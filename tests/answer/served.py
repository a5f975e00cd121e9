"""A model that is served from chips: what is asked of names, and what ranks them by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.stored import read_yaml

from flopsheet import Chip, Sheet, choice, formula, given, limit, part, select, solve
from flopsheet.registry.packs import packs

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.answer.names import Ranking

GIB, GB = 2**30, 10**9
BYTES = {"bf16": 2, "fp8": 1}


class Served(Sheet):
    """A model served from chips, in one of two precisions, that must fit and answer in time."""

    precision = choice("bf16", "fp8", doc="Number format of the weights")
    chip = part(Chip, example="h100-sxm")
    params = given("Parameters", "param", example=70e9)
    n = given("Chips that share the weights", example=2, integer=True)
    bf16_bytes = given("bf16 weight", "byte/param", default=2, source="ours")
    fp8_bytes = given("fp8 weight", "byte/param", default=1, source="ours")
    weights = formula(select(precision, bf16=params * bf16_bytes, fp8=params * fp8_bytes), "GB", "Weights")
    held = formula(weights / n, "GB", "Weights on one chip")
    read_time = formula(held / chip.memory_bandwidth, "ms", "Time to read them once")
    rate = formula(select(precision, bf16=chip.flops.bf16, fp8=chip.flops.fp8), "TFLOP/s", "Peak rate")
    fits = limit(held <= chip.memory, "One chip holds its share")


SHEET = Served()
LARGE = ["params = 7e10", "precision = bf16"]


def number_of(figure: Any) -> float:
    """Return a figure as a file has it, in base units."""
    number, unit = str(figure["value"] if isinstance(figure, dict) else figure).split()
    sizes = {"MB": 1e6, "GB": GB, "TB": 1e12, "PB": 1e15, "MiB": GIB / 1024, "GiB": GIB, "TFLOP": 1e12, "PFLOP": 1e15}
    return float(number) * sizes[unit.removesuffix("/s")]


def _registry() -> dict[str, dict[str, Any]]:
    """Return the chips of the registry as their files have them, without the engine's reader."""
    files = sorted((packs()[0].folder / "hardware" / "chips").glob("*.yaml"))
    return {key: chip for file in files for key, chip in read_yaml(file).items()}


CHIPS = _registry()
MEMORY = {key: number_of(chip["memory"]) for key, chip in CHIPS.items()}
BANDWIDTH = {key: number_of(chip["memory_bandwidth"]) for key, chip in CHIPS.items()}
FP8 = {key: number_of(chip["flops"]["fp8"]) for key, chip in CHIPS.items() if "fp8" in chip["flops"]}


def ranking(unknown: Any, *relations: str) -> Ranking:
    """Return the ranking, once each candidate that works was tested against its own relations."""
    answer = solve(SHEET, unknown, relations)
    ranked = answer.ranking
    assert ranked is not None
    for candidate in ranked.working:
        assert candidate.answer is not None
        assert candidate.answer.solved
        assert all(check.holds for check in [*candidate.answer.checks, *candidate.answer.limits])
    return ranked


def names(ranked: Ranking) -> list[str]:
    return [candidate.text for candidate in ranked.working]


def numbers(ranked: Ranking, unknown: str) -> list[float]:
    return [
        float(candidate.answer.outcomes[unknown].si or 0)
        for candidate in ranked.working
        if candidate.answer is not None
    ]


def by_room(held: float, chips: dict[str, float], room: Callable[[str], float] = lambda _: 1) -> list[str]:
    """Return the chips that hold this, the one with the most room first; `room` is what another relation leaves."""
    fits = [key for key in chips if held <= chips[key]]
    return sorted(fits, key=lambda key: -min(1 - held / chips[key], room(key)))
