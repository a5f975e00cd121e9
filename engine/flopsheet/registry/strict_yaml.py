"""Strict YAML: mappings, sequences and texts with their places. No types are inferred, no tags or aliases followed."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

import yaml

from flopsheet.errors import FormulaError, Place, RegistryError, UnitsError, joined, refuse_all, some_of, suggest
from flopsheet.registry.packs import LARGEST_FILE, content
from flopsheet.registry.reading_time import add_size, check_time
from flopsheet.units import Quantity, Unit, quantity_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

DEEPEST = 20
MOST_NODES = 30_000
FILL_IN = "FILL-IN"
NOTHING = ("", "~", "null", "Null", "NULL")  # what YAML reads as no value
P = ParamSpec("P")
T = TypeVar("T")

# libyaml rejects these without naming the place.
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as written: `yes`, `1e9` and `2024-01-01` remain texts."""

    text: str
    spot: Place


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence."""

    items: tuple[Node, ...]
    spot: Place


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping with the place of each key."""

    items: dict[str, Node]
    spot: Place
    keys: dict[str, Place] = field(default_factory=dict)


Node: TypeAlias = Text | Items | Mapping


def read(path: Path, shown: str = "", problems: list[RegistryError] | None = None) -> Node:
    """Return the content of a YAML file.

    Args:
        path: the file.
        shown: its name in messages; its path if empty.
        problems: collects the mistakes after which parsing can continue; without it, they are raised.

    Raises:
        RegistryError: it cannot be read, is not YAML, or uses a tag, alias, anchor, duplicate key or several documents.
    """
    return decoded(content(path, shown or str(path)), shown or str(path), problems)


def decoded(data: bytes, shown: str, problems: list[RegistryError] | None = None) -> Node:
    """Return the content of a YAML file from its bytes, as `read` does."""
    if len(data) > LARGEST_FILE:
        raise RegistryError(shown, f"The file is larger than {LARGEST_FILE:,} bytes.", "Split it.")
    try:
        text = (data := data.removeprefix(BOM_UTF8)).decode()
    except UnicodeDecodeError as error:
        spot, problem = Place.behind(data[: error.start].decode(), shown), f"Byte {error.start} is not UTF-8 text."
        raise RegistryError(str(spot), problem, "Save the file as UTF-8.") from None
    return parse(text, shown, problems)


def parse(text: str, shown: str, problems: list[RegistryError] | None = None) -> Node:
    """Return the content of a YAML text, as `read` does; `shown` is its name in messages."""
    errors: list[RegistryError] = [] if problems is None else problems
    add_size(len(text))
    if control := _CONTROL.search(text):
        spot, problem = Place.behind(text[: control.start()], shown), f"U+{ord(control[0]):04X} is not text."
        raise RegistryError(str(spot), problem, "Remove this character, and save the file as UTF-8.")
    try:
        node = _Builder(yaml.parse(text, Loader=_Loader), shown, errors).document()
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark
        spot = Place(shown, mark.line + 1, mark.column + 1)
        raise RegistryError(
            str(spot), f"This is not YAML: {error.problem}.", "Check quotes, colons and indentation."
        ) from None
    if problems is None:
        refuse_all(shown, errors)
    return node


class _Builder:
    """Builds nodes from parser events, so that aliases and tags are rejected before they are expanded."""

    def __init__(self, events: Iterator[Any], shown: str, problems: list[RegistryError]) -> None:
        self.events, self.shown, self.problems, self.nodes = events, shown, problems, 0

    def document(self) -> Node:
        node: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent) and node is not None:
                raise self._error(event, "The file has several documents.", "Keep one; remove the line '---'.")
            if isinstance(event, yaml.NodeEvent):
                node = self._node(event, 0)
        if node is None or (isinstance(node, Text) and not node.text):
            raise RegistryError(str(Place(self.shown, 1, 1)), "The file is empty.")
        return node

    def _node(self, event: Any, depth: int) -> Node:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self._error(event, f"The file has more than {MOST_NODES:,} values.", "Split it.")
        spot, alias = self._spot(event), isinstance(event, yaml.AliasEvent)
        if event.anchor:
            problem = f"Anchors and aliases (&{event.anchor}, *{event.anchor}) are not supported."
            self._report(event, problem, "Write the value out.")
        if not alias and event.tag and event.tag != "!":
            problem = f"The tag {event.tag} is not supported."
            self._report(event, problem, "Remove it: values are texts and quantities.")
        if depth > DEEPEST and not alias:
            raise self._error(event, f"The content is nested more than {DEEPEST} levels deep.", "Flatten it.")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(spot, depth)
        if isinstance(event, yaml.SequenceStartEvent):
            return Items(tuple(self._items(depth)), spot)
        return Text("" if alias else event.value, spot)

    def _items(self, depth: int) -> Iterator[Node]:
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._node(event, depth + 1)

    def _mapping(self, spot: Place, depth: int) -> Mapping:
        mapping = Mapping({}, spot)
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._node(event, depth + 1)
            if not isinstance(key, Text):
                raise self._error(event, "A key is not a text.", "Write 'key: value'.")
            if key.text in mapping.items:
                first = mapping.keys[key.text]
                problem = f"The key '{key.text}' is also in line {first.line}."
                self._report(event, problem, "Remove one of the two.")
                self._node(next(self.events), depth + 1)
                continue
            mapping.keys[key.text] = key.spot
            mapping.items[key.text] = self._node(next(self.events), depth + 1)
        return mapping

    def _spot(self, event: Any) -> Place:
        return Place(self.shown, event.start_mark.line + 1, event.start_mark.column + 1)

    def _report(self, event: Any, problem: str, fix: str) -> None:
        self.problems.append(self._error(event, problem, fix))

    def _error(self, event: Any, problem: str, fix: str) -> RegistryError:
        return RegistryError(str(self._spot(event)), problem, fix)


class Reader:
    """Reads one mapping.

    Args:
        node: the mapping.
        path: its key path, as `h100-sxm.link`; empty for the file itself.
        problems: collects mistakes, so that all are reported at once; without it, the first is raised.

    Raises:
        RegistryError: the node is not a mapping.
    """

    def __init__(self, node: Node, path: str = "", problems: list[RegistryError] | None = None) -> None:
        if not isinstance(node, Mapping):
            raise RegistryError(_place(node, path), "Expected a mapping.", "Write 'key: value' lines.")
        check_time()
        self.node, self.path, self.problems = node, path, problems

    def recover(self, instead: T, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a call returns, or a default where it raises a mistake, which is reported."""
        try:
            return read(*args, **kwargs)
        except RegistryError as error:
            self.report(error)
            return instead

    def report(self, problem: RegistryError) -> None:
        """Collect a mistake, or raise it where none are collected."""
        if self.problems is None:
            raise problem
        self.problems.append(problem)

    def check_keys(self, known: Iterable[str], required: Iterable[str] = ()) -> None:
        """Report keys that are not known, with the nearest, and missing ones."""
        names = list(known)
        for key, spot in self.node.keys.items():
            if key not in names:
                fix = suggest(key, names) or f"Known keys: {some_of(names)}."
                self.report(RegistryError(f"{spot}, key '{self.key(key)}'", "There is no such key.", fix))
        missing = [key for key in required if key not in self.node.items]
        if missing:
            are = f"The key '{missing[0]}' is" if len(missing) == 1 else f"The keys {joined(missing)} are"
            fix = f"Add {joined([repr(f'{key}: ...') for key in missing])}."
            self.report(RegistryError(self.place_here(), f"{are} missing.", fix))

    def key(self, name: str) -> str:
        """Return the path of a key of this mapping."""
        return f"{self.path}.{name}" if self.path else name

    def has(self, name: str) -> bool:
        """Whether the mapping has this key."""
        return name in self.node.items

    def inner(self, name: str) -> Reader:
        """Return a reader of the mapping under a key."""
        return Reader(self.node.items[name], self.key(name), self.problems)

    def text(self, name: str, default: str = "") -> str:
        """Return the text under a key."""
        node, fix = self.node.items.get(name), f"Write '{name}: text', or leave it out."
        return default if node is None else self._readable(node, name, fix)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts under a key: a sequence, or a single one."""
        node = self.node.items.get(name)
        if not isinstance(node, Items):
            return (self._readable(node, name, "Write '- text', one a line."),) if node is not None else ()
        if not node.items:
            raise RegistryError(self.place(name), "It is empty.", "Leave it out.")
        return tuple(self._readable(item, name, "Write '- text'.") for item in node.items)

    def _readable(self, node: Node, name: str, fix: str) -> str:
        """Return the text of a node, unless it is empty, still to be filled in, or holds control characters."""
        place = _place(node, self.key(name))
        if not isinstance(node, Text) or node.text.strip() in NOTHING:
            raise RegistryError(place, "Expected a text.", fix)
        if node.text.startswith(FILL_IN):
            raise RegistryError(place, "This is still to be filled in.", "Write what it is, or remove the line.")
        if not all(letter.isprintable() or letter in "\n\t" for letter in node.text):
            raise RegistryError(place, "The text contains a character that cannot be displayed.", "Remove it.")
        return node.text

    def date(self, name: str) -> str:
        """Return the date under a key, as written: year-month-day."""
        text = self.text(name)
        if text:
            try:
                written = date.fromisoformat(text).isoformat()
            except ValueError:
                written = ""
            if written != text:
                raise RegistryError(self.place(name), f"'{text}' is not a date.", "Write it as 2022-09-20.")
        return text

    def flag(self, name: str, *, default: bool) -> bool:
        """Return the truth value under a key: `true` or `false`."""
        text = self.text(name, str(default).lower())
        if text not in ("true", "false"):
            raise RegistryError(self.place(name), f"'{text}' is neither true nor false.", "Write true or false.")
        return text == "true"

    def quantity(self, name: str, expected: Unit) -> Quantity:
        """Return the quantity under a key, of the dimension of the expected unit; a bare number is rejected."""
        node, place = self.node.items[name], self.place(name)
        if not isinstance(node, Text) or node.text.strip() in NOTHING:
            fix = f"Write '{name}: {f'5 {expected.text}'.strip()}', with the right number."
            raise RegistryError(place, "Expected a quantity.", fix)
        try:
            return quantity_in(self.text(name), expected, place)
        except (UnitsError, FormulaError) as error:
            raise RegistryError(place, error.problem, error.fix) from None

    def place_here(self) -> str:
        """Return file, line, column and key path of the mapping itself."""
        return _place(self.node, self.path)

    def place(self, name: str) -> str:
        """Return file, line, column and key path of the value under a key."""
        return _place(self.node.items[name], self.key(name))


def _place(node: Node, path: str) -> str:
    return f"{node.spot}, key '{path}'" if path else str(node.spot)
