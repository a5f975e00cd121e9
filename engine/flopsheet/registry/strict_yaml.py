"""Strict YAML: mappings, sequences and texts with their places. No types are inferred, no tags or aliases followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml

from flopsheet.errors import RegistryError, refuse_all
from flopsheet.registry.files import LARGEST_FILE, content
from flopsheet.registry.records import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEEPEST = 20
MOST_NODES = 30_000

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Text:
    """A scalar as written: `yes`, `1e9` and `2024-01-01` remain texts."""

    text: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence."""

    items: tuple[Node, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping with the place of each key."""

    items: dict[str, Node]
    spot: Spot
    keys: dict[str, Spot] = field(default_factory=dict)


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
    shown = shown or str(path)
    return decoded(content(path, shown), shown, problems)


def decoded(data: bytes, shown: str, problems: list[RegistryError] | None = None) -> Node:
    """Return the content of a YAML file from its bytes.

    Raises:
        RegistryError: as for `read`.
    """
    if len(data) > LARGEST_FILE:
        raise RegistryError(shown, f"The file is larger than {LARGEST_FILE:,} bytes.", "Split it.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RegistryError(shown, f"Byte {error.start} is not UTF-8 text.", "Save the file as UTF-8.") from None
    return parse(text, shown, problems)


def parse(text: str, shown: str, problems: list[RegistryError] | None = None) -> Node:
    """Return the content of a YAML text; `shown` is its name in messages.

    Raises:
        RegistryError: as for `read`.
    """
    errors: list[RegistryError] = [] if problems is None else problems
    try:
        node = _Builder(yaml.parse(text, Loader=_Loader), shown, errors).document()
    except UnicodeEncodeError:
        raise RegistryError(shown, "The text contains half of a character.", "Save the file as UTF-8.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        spot = str(Spot(shown, mark.line + 1, mark.column + 1)) if mark else shown
        problem = getattr(error, "problem", None) or "unreadable characters"
        raise RegistryError(spot, f"This is not YAML: {problem}.", "Check quotes, colons and indentation.") from None
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
            if not isinstance(
                event, yaml.StreamStartEvent | yaml.StreamEndEvent | yaml.DocumentStartEvent | yaml.DocumentEndEvent
            ):
                node = self._node(event, 0)
        if node is None or (isinstance(node, Text) and not node.text):
            raise RegistryError(self.shown, "The file is empty.")
        return node

    def _node(self, event: Any, depth: int) -> Node:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise self._error(event, f"The file has more than {MOST_NODES:,} values.", "Split it.")
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            name = event.anchor
            self.problems.append(
                self._error(event, f"Anchors and aliases (&{name}, *{name}) are not supported.", "Write the value out.")
            )
            if isinstance(event, yaml.AliasEvent):
                return Text("", self._spot(event))
        if event.tag and event.tag != "!":
            self.problems.append(
                self._error(
                    event, f"The tag {event.tag} is not supported.", "Remove it: values are texts and quantities."
                )
            )
        if depth > DEEPEST:
            raise self._error(event, f"The content is nested more than {DEEPEST} levels deep.", "Flatten it.")
        spot = self._spot(event)
        if isinstance(event, yaml.ScalarEvent):
            return Text(event.value, spot)
        if isinstance(event, yaml.SequenceStartEvent):
            return Items(tuple(self._items(depth)), spot)
        return self._mapping(spot, depth)

    def _items(self, depth: int) -> Iterator[Node]:
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._node(event, depth + 1)

    def _mapping(self, spot: Spot, depth: int) -> Mapping:
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
                self.problems.append(self._error(event, problem, "Remove one of the two."))
                self._node(next(self.events), depth + 1)
                continue
            mapping.keys[key.text] = key.spot
            mapping.items[key.text] = self._node(next(self.events), depth + 1)
        return mapping

    def _spot(self, event: Any) -> Spot:
        return Spot(self.shown, event.start_mark.line + 1, event.start_mark.column + 1)

    def _error(self, event: Any, problem: str, fix: str) -> RegistryError:
        return RegistryError(str(self._spot(event)), problem, fix)
