"""Reads one figure: a quantity, and beside it the vendor's words, what software gets, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError
from flopsheet.registry.records import Value
from flopsheet.registry.strict_yaml import Mapping
from flopsheet.units import Quantity

if TYPE_CHECKING:
    from flopsheet.registry.records import Field
    from flopsheet.registry.strict_yaml import Reader

ABOUT = ("source", "note", "verified", "read")  # keys beside `value` that say where a quantity comes from


def read_figure(holder: Reader, key: str, expected: Field, sources: tuple[str, ...], *, verified: bool = True) -> Value:
    """Return the figure under a key: a quantity, or a mapping with the quantity and what is known about it.

    Args:
        holder: the mapping that has the key.
        key: the key.
        expected: the field of the figure.
        sources: keys of its sources where it names none.
        verified: whether somebody has read it there, where it does not say.

    Raises:
        RegistryError: it breaks a rule; the message names file, line, column and key path.
    """
    value = Value("", Quantity(0, expected.unit), sources, "", verified, holder.node.spot)
    if not isinstance(holder.node.items[key], Mapping):
        return _written(holder, key, expected, value)
    value = _described(holder, key, expected, value, ("label", *expected.bases))
    inner = holder.inner(key)
    other = {basis: _other(inner, basis, expected, value) for basis in expected.bases if inner.has(basis)}
    usable, measured, sparse = map(other.get, ("usable", "measured", "sparse"))
    return value._replace(label=inner.text("label"), usable=usable, measured=measured, sparse=sparse)


def _other(holder: Reader, basis: str, expected: Field, figure: Value) -> Value:
    """Return what a figure is on another basis; where it names no source, that of the figure holds."""
    value = figure._replace(basis=basis, note="")
    described = isinstance(holder.node.items[basis], Mapping)
    if basis == "measured" and not (described and holder.inner(basis).has("condition")):
        fix = "Write {value: ..., condition: ...}, with a condition such as 'PyTorch 2.4, best of many shapes'."
        raise RegistryError(holder.place(basis), "A measured value needs its condition.", fix)
    if not described:
        return _written(holder, basis, expected, value)
    if holder.inner(basis).has("source"):
        value = value._replace(verified=True, read="")
    return _described(holder, basis, expected, value, ("condition",))


def _described(holder: Reader, key: str, expected: Field, value: Value, more: tuple[str, ...]) -> Value:
    """Return the quantity in the mapping under a key, with what the mapping says about it."""
    inner = holder.inner(key)
    inner.check_keys(("value", *ABOUT, *more), ("value",))
    if not inner.has("value"):
        raise RegistryError(inner.place_here(), "It has no 'value'.", "Add 'value: ...'.")
    return _written(inner, "value", expected, value, holder.place(key))._replace(
        sources=inner.texts("source") or value.sources,
        note=inner.text("note"),
        verified=inner.flag("verified", default=value.verified),
        read=inner.date("read") or value.read,
        condition=inner.text("condition"),
        spot=inner.node.spot,
    )


def _written(holder: Reader, key: str, expected: Field, value: Value, place: str = "") -> Value:
    """Return the quantity under a key; `place` is the one that errors name."""
    quantity = holder.quantity(key, expected.unit)
    if not _makes_sense(quantity, expected):
        what = "a positive whole number" if expected.integer else "positive"
        what = f"between {expected.between[0]} and {expected.between[1]}" if expected.between else what
        raise RegistryError(place or holder.place(key), f"'{quantity}' is not {what}.", f"It means: {expected.doc}.")
    return value._replace(text=holder.text(key), quantity=quantity, spot=holder.node.items[key].spot)


def _makes_sense(quantity: Quantity, expected: Field) -> bool:
    value = quantity.si
    whole = not expected.integer or value == int(value)
    if expected.between is not None:
        return expected.between[0] <= value <= expected.between[1] and whole
    return value > 0 and whole
