"""Collectives: formulas against messages that are counted, questions asked backwards, and defects of other tools."""

from __future__ import annotations

from fractions import Fraction
from types import new_class
from typing import Any

import pytest
from tests.models.collective_steps import Count, halving, level_by_level, ring, rotated, to_all, torus_to_all

from flopsheet import Answer, Sheet, formula, given, part, quantity, sheet, solve

LINKS = (
    "payload = 1 GB",
    "scale_up_bandwidth = 450 GB/s",
    "scale_out_bandwidth = 50 GB/s",
    "scale_up_latency = 1 us",
    "scale_out_latency = 1000 us",
)
SIZES = [(2, 2), (8, 8), (8, 1), (16, 8), (32, 4), (64, 8)]
COUNTED = ("scale_up_traffic", "scale_out_traffic", "latency_time")

OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "point_to_point")
ALGORITHMS = ("ring", "tree", "in_fabric", "hierarchical", "torus")

each_operation = pytest.mark.parametrize("operation", OPERATIONS)
each_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
each_size = pytest.mark.parametrize(("n", "domain"), SIZES)


def cells(*relations: str) -> dict[str, Any]:
    return {name: cell.si for name, cell in solve("collectives", (), [*LINKS, *relations]).cells.items()}


def si(answer: Answer) -> float:
    assert answer.quantity is not None
    return float(answer.quantity.si)


def check(count: Count, passes: int, *relations: str) -> None:
    found = cells(f"n_ranks = {count.n}", f"domain_chips = {count.domain}", *relations)
    assert found["scale_up_traffic"] == passes * count.most(out=False) * 10**9
    assert found["scale_out_traffic"] == passes * count.most(out=True) * 10**9
    latency = passes * (count.steps[False] * 1e-6 + count.steps[True] * 1e-3)
    assert found["latency_time"] == pytest.approx(latency, rel=1e-12)


@each_size
@pytest.mark.parametrize(("operation", "passes"), [("all_gather", 1), ("reduce_scatter", 1), ("all_reduce", 2)])
@pytest.mark.parametrize("algorithm", ["tree", "hierarchical"])
def test_levels_send_what_their_messages_add_up_to(
    n: int, domain: int, operation: str, passes: int, algorithm: str
) -> None:
    count = Count(n, domain)
    {"tree": halving, "hierarchical": level_by_level}[algorithm](count)
    check(count, passes, f"operation = {operation}", f"algorithm = {algorithm}")


@each_size
def test_a_ring_through_all_domains_sends_what_its_messages_add_up_to(n: int, domain: int) -> None:
    count = Count(n, domain)
    ring(count, rotated(n, domain))
    found = cells(f"n_ranks = {n}", f"domain_chips = {domain}", "operation = all_gather")
    assert found["scale_up_traffic"] == count.most(out=False) * 10**9
    assert found["scale_out_traffic"] == count.most(out=True) * 10**9
    assert found["gather_hops"] + found["gather_out_hops"] == n - 1 == sum(count.steps.values())
    assert found["sent_traffic"] == Fraction(n - 1, n) * 10**9
    assert found["scale_up_traffic"] + found["scale_out_traffic"] == found["sent_traffic"]


@each_size
def test_all_to_all_sends_what_its_messages_add_up_to(n: int, domain: int) -> None:
    count = Count(n, domain)
    to_all(count)
    check(count, 1, "operation = all_to_all")


@pytest.mark.parametrize("ends", ["closed", "open"])
@pytest.mark.parametrize(("side", "axes"), [(2, 1), (8, 1), (4, 2), (6, 2), (4, 3)])
def test_all_to_all_on_a_torus_takes_as_long_as_its_busiest_link(side: int, axes: int, ends: str) -> None:
    link = 45 * 10**9
    load = torus_to_all([side] * axes, is_open=ends == "open")
    torus = ("operation = all_to_all", "algorithm = torus", f"torus_ends = {ends}", f"rank_axes = {axes}")
    n = side**axes
    found = cells(*torus, f"n_ranks = {n}", f"domain_chips = {n}", f"axis_bandwidth = {2 * link} byte/s")
    assert found["transfer_time"] == pytest.approx(float(load * 10**9 / link), rel=1e-12)


def test_an_all_gather_over_several_axes_takes_all_of_their_links() -> None:
    """Two halves of each shard go along the axes in opposite orders: both axes are busy in both phases."""
    side, link = 4, 45 * 10**9
    half = Fraction(10**9, 2 * side**2)
    phases = (side - 1) * half + (side - 1) * side * half
    torus = ("operation = all_gather", "algorithm = torus", "rank_axes = 2", f"axis_bandwidth = {2 * link} byte/s")
    found = cells(*torus, "n_ranks = 16", "domain_chips = 16")
    assert found["transfer_time"] == pytest.approx(float(phases / (2 * link)), rel=1e-12)


@pytest.mark.parametrize("n", [2, 8, 72])
def test_sums_in_switches_send_each_byte_once(n: int) -> None:
    """A rank sends all shards but its own, and its own one summed; all-gathers are as long as without switches."""
    found = cells(f"n_ranks = {n}", f"domain_chips = {n}", "algorithm = in_fabric")
    assert found["scale_up_traffic"] == (Fraction(n - 1, n) + Fraction(1, n)) * 10**9
    gather = ("operation = all_gather", f"n_ranks = {n}", f"domain_chips = {n}")
    assert cells(*gather, "algorithm = in_fabric")["transfer_time"] == cells(*gather)["transfer_time"]


@pytest.mark.parametrize(
    ("machine", "algorithm", "is_broken"),
    [
        ("chip = tpu-v5p", "in_fabric", True),  # a torus
        ("chip = mi300x", "in_fabric", True),  # a link to each peer
        ("chip = h100-sxm", "in_fabric", False),
        ("chip = tpu-v5p", "torus", False),
        ("chip = mi300x", "ring", False),
    ],
)
def test_sums_in_switches_need_switches(machine: str, algorithm: str, is_broken: bool) -> None:
    answer = solve("collectives", (), [machine, f"algorithm = {algorithm}", "n_ranks = 8", "payload = 1 GB"])
    assert [check.relation.name for check in answer.broken] == ["in_fabric_needs_switches"] * is_broken
    named = {check.relation.name for check in answer.limits}
    assert ("in_fabric_needs_switches" in named) is (algorithm == "in_fabric")  # of another algorithm it says nothing


@each_operation
@each_algorithm
def test_one_rank_needs_no_time(operation: str, algorithm: str) -> None:
    asked = ["n_ranks = 1", "domain_chips = 8", "axis_bandwidth = 90 GB/s"]
    choices = [f"operation = {operation}", f"algorithm = {algorithm}"]
    assert solve("collective_time", "collective_time", [*LINKS, *asked, *choices]).value == 0


def test_a_message_takes_the_network_where_domains_have_room_for_one_rank() -> None:
    found = cells("operation = point_to_point", "n_ranks = 2", "domain_chips = 1")
    assert found["collective_time"] == pytest.approx(1e9 / 50e9 + 1e-3, rel=1e-12)
    near = cells("operation = point_to_point", "n_ranks = 2", "domain_chips = 8")
    assert near["collective_time"] == pytest.approx(1e9 / 450e9 + 1e-6, rel=1e-12)


@pytest.mark.parametrize(("levels", "time"), [("overlapped", 1.75 / 450), ("in_turn", 1.75 / 450 + 1 / 8 / 50)])
def test_levels_overlap_or_follow_one_another(levels: str, time: float) -> None:
    found = cells("n_ranks = 16", "domain_chips = 8", "algorithm = hierarchical", f"levels = {levels}")
    assert found["transfer_time"] == pytest.approx(time, rel=1e-12)


@pytest.mark.parametrize(
    ("operation", "factor"),
    [
        ("all_reduce", 1.75),
        ("all_gather", 0.875),
        ("reduce_scatter", 0.875),
        ("all_to_all", 0.875),
        ("point_to_point", 1),
    ],
)
def test_bus_bandwidth_of_a_ring_without_latency_is_that_of_the_links(operation: str, factor: float) -> None:
    found = cells("n_ranks = 8", "domain_chips = 8", f"operation = {operation}")
    assert found["bus_factor"] == factor
    assert found["bus_factor"] * 1e9 / found["transfer_time"] == pytest.approx(450e9, rel=1e-12)
    assert found["bus_bandwidth"] == pytest.approx(factor * 1e9 / found["collective_time"], rel=1e-12)


# Backwards


@pytest.mark.slow
@each_operation
@each_algorithm
@pytest.mark.parametrize("levels", ["overlapped", "in_turn"])
def test_each_way_is_asked_backwards(operation: str, algorithm: str, levels: str) -> None:
    choices = [f"operation = {operation}", f"algorithm = {algorithm}", f"levels = {levels}", "torus_ends = open"]
    known = {"payload": "1 GB", "scale_out_bandwidth": "50 GB/s", "scale_out_latency": "5 us", "n_ranks": "60"}
    rest = ["domain_chips = 16", "rank_axes = 2", "axis_bandwidth = 90 GB/s", "scale_up_bandwidth = 450 GB/s"]
    pins = {name: f"{name} = {value}" for name, value in known.items()}
    time = si(solve("collectives", "collective_time", [*choices, *rest, *pins.values()]))
    assert time > 0
    for name, value in known.items():
        others = [pin for other, pin in pins.items() if other != name]
        outcome = solve("collectives", name, [*choices, *rest, *others, f"collective_time = {time!r} second"]).outcomes[
            name
        ]
        expected = float(quantity(value).si)
        assert any(
            float(span.lower) * (1 - 1e-9) <= expected <= float(span.upper) * (1 + 1e-9) for span in outcome.solutions
        )


RING = ("chip = h100-sxm", "n_ranks = 8", "operation = all_gather")


def test_the_bandwidth_that_a_time_needs() -> None:
    answer = solve("collectives", "scale_up_bandwidth", [*RING, "payload = 450 MB", "collective_time = 1 ms"])
    assert answer.value == pytest.approx(0.875 * 0.45 / (1e-3 - 7e-6), rel=1e-9)


def test_the_payload_that_a_time_allows() -> None:
    answer = solve("collectives", "payload", [*RING, "collective_time = 1 ms"])
    assert si(answer) == pytest.approx((1e-3 - 7e-6) * 450e9 / 0.875, rel=1e-9)


def test_the_ranks_that_a_time_allows() -> None:
    asked = ["system = dgx-h100", "payload = 1 GB", "algorithm = hierarchical", "n_ranks >= 9"]
    answer = solve("collectives", "n_ranks", [*asked, "collective_time <= 5 ms"])
    most = int(answer.outcomes["n_ranks"].solutions[-1].upper)
    times = {n: si(solve("collectives", "collective_time", [*asked[:3], f"n_ranks = {n}"])) for n in (most, most + 1)}
    assert times[most] <= 5e-3 < times[most + 1]


def test_the_algorithm_that_is_fastest_for_small_and_large_payloads() -> None:
    for payload, fastest in (("1 kB", "in_fabric"), ("1 GB", "in_fabric")):
        answer = solve(
            "collectives",
            "algorithm",
            ["chip = h100-sxm", "n_ranks = 8", f"payload = {payload}"],
            best="min:collective_time",
        )
        assert answer.value == fastest


# Defects of other tools (peers.md, section 5)


def test_a_gigabyte_a_second_is_decimal() -> None:
    """GenZ multiplies bandwidths in GB/s by 2^30."""
    found = solve("collectives", "scale_up_rate", {"chip": "h100-sxm", "n_ranks": 8}).cells
    assert found["scale_up_rate"].si == found["scale_up_bandwidth"].si == 450 * 10**9


@pytest.mark.parametrize(
    ("given", "milliseconds"),
    [  # all-reduce of 1 GB without latencies: 2 (n - 1)/n GB over what is reached
        ({"chip": "mi300x", "n_ranks": 2}, 1000 / 64),  # one link of 64 GB/s
        ({"chip": "mi300x", "n_ranks": 4}, 1500 / (3 * 64)),
        ({"chip": "mi300x", "n_ranks": 8}, 1750 / 448),
        ({"chip": "gaudi3", "n_ranks": 2}, 1000 * 7 / 525),
        ({"chip": "h100-sxm", "n_ranks": 2}, 1000 / 450),  # through switches
        ({"chip": "tpu-v5p", "n_ranks": 8}, 1750 / 200),  # a ring along one axis of three
        ({"chip": "tpu-v5p", "n_ranks": 8, "rank_axes": 3}, 1750 / 600),
        ({"system": "dgx-h100", "n_ranks": 12}, 2 * 11 / 12 * 1000 / 6 / 50),  # six ranks and six cards in each of two
        ({"system": "dgx-h100", "n_ranks": 16}, 2 * 15 / 16 * 1000 / 8 / 50),
    ],
)
def test_ranks_take_the_links_that_lead_to_them(given: dict[str, object], milliseconds: float) -> None:
    still = {"payload": "1 GB", "scale_up_latency": "0 us", "scale_out_latency": "0 us"}
    assert si(solve("collectives", "collective_time", {**given, **still})) == pytest.approx(milliseconds / 1000)


@pytest.mark.parametrize(
    ("chip", "one_way"), [("a100-80gb", 300), ("h100-sxm", 450), ("b200-sxm", 900), ("gb200", 900), ("mi300x", 448)]
)
def test_links_are_counted_one_way(chip: str, one_way: int) -> None:
    """Vendors print both ways, and so do other registries: 900 GB/s for an H100."""
    answer = solve(
        "collectives", "bus_bandwidth", {"chip": chip, "n_ranks": 8, "payload": "1 TB", "scale_up_latency": "0 us"}
    )
    assert si(answer) == pytest.approx(one_way * 1e9, rel=1e-12)


def test_the_network_between_domains_is_that_of_the_system() -> None:
    """BudSimulator takes 40 % of NVLink: 180 GB/s for an H100 in place of 50, 360 for a GB200 in place of 50."""
    asked = [
        "operation = point_to_point",
        "payload = 1 TB",
        "n_ranks = 2",
        "domain_ranks = 1",
        "scale_out_latency = 0 us",
    ]
    for system, network in (("dgx-h100", 50), ("dgx-a100", 25), ("gb300-nvl72", 100), ("tpu-v5p-8960", 6.25)):
        answer = solve("collectives", "bus_bandwidth", [*asked, f"system = {system}"])
        assert si(answer) == pytest.approx(network * 1e9, rel=1e-12)


# Inside other sheets


def _step(rows: Any) -> None:
    rows["n_tp"] = given("Tensor-parallel degree", example=8, integer=True)
    rows["n_dp"] = given("Replicas", example=16, integer=True)
    rows["activations"] = given("Activations", "MB", example=100)
    rows["gradients"] = given("Gradients", "MB", example=1000)
    core: Any = type(sheet("collective_time"))
    rows["tp"] = part(core, n_ranks=rows["n_tp"], payload=rows["activations"])
    dp = {"n_ranks": rows["n_dp"], "payload": rows["gradients"], "domain_ranks": 1, "algorithm": "hierarchical"}
    rows["dp"] = part(core, "Replicas", **dp)
    rows["total"] = formula(rows["tp"].collective_time + rows["dp"].collective_time, "ms", "Both")


def _extending(name: str, *bases: str, body: Any = None) -> Sheet:
    model: Any = new_class(name, tuple(type(sheet(base)) for base in bases), exec_body=body)
    instance: Sheet = model()
    return instance


def test_parts_share_the_links_of_the_sheet_around_them() -> None:
    step = _extending("Step", "chip_links", body=_step)
    names = [name for name in step.cells if name.startswith(("tp.", "dp."))]
    assert not [name for name in names if name.partition(".")[2] in sheet("chip_links").cells]
    given_ = {"system": "dgx-h100", "n_tp": 8, "n_dp": 16, "activations": "100 MB", "gradients": "1 GB"}
    found = solve(step, "total", given_)
    assert found.cells["tp.collective_time"].si == pytest.approx(1.75 * 0.1 / 450 + 14e-6, rel=1e-9)
    assert found.cells["dp.collective_time"].si == pytest.approx(2 * 15 / 16 / 50 + 30 * 5e-6, rel=1e-9)
    back = solve(step, "scale_out_bandwidth", {**given_, "total": "30 ms"})
    assert si(back) == pytest.approx(1.875e9 / (30e-3 - 150e-6 - float(found.cells["tp.collective_time"].si)))


def test_links_join_the_rates_of_a_chip() -> None:
    both = _extending("Both", "chip_rates", "chip_links")
    assert {"scale_up_bandwidth", "network_rate", "scale_out_bandwidth"} <= {*both.cells}
