from flopsheet import Sheet, formula, given


class LowRankAdapters(Sheet):
    """Parameters of low-rank adapters (LoRA), from the widths of the matrices that have one.

    An adapter of a matrix is two: from its inputs to the rank, and from the rank to its outputs.
    """

    lora_rank = given("Rank of the adapters", default=8, example=16, integer=True, source="peft")
    adapted_width = given("Inputs and outputs of all matrices that have adapters", "param", example=2498560, minimum=0)

    adapter_params = formula(lora_rank * adapted_width, "param", "Parameters of the adapters, two matrices each")

    assumptions = ("All adapters have one rank, and no bias.",)
    sources = ("lora", "peft")
