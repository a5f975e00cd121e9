"""Sides of a torus as its record has them."""

from __future__ import annotations

from flopsheet import record


def sides_of(kind: str, name: str) -> list[int]:
    """Return how many chips are along each axis, the longest first; none where the record has no sides."""
    values = record(kind, name, "test").values
    sides = (f"link.{place}_side" for place in ("longest", "second", "third"))
    return [int(values[side].quantity.si) for side in sides if side in values]
