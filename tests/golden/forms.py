"""The forms of golden cases: flat ones, and those of several sub-cases or groups of inputs, as flat ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from tests.golden.adapters.base import Inputs

try:
    from yaml import CSafeLoader as SafeLoader  # ten times faster
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

Case: TypeAlias = Mapping[str, Any]
HERE = Path(__file__).parent / "cases"
REFERENCE = re.compile(r"(?P<case>[\w.-]+)(?: (?P<part>(?!with )\w+))?(?: with (?P<changes>.+))?")


@cache
def read_cases(given: str) -> list[dict[str, Any]]:
    """Return the cases of a file, or of all files of this folder; those of a file say that they are given."""
    files = [Path(given)] if given else sorted(HERE.glob("*.yaml"))
    known = {"is_given": True} if given else {}
    return [
        {**case, **known} for file in files for case in yaml.load(file.read_text(encoding="utf-8"), SafeLoader)["cases"]
    ]


@dataclass(frozen=True)
class SubCase:
    """A flat golden case.

    Args:
        name: name among the sub-cases of its case; empty where there is one only.
        inputs: values and units of the inputs; `sub_case`, `solve_for`, `base`, `package` and `cmd` are beside
            them in the case.
        outputs: `{value, unit}` of each output, its name without that of the sub-case.
        printed: what the document prints, by the name of the output.
    """

    name: str
    inputs: Inputs
    outputs: Mapping[str, Mapping[str, Any]]
    printed: Mapping[str, object] = field(default_factory=dict)


def sub_cases(case: Case, cases: Iterable[Case]) -> list[SubCase]:
    """Return the flat cases that a case consists of; `as: ID` and `as: NAME with OPTION` refer to others' inputs."""
    inputs = _resolved(case, cases)
    beside = {
        "solve_for": case.get("solve_for"),
        "base": case.get("provenance_base", _stated(case, "base")),
        "package": _stated(case, "package"),
    }
    commands = _commands(case)
    groups = {name: value for name, value in inputs.items() if not _is_leaf(value)}
    leaves = {name: value for name, value in inputs.items() if _is_leaf(value)}
    outputs = _outputs_by_group(case["outputs"], groups)
    if outputs is None:
        flat = {f"{name}.{key}": leaf for name, group in groups.items() for key, leaf in group.items()}
        known = {**beside, "cmd": commands[0] if len(commands) == 1 else None}
        return [SubCase("", _inputs({**leaves, **flat}, known), case["outputs"], _printed(case))]
    command_of = dict(zip(groups, commands, strict=True)) if len(commands) == len(groups) else {}
    return [
        SubCase(
            name,
            _inputs({**leaves, **groups[name]}, {**beside, "sub_case": name, "cmd": command_of.get(name)}),
            found,
        )
        for name, found in outputs.items()
    ]


def _stated(case: Case, key: str) -> object:
    provenance = case.get("provenance")
    return provenance.get(key) if isinstance(provenance, Mapping) else None


def _commands(case: Case) -> list[str]:
    """Return the commands that a peer was run with, one for each sub-case where there are several."""
    stated = _stated(case, "cmd")
    return [str(command) for command in (stated if isinstance(stated, list) else [stated]) if command]


def _is_leaf(value: object) -> bool:
    return not isinstance(value, Mapping) or "value" in value


def _inputs(leaves: Mapping[str, Any], beside: Mapping[str, object]) -> Inputs:
    values = {name: leaf["value"] if isinstance(leaf, Mapping) else leaf for name, leaf in leaves.items()}
    units = {name: str(leaf.get("unit", "")) for name, leaf in leaves.items() if isinstance(leaf, Mapping)}
    return Inputs({**values, **{name: text for name, text in beside.items() if text is not None}}, units)


def _printed(case: Case) -> dict[str, object]:
    return {name: text for key, texts in case.items() if key.startswith("printed") for name, text in texts.items()}


def _resolved(case: Case, cases: Iterable[Case]) -> dict[str, Any]:
    """Return the inputs of a case with those that it refers to."""
    inputs = dict(case["inputs"])
    if "as" in inputs:
        match = _reference(inputs.pop("as"))
        others = [other for other in cases if other is not case and _is_called(str(other["id"]), match["case"])]
        if not others:  # a given file may refer to a case of this folder
            others += [other for other in read_cases("") if _is_called(str(other["id"]), match["case"])]
        assert len(others) == 1, f"{case['id']}: {len(others)} cases are called '{match['case']}'"
        known = _resolved(others[0], cases)
        inputs = {**(_named(known, match["part"]) if match["part"] else known), **_changes(match["changes"]), **inputs}
    for name, value in inputs.items():
        if isinstance(value, Mapping) and "as" in value:
            match = _reference(value["as"])
            known = _named(inputs, match["case"])
            inputs[name] = {**known, **_changes(match["changes"]), **{key: value[key] for key in value if key != "as"}}
    return inputs


def _reference(text: object) -> dict[str, str]:
    match = REFERENCE.fullmatch(str(text))
    assert match is not None, f"'{text}' is no reference 'ID', 'ID NAME' or 'NAME with OPTION and OPTION'"
    return {name: found or "" for name, found in match.groupdict().items()}


def _is_called(name: str, short: str) -> bool:
    return name == short or name.startswith((f"{short}-", f"{short}_"))


def _named(groups: Mapping[str, Any], short: str) -> dict[str, Any]:
    found = [value for name, value in groups.items() if not _is_leaf(value) and _is_called(name, short)]
    assert len(found) == 1, f"{len(found)} sub-cases are called '{short}'"
    return dict(found[0])


def _changes(text: str) -> dict[str, Any]:
    """Return what `cpu_offload and seq_len = 4096` changes: options that are on, and values."""
    options = [option.strip() for option in re.split(r",| and ", text) if option.strip()]
    pairs = [option.partition("=") for option in options]
    return {name.strip(): {"value": yaml.safe_load(value) if equals else True} for name, equals, value in pairs}


def _outputs_by_group(outputs: Mapping[str, Any], groups: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """Return the outputs of each sub-case, None where the groups are parts of one question."""
    found: dict[str, dict[str, Any]] = {}
    for name, leaf in outputs.items():
        if not _is_leaf(leaf):
            if name not in groups:
                return None
            found[name] = dict(leaf)
            continue
        prefixes = {prefix: group for group in groups for prefix in (f"{group.partition('_')[0]}_", f"{group}_")}
        prefix = max((prefix for prefix in prefixes if name.startswith(prefix)), key=len, default="")
        if not prefix:
            return None
        found.setdefault(prefixes[prefix], {})[name.removeprefix(prefix)] = leaf
    return found or None
