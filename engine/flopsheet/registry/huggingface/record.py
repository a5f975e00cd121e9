"""Records of models from the config.json that is published with each on the Hugging Face Hub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.errors import RegistryError, some_of, suggest
from flopsheet.registry.architecture import Architecture
from flopsheet.registry.huggingface.families import FAMILIES, Family
from flopsheet.registry.huggingface.keys import Config, shortened
from flopsheet.registry.huggingface.precision import stored
from flopsheet.registry.huggingface.windows import pattern, window_figures
from flopsheet.registry.packs import content
from flopsheet.registry.reading import check_key

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 1_000_000
MOST_BLOCKS = 100_000
SOURCE = "huggingface-config"
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_OF_THE_WHOLE = (
    "model_type",
    "architectures",
    "tie_word_embeddings",
    "_name_or_path",
    "torch_dtype",
    "dtype",
    "quantization_config",
)
_BLOCKS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_WIDTH = ("hidden_size", "n_embd", "d_model", "n_embed")
_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
_KEY_HEADS = ("num_key_value_heads", "num_kv_heads")
_HIDDEN = ("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim")
_MODULES = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")
_ENCODERS = {"vision_config": "encoder of images", "audio_config": "encoder of audio"}
_CLASS_ENDINGS = re.compile(r"(ForCausalLM|ForConditionalGeneration|LMHeadModel|Model)$")
_CONTEXT = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "model_max_length")


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
        config = json.loads(data.decode("utf-8-sig"), parse_constant=float)
    except RecursionError:
        raise RegistryError(str(path), "The content is nested too deep.") from None
    except ValueError as error:
        raise RegistryError(str(path), f"This is not JSON: {shortened(str(error))}.") from None
    if not isinstance(config, dict):
        raise RegistryError(str(path), "Not a JSON object.", "Name the config.json of a model.")
    return config


Figure = int | Fraction
Count = Callable[[Mapping[str, Figure]], int]


def architecture_from_config(
    config: Mapping[str, object],
    key: str,
    where: str = "config.json",
    *,
    count: Count | None = None,
    override: bool = False,
) -> str:
    """Return the YAML text of the record of a model.

    Args:
        config: its configuration, as `read_config` returns it.
        key: the name of the record.
        where: the place that errors name.
        count: gives the parameters of a model from the fields of its record, to be written too.
        override: whether the record replaces one of its name.

    Raises:
        RegistryError: the configuration is of an unknown family, lacks a key, or has a wrong value.
    """
    check_key(key, f"key '{key[:64]}'")
    text = _text_part(config, where)
    family = _family(text, where)
    reader = Config(text, where, family.defaults)
    figures = _figures(reader, family)
    precision, name, left_out = stored(reader)
    figures |= {
        field: value for field, value in precision.items() if field != "stored.expert" or figures.get("n_experts")
    }
    if count:
        figures["params"] = count(figures)
    labels = {"pattern": pattern(reader), "stored.precision": name if name != "bf16" else ""}
    lines = [f"{key}:", f"  name: {key}", "  vendor: unknown", f"  family: {family.title}"]
    lines += ["  override: true"] if override else []
    hub_name = text.get("_name_or_path")
    lines += [f"  huggingface: {hub_name}"] if isinstance(hub_name, str) and _HUB_NAME.fullmatch(hub_name) else []
    lines += [f'  pattern: "{labels["pattern"]}"'] if labels["pattern"] else []
    lines += _field_lines(figures, labels)
    missing = [*_left_out(config, reader, figures), *([left_out] if left_out else [])]
    lines += [f'  note: "Left out: {"; ".join(missing)}."'] if missing else []
    return "\n".join([*lines, f"  source: {SOURCE}", ""])


def _field_lines(figures: Mapping[str, Figure], labels: Mapping[str, str]) -> list[str]:
    """Return the lines of fields; a record means the same without those that have their usual value."""
    lines: list[str] = []
    groups: dict[str, list[str]] = {}
    for field in Architecture.fields:
        value = figures.get(field.name)
        if value is None or (value == (field.absent or 0) and field.name not in Architecture.required):
            continue
        group, dot, inner = field.name.partition(".")
        text = f"{inner or group}: {_decimal(value)} {field.unit_text}".rstrip()
        if not dot:
            lines.append(f"  {text}")
        elif group not in groups:
            label = labels.get(f"{group}.precision")
            groups[group] = [f"  {group}:", *([f"    precision: {label}"] if label else []), f"    {text}"]
        else:
            groups[group].append(f"    {text}")
    if labels["stored.precision"] and "stored" not in groups:
        groups["stored"] = ["  stored:", f"    precision: {labels['stored.precision']}"]
    return [*lines, *(line for group in groups.values() for line in group)]


def _decimal(value: Figure) -> str:
    return str(value) if isinstance(value, int) or value.denominator == 1 else repr(float(value))


def _left_out(config: Mapping[str, object], text: Config, figures: Mapping[str, Figure]) -> list[str]:
    """Return what the configuration has and the record does not describe."""
    parts = [what for key, what in _ENCODERS.items() if isinstance(config.get(key), Mapping)]
    modules = any(text.data.get(key) for key in _MODULES)
    return [*parts, *(["modules that predict further tokens"] if modules and "mtp.n_modules" not in figures else [])]


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
    """Return the family that `model_type` names, or else the class in `architectures`."""
    name, classes = text.get("model_type"), text.get("architectures")
    known = f"Known: {some_of([*FAMILIES])}."
    if isinstance(name, str) and name in FAMILIES:
        return FAMILIES[name]
    if isinstance(classes, list) and classes and isinstance(classes[0], str):
        by_class = {family.replace("_", ""): family for family in FAMILIES}
        found = by_class.get(_CLASS_ENDINGS.sub("", classes[0]).lower())
        if found:
            return FAMILIES[found]
    if name is None:
        raise RegistryError(where, "The key 'model_type' is missing.", known)
    shown = name[:60] if isinstance(name, str) else type(name).__name__
    fix = f"{suggest(shown, FAMILIES)} {known}".strip()
    raise RegistryError(f"{where}, key 'model_type'", f"There is no family '{shown}'.", fix)


def _figures(config: Config, family: Family) -> dict[str, Figure]:
    """Return the fields of the record by name."""
    values = {"n_blocks": config.number(*_BLOCKS), "d_model": config.number(*_WIDTH)}
    if values["n_blocks"] > MOST_BLOCKS:
        raise config.error(_BLOCKS[0], f"{values['n_blocks']:,} layers are more than {MOST_BLOCKS:,}.")
    values["vocab"] = config.number("padded_vocab_size", "vocab_size")
    values |= _heads(config) if family.attention else {}
    context = config.number(*_CONTEXT, default=0)
    tied = config.flag("tie_word_embeddings", default=family.tied)
    values |= {"context_len": context, "embedding_matrices": 2 - tied, **family.figures}
    values |= {name: config.flag(key) for name, key in family.flags.items()}
    values |= family.more(config, values) if family.more else {}
    if "d_ff" not in values:
        values["d_ff"] = config.number(*_HIDDEN, default=family.wide * values["d_model"] or None)
    if "d_head" not in values:
        values["d_head"] = config.number("head_dim", default=0) or _default_head(config, values)
    return {"d_value": values["d_head"], **values, **window_figures(config, values, family.period)}


def _heads(config: Config) -> dict[str, int]:
    heads = config.number(*_HEADS)
    keys = config.number(*_KEY_HEADS, default=heads)
    if heads % keys:
        raise config.error(_KEY_HEADS[0], f"{keys:,} key heads do not divide {heads:,} query heads.")
    return {"n_heads": heads, "n_kv_heads": keys}


def _default_head(config: Config, known: Mapping[str, int]) -> int:
    """Return the width of a head where no key gives it: the heads divide the residual stream."""
    width, rest = divmod(known["d_model"], known["n_heads"])
    if rest:
        problem = f"{known['n_heads']} heads do not divide a width of {known['d_model']}."
        raise config.error("head_dim", problem, "Add head_dim.")
    return width
