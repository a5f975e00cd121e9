"""Worked questions whose unknown stands in many places of the chain: transformers and all-reduces."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from tests.answer.worked_ask import about, ask, bisected, points, spans
from tests.answer.worked_more import AllReduce, GatedModel, Transformer

from flopsheet.numbers.sets import whole_ends

if TYPE_CHECKING:
    from collections.abc import Callable

TRANSFORMER, GATED, ALL_REDUCE = Transformer(), GatedModel(), AllReduce()


def memory(width: float, n_layers: float) -> float:
    """Return state and activations of the transformer [byte]."""
    return 16 * (12 * width**2 * n_layers + 128_000 * width) + 2 * 8192 * width * n_layers


MODEL = ("vocabulary = 128000", "context = 8192 token", "memory <= 100 GiB")


@pytest.mark.parametrize(
    ("unknown", "relation", "least", "plain"),
    [
        ("width", "n_layers = 32", 1, lambda width: memory(width, 32)),
        ("width", "aspect = 128", 128, lambda width: memory(width, width / 128)),
        ("width", "n_layers = width / 128", 128, lambda width: memory(width, width / 128)),
        ("n_layers", "aspect = 128", 1, lambda n_layers: memory(128 * n_layers, n_layers)),
        ("n_layers", "width = 4096", 1, lambda n_layers: memory(4096, n_layers)),
    ],
)
def test_an_unknown_in_many_cells_of_the_chain(
    unknown: str, relation: str, least: int, plain: Callable[[float], float]
) -> None:
    outcome = ask(TRANSFORMER, unknown, *MODEL, relation)
    most = 100 * 2**30
    if least == 1:
        assert (outcome.kind, outcome.interval is not None) == ("range", True)
        assert spans(outcome) == about((least, bisected(lambda number: plain(number) - most, 1, 1e5), "[]"))
    else:  # of which the layers must be whole
        wholes = [number for number in range(least, 5000, least) if plain(number) <= most]
        assert [part.lower for part in outcome.listed] == wholes
    assert outcome.whole == max(number for number in range(least, 5000, least) if plain(number) <= most)


def gated(width: int) -> int:
    """Return the parameters of 32 layers with a rounded hidden width."""
    return 32 * (4 * width**2 + 3 * width * -(-8 * width // 3))


@pytest.mark.parametrize("params", [1000, 99_999, 7_000_000_000, gated(4096)])
def test_a_width_that_is_rounded_up_on_the_way(params: int) -> None:
    fitting = [width for width in range(1, 20_000) if gated(width) <= params]
    most = ask(GATED, "width", "n_layers = 32", f"params <= {params}")
    assert (len(most.listed), whole_ends(most.listed[0])) == (1, (1, fitting[-1]))
    least = ask(GATED, "width", "n_layers = 32", f"params > {params}")
    assert (least.whole, len(least.listed)) == (fitting[-1] + 1, 1)
    assert least.listed[0].upper == math.inf


def test_a_width_of_exactly_so_many_parameters() -> None:
    outcome = ask(GATED, "width", "n_layers = 32", f"params = {gated(4096)}")
    assert (outcome.kind, points(outcome)) == ("value", [4096])


def all_reduce(devices: float, hop: float = 5e-3) -> float:
    """Return the time of the all-reduce [ms]."""
    ring = 2 * 2 * (devices - 1) / (devices * 50)
    return 1000 * (max(2 * math.log2(devices) * hop, ring) + hop * math.sqrt(devices))


REDUCED = ("message = 2 GB", "bandwidth = 50 GB/s")


@pytest.mark.parametrize("total", [20, 50, 100, 150, 1000])
def test_an_unknown_under_a_root_a_logarithm_and_a_bar_at_once(total: float) -> None:
    """Less than one device takes less than no time in a ring: times are zero or more."""
    exact = bisected(lambda devices: all_reduce(devices) - total, 0.5, 1e6)
    given = (*REDUCED, "hop = 5 ms")
    assert points(ask(ALL_REDUCE, "n_devices", *given, f"total_time = {total} ms")) == [pytest.approx(exact, rel=1e-9)]
    assert spans(ask(ALL_REDUCE, "n_devices", *given, f"total_time >= {total} ms")) == about((exact, math.inf, "[)"))
    assert spans(ask(ALL_REDUCE, "n_devices", *given, f"total_time <= {total} ms")) == about((1, exact, "[]"))


@pytest.mark.parametrize("total", [100, 150])
def test_an_unknown_in_a_maximum_and_beside_it(total: float) -> None:
    outcome = ask(ALL_REDUCE, "hop", *REDUCED, "n_devices = 64", f"total_time = {total} ms")
    exact = bisected(lambda milliseconds: all_reduce(64, milliseconds / 1000) - total, 1e-6, 1e3)
    assert points(outcome) == [pytest.approx(exact, rel=1e-9)]
