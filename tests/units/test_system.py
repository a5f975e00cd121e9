"""The unit file is the whole unit system: a new unit is one line in it, and nothing else."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

import flopsheet
from flopsheet.errors import UnknownUnitError
from flopsheet.units import base_unit, format_quantity, quantity, system, unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def _with_light(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add two lines to the unit file: a base unit, and one that is made of others."""
    text = system.UNIT_FILE.read_text(encoding="utf-8") + "\nlumen = [light] = lm\nlux = lumen / metre / metre\n"
    file = tmp_path / "units.txt"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(system, "UNIT_FILE", file)
    flopsheet.reload()
    yield
    monkeypatch.undo()
    flopsheet.reload()


@pytest.mark.usefixtures("_with_light")
def test_a_new_unit_costs_one_line() -> None:
    assert quantity("2.5 klm/W").si == 2500
    assert unit("lumens").factor == 1
    assert str(unit("lumens").dimension) == "light"
    assert unit("lux").dimension == unit("lm/m^2").dimension
    assert base_unit(unit("lm/s").dimension).text == "lumen/second"
    assert format_quantity(1500, unit("lm/m^2")) == "1500 lm/m^2"
    assert quantity("3 lux").pint().to("lm/km^2").magnitude == Fraction(3_000_000)
    for text, meant in (("lumn", "lumen"), ("LM", "lm")):
        with pytest.raises(UnknownUnitError, match=f"Did you mean .*'{meant}'"):
            unit(text)


def test_without_its_line_it_is_unknown() -> None:
    with pytest.raises(UnknownUnitError):
        unit("klm")
