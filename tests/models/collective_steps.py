"""Collectives carried out message by message, to count what each rank sends and how many steps follow one another."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass
class Count:
    """What ranks send, as shares of the payload, and the steps that follow one another.

    Args:
        n: ranks.
        domain: ranks of one scale-up domain, which are numbered one after the other.
    """

    n: int
    domain: int
    sent: dict[tuple[int, bool], Fraction] = field(default_factory=dict)
    steps: dict[bool, int] = field(default_factory=lambda: {False: 0, True: 0})

    def send(self, messages: Iterable[tuple[int, int, Fraction]]) -> None:
        """Send (from, to, share) messages at once; a step that leaves a domain anywhere is one of the network."""
        leaves = False
        for source, target, share in messages:
            out = source // self.domain != target // self.domain
            leaves |= out
            self.sent[source, out] = self.sent.get((source, out), Fraction(0)) + share
        self.steps[leaves] += 1

    def most(self, *, out: bool) -> Fraction:
        """Return the share of the payload that the busiest rank sends inside its domain, or out of it."""
        return max((share for (_, leaves), share in self.sent.items() if leaves is out), default=Fraction(0))


def ring(count: Count, orders: Sequence[Sequence[int]]) -> None:
    """All-gather along several rings at once, each with an equal part of every shard."""
    held = [{rank: {rank} for rank in order} for order in orders]
    passed = [{rank: rank for rank in order} for order in orders]
    for _ in range(count.n - 1):
        messages = []
        for order, holds, last in zip(orders, held, passed, strict=True):
            following = dict(zip(order, [*order[1:], order[0]], strict=True))
            messages += [(rank, following[rank], Fraction(1, count.n * len(orders))) for rank in order]
            chunks = {following[rank]: last[rank] for rank in order}
            for rank, chunk in chunks.items():
                holds[rank].add(chunk)
            last.update(chunks)
        count.send(messages)
    assert all(len(chunks) == count.n for holds in held for chunks in holds.values())


def rotated(n: int, domain: int) -> list[list[int]]:
    """Return one ring for each rank of a domain, so that each leaves the domains from another rank."""
    starts = range(0, n, domain)
    return [[start + (place + turn) % domain for start in starts for place in range(domain)] for turn in range(domain)]


def level_by_level(count: Count) -> None:
    """All-gather along rings of ranks of one place in each domain, then along rings in each domain."""
    held = {rank: {rank} for rank in range(count.n)}
    for groups in (
        [[*range(place, count.n, count.domain)] for place in range(count.domain)],
        [[*range(start, start + count.domain)] for start in range(0, count.n, count.domain)],
    ):
        last = {rank: frozenset(chunks) for rank, chunks in held.items()}
        for _ in range(len(groups[0]) - 1):
            messages, chunks = [], {}
            for group in groups:
                for rank, following in zip(group, [*group[1:], group[0]], strict=True):
                    messages.append((rank, following, Fraction(len(last[rank]), count.n)))
                    chunks[following] = last[rank]
            count.send(messages)
            for rank, several in chunks.items():
                held[rank] |= several
            last = chunks
    assert all(len(chunks) == count.n for chunks in held.values())


def halving(count: Count) -> None:
    """Reduce-scatter: at each step the half of what is left is swapped with a partner twice as far away."""
    left, distance = Fraction(1), 1
    while distance < count.n:
        left /= 2
        count.send((rank, rank ^ distance, left) for rank in range(count.n))
        distance *= 2
    assert left == Fraction(1, count.n)


def to_all(count: Count) -> None:
    """All-to-all: every rank sends its part to every other one."""
    count.send(
        (rank, other, Fraction(1, count.n)) for rank in range(count.n) for other in range(count.n) if rank != other
    )


def torus_to_all(sides: Sequence[int], *, is_open: bool) -> Fraction:
    """Return the share of the payload of one rank that the busiest link carries one way in an all-to-all.

    Each part goes along one axis after the other, on the shorter way round; half of it each way where both are equal.
    """
    ranks = [*product(*map(range, sides))]
    loads: dict[tuple[tuple[int, ...], int, int], Fraction] = {}
    for source, target in product(ranks, repeat=2):
        place = list(source)
        for axis, side in enumerate(sides):
            ahead = (target[axis] - place[axis]) % side
            ways = [(1, ahead, Fraction(1))] if 2 * ahead < side else [(-1, side - ahead, Fraction(1))]
            if 2 * ahead == side:
                ways = [(1, ahead, Fraction(1, 2)), (-1, ahead, Fraction(1, 2))]
            if is_open:
                straight = target[axis] - place[axis]
                ways = [(1 if straight > 0 else -1, abs(straight), Fraction(1))]
            for way, hops, part in ways:
                at = list(place)
                for _ in range(hops):
                    link = (tuple(at), axis, way)
                    loads[link] = loads.get(link, Fraction(0)) + part / len(ranks)
                    at[axis] = (at[axis] + way) % side
            place[axis] = target[axis]
    return max(loads.values())
