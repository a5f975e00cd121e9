"""Structure: which equation gives which cell, which are too many, and what stays free; against brute force."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flopsheet.formulas.relation import Relation
from flopsheet.functions.symbols import symbol
from flopsheet.graph.structure import Equation, Structure

System = dict[str, str]  # key of each equation: its cells, one letter each, the target first


def structure_of(system: System) -> Structure:
    equations = [
        Equation(key, "formula", tuple(cells), cells[0], Relation(symbol(cells[0]), "=", 0, ""))
        for key, cells in system.items()
    ]
    return Structure(equations)


def neighbours(keys: tuple[str, ...], system: System) -> set[str]:
    return {cell for key in keys for cell in system[key]}


def largest_matching(system: System) -> int:
    """Return the size of a maximum matching by the theorem of Hall and Ore: all minus the largest deficiency."""
    subsets = (keys for size in range(len(system) + 1) for keys in combinations(system, size))
    return len(system) - max(len(keys) - len(neighbours(keys, system)) for keys in subsets)


def determined_by_force(system: System) -> set[str]:
    """Return the cells that every maximum matching covers: without one of them it is smaller."""
    cells = neighbours(tuple(system), system)
    best = largest_matching(system)
    return {cell for cell in cells if largest_matching(_without(system, cell)) < best}


def _without(system: System, cell: str) -> System:
    return {key: cells.replace(cell, "") for key, cells in system.items()}


CHAIN = {"a": "a", "b": "ba", "c": "cb"}


@pytest.mark.parametrize(
    ("system", "matching", "unmatched"),
    [
        (CHAIN, {"a": "a", "b": "b", "c": "c"}, []),
        ({"a": "a", "c": "c", "b": "cab"}, {"a": "a", "c": "c", "b": "b"}, []),
        ({"f": "ya", "y": "y"}, {"y": "y", "a": "f"}, []),
        ({"f": "zxy", "g": "yx", "z": "z"}, {"z": "z", "x": "f", "y": "g"}, []),
        ({"x": "x", "y": "y", "both": "xy"}, {"x": "x", "y": "y"}, ["both"]),
        ({"one": "x", "two": "x"}, {"x": "one"}, ["two"]),
    ],
)
def test_matching(system: System, matching: dict[str, str], unmatched: list[str]) -> None:
    structure = structure_of(system)
    assert structure.of_cell == matching
    assert structure.cell_of == {key: cell for cell, key in matching.items()}
    assert structure.unmatched == unmatched


def test_what_comes_first_claims_first() -> None:
    assert structure_of({"given": "x", "default": "x"}).unmatched == ["default"]
    assert structure_of({"default": "x", "given": "x"}).unmatched == ["given"]


@pytest.mark.parametrize(
    ("system", "key", "conflict"),
    [
        ({"a": "a", "b": "b", "y": "yab", "pin": "y"}, "pin", ["a", "b", "y", "pin"]),
        ({"a": "a", "b": "b", "y": "ya", "z": "zb", "pin": "y"}, "pin", ["a", "y", "pin"]),
        ({"x": "x", "again": "x"}, "again", ["x", "again"]),
    ],
)
def test_the_conflict_is_the_smallest_contradicting_set(system: System, key: str, conflict: list[str]) -> None:
    structure = structure_of(system)
    assert structure.unmatched == [key]
    assert [equation.key for equation in structure.conflict(key)] == conflict


@pytest.mark.parametrize(
    ("system", "determined"),
    [
        (CHAIN, "abc"),
        ({"y": "yab", "a": "a"}, "a"),
        ({"y": "yab", "a": "a", "pin": "y"}, "yab"),
        ({"s": "xy", "d": "yx"}, "xy"),
        ({"s": "xyz", "d": "yxz"}, ""),
        ({"s": "xy", "d": "yx", "f": "zxw"}, "xy"),
    ],
)
def test_determined(system: System, determined: str) -> None:
    assert structure_of(system).determined == frozenset(determined)


def test_needed_and_inputs_follow_the_matching() -> None:
    structure = structure_of({**CHAIN, "z": "z"})
    assert structure.inputs("c") == ("b",)
    assert structure.needed("c") == frozenset("abc")
    assert structure.needed("z") == frozenset("z")
    assert structure.needed("q") == frozenset()


@pytest.mark.parametrize(
    ("system", "cells", "missing"),
    [
        (CHAIN, "c", ""),
        ({"y": "yab", "a": "a"}, "y", "b"),
        ({"z": "zy", "y": "yab"}, "z", "ab"),
        ({"x": "xy", "y": "yx"}, "x", ""),
        ({"a": "a"}, "aq", "q"),
    ],
)
def test_cells_without_an_equation_are_missing(system: System, cells: str, missing: str) -> None:
    assert structure_of(system).missing(cells) == {*missing}


def test_a_choice_is_no_unknown_of_the_system() -> None:
    equation = Equation("y", "formula", ("y", "kind"), "y", Relation(symbol("y"), "=", symbol("kind"), ""))
    assert Structure([equation], ["kind"]).determined == frozenset("y")


systems = st.lists(
    st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=4, unique=True).map("".join), min_size=1, max_size=6
).map(lambda rows: {f"e{place}": cells for place, cells in enumerate(rows)})


@given(systems)
@settings(deadline=None, max_examples=150)
def test_the_matching_is_proper_and_as_large_as_can_be(system: System) -> None:
    structure = structure_of(system)
    assert all(cell in system[key] for cell, key in structure.of_cell.items())
    assert len({*structure.of_cell.values()}) == len(structure.of_cell) == largest_matching(system)
    assert {*structure.unmatched} == {*system} - {*structure.of_cell.values()}


@given(systems)
@settings(deadline=None, max_examples=100)
def test_determined_and_conflict_are_those_of_brute_force(system: System) -> None:
    structure = structure_of(system)
    assert structure.determined == determined_by_force(system)
    for key in structure.unmatched:
        keys = tuple(equation.key for equation in structure.conflict(key))
        assert key in keys
        assert len(keys) == len(neighbours(keys, system)) + sum(key in keys for key in structure.unmatched)


@given(systems, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_determined_does_not_depend_on_the_order(system: System, random: object) -> None:
    keys = sorted(system, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert structure_of({key: system[key] for key in keys}).determined == structure_of(system).determined
