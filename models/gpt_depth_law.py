"""Width and size of the best model of a depth, by the law of depth and width in self-attention."""

from flopsheet import Sheet, exp, formula, given


class GptDepthLaw(Sheet):
    """Width and size of the best model of a depth, by the law of depth and width in self-attention.

    A larger model gains from more layers, a smaller one of the same depth gains from fewer and wider ones.
    """

    n_blocks = given("Blocks in the stack: transformer layers", example=48, integer=True)
    width_offset = given("Logarithm of the width at no depth", default=5.039, source="depth-to-width", symbol="w_0")
    width_growth = given(
        "Growth of that logarithm with each layer", default=0.0555, source="depth-to-width", symbol="w_1"
    )
    layer_factor = given(
        "Parameters of a layer over its squared width: four in attention, eight in the feed-forward part",
        "param",
        default=12,
        source="depth-to-width",
        symbol=r"k_{\text{layer}}",
    )

    d_model = formula(exp(width_offset + width_growth * n_blocks), "", "Width where more layers begin to help")
    params = formula(layer_factor * n_blocks * d_model**2, "param", "Size where more layers begin to help")
    aspect_ratio = formula(d_model / n_blocks, "", "Width over depth")

    assumptions = (
        "The law was fitted to models of 6 to 48 layers; deeper ones extrapolate.",
        "Embeddings, biases and norms are left out.",
    )
    sources = ("depth-to-width",)
