"""A new kind of records is one entry in `registry/kinds.py`, and its generated schema; the rest follows from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.conftest import run

from flopsheet import Sheet, formula, given, part, record, records, solve
from flopsheet.errors import UnknownNameError
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.records import RecordType, fields
from flopsheet.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]

__all__ = ["run"]  # the fixture

# The entry in `registry/kinds.py`.
Tariff = RecordType(
    kind="tariff",
    folder="hardware/tariffs",
    fields=fields(
        ("carbon", "gram/kWh", r"\gamma", "CO2 of a unit of energy, mean of a year"),
        ("price", "USD/kWh", "p", "Price of a unit of energy"),
        ("lines", "count", "n", "Lines to neighbours"),
    ),
    labels=("region",),
    required=("name", "source", "carbon"),
    columns=("carbon", "price"),
    maker="operator",
)
FRANCE = "france: {name: France, operator: RTE, source: a page, carbon: 56 gram/kWh, price: 0.1 USD/kWh, lines: 50}\n"
SHEET = """\
sheet: energy
title: Emission of a run
parts: {tariff: {kind: tariff, example: france}}
cells:
  energy: {doc: Energy, unit: MWh, example: 3 MWh}
  carbon: {doc: CO2, unit: kg, formula: energy * tariff.carbon}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Add the kind, and stand in a project with one record of it."""
    monkeypatch.setitem(KINDS, "tariff", Tariff)
    monkeypatch.chdir(tmp_path)
    for inside, text in (("hardware/tariffs/europe.yaml", FRANCE), ("models/energy.yaml", SHEET)):
        file = tmp_path / inside
        file.parent.mkdir(parents=True)
        file.write_text(text)
    SESSION.drop_files()
    yield tmp_path
    SESSION.drop_files()


@pytest.mark.usefixtures("project")
def test_it_is_read_and_checked(run: Run) -> None:
    assert list(records("tariff")) == ["france"]
    assert str(record("tariff", "france").values["carbon"].quantity) == "56 gram/kWh"
    assert run("hardware", "check", "hardware/tariffs/europe.yaml")[1].endswith(
        "europe.yaml: france: 3 figures. No mistakes.\n"
    )
    assert ", 1 tariffs in" in run("hardware", "check")[1]


def test_its_mistakes_are_named(run: Run, project: Path) -> None:
    (project / "hardware" / "tariffs" / "europe.yaml").write_text(FRANCE.replace("56 gram/kWh", "56 gram"))
    code, _, err = run("hardware", "check", "hardware/tariffs/europe.yaml")
    assert code == 2
    assert "key 'france.carbon': '56 gram' is mass, but mass / power / time is needed." in " ".join(err.split())


@pytest.mark.usefixtures("project")
def test_it_is_listed_and_shown(run: Run) -> None:
    rows = [line.split() for line in run("hardware", "list", "--kind", "tariff")[1].splitlines()]
    assert ["france", "France", "56", "gram/kWh", "0.1", "USD/kWh"] in rows
    assert "1 of 1 tariffs" in run("hardware", "list", "--kind", "all")[1]
    assert "56 gram/kWh" in run("hardware", "show", "france")[1]
    assert "hardware/tariffs/europe.yaml" in run("hardware", "where", "france")[1]


@pytest.mark.usefixtures("project")
def test_it_has_a_schema_and_a_template(run: Run) -> None:
    schema = json.loads(run("hardware", "schema", "--kind", "tariff")[1])
    assert "carbon" in schema["additionalProperties"]["properties"]
    assert run("hardware", "new", "tariff", "spain")[0] == 0
    assert "still to be filled in" in run("hardware", "check", "hardware/tariffs/spain.yaml")[2]


@pytest.mark.usefixtures("project")
def test_a_sheet_takes_it_as_a_part() -> None:
    assert solve("energy", "carbon", {"tariff": "france", "energy": "3 MWh"}).cells["carbon"].si == 168_000


@pytest.mark.usefixtures("project")
def test_a_class_body_takes_it_by_name() -> None:
    class Emission(Sheet):
        """Emission of a run."""

        tariff = part("tariff", "Tariff of the site", example="france")
        energy = given("Energy", "MWh", example=3)
        carbon = formula(energy * tariff.carbon, "kg", "CO2")

    assert solve(Emission(), "carbon", {"tariff": "france", "energy": "3 MWh"}).cells["carbon"].si == 168_000
    with pytest.raises(UnknownNameError, match="There is no kind of records 'tarif'"):
        part("tarif")
