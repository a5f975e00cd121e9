from flopsheet import choice, formula, given, indicator, max_, min_, override, ratio, select
from flopsheet.builtin.models.model_size import ModelSize
from flopsheet.builtin.models.number_bytes import NumberBytes

# Formats of the matrices of the layers; "stored" is that of the published files.
QUANTIZED = ("fp8", "fp8_block", "int8", "int4", "mxfp8", "mxfp6", "mxfp4", "nvfp4", "nf4")
FORMATS = ("stored", "fp32", "bf16", "fp16", *QUANTIZED)


class WeightFormat(ModelSize, NumberBytes):
    """Memory of a model's weights as they are served: bytes of a weight with its scales, by the format.

    A format of 16 or 32 bits holds all weights. One of fewer bits holds the matrices of the layers; embedding, output
    matrix, vectors and routers are in bf16 beside it.
    """

    model = override(example="deepseek-v3")
    weight_format = choice(
        *FORMATS,
        doc="Format of the matrices of the layers: that of the published files, or one that they are quantized to",
        default="stored",
        example="int4",
    )
    fp32_weights = choice(
        "kept",
        "halved",
        doc="Weights that the files have in fp32 are loaded as they are, or in 16 bits",
        default="kept",
    )

    # Weights that share scales
    int4_group = given("4-bit weights that share a scale and a zero point", default=128, integer=True, source="awq")
    int4_scale_bytes = given(
        "Bytes of an fp16 scale of such a group", "byte/param", default=2, fixed=True, source="awq"
    )
    int4_zero_bytes = given(
        "Bytes of its 4-bit zero point", "byte/param", default=ratio(1, 2), fixed=True, minimum=0, source="awq"
    )
    mx_block = given(
        "Weights of a microscaling format that share a scale", default=32, fixed=True, integer=True, source="ocp-mx"
    )
    mx_scale_bytes = given("Bytes of such a scale, an exponent", "byte/param", default=1, fixed=True, source="ocp-mx")
    nvfp4_block = given("4-bit weights that share an fp8 scale", default=16, fixed=True, integer=True, source="nvfp4")

    # In int8, each output of a matrix has a scale
    attention_outputs = formula(
        (d_attn + q_rank + d_model + output_gate * d_mixed)
        + direct_keys * (d_keys + d_values)
        + (1 - direct_keys) * (d_rope + kv_rank + n_heads * d_unrotated + d_mixed)
        + (indexer.n_heads + 1) * indexer.d_head,
        "",
        "Outputs of the matrices of attention of a layer",
    )
    state_outputs = formula(
        (d_state_conv + state.token_scalars * state.n_heads + d_model)
        + (d_state_values + low_rank_gate * (2 * state.gate_rank + d_state_keys))
        + indicator(state.step_rank > 0) * (state.step_rank + 2 * state.d_state + d_state_values),
        "",
        "Outputs of the matrices of a recurrent mixer",
    )
    shared_outputs = formula(
        indicator(d_shared > 0) * ((ffn_matrices - 1) * d_shared + d_model), "", "Outputs of shared experts"
    )
    block_outputs = formula(
        n_attention_blocks * attention_outputs
        - (n_shared_kv_blocks + n_shared_window_blocks) * direct_keys * (d_keys + d_values)
        + state.n_blocks * state_outputs
        + n_dense_blocks * ffn_outputs
        + n_moe_blocks * (shared_outputs + dense_branch * ffn_outputs),
        "param",
        "Outputs of the matrices of all layers but experts: in int8, each has an fp32 scale",
    )
    bytes_per_int8_weight = formula(
        fp8_bytes + fp32_bytes * block_outputs / block_matrix_params,
        "byte/param",
        "Bytes of an 8-bit weight with its share of the scale of its output, in the mean",
    )
    bytes_per_int8_expert_weight = formula(
        fp8_bytes + fp32_bytes / ffn_matrices * ((ffn_matrices - 1) / d_expert_in + 1 / max_(d_expert, 1)),
        "byte/param",
        "Bytes of an 8-bit weight of an expert with its share of the scale of its output, in the mean",
    )

    # Bytes of a weight with its share of a scale
    bytes_per_int4_weight = formula(
        ratio(1, 2) * fp8_bytes + (int4_scale_bytes + int4_zero_bytes) / int4_group,
        "byte/param",
        "Bytes of a 4-bit weight with scale and zero point of its group",
    )
    mx_scale_share = formula(mx_scale_bytes / mx_block, "byte/param", "Bytes of a microscaling weight for its scale")
    bytes_per_nvfp4_weight = formula(
        ratio(1, 2) * fp8_bytes + fp8_bytes / nvfp4_block, "byte/param", "Bytes of an NVFP4 weight with its scale"
    )
    format_bytes = formula(
        select(
            weight_format,
            stored=select(fp32_weights, kept=stored.block, halved=min_(stored.block, bf16_bytes)),
            fp32=fp32_bytes,
            bf16=bf16_bytes,
            fp16=bf16_bytes,
            fp8=fp8_bytes,
            fp8_block=bytes_per_block_fp8,
            int8=bytes_per_int8_weight,
            int4=bytes_per_int4_weight,
            mxfp8=fp8_bytes + mx_scale_share,
            mxfp6=ratio(3, 4) * fp8_bytes + mx_scale_share,
            mxfp4=ratio(1, 2) * fp8_bytes + mx_scale_share,
            nvfp4=bytes_per_nvfp4_weight,
            nf4=bytes_per_nf4_weight,
        ),
        "byte/param",
        "Bytes of a weight in this format; as stored, of one outside the experts",
    )

    # Bytes of each weight
    bytes_per_param = given("Bytes of a weight in the matrices of the layers", "byte/param", inferred=format_bytes)
    bytes_per_expert_param = given(
        "Bytes of a weight of the experts",
        "byte/param",
        inferred=select(
            weight_format,
            **dict.fromkeys(FORMATS, bytes_per_param)
            | {
                "stored": select(fp32_weights, kept=stored.expert, halved=min_(stored.expert, bf16_bytes)),
                "int8": bytes_per_int8_expert_weight,
            },
        ),
    )
    bytes_per_outer_param = given(
        "Bytes of a weight outside those matrices: embedding, output matrix, vectors, routers",
        "byte/param",
        inferred=select(
            weight_format,
            **dict.fromkeys(FORMATS, bf16_bytes)
            | {
                "stored": select(fp32_weights, kept=stored.other, halved=min_(stored.other, bf16_bytes)),
                "fp32": fp32_bytes,
            },
        ),
    )

    # The whole model
    unquantized_params = formula(
        params - expert_stack_params - block_matrix_params, "param", "Parameters outside the matrices of the layers"
    )
    format_memory = formula(
        expert_stack_params * bytes_per_expert_param
        + block_matrix_params * bytes_per_param
        + unquantized_params * bytes_per_outer_param,
        "GiB",
        "Memory of all weights in this format",
        headline=True,
    )
    bits_per_param = formula(
        format_memory / params, "bit/param", "Bits of a weight, scales included: the mean", headline=True
    )
    format_share = formula(format_memory / weight_memory, "percent", "Memory of the weights over that of the files")

    assumptions = (
        "One scale of a whole tensor, as fp8 and NVFP4 have, is left out.",
        (
            "Scales of padding would add to known models at most 0.003 % of the bytes in fp8_block, 0.015 % in MX "
            "formats, 0.16 % in int4, and nothing in NVFP4."
        ),
    )
    notes = (
        "int4 is GPTQ and AWQ with zero points; symmetric ones have int4_zero_bytes = 0 byte/param.",
        "A mixed format, such as Q4_K_M of llama.cpp at about 4.8 bits, is given as bytes_per_param = 0.6 byte/param.",
        "Files of some models keep more in bf16: gpt-oss its attention, Qwen3-Next its recurrent mixers.",
        "gpt-oss stores its experts in mxfp4 and the rest in bf16; mxfp4 here holds all matrices of the layers.",
    )
    sources = (
        "awq",
        "ocp-mx",
        "nvfp4",
    )
