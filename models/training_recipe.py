from flopsheet import choice, formula, given, select
from flopsheet.builtin.models.low_rank_adapters import LowRankAdapters
from flopsheet.builtin.models.model_shape import ModelShape
from flopsheet.builtin.models.number_bytes import NumberBytes

# Recipes that train all weights, and those that train adapters beside frozen weights.
FULL = ("fp32", "mixed_16", "mixed_18", "fp8", "fp8_bf16_moments", "adam_8bit", "sgd", "muon")
ADAPTERS = ("lora", "qlora")
RECIPES = (*FULL, *ADAPTERS)
FP8 = ("fp8", "fp8_bf16_moments")


class TrainingRecipe(LowRankAdapters, NumberBytes, ModelShape):
    """Bytes of weights, gradients and optimizer state per parameter, by the recipe of a training run.

    The recipe sets the bytes of each number; each of them can also be given. Matrices of the layers and what is outside
    of them differ in some recipes: fp8 and 4-bit formats hold only matrices, and Muon updates only these.
    """

    params = given("Parameters of the model", "param", inferred=model.params, example=7e9)
    recipe = choice(
        *RECIPES,
        doc="What is trained, in which formats and by which optimizer: Adam unless the name says another",
        default="mixed_16",
        example="lora",
    )

    # Numbers in blocks that share a scale
    fp8_layouts = given(
        "Layouts of an fp8 weight: two on Hopper, plain and transposed; one on Blackwell",
        default=2,
        integer=True,
        source="transformer-engine",
    )
    moment_block = given(
        "8-bit moments that share an fp32 scale", default=256, fixed=True, integer=True, source="bitsandbytes"
    )

    bytes_per_fp8_weight = formula(
        fp8_layouts * bytes_per_block_fp8, "byte/param", "Bytes of an fp8 weight with its scales, in all layouts"
    )
    bytes_per_8bit_moment = formula(
        fp8_bytes + fp32_bytes / moment_block, "byte/param", "Bytes of an 8-bit moment with its scale"
    )

    # Matrices of the layers
    bytes_per_param = given(
        "Bytes of a weight",
        "byte/param",
        inferred=select(
            recipe,
            **dict.fromkeys(RECIPES, bf16_bytes)
            | {"fp32": fp32_bytes, "qlora": bytes_per_nf4_weight}
            | dict.fromkeys(FP8, bytes_per_fp8_weight),
        ),
    )
    bytes_per_new_gradient = given(
        "Bytes of a gradient as the backward pass computes it, zero if weights are frozen",
        "byte/param",
        inferred=select(recipe, **dict.fromkeys(FULL, bf16_bytes) | {"fp32": fp32_bytes} | dict.fromkeys(ADAPTERS, 0)),
        minimum=0,
    )
    bytes_per_gradient = given(
        "Bytes of a gradient of what is trained, accumulated; zero where it is not kept",
        "byte/param",
        inferred=select(
            recipe,
            **dict.fromkeys(RECIPES, bf16_bytes) | dict.fromkeys(("fp32", "mixed_18", *FP8, *ADAPTERS), fp32_bytes),
        ),
        minimum=0,
    )
    bytes_per_master = given(
        "Bytes of the fp32 copy of a weight, zero for none",
        "byte/param",
        inferred=select(
            recipe, **dict.fromkeys(RECIPES, fp32_bytes) | dict.fromkeys(("fp32", "adam_8bit", *ADAPTERS), 0)
        ),
        minimum=0,
    )
    bytes_per_mean = given(
        "Bytes of the first moment, or of the momentum",
        "byte/param",
        inferred=select(
            recipe,
            **dict.fromkeys(RECIPES, fp32_bytes) | {"fp8_bf16_moments": bf16_bytes, "adam_8bit": bytes_per_8bit_moment},
        ),
        minimum=0,
    )
    bytes_per_variance = given(
        "Bytes of the second moment, zero for none",
        "byte/param",
        inferred=select(recipe, **dict.fromkeys(RECIPES, bytes_per_mean) | {"sgd": 0, "muon": 0}),
        minimum=0,
    )

    bytes_per_optimizer = formula(
        bytes_per_master + bytes_per_mean + bytes_per_variance,
        "byte/param",
        "Bytes of the optimizer's state of a weight",
    )

    # Embeddings, output matrix, norms and biases
    bytes_per_outer_param = given(
        "Bytes of a weight outside the matrices of the layers",
        "byte/param",
        inferred=select(recipe, **dict.fromkeys(RECIPES, bytes_per_param) | dict.fromkeys((*FP8, "qlora"), bf16_bytes)),
    )
    bytes_per_outer_variance = given(
        "Bytes of the second moment of such a weight, which has one beside Muon too",
        "byte/param",
        inferred=select(recipe, **dict.fromkeys(RECIPES, bytes_per_variance) | {"muon": bytes_per_mean}),
        minimum=0,
    )

    bytes_per_outer_optimizer = formula(
        bytes_per_master + bytes_per_mean + bytes_per_outer_variance,
        "byte/param",
        "Bytes of the optimizer's state of such a weight",
    )

    # Adapters
    bytes_per_adapter_param = given("Bytes of a weight of an adapter", "byte/param", inferred=fp32_bytes)

    trained_params = formula(
        select(recipe, **dict.fromkeys(FULL, params), **dict.fromkeys(ADAPTERS, adapter_params)),
        "param",
        "Parameters that are trained",
    )
    trained_share = formula(
        select(recipe, **dict.fromkeys(FULL, 1), **dict.fromkeys(ADAPTERS, adapter_params / (params + adapter_params))),
        "percent",
        "Share of all parameters that is trained",
    )

    # All of it
    bytes_per_trained = formula(
        bytes_per_gradient
        + bytes_per_optimizer
        + select(recipe, **dict.fromkeys(FULL, bytes_per_param), **dict.fromkeys(ADAPTERS, bytes_per_adapter_param)),
        "byte/param",
        "Bytes of the weight, gradient and optimizer state of a parameter that is trained",
        headline=True,
    )
    bytes_per_state = formula(
        select(
            recipe,
            **dict.fromkeys(FULL, bytes_per_trained),
            **dict.fromkeys(ADAPTERS, bytes_per_param + bytes_per_trained * adapter_params / params),
        ),
        "byte/param",
        "Bytes of weights, gradients and optimizer state per parameter of the model",
        headline=True,
    )

    assumptions = (
        "Small tensors, which bitsandbytes keeps in fp32, and padding of blocks are left out.",
        "bytes_per_state takes all parameters for matrices of the layers.",
    )
    notes = (
        "ZeRO counts mixed_16, Megatron-LM mixed_18: they accumulate gradients in 16 bits and in fp32.",
        "fp8 keeps no bf16 weights; Transformer Engine does unless told not to: give bytes_per_param = 4 byte/param.",
        "fp8_bf16_moments is the recipe of DeepSeek-V3.",
        "adam_8bit updates bf16 weights without a copy in fp32; give bytes_per_master = 4 byte/param for one.",
        "Adafactor keeps rows and columns in place of variances: give bytes_per_variance = 0 byte/param.",
    )
    sources = (
        "zero",
        "mixed-precision",
        "adamw",
        "megatron-dist-optimizer",
        "deepseek-v3",
        "transformer-engine",
        "bitsandbytes",
        "muon-scalable",
        "qlora",
    )
