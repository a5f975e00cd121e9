"""Typed fields of a mapping: each error names file, line, column and key path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from flopsheet.errors import FlopsheetError, RegistryError
from flopsheet.registry.strict_yaml import Reader, parse
from flopsheet.units import unit

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = """\
name: N
empty:
aliases: [a, b]
nested: [[a]]
date: 2022-09-20
memory: 80 GiB
link: {domain: 8, name: NVLink}
on: true
off: false
"""


@pytest.fixture
def reader() -> Reader:
    """A reader of the file above."""
    return Reader(parse(FILE, "f.yaml"))


def test_fields_are_read(reader: Reader) -> None:
    assert (reader.text("name"), reader.text("missing"), reader.text("missing", "other")) == ("N", "", "other")
    assert (reader.texts("aliases"), reader.texts("name"), reader.texts("missing")) == (("a", "b"), ("N",), ())
    assert (reader.date("date"), reader.date("missing")) == ("2022-09-20", "")
    assert (reader.flag("on", default=False), reader.flag("off", default=True)) == (True, False)
    assert reader.flag("missing", default=True)
    assert reader.quantity("memory", unit("GB")).si == 80 * 2**30
    assert reader.inner("link").quantity("domain", unit("")).si == 8
    assert (reader.has("name"), reader.has("missing")) == (True, False)


def test_places(reader: Reader) -> None:
    assert reader.place("memory") == "f.yaml:6:9, key 'memory'"
    assert reader.inner("link").place("name") == "f.yaml:7:25, key 'link.name'"
    assert reader.inner("link").key("name") == "link.name"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda r: r.text("empty"),
            "f.yaml:2:7, key 'empty': Expected a text. Write 'empty: text', or leave it out.",
        ),
        (lambda r: r.text("aliases"), "f.yaml:3:10, key 'aliases': Expected a text."),
        (lambda r: r.texts("nested"), "f.yaml:4:10, key 'nested': Expected a text. Write '- text'."),
        (lambda r: r.texts("link"), "f.yaml:7:7, key 'link': Expected a text."),
        (lambda r: r.inner("name"), "f.yaml:1:7, key 'name': Expected a mapping. Write 'key: value' lines."),
        (lambda r: r.date("name"), "f.yaml:1:7, key 'name': 'N' is not a date. Write it as 2022-09-20."),
        (lambda r: r.flag("name", default=True), "f.yaml:1:7, key 'name': 'N' is neither true nor false."),
        (lambda r: r.quantity("memory", unit("GB/s")), "f.yaml:6:9, key 'memory': '80 GiB' is information, but"),
        (lambda r: r.inner("link").quantity("domain", unit("W")), "key 'link.domain': '8' has no unit, but power"),
        (lambda r: r.quantity("name", unit("GB")), "f.yaml:1:7, key 'name': 'N' does not start with a number."),
        (lambda r: r.check_keys(["nam", "empty"]), "f.yaml:1:1, key 'name': There is no such key. Did you mean 'nam'?"),
        (lambda r: r.inner("link").check_keys(["x"]), "f.yaml:7:8, key 'link.domain': There is no such key. Known"),
        (lambda r: r.inner("link").check_keys(["domain", "name"], ["y"]), "key 'link': The key 'y' is missing."),
    ],
)
def test_mistakes_name_the_place_and_the_fix(ask: Callable[[Reader], object], message: str, reader: Reader) -> None:
    with pytest.raises(FlopsheetError) as caught:
        ask(reader)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["[a]", "text", "- a: 1"])
def test_only_a_mapping_is_read(text: str) -> None:
    with pytest.raises(RegistryError, match=r"^f\.yaml:1:1: Expected a mapping"):
        Reader(parse(text, "f.yaml"))


@pytest.mark.parametrize("text", ["2022-13-01", "2022-9-20", "20220920", "2022-W38-2", "20.9.2022", "yesterday"])
def test_a_date_is_year_month_day(text: str) -> None:
    with pytest.raises(RegistryError, match=f"'{text}' is not a date"):
        Reader(parse(f"read: {text}", "f.yaml")).date("read")


@pytest.mark.parametrize("text", ["80 gb", "80 Gbps", "9**9**9 GiB", "GiB", "16,38 GiB", "1e999 GiB"])
def test_a_malformed_figure_is_a_mistake_of_the_file(text: str) -> None:
    with pytest.raises(RegistryError, match=r"^f\.yaml:1:9, key 'memory': "):
        Reader(parse(f"memory: {text}", "f.yaml")).quantity("memory", unit("GiB"))
