"""Strict YAML: what is refused, at which line and column, and that any file gives a node or an error of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.pace import at_most

from flopsheet.errors import Place, RegistryError
from flopsheet.registry.packs import LARGEST_FILE
from flopsheet.registry.strict_yaml import DEEPEST, Items, Mapping, Node, Text, parse, read

if TYPE_CHECKING:
    from pathlib import Path

REFUSED = [
    ("a: 1\na: 2\n", "f.yaml:2:1: The key 'a' is also in line 1. Remove one of the two."),
    ("{a: 1, b: 2, a: 3}", "f.yaml:1:14: The key 'a' is also in line 1."),
    ("x:\n  a: 1\n  b: 2\n  a: 3\n", "f.yaml:4:3: The key 'a' is also in line 2."),
    ("a: 1\n'a': 2\n", "f.yaml:2:1: The key 'a'"),
    ("a: !!python/object/apply:os.system [ls]", "f.yaml:1:4: The tag tag:yaml.org,2002:python/object/apply:os.system"),
    ("a: !x y", "f.yaml:1:4: The tag !x is not supported. Remove it"),
    ("!!map {a: 1}", "f.yaml:1:1: The tag"),
    ("a:\n  - !!int 3", "f.yaml:2:5: The tag"),
    ("a: &x 1\nb: *x", "f.yaml:1:4: Anchors and aliases (&x, *x) are not supported. Write the value out."),
    ("b: *x", "f.yaml:1:4: Anchors and aliases"),
    ("a: &x [*x]", "f.yaml:1:4: Anchors and aliases"),
    ("&x a: 1", "f.yaml:1:1: Anchors and aliases"),
    ("---\na: 1\n---\nb: 2\n", "f.yaml:3:1: The file has several documents. Keep one"),
    ("", "f.yaml:1:1: The file is empty."),
    ("# a comment only\n", "f.yaml:1:1: The file is empty."),
    ("[a, b]: 1", "f.yaml:1:1: A key is not a text. Write 'key: value'."),
    ("? {a: 1}\n: 1", "f.yaml:1:3: A key is not a text."),
    ("a: [1, 2\nb: 3", "f.yaml:2:2: This is not YAML: did not find expected ',' or ']'."),
    ("a: b: c", "f.yaml:1:5: This is not YAML: mapping values are not allowed"),
    ("a:\n\t- 1", "f.yaml:2:1: This is not YAML: found character that cannot start any token."),
    ("a: 'x", "This is not YAML: found unexpected end of stream. Check quotes, colons and indentation."),
    ("a: @x", "f.yaml:1:4: This is not YAML"),
    ("a: 1\x07", "f.yaml:1:5: U+0007 is not text. Remove this character, and save the file as UTF-8."),
    ("a\0", "f.yaml:1:2: U+0000 is not text."),
    ("a: 1\nb: \x1b[31m2", "f.yaml:2:4: U+001B is not text."),
    ("a: \ud800", "f.yaml:1:4: U+D800 is not text."),
    ("[" * 30 + "]" * 30, "f.yaml:1:22: The content is nested more than 20 levels deep. Flatten it."),
    ("{a: " * 30 + "}" * 30, "The content is nested more than 20 levels deep."),
    ("[" * 400_000, "f.yaml:1:22: The content is nested"),
    ("- " * 400_000, "f.yaml:1:43: The content is nested"),
]


def plain(node: Node) -> object:
    """Return a node without its places."""
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Items):
        return [plain(item) for item in node.items]
    return {key: plain(item) for key, item in node.items.items()}


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=lambda text: ascii(text[:30]))
def test_what_is_refused_and_where(text: str, message: str) -> None:
    with at_most(1):
        with pytest.raises(RegistryError) as caught:
            parse(text, "f.yaml")
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("a: 1e9", {"a": "1e9"}),
        ("a: yes\nb: null\nc: 2024-01-01\nd: 0x10", {"a": "yes", "b": "null", "c": "2024-01-01", "d": "0x10"}),
        ("1: one", {"1": "one"}),
        ("a:", {"a": ""}),
        ("<<: {a: b}", {"<<": {"a": "b"}}),
        ("a: [1, {b: c}]", {"a": ["1", {"b": "c"}]}),
        ("- a\n- b\n", ["a", "b"]),
        ("---\na: 1\n...\n", {"a": "1"}),
        ("a: |\n  x\n  y", {"a": "x\ny"}),
        ("a: 95 GiB # note", {"a": "95 GiB"}),
        ("text", "text"),
        ("{}", {}),
        ("A: 1\na: 2", {"A": "1", "a": "2"}),
        ("[" * DEEPEST + "]" * DEEPEST, eval("[" * DEEPEST + "]" * DEEPEST)),  # noqa: S307  # our own text
    ],
)
def test_values_are_texts_as_written(text: str, content: object) -> None:
    assert plain(parse(text, "f.yaml")) == content


def test_places_count_from_one() -> None:
    node = parse("# first\na:\n  b: [x, y]\n", "f.yaml")
    assert isinstance(node, Mapping)
    assert node.keys["a"] == Place("f.yaml", 2, 1)
    inner = node.items["a"]
    assert isinstance(inner, Mapping)
    assert inner.keys["b"] == Place("f.yaml", 3, 3)
    items = inner.items["b"]
    assert isinstance(items, Items)
    assert [str(item.spot) for item in items.items] == ["f.yaml:3:7", "f.yaml:3:10"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: \xff", ".yaml:1:4: Byte 3 is not UTF-8 text. Save the file as UTF-8."),
        (b"a: \xc3\xa9\nb: \xc3\xa9\xe9", ".yaml:2:5: Byte 11 is not UTF-8 text."),
        (b"\xef\xbb\xbfa: \xff", ".yaml:1:4: Byte 3 is not UTF-8 text."),
        (b"\xff\xfea\0:\0", ".yaml:1:1: Byte 0 is not UTF-8 text"),
        (b"x" * (LARGEST_FILE + 1), "The file is larger than 500,000 bytes. Split it."),
        (b"\0" * 100, ".yaml:1:1: U+0000"),
        (b"", "The file is empty."),
    ],
    ids=lambda data: ascii(data[:12]),
)
def test_files_that_cannot_be_read(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_bytes(data)
    with pytest.raises(RegistryError) as caught:
        read(file, "shown.yaml")
    assert str(caught.value).startswith("shown.yaml")
    assert message in str(caught.value)


@pytest.mark.parametrize("name", ["", "missing.yaml"])
def test_a_path_that_is_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="The file cannot be read"):
        read(tmp_path / name)


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa: 1", b"a: 1\r\n", b"a: 1"])
def test_byte_order_marks_and_line_ends_do_not_matter(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_bytes(data)
    assert plain(read(file)) == {"a": "1"}


ANY_FILE = st.one_of(
    st.binary(max_size=60),
    st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    st.text("ab:-?[]{}&*!|>'\"%@#, \n\t", max_size=40).map(str.encode),
)


@given(ANY_FILE)
@example(b"? a")
@example(b"a: \xed\xa0\x80")
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_file_gives_a_node_or_an_error_of_ours(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "f.yaml"
    file.write_bytes(data)
    try:
        node = read(file)
    except RegistryError:
        return
    assert isinstance(node, Text | Items | Mapping)


CONTENT = st.recursive(
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.from_regex("[a-z]{1,4}", fullmatch=True), inner),
    max_leaves=8,
)


def written(content: object) -> str:
    """Return content as flow YAML."""
    if isinstance(content, dict):
        return "{" + ", ".join(f"{key}: {written(item)}" for key, item in content.items()) + "}"
    if isinstance(content, list):
        return "[" + ", ".join(map(written, content)) + "]"
    return f'"{content}"'


@given(CONTENT)
@settings(max_examples=60, deadline=None)
def test_what_is_written_is_read(content: object) -> None:
    assert plain(parse(written(content), "f.yaml")) == content
