"""Typed access to the configuration of a model, which anybody may have written: every error names the key."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from flopsheet.errors import RegistryError
from flopsheet.registry.files import content

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 1_000_000
LARGEST = 10**9
MOST_SHOWN = 40


def read_config(path: Path) -> dict[str, object]:
    """Return the configuration in a JSON file.

    Raises:
        RegistryError: it cannot be read, is larger than a megabyte, or is not a JSON object.
    """
    data = content(path, str(path), LARGEST_FILE)
    if len(data) > LARGEST_FILE:
        fix = "Name the config.json of the model, not its weights or tokenizer."
        raise RegistryError(str(path), f"The file is larger than {LARGEST_FILE:,} bytes.", fix)
    try:
        config = json.loads(data.decode("utf-8-sig"), parse_constant=_reject_constant)
    except RecursionError:
        raise RegistryError(str(path), "The content is nested too deep.") from None
    except ValueError as error:
        raise RegistryError(str(path), f"This is not JSON: {_short(str(error))}.") from None
    if not isinstance(config, dict):
        raise RegistryError(str(path), "Not a JSON object.", "Name the config.json of a model.")
    return config


def _reject_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


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
        key = self._present(keys)
        if key is None:
            means = next((self.defaults[key] for key in keys if key in self.defaults), default)
            if means is None:
                fix = f"It may also be called {' or '.join(keys[1:])}." if keys[1:] else ""
                raise RegistryError(self.where, f"The key '{keys[0]}' is missing.", fix)
            return means
        return self._whole(key, self.data[key], least)

    def numbers(self, key: str) -> list[int]:
        """Return the whole numbers in the list under a key; none if it is absent."""
        items = self.data.get(key)
        if items is None:
            return []
        if not isinstance(items, list):
            raise self.error(key, f"{_shown(items)} is not a list.")
        return [self._whole(key, item, 0) for item in items]

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

    def _present(self, keys: tuple[str, ...]) -> str | None:
        return next((key for key in keys if self.data.get(key) is not None), None)

    def _whole(self, key: str, value: object, least: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= LARGEST:
            raise self.error(key, f"{_shown(value)} is not a whole number from {least} to {LARGEST:,}.")
        return value


def experts_in(config: Config, key: str) -> dict[str, int]:
    """Return how many experts there are, and how many a token passes."""
    experts, routed = config.number(key), config.number("num_experts_per_tok")
    if routed > experts:
        raise config.error("num_experts_per_tok", f"A token cannot pass {routed} of {experts} experts.")
    return {"n_experts": experts, "n_routed": routed}


def latent_heads(config: Config, known: Mapping[str, int]) -> dict[str, int]:
    """Return the ranks and widths of latent attention."""
    rope = config.number("qk_rope_head_dim")
    return {
        "n_kv_heads": known["n_heads"],
        "d_head": config.number("qk_nope_head_dim") + rope,
        "d_value": config.number("v_head_dim"),
        "q_rank": config.number("q_lora_rank", default=0),
        "kv_rank": config.number("kv_lora_rank"),
        "d_rope": rope,
    }


def default_head(config: Config, known: Mapping[str, int]) -> int:
    """Return the width of a head where no key gives it: the heads divide the residual stream."""
    width, rest = divmod(known["d_model"], known["n_heads"])
    if rest:
        problem = f"{known['n_heads']} heads do not divide a width of {known['d_model']}."
        raise config.error("head_dim", problem, "Add head_dim.")
    return width


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST:
        return "A number this large" if value > 0 else "A number this small"
    return _short(json.dumps(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__)


def _short(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
