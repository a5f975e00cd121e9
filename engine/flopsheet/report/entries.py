"""The entries of a write-up, one kind for each list that templates go through."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, unsafe_hash=True)
class Input:
    """A value that the answer rests on.

    Args:
        name: the cell.
        symbol: its LaTeX symbol.
        value: number and unit.
        doc: what it means.
        kind: `given`, `default`, `record`, or of a further cell `computed` or `solved`.
        origin: who said so: `given`, `default`, or the record with file and line.
        source: numbers of its sources in the list of sources, as text; empty for none.
    """

    name: str
    symbol: str
    value: str
    doc: str
    kind: str
    origin: str
    source: str


@dataclass(slots=True, unsafe_hash=True)
class Line:
    """One step of the derivation.

    Args:
        number: its number.
        name: the cell that it gives.
        doc: what the cell means.
        how: how it was solved, empty for a plain formula.
        condition: the relation that was turned round, as lines in LaTeX; none for a plain formula.
        lines: the lines in LaTeX, `&` before each relation sign: symbols, numbers, result.
        value: the result with its unit.
    """

    number: int
    name: str
    doc: str
    how: str
    condition: tuple[str, ...]
    lines: tuple[str, ...]
    value: str


@dataclass(slots=True, unsafe_hash=True)
class Result:
    """What is known of one unknown.

    Args:
        name: the unknown.
        text: the answer in plain words: `n_fsdp >= 45.76, so 46`.
        why: the reason.
        which: which value or end the closed form gives, where it is one of several; else empty.
        closed_form: the closed form as lines in LaTeX, with `&` where there are several; none where there is no such.
    """

    name: str
    text: str
    why: str
    which: str
    closed_form: tuple[str, ...]


@dataclass(slots=True, unsafe_hash=True)
class Verdict:
    """A relation with the answer put in.

    Args:
        name: the limit's name, empty for a relation of the question.
        relation: the relation in words.
        left: value of its left side.
        sign: its operator.
        right: value of its right side.
        holds: whether it holds.
        slack: room it leaves, in percent of the bound.
    """

    name: str
    relation: str
    left: str
    sign: str
    right: str
    holds: bool
    slack: str


@dataclass(slots=True, unsafe_hash=True)
class Reference:
    """An entry of the list of sources.

    Args:
        number: its number.
        title: what it is.
        url: where it is found, empty for none.
        read: when it was read, empty for unknown.
    """

    number: int
    title: str
    url: str
    read: str


@dataclass(slots=True, unsafe_hash=True)
class Move:
    """How strongly an input moves the answer.

    Args:
        name: the unknown.
        by: the input.
        grown: `1 % more`, or of a value that the question writes, `1 % more than`.
        elasticity: percent by which the unknown moves when the input grows by one percent, with sign.
        text: the same in words: `0.6 % less`.
    """

    name: str
    by: str
    grown: str
    elasticity: str
    text: str
