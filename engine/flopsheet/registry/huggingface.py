"""Records of models from the config.json that is published with each on the Hugging Face Hub."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from flopsheet.errors import RegistryError, suggest
from flopsheet.registry.architecture import Architecture
from flopsheet.registry.families import FAMILIES, Config, Family, default_head, shortened
from flopsheet.registry.packs import content
from flopsheet.registry.reading import check_key

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 1_000_000
MOST_BLOCKS = 100_000
SOURCE = "huggingface-config"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_OF_THE_WHOLE = ("model_type", "tie_word_embeddings", "_name_or_path")
_BLOCKS = ("num_hidden_layers", "n_layer", "n_layers")
_WIDTH = ("hidden_size", "n_embd", "d_model", "n_embed")
_HEADS = ("num_attention_heads", "n_head", "n_heads")
_KEY_HEADS = ("num_key_value_heads", "num_kv_heads")
_HIDDEN = ("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim")
_CONTEXT = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")


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
        raise RegistryError(str(path), f"This is not JSON: {shortened(str(error))}.") from None
    if not isinstance(config, dict):
        raise RegistryError(str(path), "Not a JSON object.", "Name the config.json of a model.")
    return config


def _reject_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def architecture_from_config(config: Mapping[str, object], key: str, where: str = "config.json") -> str:
    """Return the YAML text of the record of a model.

    Args:
        config: its configuration, as `read_config` returns it.
        key: the name of the record.
        where: the place that errors name.

    Raises:
        RegistryError: the configuration is of an unknown family, lacks a key, or has a wrong value.
    """
    check_key(key, f"key '{key[:64]}'")
    text = _text_part(config, where)
    family = _family(text, where)
    figures = _figures(Config(text, where, family.defaults), family)
    lines = [f"{key}:", f"  name: {key}", "  vendor: unknown", f"  family: {family.title}"]
    hub_name = text.get("_name_or_path")
    lines += [f"  huggingface: {hub_name}"] if isinstance(hub_name, str) and _HUB_NAME.fullmatch(hub_name) else []
    for field in Architecture.fields:
        if figures.get(field.name) not in (None, field.absent or 0):  # a record means the same without these
            lines.append(f"  {field.name}: {figures[field.name]} {field.unit_text}".rstrip())
    return "\n".join([*lines, f"  source: {SOURCE}", ""])


def _text_part(config: Mapping[str, object], where: str) -> Mapping[str, object]:
    """Return the part on the language model, where the model also has an encoder of images."""
    if not isinstance(config, Mapping):
        raise RegistryError(where, "Not a JSON object.", "Name the config.json of a model.")
    inner = config.get("text_config")
    if inner is None:
        return config
    if not isinstance(inner, Mapping):
        raise RegistryError(f"{where}, key 'text_config'", "Not a JSON object.")
    whole = {name: config[name] for name in _OF_THE_WHOLE if config.get(name) is not None}
    return {**whole, **inner}


def _family(text: Mapping[str, object], where: str) -> Family:
    name = text.get("model_type")
    known = f"Known: {', '.join(FAMILIES)}."
    if name is None:
        raise RegistryError(where, "The key 'model_type' is missing.", known)
    if not isinstance(name, str) or name not in FAMILIES:
        shown = name[:60] if isinstance(name, str) else type(name).__name__
        fix = f"{suggest(shown, FAMILIES)} {known}".strip()
        raise RegistryError(f"{where}, key 'model_type'", f"There is no family '{shown}'.", fix)
    return FAMILIES[name]


def _figures(config: Config, family: Family) -> dict[str, int]:
    """Return the fields of the record by name."""
    values = {"n_blocks": config.number(*_BLOCKS), "d_model": config.number(*_WIDTH), "n_heads": config.number(*_HEADS)}
    if values["n_blocks"] > MOST_BLOCKS:
        raise config.error(_BLOCKS[0], f"{values['n_blocks']:,} layers are more than {MOST_BLOCKS:,}.")
    values["vocab"] = config.number("vocab_size")
    values["n_kv_heads"] = config.number(*_KEY_HEADS, default=values["n_heads"])
    if values["n_heads"] % values["n_kv_heads"]:
        problem = f"{values['n_kv_heads']:,} key heads do not divide {values['n_heads']:,} query heads."
        raise config.error(_KEY_HEADS[0], problem)
    context = config.number(*_CONTEXT, default=0)
    tied = config.flag("tie_word_embeddings", default=family.tied)
    values |= {"context_len": context, "embedding_matrices": 2 - tied, **family.figures}
    values |= {name: config.flag(key) for name, key in family.flags.items()}
    values |= family.more(config, values) if family.more else {}
    if "d_ff" not in values:
        values["d_ff"] = config.number(*_HIDDEN, default=family.wide * values["d_model"] or None)
    if "d_head" not in values:
        values["d_head"] = config.number("head_dim", default=0) or default_head(config, values)
    return {"d_value": values["d_head"], **values}
