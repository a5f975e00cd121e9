"""Typed access to a strict YAML mapping; every error names the place and the key path."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from flopsheet.errors import FormulaError, RegistryError, UnitsError, joined, some_of, suggest
from flopsheet.registry.strict_yaml import Items, Mapping, Node, Text
from flopsheet.units import Quantity, Unit, quantity_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FILL_IN = "FILL-IN"
T = TypeVar("T")
_AMBIGUOUS = re.compile(r"\s*[-+]?(0\d|.*[^\W\D0-9])", re.DOTALL)  # 010 is 8 in YAML 1.1; other scripts have digits too


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
            raise RegistryError(self._place(node, path), "Expected a mapping.", "Write 'key: value' lines.")
        self.node, self.path, self.problems = node, path, problems

    def recover(self, read: Callable[[], T], instead: T) -> T:
        """Return what is read, or a default where that raises a mistake, which is reported."""
        try:
            return read()
        except RegistryError as error:
            self._report(error)
            return instead

    def check_keys(self, known: Iterable[str], required: Iterable[str] = ()) -> None:
        """Report keys that are not known, with the nearest, and missing ones."""
        names = list(known)
        for key, spot in self.node.keys.items():
            if key not in names:
                fix = suggest(key, names) or f"Known keys: {some_of(names)}."
                self._report(RegistryError(f"{spot}, key '{self.key(key)}'", "There is no such key.", fix))
        missing = [key for key in required if key not in self.node.items]
        if missing:
            are = f"The key '{missing[0]}' is" if len(missing) == 1 else f"The keys {joined(missing)} are"
            fix = f"Add {joined([repr(f'{key}: ...') for key in missing])}."
            self._report(RegistryError(self.place_here(), f"{are} missing.", fix))

    def _report(self, problem: RegistryError) -> None:
        if self.problems is None:
            raise problem
        self.problems.append(problem)

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
        if name not in self.node.items:
            return default
        node = self.node.items[name]
        if not isinstance(node, Text) or not node.text.strip():
            fix = f"Write '{name}: text', or leave it out."
            raise RegistryError(self._place(node, self.key(name)), "Expected a text.", fix)
        return self._readable(node, name)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts under a key: a sequence, or a single one."""
        node = self.node.items.get(name)
        if not isinstance(node, Items):
            return (self.text(name),) if node is not None else ()
        texts = []
        if not node.items:
            raise RegistryError(self._place(node, self.key(name)), "It is empty.", "Leave it out.")
        for item in node.items:
            if not isinstance(item, Text) or not item.text.strip():
                raise RegistryError(self._place(item, self.key(name)), "Expected a text.", "Write '- text'.")
            texts.append(self._readable(item, name))
        return tuple(texts)

    def _readable(self, node: Text, name: str) -> str:
        """Return a text, unless it is still to be filled in or holds control characters."""
        place = self._place(node, self.key(name))
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
            place = self._place(self.node.items[name], self.key(name))
            raise RegistryError(place, f"'{text}' is neither true nor false.", "Write true or false.")
        return text == "true"

    def quantity(self, name: str, expected: Unit) -> Quantity:
        """Return the quantity under a key, of the dimension of the expected unit; a bare number is rejected."""
        place = self._place(self.node.items[name], self.key(name))
        node = self.node.items[name]
        if not isinstance(node, Text) or not node.text.strip():
            like = f"5 {expected.text}".strip()
            raise RegistryError(place, "Expected a quantity.", f"Write '{name}: {like}', with the right number.")
        text = self.text(name)
        if _AMBIGUOUS.match(text):
            fix = "Write it in the digits 0 to 9, without a leading zero."
            raise RegistryError(place, f"'{text[:40]}' can be read as several numbers.", fix)
        try:
            return quantity_in(text, expected, place)
        except (UnitsError, FormulaError) as error:
            raise RegistryError(place, error.problem, error.fix) from None

    def place_here(self) -> str:
        """Return file, line, column and key path of the mapping itself."""
        return self._place(self.node, self.path)

    def place(self, name: str) -> str:
        """Return file, line, column and key path of the value under a key."""
        return self._place(self.node.items[name], self.key(name))

    @staticmethod
    def _place(node: Node, path: str) -> str:
        return f"{node.spot}, key '{path}'" if path else str(node.spot)
