"""The JSON Schemas: they are those that are checked in, and an independent validator reads our records with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cases import sampled

from flopsheet.authoring.schemas import schemas
from flopsheet.registry.authoring import schema, template
from flopsheet.registry.kinds import KINDS
from flopsheet.registry.packs import packs
from flopsheet.sheets.catalogue import sheet, sheet_files
from flopsheet.sheets.yaml_export import as_yaml

jsonschema = pytest.importorskip("jsonschema", reason="the independent validator is not installed")

ROOT = packs()[0].folder
FILES = [(kind, file) for kind, record_type in KINDS.items() for file in packs()[0].files(record_type.folder, "*.yaml")]


class _Loader(yaml.SafeLoader):
    """Reads numbers and truth values as editors do, and dates as texts."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if not tag.endswith(":timestamp")]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def content(text: str) -> Any:
    """Return YAML as an editor sees it."""
    return yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe loader with fewer types


def validator(kind: str) -> Any:
    """Return the independent validator of a kind."""
    return jsonschema.Draft202012Validator(schema(KINDS[kind]))


@pytest.mark.parametrize("kind", schemas())
def test_the_schema_is_the_one_that_is_checked_in(kind: str, request: pytest.FixtureRequest) -> None:
    text = json.dumps(schemas()[kind](), indent=2) + "\n"
    stored = ROOT / "hardware" / "schemas" / f"{kind}.schema.json"
    if request.config.getoption("--update"):
        stored.write_text(text)
    assert stored.read_text() == text
    jsonschema.Draft202012Validator.check_schema(json.loads(text))


@pytest.mark.parametrize(("kind", "file"), FILES, ids=[f"{kind}-{file.stem}" for kind, file in FILES])
def test_built_in_records_are_valid(kind: str, file: Path) -> None:
    assert [error.message for error in validator(kind).iter_errors(content(file.read_text()))] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_record_is_valid_once_it_is_filled_in(kind: str) -> None:
    text = template(KINDS[kind], "x", Path("x.yaml"))
    numbers = text.replace("name: FILL-IN", "name: X").replace(
        f"{KINDS[kind].maker}: FILL-IN", f"{KINDS[kind].maker}: V"
    )
    numbers = numbers.replace("terms: FILL-IN", "terms: spot").replace("date: FILL-IN", "date: 2026-09")
    filled = numbers.replace("source: FILL-IN", "source: s").replace("chip: FILL-IN", "chip: y").replace("FILL-IN", "8")
    assert [error.message for error in validator(kind).iter_errors(content(filled))] == []


GOOD = "name: V X, vendor: V, source: s, memory: 1 GiB, memory_bandwidth: 1 TB/s, flops: {bf16: 1 TFLOP/s}"


@pytest.mark.parametrize(
    "text",
    [
        "x: {name: X}",
        f"x: {{{GOOD}, powr: 5 W}}",
        f"x: {{{GOOD}, power: 5}}",
        f"x: {{{GOOD}, power: much}}",
        f"x: {{{GOOD}, power: -5 W}}",
        f"x: {{{GOOD}, power: 010 W}}",
        f"x: {{{GOOD}, power: 700 Wh}}",
        f"x: {{{GOOD}, power: 700 watz}}",
        f"x: {{{GOOD}, power: 700}}",
        f"x: {{{GOOD}, memory_bandwidth: 3.35 TB}}",
        f"x: {{{GOOD}, memory_bandwidth: 3.35 Tbps}}",
        f"x: {{{GOOD}, hourly_price: 2 USD}}",
        f"x: {{{GOOD}, cores: 132 W}}",
        f"x: {{{GOOD}, cores: 0}}",
        f"x: {{{GOOD}, cores: -4}}",
        f"x: {{{GOOD}, link: {{}}}}",
        f"x: {{{GOOD}, link: {{links: 1.5}}}}",
        f"x: {{{GOOD}, power: {{note: much}}}}",
        f"x: {{{GOOD}, released: today}}",
        f"x: {{{GOOD}, power: {{value: 5 W, measured: 4 W}}}}",
        f"x: {{{GOOD}, power: {{value: 5 W, measured: {{value: 4 W}}}}}}",
        f"x: {{{GOOD}, power: {{value: 5 W, sparse: 10 W}}}}",
        f"x: {{{GOOD}, power: {{value: 5 W, condition: cold}}}}",
        f"x: {{{GOOD}, cores: {{value: 5, usable: 4}}}}",
        f"X Y: {{{GOOD}}}",
        "[1]",
    ],
)
def test_what_the_loader_refuses_the_schema_marks(text: str) -> None:
    assert not validator("chip").is_valid(content(text))


@pytest.mark.parametrize(
    "text",
    [
        f"x: {{{GOOD}}}",
        f"x: {{{GOOD}, link: {{links: 6}}}}",
        "x: {extends: y, power: 5 W}",
        "x: {extends: y, power: 0.7kW, memory: 80 gigabytes, clock: 1830 MHz, price: 30000 USD}",
        "x: {extends: y, memory_bandwidth: 26.8 Tbit / s, hourly_price: 2 USD/hour/chip, link: {domain: 8 chips}}",
        "x: {extends: y, flops: {bf16: 2/3 PFLOP/s}, sram: {l2: 50 MiB}}",
        f"x: {{{GOOD}, power: {{value: 5 W, label: 5 watts, read: 2026-01-31, usable: 4 W}}}}",
        f"x: {{{GOOD}, power: {{value: 5 W, usable: {{value: 4 W, condition: by day}}}}}}",
        f"x: {{{GOOD}, power: {{value: 5 W, measured: {{value: 4 W, condition: by day, source: [a, b]}}}}}}",
        "x: {extends: y, flops_acc16: {fp16: {value: 5 TFLOP/s, sparse: 10 TFLOP/s}}}",
    ],
)
def test_what_the_loader_takes_the_schema_takes(text: str) -> None:
    assert validator("chip").is_valid(content(text))


@pytest.mark.parametrize("name", sampled(sheet_files()))
def test_sheets_are_valid(name: str) -> None:
    errors = jsonschema.Draft202012Validator(schemas()["sheet"]()).iter_errors(content(as_yaml(sheet(name))))
    assert [error.message for error in errors] == []


@pytest.mark.parametrize("file", sorted((ROOT / "models" / "questions").glob("*.yaml")), ids=lambda file: file.stem)
def test_questions_are_valid(file: Path) -> None:
    errors = jsonschema.Draft202012Validator(schemas()["question"]()).iter_errors(content(file.read_text()))
    assert [error.message for error in errors] == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("sheet", "{sheet: x, title: X, cells: {a: {unit: GiB, formla: 2 * b}}}"),
        ("sheet", "{sheet: x, cells: {a: {}}}"),
        ("sheet", "{sheet: x, title: X, cells: {a: {}}, limits: {fits: {doc: It fits}}}"),
        ("question", "{sheet: ffn_memory, where: [d_model = 4], figures: best}"),
        ("question", "{sheet: ffn_memory, unknwon: d_model, where: [d_ff = 4]}"),
        ("question", "{sheet: ffn_memory}"),
    ],
)
def test_mistakes_in_sheets_and_questions_are_marked(kind: str, text: str) -> None:
    assert not jsonschema.Draft202012Validator(schemas()[kind]()).is_valid(content(text))
