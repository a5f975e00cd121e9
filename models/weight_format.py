from flopsheet import choice, formula, given, override, ratio, select
from flopsheet.builtin.models.model_size import ModelSize
from flopsheet.builtin.models.number_bytes import NumberBytes

# Formats of the matrices of the layers; "stored" is that of the published files.
QUANTIZED = ("fp8", "fp8_block", "int8", "int4", "mxfp8", "mxfp6", "mxfp4", "nvfp4", "nf4")
FORMATS = ("stored", "fp32", "bf16", "fp16", *QUANTIZED)


class WeightFormat(ModelSize, NumberBytes):
    """Memory of a model's weights as they are served: bytes of a weight with its scales, by the format.

    A format of 16 or 32 bits holds all weights. One of fewer bits holds the matrices of the layers; embedding, output
    matrix, norms and routers are in bf16 beside it.
    """

    model = override(example="deepseek-v3")
    weight_format = choice(
        *FORMATS,
        doc="Format of the matrices of the layers: that of the published files, or one that they are quantized to",
        default="stored",
        example="int4",
    )

    # Weights that share scales
    int4_group = given("4-bit weights that share a scale and a zero point", default=128, integer=True, source="awq")
    int4_scale_bytes = given(
        "Bytes of an fp16 scale of such a group", "byte/param", default=2, fixed=True, source="awq"
    )
    int4_zero_bytes = given(
        "Bytes of its 4-bit zero point", "byte/param", default=ratio(1, 2), fixed=True, minimum=0, source="awq"
    )
    int8_channel = given(
        "8-bit weights that share an fp32 scale: those of an output, as many as it has inputs",
        inferred=d_model,
        example=7168,
        integer=True,
    )
    mx_block = given(
        "Weights of a microscaling format that share a scale", default=32, fixed=True, integer=True, source="ocp-mx"
    )
    mx_scale_bytes = given("Bytes of such a scale, an exponent", "byte/param", default=1, fixed=True, source="ocp-mx")
    nvfp4_block = given("4-bit weights that share an fp8 scale", default=16, fixed=True, integer=True, source="nvfp4")

    bytes_per_int8_weight = formula(
        fp8_bytes + fp32_bytes / int8_channel, "byte/param", "Bytes of an 8-bit weight with the scale of its output"
    )
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
            stored=stored.block,
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
        inferred=select(weight_format, **dict.fromkeys(FORMATS, bytes_per_param) | {"stored": stored.expert}),
    )
    bytes_per_outer_param = given(
        "Bytes of a weight outside those matrices: embedding, output matrix, norms, routers",
        "byte/param",
        inferred=select(
            weight_format, **dict.fromkeys(FORMATS, bf16_bytes) | {"stored": stored.other, "fp32": fp32_bytes}
        ),
    )

    # The whole model
    unquantized_params = formula(
        params - expert_stack_params - block_stack_params, "param", "Parameters outside the matrices of the layers"
    )
    format_memory = formula(
        expert_stack_params * bytes_per_expert_param
        + block_stack_params * bytes_per_param
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
        "Quantization leaves embedding, output matrix, norms and routers in bf16.",
    )
    notes = (
        "int4 is GPTQ and AWQ with zero points; symmetric ones have int4_zero_bytes = 0 byte/param.",
        "A mixed format, such as Q4_K_M of llama.cpp at about 4.8 bits, is given as bytes_per_param = 0.6 byte/param.",
        "gpt-oss stores its experts in mxfp4 and the rest in bf16; mxfp4 here holds all matrices of the layers.",
    )
    sources = (
        "awq",
        "ocp-mx",
        "nvfp4",
    )
