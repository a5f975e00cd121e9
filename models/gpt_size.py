from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.transformer_shape import TransformerShape


class GptSize(TransformerShape):
    """Parameters of a GPT or BLOOM model, from its depth, width and vocabulary.

    A layer has 12 h^2 + 13 h parameters at width h, where the feed-forward layer is four times as wide. The output
    layer shares the embedding matrix.
    """

    # The model
    variant = choice(
        "gpt", "bloom", doc="Family: GPT embeds positions, BLOOM normalises its embedding instead", default="gpt"
    )
    n_blocks = override(example=94)
    d_model = override(example=13312)
    ffn_ratio = given(
        "Width of the feed-forward layer over that of the residual stream",
        default=4,
        source="bigscience-tr11",
    )
    d_ff = override(inferred=ffn_ratio * d_model)
    vocab = override(example=150257)
    n_positions = override(default=2048, source="gpt-3")

    # A layer: matrices and biases
    attention_params = formula(
        4 * d_model**2 + 4 * d_model,
        "param",
        "Attention parameters of a layer: query, key, value and output, each with a bias",
    )
    ffn_biases = formula(d_ff + d_model, "param", "Biases of both feed-forward matrices")
    ffn_params = formula(
        block_params + ffn_biases, "param", "Feed-forward parameters of a layer: both matrices and their biases"
    )
    norm_params = formula(2 * d_model, "param", "Parameters of a layer norm: scale and shift", integer=True)
    layer_params = formula(
        attention_params + ffn_params + 2 * norm_params, "param", "Parameters of a layer, with two norms"
    )

    # The whole model
    embedding_params = formula(vocab * d_model, "param", "Parameters of the vocabulary embedding", integer=True)
    position_params = formula(
        select(variant, gpt=n_positions * d_model, bloom=0),
        "param",
        "Parameters of the position embedding",
        symbol=r"N_{\text{pos}}",
    )
    outer_norm_params = formula(
        select(variant, gpt=norm_params, bloom=2 * norm_params),
        "param",
        "Parameters of the norms outside the layers: the last, and in BLOOM that of the embedding",
        symbol=r"N_{\text{out}}",
    )
    params = formula(
        n_blocks * layer_params + embedding_params + position_params + outer_norm_params,
        "param",
        "Parameters of the model",
        headline=True,
    )

    assumptions = (
        "Dense layers with biases everywhere; the feed-forward layer has no gate.",
        "The output layer shares the embedding matrix.",
    )
    notes = (
        "The source prints 145B for 80 layers of 12288, which are 146B, and rounds width over depth both ways.",
        "The source uses 150257 entries in one place and 150,000 in another.",
        "A later revision prints 310B and a ratio of 170 for 105 layers of 20480, which are 530B and 195.",
    )
    sources = ("bigscience-tr11", "gpt-3", "bloom")
