from flopsheet import Sheet, formula, given


class FrameworkMemory(Sheet):
    """Memory of a chip that a framework takes beside tensors: context, kernels and buffers of collectives."""

    kernel_memory = given(
        "Memory of the context and the kernels of the chip, measured on an A100",
        "MiB",
        default=1573,
        minimum=0,
        source="bigscience-tr11",
    )
    communication_memory = given(
        "Memory of the buffers of collectives: about 1 GiB for some communicators",
        "MiB",
        default=1024,
        minimum=0,
    )

    framework_memory = formula(
        kernel_memory + communication_memory, "MiB", "Memory of one chip that is not that of tensors"
    )

    assumptions = ("Memory is not fragmented: allocators of frameworks reserve some percent more than tensors take.",)
    sources = ("bigscience-tr11",)
