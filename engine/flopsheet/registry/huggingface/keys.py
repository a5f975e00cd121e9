"""The keys of a configuration: each is read as what it must be, and a mistake names it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flopsheet.errors import RegistryError

LARGEST = 10**9
MOST_SHOWN = 40


class Config:
    """The keys of a configuration, or of a part of one.

    Args:
        data: the keys and their values; null means absent.
        where: the place that errors name.
        defaults: values of absent keys.
    """

    def __init__(self, data: Mapping[str, object], where: str, defaults: Mapping[str, int]) -> None:
        self.data, self.where, self.defaults = data, where, defaults

    def number(self, *keys: str, default: int | None = None, least: int = 1) -> int:
        """Return the whole number under the first of these keys that is there."""
        key = next((key for key in keys if self.data.get(key) is not None), None)
        if key is not None:
            return self._whole(key, self.data[key], least)
        value = next((self.defaults[key] for key in keys if key in self.defaults), default)
        if value is None:
            fix = f"It may also be called {' or '.join(keys[1:])}." if keys[1:] else ""
            raise RegistryError(self.where, f"The key '{keys[0]}' is missing.", fix)
        return value

    def numbers(self, key: str) -> list[int]:
        """Return the whole numbers in the list under a key; none if it is absent."""
        items = self.data.get(key)
        if items is None:
            return []
        if not isinstance(items, list):
            raise self.error(key, f"{_shown(items)} is not a list.")
        return [self._whole(key, item, 0) for item in items]

    def texts(self, key: str) -> list[str]:
        """Return the texts in the list under a key; none if it is absent."""
        items = self.data.get(key)
        if items is None:
            return []
        if not isinstance(items, list):
            raise self.error(key, f"{_shown(items)} is not a list.")
        wrong = next((item for item in items if not isinstance(item, str)), None)
        if wrong is not None:
            raise self.error(key, f"{_shown(wrong)} is not a text.")
        return items

    def text(self, key: str) -> str:
        """Return the text under a key; an empty one if it is absent."""
        value = self.data.get(key)
        if not isinstance(value, str | None):
            raise self.error(key, f"{_shown(value)} is not a text.")
        return value or ""

    def flag(self, key: str, *, default: bool = False) -> int:
        """Return 1 where a key is true, else 0."""
        value = self.data.get(key)
        if value is None:
            return int(default)
        if not isinstance(value, bool):
            raise self.error(key, f"{_shown(value)} is neither true nor false.")
        return int(value)

    def reject(self, key: str, what: str) -> None:
        """Reject a configuration in which a key is true."""
        if self.flag(key):
            raise self.error(key, f"Models with {what} are not supported.")

    def inner(self, key: str) -> Config:
        """Return the part under a key; an empty one if it is absent."""
        part = self.data.get(key)
        if not isinstance(part, Mapping | None):
            raise self.error(key, f"{_shown(part)} is not an object.")
        return Config(part or {}, f"{self.where}, key '{key}'", {})

    def error(self, key: str, problem: str, fix: str = "") -> RegistryError:
        """Return the error that names a key."""
        return RegistryError(f"{self.where}, key '{key}'", problem, fix)

    def _whole(self, key: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
            raise self.error(key, f"{_shown(value)} is not a whole number from {least} to {LARGEST:,}.")
        return value


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "A number this large" if value > 0 else "A number this small"
    return shortened(json.dumps(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__)


def shortened(text: str) -> str:
    """Return the first characters of a text, for messages."""
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
