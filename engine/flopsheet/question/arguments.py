"""What callers hand to a question: names, relations and values of several types, as texts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import islice
from typing import Any

from flopsheet.errors import QuestionError, expect_text, shortened, wrong_argument
from flopsheet.registry.records import Record
from flopsheet.units import as_quantity

MOST_RELATIONS = 1000


def as_names(names: Any, where: str) -> tuple[str, ...]:
    """Return names: one text, several, or none.

    Raises:
        ArgumentError: it is something else, a mapping for example.
    """
    if isinstance(names, str):
        return (names,)
    listed = () if names is None else _first(names)
    if listed is None or isinstance(names, Mapping):
        raise wrong_argument(where, names, "a name, or several", 'Write ["d_model", "n_fsdp"].')
    if len(listed) > MOST_RELATIONS:
        raise QuestionError(where, f"There are more than {MOST_RELATIONS:,} names.", "Name fewer.")
    return tuple(expect_text(name, where, 'Write names as texts: "d_model".') for name in listed)


def as_texts(where: Any) -> list[str]:
    """Return relations as texts: one text, several, or a mapping of cell to value.

    Raises:
        ArgumentError: it is something else, or a value is neither a number, a quantity nor a text.
    """
    if where is None or isinstance(where, str):
        return [] if where is None else [where]
    if isinstance(where, Mapping):
        return [as_text(name, value) for name, value in islice(where.items(), MOST_RELATIONS + 1)]
    fix = 'Write ["d_model = 16384"] or {"d_model": 16384}.'
    texts = _first(where)
    if texts is None:
        raise wrong_argument("where", where, "relations as texts, or a mapping of cell to value", fix)
    return [expect_text(text, "where", fix) for text in texts]


def _first(items: Any) -> tuple[Any, ...] | None:
    """Return the first of several items, one more than there may be; None for what is no such thing."""
    try:
        return None if isinstance(items, bytes) else tuple(islice(items, MOST_RELATIONS + 1))
    except TypeError:
        return None


def as_text(name: object, value: object, where: str = "") -> str:
    """Return the relation that gives a cell a value, both as a caller hands them over.

    Raises:
        ArgumentError: the name is no text, or the value neither a number, a quantity, a record nor a text.
    """
    cell = expect_text(name, "where", "Write the name of a cell as a text.")
    if isinstance(value, str | Record):
        return f"{cell} = {value.key if isinstance(value, Record) else value}"
    where = where or f"value of '{shortened(cell)}'"
    given = as_quantity(value, where)
    if given is None:
        raise wrong_argument(where, value, "a finite number, a quantity or a text", 'Write 4096 or "95 GiB".')
    if isinstance(given.exact, float):
        return f"{cell} = {given.exact!r} {given.unit}".rstrip()
    ratio = Fraction(given.exact)
    if not given.unit.text or ratio.denominator == 1:
        return f"{cell} = {ratio} {given.unit}".rstrip()
    return f"{cell} = {ratio.numerator} {given.unit} / {ratio.denominator}"
