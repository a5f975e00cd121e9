"""Import of Hugging Face configurations: published ones count exactly, and hostile ones are refused by name."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.stored import read_yaml

from flopsheet import record, records, sheet
from flopsheet.errors import RegistryError
from flopsheet.formulas.evaluate import evaluate
from flopsheet.registry.architecture import Architecture
from flopsheet.registry.huggingface.families import FAMILIES
from flopsheet.registry.huggingface.record import architecture_from_config, read_config
from flopsheet.registry.reading import read_records
from flopsheet.registry.store import sources
from flopsheet.registry.strict_yaml import parse

if TYPE_CHECKING:
    from flopsheet.registry.records import Record

FOLDER = Path(__file__).parent / "configs"
PARAMS: dict[str, int] = read_yaml(FOLDER / "params.yaml")
CONSTRUCTED: dict[str, Any] = read_yaml(FOLDER.parent / "constructed.yaml")
# Records say otherwise here on purpose: stored frequencies, a matrix stored twice, a context, and what a configuration
# does not say: elements of encoders and of scales, a module that Qwen3-Next has, the precision of GPT-2.
SCALES, ENCODER = {"scale_params"}, {"encoder_params"}
OTHER = {
    "llama-2-7b": {"stored_rope"},
    "falcon-7b": {"embedding_matrices"},
    "falcon-40b": {"embedding_matrices"},
    "gpt2": {"stored.block", "stored.other"},
    "deepseek-v2-lite": {"context_len"},
    "command-r7b": {"context_len"},
    "glm-5": {"mtp.matrices"},
    "gpt-neo-2.7b": {"stored.block", "stored.other"},
    "deepseek-v3": SCALES,
    "deepseek-v3.2": SCALES,
    "kimi-k2": SCALES,
    "gpt-oss-20b": SCALES,
    "minimax-m2": SCALES,
    "gemma-3-4b": ENCODER,
    "llama-4-scout": ENCODER,
    "llama-4-maverick": ENCODER,
    "qwen3.5-27b": ENCODER,
    "qwen3.5-35b-a3b": ENCODER,
    "qwen3-next-80b-a3b": {"mtp.n_modules", "mtp.experts", "mtp.norms"},
}
# Families of which no published configuration is here: most read as another one does.
UNREAD = {
    *(
        "granite",
        "ministral3",
        "qwen3_vl_text",
        "qwen3_vl_moe_text",
        "llama4",
        "gemma3",
        "mamba2",
        "minimax",
        "internlm3",
        "exaone",
        "nemotron",
    ),
    *("olmo3", "phi", "cohere", "ernie4_5", "ernie4_5_moe", "dbrx", "longcat_flash", "kimi_linear", "minimax_m1"),
}
LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "vocab_size": 1000,
}
DEEPSEEK = {
    **LLAMA,
    "model_type": "deepseek_v3",
    "moe_intermediate_size": 32,
    "n_routed_experts": 8,
    "num_experts_per_tok": 2,
    "kv_lora_rank": 16,
    "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 8,
}
DEEP = "[" * 100_000 + "]" * 100_000


def imported(config: dict[str, Any], key: str = "mine") -> Record:
    """Return the record of a configuration, as our loader reads it."""
    (record,) = read_records(parse(architecture_from_config(config, key), "made.yaml"), Architecture)
    return record


def figures(record: Record) -> dict[str, int]:
    """Return all figures of a record, those too that it means by saying nothing."""
    silent = {field.name: field.absent for field in Architecture.fields if field.absent is not None}
    return {**silent, **{name: int(value.si) for name, value in record.values.items()}}


def counted(record: Record) -> int:
    """Return the parameters that the sheet counts."""
    values: dict[str, Any] = {**figures(record)}
    for cell in sheet("model_size").cells.values():
        if cell.formula is not None:
            values[cell.name] = evaluate(cell.formula, values)
    return int(values["params"])


def _type(config: dict[str, Any]) -> str:
    return str((config.get("text_config") or config).get("model_type", config["model_type"]))


def test_every_configuration_here_is_tested() -> None:
    assert {*PARAMS} == {file.stem for file in FOLDER.glob("*.json")}
    configs: list[dict[str, Any]] = [read_config(FOLDER / f"{name}.json") for name in PARAMS]
    read = {_type(config) for config in configs}
    assert read == {*FAMILIES} - UNREAD
    assert len(read) >= 25


@pytest.mark.parametrize("name", PARAMS)
def test_a_published_configuration_counts_exactly(name: str) -> None:
    record = imported(read_config(FOLDER / f"{name}.json"), name)
    assert record.key == name
    assert {*record.sources} <= {*sources()}
    assert counted(record) == PARAMS[name]


@pytest.mark.parametrize("name", [name for name in PARAMS if name in records("architecture")])
def test_it_agrees_with_the_record(name: str) -> None:
    known, read = (
        figures(record("architecture", name, "test")),
        figures(imported(read_config(FOLDER / f"{name}.json"))),
    )
    shared = {*known} & {*read}
    assert {field for field in shared if known[field] != read[field]} == OTHER.get(name, set())


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_a_family_that_nobody_has_published_here_counts_as_its_record(name: str) -> None:
    known, made = record("architecture", name, "test"), imported(CONSTRUCTED[name], name)
    assert counted(made) == known.values["params"].si
    wrong = {field for field, value in figures(made).items() if figures(known).get(field, value) != value}
    assert wrong == ({"mtp.n_modules", "mtp.norms", "mtp.matrices"} if name == "longcat-flash" else set())


def test_the_text_is_ours() -> None:
    text = architecture_from_config({**LLAMA, "_name_or_path": "me/mine"}, "mine")
    assert text.splitlines() == [
        "mine:",
        "  name: mine",
        "  vendor: unknown",
        "  family: Llama",
        "  huggingface: me/mine",
        "  d_model: 64",
        "  d_ff: 128",
        "  n_blocks: 2",
        "  vocab: 1000",
        "  n_heads: 4",
        "  n_kv_heads: 4",
        "  d_head: 16",
        "  d_value: 16",
        "  source: huggingface-config",
    ]


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        ({"attention_bias": True}, "qkv_bias", 1),
        ({"attention_bias": True}, "output_bias", 1),
        ({"mlp_bias": True}, "ffn_bias", 1),
        ({"tie_word_embeddings": True}, "embedding_matrices", 1),
        ({"num_key_value_heads": None}, "n_kv_heads", 4),
        ({"head_dim": 32}, "d_head", 32),
        ({"model_type": "gemma"}, "d_head", 256),
        ({"model_type": "gemma"}, "embedding_matrices", 1),
        ({"model_type": "gpt_neox"}, "qkv_bias", 1),
        ({"model_type": "gpt_neox", "attention_bias": False}, "output_bias", 0),
        ({"model_type": "falcon"}, "n_kv_heads", 1),
        ({"model_type": "falcon", "multi_query": False}, "n_kv_heads", 4),
        ({"model_type": "falcon", "parallel_attn": False}, "block_norms", 2),
        ({"model_type": "falcon", "parallel_attn": False}, "parallel_blocks", 0),
        ({"model_type": "falcon"}, "parallel_blocks", 1),
        ({"model_type": "gpt_neox"}, "parallel_blocks", 1),
        ({"model_type": "gpt_neox", "use_parallel_residual": False}, "parallel_blocks", 0),
        ({"model_type": "stablelm", "use_parallel_residual": True}, "parallel_blocks", 1),
        ({"model_type": "cohere", "use_qk_norm": True}, "norm_per_head", 1),
        ({"model_type": "cohere"}, "wide_norm", 0),
        ({"model_type": "falcon", "bias": True}, "ffn_bias", 1),
        ({"model_type": "gpt2", "n_positions": 10, "intermediate_size": None}, "d_ff", 256),
        ({"model_type": "mpt", "attn_config": {"kv_n_heads": 2}}, "n_kv_heads", 2),
        ({"text_config": LLAMA, "vocab_size": 5, "tie_word_embeddings": True}, "vocab", 1000),
        ({"text_config": LLAMA, "vocab_size": 5, "tie_word_embeddings": True}, "embedding_matrices", 1),
    ],
)
def test_what_a_configuration_states_or_omits(change: dict[str, Any], field: str, value: int) -> None:
    assert figures(imported({**LLAMA, **change}))[field] == value


@pytest.mark.parametrize(
    ("change", "sparse"),
    [({}, 2), ({"first_k_dense_replace": 1}, 1), ({"moe_layer_freq": 2}, 1), ({"first_k_dense_replace": 9}, 0)],
)
def test_layers_with_experts(change: dict[str, Any], sparse: int) -> None:
    values = figures(imported({**DEEPSEEK, **change}))
    assert values["n_moe_blocks"] == sparse
    assert (values["d_ff"] == 0) is (sparse == 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "lama"}, "key 'model_type': There is no family 'lama'. Did you mean 'llama'"),
        ({"model_type": "rwkv"}, "Known: llama, "),
        ({"layer_types": ["full_attention"], "sliding_window": 8}, "key 'layer_types': It has 1 kinds for 2 blocks."),
        ({"layer_types": [1, 2], "sliding_window": 8}, "key 'layer_types': 1 is not a text."),
        ({"layer_types": 5}, "key 'layer_types': 5 is not a list."),
        ({"torch_dtype": 5}, "key 'torch_dtype': 5 is not a text."),
        ({"quantization_config": 5}, "key 'quantization_config': 5 is not an object."),
        ({"model_type": "opt", "do_layer_norm_before": False}, "OPT models with norms after their layers are not"),
        ({"model_type": "opt", "word_embed_proj_dim": 32}, "Embeddings of another width are not supported."),
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "MX"}, "It is not 2 of the letters M, *, - and E."),
        ({"model_type": "nemotron_h", "hybrid_override_pattern": "M"}, "It is not 2 of the letters M, *, - and E."),
        ({"model_type": "mamba", "use_bias": True}, "key 'use_bias': Models with biases in Mamba are not supported."),
        ({"model_type": None}, "The key 'model_type' is missing. Known: llama, "),
        ({"model_type": ["llama"]}, "There is no family 'list'."),
        ({"hidden_size": None}, "config.json: The key 'hidden_size' is missing. It may also be called n_embd or "),
        ({"intermediate_size": None}, "The key 'intermediate_size' is missing."),
        ({"hidden_size": "64"}, "key 'hidden_size': \"64\" is not a whole number from 1 to 1,000,000,000."),
        ({"hidden_size": True}, "key 'hidden_size': true is not a whole number"),
        ({"hidden_size": 64.0}, "key 'hidden_size': 64.0 is not a whole number"),
        ({"hidden_size": math.nan}, "key 'hidden_size': NaN is not a whole number"),
        ({"hidden_size": -64}, "key 'hidden_size': -64 is not a whole number"),
        ({"hidden_size": 0}, "key 'hidden_size': 0 is not a whole number"),
        ({"hidden_size": 10**5000}, "key 'hidden_size': A number this large is not a whole number"),
        ({"hidden_size": -(10**5000)}, "key 'hidden_size': A number this small is not a whole number"),
        ({"hidden_size": [64]}, "key 'hidden_size': list is not a whole number"),
        ({"hidden_size": "x" * 10**6}, "x… is not a whole number"),
        ({"hidden_size": "\ud800"}, "key 'hidden_size': \"\\ud800\" is not a whole number"),
        ({"hidden_size": 65}, "key 'head_dim': 4 heads do not divide a width of 65. Add head_dim."),
        ({"num_hidden_layers": 10**9}, "1,000,000,000 layers are more than 100,000."),
        ({"tie_word_embeddings": 1}, "key 'tie_word_embeddings': 1 is neither true nor false."),
        ({"text_config": [1]}, "key 'text_config': Not a JSON object."),
        ({"text_config": {}}, "The key 'num_hidden_layers' is missing."),
        ({"model_type": "mpt", "attn_config": 5}, "key 'attn_config': 5 is not an object."),
        ({"model_type": "mpt", "attn_config": {"qk_ln": True}}, "key 'attn_config', key 'qk_ln': Models with norms"),
        ({"model_type": "mpt", "no_bias": False}, "key 'no_bias': MPT models with biases are not supported."),
        ({**DEEPSEEK, "attention_bias": True}, "key 'attention_bias': Models with biases in latent attention"),
        ({**DEEPSEEK, "num_experts_per_tok": 9}, "A token cannot pass 9 of 8 experts."),
        ({**DEEPSEEK, "kv_lora_rank": None}, "The key 'kv_lora_rank' is missing."),
        ({**DEEPSEEK, "model_type": "qwen3_moe", "num_experts": 8, "mlp_only_layers": 3}, "3 is not a list."),
        ({**DEEPSEEK, "model_type": "qwen3_moe", "num_experts": 8, "mlp_only_layers": ["a"]}, '"a" is not a whole'),
    ],
)
def test_mistakes_name_the_key(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RegistryError) as caught:
        architecture_from_config({**LLAMA, **change}, "mine")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("config", [[], None, "llama", 5])
def test_only_an_object_is_a_configuration(config: Any) -> None:
    with pytest.raises(RegistryError, match="Not a JSON object"):
        architecture_from_config(config, "mine")


@pytest.mark.parametrize("key", ["", "Mine", "a b", "a: b\nc", "x" * 65, "-a", "ä"])
def test_the_key_must_be_one_of_a_record(key: str) -> None:
    with pytest.raises(RegistryError, match="cannot be the name of a record"):
        architecture_from_config(LLAMA, key)


@pytest.mark.parametrize("name", ["a/b: c", "a/b\n  params: 5", "a", 5, "../x/y", "a/" + "b" * 200])
def test_an_invalid_hub_name_is_left_out(name: object) -> None:
    assert "huggingface" not in imported({**LLAMA, "_name_or_path": name}).labels


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "This is not JSON"),
        (b"{", "This is not JSON"),
        (b"\xff\xfe", "This is not JSON"),
        (b"[1]", "Not a JSON object."),
        (b'{"a": ' + b"9" * 10_000 + b"}", "This is not JSON"),
        (DEEP.encode(), "nested too deep"),
        (b" " * 1_000_001, "The file is larger than 1,000,000 bytes. Name the config.json"),
    ],
)
def test_files_that_hold_no_configuration(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(data)
    with pytest.raises(RegistryError) as caught:
        read_config(tmp_path / "config.json")
    assert message in str(caught.value)
    assert str(tmp_path / "config.json") in str(caught.value)


@pytest.mark.parametrize("name", ["none.json", ".", "nul\0.json"])
def test_files_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"The file cannot be read: .*\."):
        read_config(tmp_path / name)


@pytest.mark.parametrize(
    ("config", "note"),
    [
        ({"text_config": LLAMA, "vision_config": {}}, "Left out: encoder of images."),
        ({**LLAMA, "num_mtp_modules": 3}, "Left out: modules that predict further tokens."),
        ({**LLAMA, "num_nextn_predict_layers": 0}, ""),
        ({**LLAMA, "quantization_config": {"quant_method": "awq"}}, "Left out: quantization by awq."),
        ({**LLAMA, "quantization_config": {"quant_method": 'a"\n b'}}, "Left out: quantization by another method."),
    ],
)
def test_what_is_left_out_is_said(config: dict[str, Any], note: str) -> None:
    assert imported(config).note == note


@pytest.mark.parametrize(
    ("change", "bytes_", "label"),
    [
        ({"torch_dtype": "bfloat16"}, (2, 2), ""),
        ({"torch_dtype": "torch.float32"}, (4, 4), "fp32"),
        ({"dtype": "float16"}, (2, 2), "fp16"),
        ({"quantization_config": {"quant_method": "mxfp4"}}, (2, 0.53125), "mxfp4"),
        (
            {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}},
            (1.000244140625, 1.000244140625),
            "fp8",
        ),
    ],
)
def test_the_precision_of_the_files(change: dict[str, Any], bytes_: tuple[float, float], label: str) -> None:
    record = imported({**DEEPSEEK, **change})
    silent = {"stored.block": 2, "stored.expert": 2}
    found = {**silent, **{name: value.si for name, value in record.values.items()}}
    assert (found["stored.block"], found["stored.expert"]) == bytes_
    assert record.labels.get("stored.precision", "") == label


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ({"sliding_window": 8}, 2),
        ({"sliding_window": None}, 0),
        ({"sliding_window": 8, "use_sliding_window": False}, 0),
        ({"sliding_window": 8, "use_sliding_window": True, "max_window_layers": 1}, 1),
        ({"sliding_window": 8, "max_position_embeddings": 8}, 0),
        ({"sliding_window": 8, "sliding_window_pattern": 2}, 1),
        ({"sliding_window": 8, "layer_types": ["sliding_attention", "full_attention"]}, 1),
    ],
)
def test_blocks_with_a_window(change: dict[str, Any], count: int) -> None:
    read = figures(imported({**LLAMA, "model_type": "mistral", **change}))
    assert read["n_window_blocks"] == count
    assert read["window"] == (8 if count else 0)


@pytest.mark.parametrize("name", ["gpt2", "qwen3-next-80b-a3b", "gpt-oss-20b", "pythia-70m", "kimi-k2", "mamba-130m"])
def test_architectures_stand_in_for_the_type(name: str) -> None:
    config = read_config(FOLDER / f"{name}.json")
    classes = {"gpt2": ["GPT2LMHeadModel"], "pythia-70m": ["GPTNeoXForCausalLM"]}.get(name, config.get("architectures"))
    del config["model_type"]
    assert counted(imported({**config, "architectures": classes})) == PARAMS[name]


def test_the_parameters_are_written() -> None:
    text = architecture_from_config(LLAMA, "mine", count=lambda figures: 1000 * int(figures["n_blocks"]))
    assert "  params: 2000 param\n" in text
    assert "override" not in text
    assert "  override: true\n" in architecture_from_config(LLAMA, "mine", override=True)


def test_a_file_is_read_as_json(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("\ufeff" + json.dumps(LLAMA), encoding="utf-8")
    assert read_config(tmp_path / "config.json") == LLAMA
