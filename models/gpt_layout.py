from flopsheet import Chip, System, choice, equal, floor, formula, given, limit, mod, override, part, select
from flopsheet.builtin.models.gpt_size import GptSize
from flopsheet.builtin.models.parallel_layout import ParallelLayout


class GptLayout(GptSize, ParallelLayout):
    """Layout of a GPT model on chips: memory of one chip, layers per stage, number of replicas.

    Tensor parallelism splits each layer over chips, pipeline parallelism the layers over stages. An embedding as large
    as a layer counts as one; the stages must then divide layers and embeddings together.
    """

    # A stage of the pipeline
    n_tp = override(example=4)
    n_pp = override(example=24)
    embedding_blocks = given(
        "Embeddings that count as layers, one each for input and output: none by default",
        default=0,
        example=2,
        integer=True,
        minimum=0,
        symbol=r"L_{\text{emb}}",
    )

    stage_blocks = formula(
        (n_blocks + embedding_blocks) / n_pp, "block", "Blocks per stage, not rounded", symbol=r"L_{\text{stage}}"
    )
    spare_blocks = formula(
        mod(n_blocks + embedding_blocks, n_pp),
        "block",
        "Blocks left over after equal stages",
        symbol=r"L_{\text{spare}}",
    )
    divides = limit(equal(spare_blocks, 0), "All stages have the same number of blocks")

    # What one chip holds
    stage_embeddings = given(
        "Embeddings that the stage holds beside its blocks: none by default",
        default=0,
        example=1,
        integer=True,
        minimum=0,
        symbol="e",
    )
    bytes_per_param = given("Bytes of a 16-bit weight", "byte/param", default=2, source="mixed-precision")
    bytes_per_master = given("Bytes of the fp32 copy of a weight", "byte/param", default=4, source="ieee-754")
    bytes_per_gradient = given("Bytes of an fp32 gradient, accumulated", "byte/param", default=4, source="ieee-754")
    bytes_per_moment = given("Bytes of an fp32 optimizer moment", "byte/param", default=4, source="ieee-754")
    n_moments = given("Moments kept by Adam: mean and variance", default=2, integer=True, source="adamw")

    bytes_per_state = formula(
        bytes_per_param + bytes_per_master + bytes_per_gradient + n_moments * bytes_per_moment,
        "byte/param",
        "Bytes of training state per parameter",
    )
    layer_shard = formula(
        layer_params / n_tp, "param", "Parameters of a layer on one chip", symbol=r"N'_{\text{layer}}"
    )
    layer_shard_memory = formula(
        layer_shard * bytes_per_state, "GB", "Training state of a layer on one chip", symbol=r"M'_{\text{layer}}"
    )
    embedding_shard = formula(
        embedding_params / n_tp, "param", "Parameters of an embedding on one chip", symbol=r"N'_{\text{emb}}"
    )
    embedding_shard_memory = formula(
        embedding_shard * bytes_per_state, "GB", "Training state of an embedding on one chip", symbol=r"M'_{\text{emb}}"
    )

    device_params = formula(
        stage_blocks * layer_shard + stage_embeddings * embedding_shard, "param", "Parameters on one chip"
    )
    device_state_memory = formula(
        device_params * bytes_per_state, "GB", "Weights, gradients and optimizer state on one chip"
    )

    kernels = choice("a100_40gb", "v100_32gb", doc="Chip whose CUDA kernels were measured", default="a100_40gb")
    a100_kernel_memory = given(
        "Memory of the CUDA kernels on an A100 40GB",
        "MiB",
        default=1573,
        symbol=r"M_{\text{A100}}",
        source="bigscience-tr11",
    )
    v100_kernel_memory = given(
        "Memory of the CUDA kernels on a V100 32GB",
        "MiB",
        default=1271,
        symbol=r"M_{\text{V100}}",
        source="bigscience-tr11",
    )
    kernel_memory = formula(
        select(kernels, a100_40gb=a100_kernel_memory, v100_32gb=v100_kernel_memory),
        "MiB",
        "Memory of the CUDA kernels on one chip",
    )
    device_activation_memory = given("Memory of activations and buffers on one chip", "GB", example=4)
    device_memory = formula(
        device_state_memory + device_activation_memory + kernel_memory, "GB", "Memory held by one chip", headline=True
    )

    system = part(System, "Server or rack of the chips, which gives the chip too")
    chip = part(Chip, "Chip that holds its share of the model", example="a100-80gb", of=system)
    fits = limit(device_memory <= chip.memory, "One chip holds its share")

    # Replicas of the model
    total_chips = given("Chips of the cluster", "chip", example=416, integer=True)
    reserved_nodes = given(
        "Nodes held in reserve: none by default",
        "node",
        default=0,
        example=4,
        integer=True,
        minimum=0,
        symbol=r"q_{\text{node}}",
    )
    chips_per_node = given(
        "Chips per node", "chip", default=8, inferred=system.n_chips, integer=True, source="bigscience-tr11"
    )
    first_chips = given(
        "Chips available before the rest of the cluster",
        "chip",
        default=144,
        integer=True,
        source="bigscience-tr11",
        symbol="n_0",
    )

    n_chips = formula(
        total_chips - reserved_nodes * chips_per_node, "chip", "Chips that train", integer=True, headline=True
    )
    n_nodes = formula(n_chips / chips_per_node, "node", "Nodes that train", symbol="q")
    n_dp = override(floor(n_chips / replica_chips), "Data-parallel replicas, whole")
    used_chips = formula(n_dp * replica_chips, "chip", "Chips in use", integer=True, symbol=r"n_{\text{used}}")
    first_replicas = formula(
        floor(first_chips / replica_chips),
        "",
        "Whole replicas on the first chips",
        integer=True,
        symbol=r"n_{\text{dp},0}",
    )

    assumptions = (
        "Dense layers with biases everywhere; the feed-forward layer has no gate.",
        "Each replica holds all optimizer state: it is not sharded over the replicas.",
        "Position embeddings and norms outside the layers are left out on a chip: they are small beside a layer.",
        "CUDA kernels take as much memory on any chip as on the measured one.",
    )
    notes = (
        "The source gives only the sum of 18 bytes per parameter; its parts here are those of mixed-precision Adam.",
        "An observed device_memory gives device_activation_memory: 3.5 and 2.1 GB in the source, rounded to 4 and 2.",
        "A later revision of the source labels megabytes GB.",
    )
    sources = ("bigscience-tr11", "mixed-precision", "adamw")
