from flopsheet import Chip, System, ceil, formula, given, limit, override, part
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.transformer_shape import TransformerShape


class FfnMemory(TransformerShape, GlobalBatch):
    """Memory to train a stack of feed-forward blocks, sharded over devices.

    Each block is two linear layers without bias, d_model to d_ff and back. Weights, gradients and Adam's moments are
    sharded over the devices, as in fully sharded data parallelism, together with a share of the activations.
    """

    # The model
    batch = override(example=128)
    seq_len = override(example=1024)
    system = part(System, "Server or rack of the chips, which gives the chip too")
    chip = part(Chip, "Chip that holds the training state", example="tpu-v5p", of=system)

    # What is kept of each parameter
    bytes_per_param = given("Bytes of an fp32 weight", "byte/param", default=4, source="ieee-754")
    bytes_per_gradient = given("Bytes of an fp32 gradient, accumulated", "byte/param", default=4, source="ieee-754")
    bytes_per_moment = given("Bytes of an fp32 optimizer moment", "byte/param", default=4, source="ieee-754")
    n_moments = given("Moments kept by AdamW: mean and variance", default=2, integer=True, source="adamw")

    params = formula(
        2 * d_model * d_ff * n_blocks, "param", "Parameters of the stack, two matrices per block", integer=True
    )
    param_memory = formula(params * bytes_per_param, "GiB", "Memory of the weights")
    gradient_memory = formula(params * bytes_per_gradient, "GiB", "Memory of the gradients")
    optimizer_memory = formula(params * n_moments * bytes_per_moment, "GiB", "Memory of the optimizer moments")
    state_memory = formula(
        param_memory + gradient_memory + optimizer_memory, "GiB", "Memory of weights, gradients and moments"
    )

    # What is kept of each token: the input of either layer
    bytes_per_activation = given("Bytes of a bf16 activation of one token", "byte/token", default=2, source="bfloat16")

    activation_memory_per_token = formula(
        n_blocks * (d_model + d_ff) * bytes_per_activation,
        "byte/token",
        "Activations kept per token: inputs of both layers of each block",
    )
    activation_memory = formula(activation_memory_per_token * tokens, "GiB", "Memory of the activations of a batch")

    # Everything on as few chips as hold it
    total_memory = formula(state_memory + activation_memory, "GiB", "Memory of state and activations together")
    n_chips = formula(ceil(total_memory / chip.memory), "chip", "Whole chips that hold everything", integer=True)

    # One device of a sharded group
    n_fsdp = given("Devices over which the training state is sharded", example=46, integer=True)
    sharded_activation_fraction = given(
        "Share of the activations that is sharded", default=0.5, minimum=0, maximum=1, source="cs336-systems"
    )
    replicated_activation_fraction = given(
        "Share of the activations that is replicated on every device",
        default=0,
        minimum=0,
        maximum=1,
        source="cs336-systems",
    )

    device_memory = formula(
        (state_memory + sharded_activation_fraction * activation_memory) / n_fsdp
        + replicated_activation_fraction * activation_memory,
        "GiB",
        "Memory held by one device",
        headline=True,
    )
    fits = limit(device_memory <= chip.memory, "One device holds its share")

    assumptions = (
        "A block is a feed-forward layer and nothing else: no attention, embeddings, norms or output layer.",
        "No activation checkpointing: the input of each linear layer is kept for the backward pass, in bf16.",
        "No working copies: no bf16 weights beside the fp32 ones, no gathered layer, no communication buffers.",
    )
    notes = (
        "The source divides bytes by 2^30 and prints GB; here that is GiB.",
        "The source drops the unsharded half of the activations; replicated_activation_fraction = 1/2 keeps it.",
    )
    sources = ("cs336-systems",)
