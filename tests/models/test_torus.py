"""Collectives on a torus against its links: axes are rings of two links a chip, or lines, and nothing switches."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod
from random import Random
from typing import Any

import pytest
from tests.models.collective_steps import torus_to_all

from flopsheet import records, solve

TORI = tuple(name for name, chip in records("chip").items() if "link.dimensions" in chip.values)
OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "point_to_point")
KNOWN = ("payload = 1 GB", "scale_up_latency = 0 us", "scale_out_latency = 0 us")
PAYLOAD = 10**9


def cells(*relations: str) -> dict[str, Any]:
    """Return the cells of the sheet by name [base units], and the names of its limits that are violated."""
    answer = solve("collectives", (), [*KNOWN, *relations])
    violated = [check.relation.name for check in answer.broken]
    return {**{name: cell.si for name, cell in answer.cells.items()}, "violated": violated}


def link_of(chip: str) -> Fraction:
    """Return the bandwidth of one link of a chip [byte/second], one way: two of them along each axis."""
    figures = records("chip")[chip].values
    return Fraction(figures["link.bandwidth"].si) / Fraction(figures["link.dimensions"].si) / 2


@pytest.mark.parametrize("chip", TORI)
@pytest.mark.parametrize("ends", ["closed", "open"])
def test_exchanges_take_the_links_that_the_record_has_whatever_the_algorithm(chip: str, ends: str) -> None:
    """A message has one link; what an all-to-all sends to far ranks is passed on by those between."""
    link = link_of(chip)
    known = (f"chip = {chip}", "n_ranks = 8", "domain_chips = 8", "longest_side = 8", f"torus_ends = {ends}")
    message = cells(*known, "operation = point_to_point")
    assert message["collective_time"] == PAYLOAD / link
    everyone = cells(*known, "operation = all_to_all")
    load = torus_to_all([8], is_open=ends == "open")
    assert everyone["collective_time"] == pytest.approx(float(load * PAYLOAD / link), rel=1e-12)
    gather = cells(*known, "operation = all_gather")
    ways = 2 if ends == "closed" else 1
    assert gather["collective_time"] == pytest.approx(float(Fraction(7, 8) * PAYLOAD / link / ways), rel=1e-12)
    assert gather["violated"] == []
    assert cells(*known, "algorithm = tree")["violated"] == ["tree_needs_paths"]


@pytest.mark.parametrize("algorithm", ["ring", "torus"])
@pytest.mark.parametrize("ends", ["closed", "open"])
@pytest.mark.parametrize("sides", [(2, 4), (4, 8), (2, 2, 4)])
def test_the_longest_axis_decides_over_an_all_to_all(algorithm: str, ends: str, sides: tuple[int, ...]) -> None:
    load = torus_to_all(sides, is_open=ends == "open")
    shape = (
        f"n_ranks = {prod(sides)}",
        f"rank_axes = {len(sides)}",
        f"torus_side = {max(sides)}",
        f"torus_ends = {ends}",
    )
    known = ("chip = tpu-v5p", f"algorithm = {algorithm}", "operation = all_to_all")
    found = cells(*known, *shape)
    assert found["collective_time"] == pytest.approx(float(load * PAYLOAD / link_of("tpu-v5p")), rel=1e-12)


def cut(links: set[tuple[Any, Any]], half: set[Any]) -> int:
    """Return how many links lead out of a half of the ranks, one way."""
    return sum((source in half) != (target in half) for source, target in links)


@pytest.mark.parametrize("ends", ["closed", "open"])
@pytest.mark.parametrize("sides", [(8,), (4, 4), (4, 8), (4, 4, 4)])
@pytest.mark.parametrize("algorithm", ["ring", "torus"])
def test_bisection_of_a_torus_is_the_links_through_a_cut(ends: str, sides: tuple[int, ...], algorithm: str) -> None:
    links = set()
    for rank in product(*map(range, sides)):
        for axis, way in product(range(len(sides)), (1, -1)):
            other = list(rank)
            other[axis] = (rank[axis] + way) % sides[axis]
            if ends == "closed" or abs(other[axis] - rank[axis]) == 1:
                links.add((rank, tuple(other)))
    axis = sides.index(max(sides))
    half = {rank for rank in product(*map(range, sides)) if rank[axis] < sides[axis] // 2}
    shape = (f"n_ranks = {prod(sides)}", f"rank_axes = {len(sides)}", f"torus_side = {max(sides)}")
    found = cells("chip = tpu-v5p", f"algorithm = {algorithm}", f"torus_ends = {ends}", *shape)
    assert found["bisection_bandwidth"] == pytest.approx(float(cut(links, half) * link_of("tpu-v5p")), rel=1e-12)


@pytest.mark.parametrize("n", [2, 4, 8])
def test_bisection_of_chips_that_link_to_each_peer_is_the_links_between_halves(n: int) -> None:
    links = {*combinations(range(n), 2)}
    one_link = Fraction(records("chip")["mi300x"].values["link.bandwidth"].si) / 7
    found = cells("chip = mi300x", f"n_ranks = {n}")
    assert found["bisection_bandwidth"] == 2 * cut(links, {*range(n // 2)}) * one_link


def test_bisection_between_domains_is_that_of_the_network() -> None:
    known = ("chip = tpu-v5p", "n_ranks = 64", "domain_chips = 16", "scale_out_bandwidth = 25 GB/s")
    for algorithm in ("ring", "torus"):
        assert cells(*known, f"algorithm = {algorithm}")["bisection_bandwidth"] == 64 * 25 * 10**9


def expected(axes: int, side: int, domains: int, drawn: dict[str, Any]) -> dict[str, Fraction]:
    """Return the times of a collective [second] over domains that are tori of even sides, from bytes on one link."""
    ranks, is_open = side**axes, drawn["torus_ends"] == "open"
    kept = drawn["own_shard"] == "kept"
    link, network = (Fraction(drawn[key]) * drawn["efficiency"] for key in ("link", "network"))
    hops = axes * (side - 1 if is_open else side // 2) if ranks > 1 else 0
    operation, passes, hops_out = drawn["operation"], 1, domains - 1
    if operation == "all_to_all":
        inside = Fraction(side, 4 if is_open else 8) * (ranks > 1) / domains
        outside, hops_out, hops = Fraction(domains - 1, domains), min(hops_out, 1), 0 if domains > 1 else hops
    elif operation == "point_to_point":
        inside, outside = Fraction(ranks > 1 and domains == 1, axes), Fraction(domains > 1)
        hops, hops_out = 0 if domains > 1 else hops, min(hops_out, 1)
    else:
        passes = 2 if operation == "all_reduce" else 1
        shares = [1 - Fraction(1, n) if kept else Fraction(n > 1) for n in (ranks, domains)]
        inside, outside = shares[0] / axes / (1 if is_open else 2), shares[1] / ranks
    up, out = (passes * drawn["payload"] * share / rate for share, rate in ((inside, link), (outside, network)))
    latency = passes * (hops * drawn["latency"] + hops_out * drawn["network_latency"])
    moving = max(up, out) if drawn["levels"] == "overlapped" else up + out
    return {"scale_up_time": up, "scale_out_time": out, "latency_time": latency, "collective_time": moving + latency}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_times_at_random_places(operation: str) -> None:
    draw = Random(operation)  # noqa: S311  # no secret
    for _ in range(30):
        axes, side, domains = draw.choice([1, 2, 3]), draw.choice([2, 4, 8, 16]), draw.choice([1, 1, 2, 3])
        drawn: dict[str, Any] = {
            "operation": operation,
            "torus_ends": draw.choice(["closed", "open"]),
            "own_shard": draw.choice(["kept", "sent"]),
            "levels": draw.choice(["overlapped", "in_turn"]),
            "payload": 10 ** draw.randint(4, 10),
            "link": draw.choice([20, 45, 90]) * 10**9,
            "network": draw.choice([25, 50]) * 10**9,
            "efficiency": draw.choice([Fraction(1), Fraction(7, 10)]),
            "latency": draw.choice([Fraction(0), Fraction(3, 10**6)]),
            "network_latency": draw.choice([Fraction(0), Fraction(5, 10**6)]),
        }
        relations = [f"{name} = {drawn[name]}" for name in ("operation", "torus_ends", "own_shard", "levels")]
        relations += [
            f"longest_side = {side}",
            f"n_ranks = {side**axes * domains}",
            f"domain_chips = {side**axes}",
            f"rank_axes = {axes}",
        ]
        relations += [
            f"axis_bandwidth = {2 * drawn['link']} byte/s",
            f"scale_out_bandwidth = {drawn['network']} byte/s",
        ]
        relations += [f"bandwidth_efficiency = {drawn['efficiency']}", f"payload = {drawn['payload']} byte"]
        relations += [f"scale_up_latency = {drawn['latency']} s", f"scale_out_latency = {drawn['network_latency']} s"]
        found = {
            cell: value.si for cell, value in solve("collectives", (), ["algorithm = torus", *relations]).cells.items()
        }
        for cell, time in expected(axes, side, domains, drawn).items():
            assert found[cell] == pytest.approx(float(time), rel=1e-12), (cell, relations)


@pytest.mark.parametrize(
    ("machine", "axes"), [("chip = h100-sxm", 1), ("chip = mi300x", 1), ("chip = tpu-v6e", 2), ("chip = tpu-v5p", 3)]
)
@pytest.mark.parametrize("algorithm", ["ring", "hierarchical"])
def test_ranks_span_no_more_axes_than_links_have(machine: str, axes: int, algorithm: str) -> None:
    """Eight axes of an H100 took eight times the bandwidth of NVLink."""
    most, more = (cells(machine, "n_ranks = 8", f"rank_axes = {n}", f"algorithm = {algorithm}") for n in (axes, 8))
    assert most["collective_time"] == more["collective_time"]
    assert most["spanned_axes"] == axes


@pytest.mark.parametrize(
    ("system", "n_ranks", "axes", "longest"),
    [
        ("tpu-v5p-8960", 28, 1, 28),
        ("tpu-v5p-8960", 64, 2, 8),
        ("tpu-v5p-8960", 560, 2, 28),
        ("tpu-v5p-8960", 8960, 3, 28),
        ("tpu-v5e-pod", 16, 1, 16),
        ("tpu-v5e-pod", 256, 2, 16),
        ("tpu-v5p-4x4x4", 64, 3, 4),
        ("trn2-ultraserver", 16, 2, 4),
        ("tpu-v6e-2x4", 8, 2, 4),
    ],
)
def test_ranks_take_the_fewest_axes_that_have_room_for_them(system: str, n_ranks: int, axes: int, longest: int) -> None:
    """All-to-all among 8,960 chips took an axis of 8,960: 11 s, where 35 ms are right. The longest axis decides."""
    known = (f"system = {system}", f"n_ranks = {n_ranks}", "operation = all_to_all")
    found = cells(*known)
    assert (found["violated"], found["spanned_axes"]) == ([], axes)
    figures = records("system")[system].values
    link = Fraction(figures["link.bandwidth"].si) / (2 * Fraction(figures["link.dimensions"].si))
    busiest = torus_to_all([longest], is_open=False)
    assert found["collective_time"] == pytest.approx(float(busiest * PAYLOAD / link), rel=1e-12)
    assert cells(*known, "rank_axes = 1")["collective_time"] == found["collective_time"]  # one has no room for more


@pytest.mark.parametrize("algorithm", ["ring", "hierarchical"])
def test_rings_on_a_torus_run_along_its_axes(algorithm: str) -> None:
    """A ring through all of 4 x 4 x 4 ranks has 63 hops, rings along its axes have three each."""
    for system, hops in (("tpu-v5p-4x4x4", 3 * 3), ("gb200-nvl72", 63)):
        asked = (f"system = {system}", "n_ranks = 64", f"algorithm = {algorithm}", "operation = all_gather")
        answer = solve("collectives", "latency_time", [*asked, "scale_up_latency = 1 us", "payload = 1 GB"])
        assert answer.quantity is not None
        assert answer.quantity.si == Fraction(hops, 10**6)


def test_a_message_to_a_neighbour_takes_one_link_however_many_axes_there_are() -> None:
    known = ("system = tpu-v5p-4x4x4", "operation = point_to_point", "rank_axes = 3")
    assert cells(*known, "n_ranks = 64")["collective_time"] == PAYLOAD / link_of("tpu-v5p")


@pytest.mark.parametrize("operation", ["all_reduce", "all_to_all"])
@pytest.mark.parametrize(("axes", "n_ranks"), [(1, 64), (2, 1000)])
def test_ranks_that_no_axes_have_room_for_take_no_more_links_than_there_are(
    operation: str, axes: int, n_ranks: int
) -> None:
    """Axes of a v5p have 28, 20 and 16 chips: a stated number of axes stays, however many ranks there are."""
    found = cells("chip = tpu-v5p", f"link_axes = {axes}", f"n_ranks = {n_ranks}", f"operation = {operation}")
    assert found["spanned_axes"] == axes
    assert found["reached_links"] <= 1


def test_a_step_takes_no_more_axes_than_the_torus_has() -> None:
    layout = ("n_tp = 16", "n_dp = 32", "batch = 1024", "seq_len = 8192", "sharding = weights", "recomputation = full")
    asked = ["model = llama-3.1-70b", "system = tpu-v5p-8960", *layout]
    three, eight = (solve("training_step", "model_utilization", [*asked, f"tp.rank_axes = {n}"]) for n in (3, 8))
    assert three.value == eight.value
    known = [*asked, f"model_utilization >= {three.value!r} * 1.001"]
    assert solve("training_step", "tp.rank_axes", known).outcomes["tp.rank_axes"].solutions == ()


@pytest.mark.parametrize(
    ("sides", "n_ranks"),
    [((4, 2), 8), ((16, 8), 128), ((28, 20), 560), ((8, 8, 2), 72), ((8, 8, 2), 128), ((6, 4, 4), 96), ((8, 2, 2), 32)],
)
def test_rings_and_far_ranks_of_unequal_sides(sides: tuple[int, ...], n_ranks: int) -> None:
    """Of all boxes of so many ranks that have room, the one with the shortest longest side: its rings, its far rank."""
    boxes = [box for box in product(*(range(1, side + 1) for side in sides)) if prod(box) == n_ranks]
    box = min(boxes, key=max)
    names = ("longest_side", "second_side", "third_side")
    shape = [f"{name} = {side}" for name, side in zip(names, sides, strict=False)]
    chip = ("tpu-v6e", "tpu-v5p")[len(sides) - 2]
    known = (f"chip = {chip}", f"domain_chips = {prod(sides)}", f"n_ranks = {n_ranks}", *shape)
    found = cells(*known, "operation = all_gather")
    assert found["spanned_axes"] == len(sides)
    assert found["torus_side"] == pytest.approx(max(box), rel=1e-12)
    assert found["ring_hops"] == pytest.approx(sum(side - 1 for side in box), rel=1e-12)
    assert found["torus_hops"] == pytest.approx(sum(box) / 2, rel=1e-12)  # of even sides


def test_hops_of_a_pod_are_those_of_its_three_rings() -> None:
    """28 x 20 x 16: three rings as long as the longest had 81 hops."""
    found = cells("system = tpu-v5p-8960", "n_ranks = 8960", "operation = all_gather")
    assert found["ring_hops"] == pytest.approx(27 + 19 + 15, rel=1e-12)


@pytest.mark.parametrize(("domain", "sides"), [(64, (4, 4, 4)), (512, (8, 8, 8)), (8960, (28, 20, 16))])
@pytest.mark.parametrize("machine", ["chip = tpu-v5p", "system = tpu-v5p-8960"])
def test_a_slice_of_another_size_has_not_the_sides_of_the_record(
    machine: str, domain: int, sides: tuple[int, ...]
) -> None:
    found = cells(machine, f"domain_chips = {domain}", "n_ranks = 64")
    stated = (found["longest_side"], found["second_side"], found["third_side"])
    assert stated == pytest.approx(sides)
    assert cells(machine, "n_ranks = 64")["longest_side"] == 28
