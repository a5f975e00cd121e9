from flopsheet import Architecture, Sheet, exp, formula, given, part


class GptDepthLaw(Sheet):
    """Width and size of the best model of a given depth, by the depth-to-width law of self-attention.

    A larger model of this depth gains from more layers, a smaller one from fewer and wider layers.
    """

    model = part(Architecture, "Language model, of which the depth is taken", example="gpt2-xl")
    n_blocks = given("Blocks in the stack: transformer layers", inferred=model.n_blocks, example=48, integer=True)
    width_offset = given("Logarithm of the width at depth zero", default=5.039, source="depth-to-width", symbol="w_0")
    width_growth = given("Increase of that logarithm per layer", default=0.0555, source="depth-to-width", symbol="w_1")
    layer_factor = given(
        "Parameters of a layer over its squared width: four in attention, eight in the feed-forward part",
        "param",
        default=12,
        source="depth-to-width",
        symbol=r"k_{\text{layer}}",
    )

    d_model = formula(
        exp(width_offset + width_growth * n_blocks), "", "Width above which more layers help", headline=True
    )
    params = formula(layer_factor * n_blocks * d_model**2, "param", "Size above which more layers help", headline=True)
    aspect_ratio = formula(d_model / n_blocks, "", "Width over depth")

    assumptions = (
        "The law was fitted to models of 6 to 48 layers; deeper ones are extrapolated.",
        "Embeddings, biases and norms are left out.",
    )
    sources = ("depth-to-width",)
