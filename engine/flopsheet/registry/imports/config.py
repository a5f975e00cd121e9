"""Takes numbers out of a configuration that anybody may have written: every mistake names the key."""

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
    """Return the configuration that a JSON file holds.

    Raises:
        RegistryError: it cannot be read, is larger than a megabyte, or is no JSON object.
    """
    data = content(path, str(path), LARGEST_FILE)
    if len(data) > LARGEST_FILE:
        fix = "Name the config.json of the model, not its weights or tokenizer."
        raise RegistryError(str(path), f"The file is larger than {LARGEST_FILE:,} bytes.", fix)
    try:
        config = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except RecursionError:
        raise RegistryError(str(path), "The content is nested too deep.") from None
    except ValueError as error:
        raise RegistryError(str(path), f"This is not JSON: {_short(str(error))}.") from None
    if not isinstance(config, dict):
        raise RegistryError(str(path), "This is no JSON object.", "Name the config.json of a model.")
    return config


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


class Config:
    """The keys of a configuration, or of a part of one.

    Args:
        data: the keys and what they hold; null means absent.
        where: the place that errors name.
        silent: what absent keys mean.
    """

    def __init__(self, data: Mapping[str, object], where: str, silent: Mapping[str, int]) -> None:
        self.data, self.where, self.silent = data, where, silent

    def number(self, *keys: str, silent: int | None = None, least: int = 1) -> int:
        """Return the whole number under the first of these keys that is there."""
        key = self._present(keys)
        if key is None:
            means = next((self.silent[each] for each in keys if each in self.silent), silent)
            if means is None:
                fix = f"It may also be called {' or '.join(keys[1:])}." if keys[1:] else ""
                raise RegistryError(self.where, f"The key '{keys[0]}' is missing.", fix)
            return means
        return self._whole(key, self.data[key], least)

    def numbers(self, key: str) -> list[int]:
        """Return the whole numbers in the list under a key; none if it is absent."""
        found = self.data.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            raise self.error(key, f"{_shown(found)} is not a list.")
        return [self._whole(key, each, 0) for each in found]

    def flag(self, key: str, *, silent: bool = False) -> int:
        """Return 1 where a key is true, else 0."""
        found = self.data.get(key)
        if found is None:
            return int(silent)
        if not isinstance(found, bool):
            raise self.error(key, f"{_shown(found)} is neither true nor false.")
        return int(found)

    def refuse(self, key: str, what: str) -> None:
        """Refuse a configuration in which a key is true."""
        if self.flag(key):
            raise self.error(key, f"Models with {what} are not understood.")

    def inner(self, key: str) -> Config:
        """Return the part under a key; an empty one if it is absent."""
        found = self.data.get(key)
        if not isinstance(found, Mapping | None):
            raise self.error(key, f"{_shown(found)} is not an object.")
        return Config(found or {}, f"{self.where}, key '{key}'", {})

    def error(self, key: str, problem: str, fix: str = "") -> RegistryError:
        """Return the error that names a key."""
        return RegistryError(f"{self.where}, key '{key}'", problem, fix)

    def _present(self, keys: tuple[str, ...]) -> str | None:
        return next((each for each in keys if self.data.get(each) is not None), None)

    def _whole(self, key: str, found: object, least: int) -> int:
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= LARGEST:
            raise self.error(key, f"{_shown(found)} is not a whole number from {least} to {LARGEST:,}.")
        return found


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
        "q_rank": config.number("q_lora_rank", silent=0),
        "kv_rank": config.number("kv_lora_rank"),
        "d_rope": rope,
    }


def silent_head(config: Config, known: Mapping[str, int]) -> int:
    """Return the width of a head where no key says it: the heads divide the residual stream."""
    width, rest = divmod(known["d_model"], known["n_heads"])
    if rest:
        problem = f"{known['n_heads']} heads do not divide a width of {known['d_model']}."
        raise config.error("head_dim", problem, "Add head_dim.")
    return width


def _shown(found: Any) -> str:
    if isinstance(found, int) and not isinstance(found, bool) and abs(found) > LARGEST:
        return "A number this large" if found > 0 else "A number this small"
    return _short(json.dumps(found) if isinstance(found, str | int | float | bool | None) else type(found).__name__)


def _short(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "…"
