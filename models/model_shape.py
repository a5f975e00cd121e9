from flopsheet import Architecture, Sheet, part


class ModelShape(Sheet):
    """Shape of a language model: that of a record of the registry, or its figures given one by one.

    By hand, a figure that is not given is what most models have: as many key and value heads as query heads, no
    experts, no windows, no biases, a gate in the feed-forward blocks.
    """

    model = part(Architecture, "Language model, whose figures are d_model, n_blocks and so on", bare=True)

    assumptions = ("All blocks have the same width.",)
