"""How golden cases are read: sub-cases, groups of inputs, references to other cases."""

from __future__ import annotations

from typing import Any

import pytest
from tests.golden.adapters.base import command_options
from tests.golden.forms import sub_cases


def leaf(value: object, unit: str = "") -> dict[str, object]:
    return {"value": value, "unit": unit}


def flat(case: dict[str, Any], *others: dict[str, Any]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    parts = sub_cases(case, [case, *others])
    return {
        part.name: (dict(part.inputs), {name: out["value"] for name, out in part.outputs.items()}) for part in parts
    }


def test_flat_inputs_are_one_sub_case() -> None:
    case = {"id": "P1", "inputs": {"a": leaf(1)}, "outputs": {"x": leaf(2)}, "solve_for": "a"}
    assert flat(case) == {"": ({"a": 1, "solve_for": "a"}, {"x": 2})}


def test_outputs_are_those_of_the_sub_case_in_their_names() -> None:
    groups = {"gpt3": {"a": leaf(1)}, "llama3_70b": {"a": leaf(2)}}
    case = {"id": "P1", "inputs": groups, "outputs": {"gpt3_x": leaf(3), "llama3_70b_x": leaf(4)}}
    assert flat(case) == {
        "gpt3": ({"a": 1, "sub_case": "gpt3"}, {"x": 3}),
        "llama3_70b": ({"a": 2, "sub_case": "llama3_70b"}, {"x": 4}),
    }


def test_nested_outputs_are_those_of_the_sub_case_of_this_name() -> None:
    case = {"id": "P1", "inputs": {"T5": {"a": leaf(1)}, "b": leaf(7)}, "outputs": {"T5": {"x": leaf(3)}}}
    assert flat(case) == {"T5": ({"a": 1, "b": 7, "sub_case": "T5"}, {"x": 3})}


def test_groups_without_outputs_of_their_own_are_parts_of_one_question() -> None:
    case = {"id": "P1", "inputs": {"model": {"a": leaf(1)}, "b": leaf(7)}, "outputs": {"time": leaf(3)}}
    assert flat(case) == {"": ({"b": 7, "model.a": 1}, {"time": 3})}


def test_a_command_is_that_of_the_case_or_of_its_sub_case() -> None:
    outputs = {"a_x": leaf(3), "b_x": leaf(4)}
    case = {"id": "P1", "inputs": {"p": leaf(1)}, "outputs": {"x": leaf(3)}, "provenance": {"cmd": "tool --q=2"}}
    assert flat(case)[""][0] == {"p": 1, "cmd": "tool --q=2"}
    case = {"id": "P1", "inputs": {"a": {"p": leaf(1)}, "b": {"p": leaf(2)}}, "outputs": outputs}
    parts = flat({**case, "provenance": {"cmd": ["tool -q 2", "tool -q 3"]}})
    assert [parts[name][0]["cmd"] for name in ("a", "b")] == ["tool -q 2", "tool -q 3"]


def test_options_of_a_command_have_values_or_are_on() -> None:
    options = command_options("python tool.py --num-layers=44 --tp 8 --moe --rate 1e9 -l 3 --file a.json")
    assert options == {"num_layers": 44, "tp": 8, "moe": True, "rate": 1e9, "file": "a.json"}
    assert command_options("tool.py -l 12 -hs=768 --moe -i", {"l": "layers", "hs": "width", "i": "infer"}) == {
        "layers": 12,
        "width": 768,
        "moe": True,
        "infer": True,
    }


def test_a_sub_case_may_take_the_inputs_of_another() -> None:
    groups = {"a_one": {"p": leaf(1)}, "b_two": {"as": "a with offload and q = 5", "r": leaf(2)}}
    case = {"id": "P1", "inputs": groups, "outputs": {"a_x": leaf(3), "b_x": leaf(4)}}
    assert flat(case)["b_two"] == ({"p": 1, "offload": True, "q": 5, "r": 2, "sub_case": "b_two"}, {"x": 4})


def test_a_case_may_take_the_inputs_of_another() -> None:
    other = {"id": "P12-name", "inputs": {"p": leaf(1), "q": leaf(2)}, "outputs": {}}
    case = {"id": "I3", "inputs": {"as": "P12", "q": leaf(5)}, "outputs": {"x": leaf(3)}}
    assert flat(case, other) == {"": ({"p": 1, "q": 5}, {"x": 3})}
    nested = {"id": "P11-name", "inputs": {"a_one": {"p": leaf(1)}}, "outputs": {}}
    case = {"id": "I4", "inputs": {"as": "P11 a_one with offload"}, "outputs": {"x": leaf(3)}}
    assert flat(case, nested) == {"": ({"p": 1, "offload": True}, {"x": 3})}


def test_a_reference_to_no_case_is_refused() -> None:
    with pytest.raises(AssertionError, match="0 cases are called 'P99'"):
        sub_cases({"id": "I3", "inputs": {"as": "P99"}, "outputs": {}}, [])


def test_a_given_file_may_refer_to_a_case_of_this_folder() -> None:
    (alone,) = sub_cases({"id": "I3", "inputs": {"as": "P12"}, "outputs": {"x": {"value": 1}}}, [])
    assert len(alone.inputs) > 1
