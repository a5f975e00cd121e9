from flopsheet import formula, override
from flopsheet.builtin.models.ffn_shape import FfnShape


class TransformerShape(FfnShape):
    """Shape of a transformer: its widths and its depth."""

    n_blocks = override(example=126)
    aspect_ratio = formula(d_model / n_blocks, "", "Width over depth: 100 to 200 in large models")

    sources = ("bigscience-tr11",)
