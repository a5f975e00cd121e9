"""Layers of a graph, from left to right, with short edges and few crossings.

The method of K. Sugiyama, S. Tagawa and M. Toda (1981): the longest path gives the layer of a node, an edge across
several layers gets a bend in each, and sweeps order each layer by the barycentres of its neighbours.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Edge = tuple[str, str]

SWEEPS = 8
BEND = "\n"  # starts the key of a bend: no name contains it


class Layers:
    """The layers of a graph.

    Args:
        keys: the nodes, nearest to the unknowns first.
        edges: pairs of nodes; they run from left to right, except those that close a cycle.
    """

    def __init__(self, keys: Sequence[str], edges: Sequence[Edge]) -> None:
        self._feeders: dict[str, list[str]] = {key: [] for key in keys}
        self._fed: dict[str, list[str]] = {key: [] for key in keys}
        self.paths: dict[Edge, tuple[str, ...]] = {}
        depths = _depths(keys, edges)
        self.columns: list[list[str]] = [[] for _ in range(1 + max(depths.values(), default=0))]
        for key in keys:
            self.columns[-1 - depths[key]].append(key)
        for edge in edges:
            self._route(edge, depths)
        self._order()

    def _route(self, edge: Edge, depths: Mapping[str, int]) -> None:
        """Route an edge through a bend in each layer that it crosses."""
        feeder, fed = edge
        crossed = range(depths[feeder] - 1, depths[fed], -1)
        bends = [f"{BEND}{feeder}{BEND}{fed}{BEND}{depth}" for depth in crossed]
        for depth, bend in zip(crossed, bends, strict=True):
            self.columns[-1 - depth].append(bend)
            self._feeders[bend], self._fed[bend] = [], []
        self.paths[edge] = (feeder, *bends, fed)
        if depths[feeder] > depths[fed]:
            for left, right in pairwise(self.paths[edge]):
                self._feeders[right].append(left)
                self._fed[left].append(right)

    def _order(self) -> None:
        """Order each layer by the mean position of the neighbours, in sweeps to the left and to the right."""
        for sweep in range(SWEEPS):
            columns = self.columns[::-1] if sweep % 2 == 0 else self.columns
            links = self._fed if sweep % 2 == 0 else self._feeders
            for before, column in pairwise(columns):
                places = {key: place for place, key in enumerate(before)}
                own = {key: place for place, key in enumerate(column)}
                column.sort(key=lambda key: _mean([places[neighbour] for neighbour in links[key]], own[key]))

    def heights(self, sizes: Mapping[str, float], gap: float) -> dict[str, float]:
        """Return the middle of each node and bend, so that boxes do not overlap and edges are as level as possible.

        Args:
            sizes: height of each node; a bend has none.
            gap: distance between two nodes of a layer.
        """
        middle: dict[str, float] = {}
        for column in self.columns:
            at = 0.0
            for key in column:
                middle[key] = at + sizes.get(key, 0.0) / 2
                at += sizes.get(key, 0.0) + gap
        for sweep in range(SWEEPS):
            for column in self.columns[::-1] if sweep % 2 == 0 else self.columns:
                self._level(column, middle, sizes, gap)
        return middle

    def _level(self, column: list[str], middle: dict[str, float], sizes: Mapping[str, float], gap: float) -> None:
        """Move the nodes of a layer towards their neighbours, and keep them apart."""
        links = {key: [middle[end] for end in (*self._feeders[key], *self._fed[key])] for key in column}
        wanted = {key: _mean(links[key], middle[key]) for key in column}
        down, edge = {}, float("-inf")
        for key in column:
            down[key] = max(wanted[key], edge + sizes.get(key, 0.0) / 2)
            edge = down[key] + sizes.get(key, 0.0) / 2 + gap
        up, edge = {}, float("inf")
        for key in reversed(column):
            up[key] = min(wanted[key], edge - sizes.get(key, 0.0) / 2)
            edge = up[key] - sizes.get(key, 0.0) / 2 - gap
        # Both keep the distances within the layer, hence so does their mean.
        middle |= {key: (down[key] + up[key]) / 2 for key in column}


def _mean(numbers: Sequence[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default


def _depths(keys: Sequence[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Return the layer of each node, counted from the right: the length of its longest path, each cycle cut once."""
    fed: dict[str, list[str]] = {key: [] for key in keys}
    for feeder, target in edges:
        fed[feeder].append(target)
    depths: dict[str, int] = {}
    for key in reversed(keys):
        _measure(key, fed, depths)
    return depths


def _measure(start: str, fed: Mapping[str, list[str]], depths: dict[str, int]) -> None:
    """Set the depth of a node and of all that it feeds: a depth-first search that skips edges to a node in progress."""
    stack, open_ = [(start, iter(fed[start]))], {start}
    if start in depths:
        return
    while stack:
        key, rest = stack[-1]
        child = next((target for target in rest if target not in depths and target not in open_), None)
        if child is not None:
            open_.add(child)
            stack.append((child, iter(fed[child])))
            continue
        stack.pop()
        open_.discard(key)
        depths[key] = max((1 + depths[target] for target in fed[key] if target in depths), default=0)
