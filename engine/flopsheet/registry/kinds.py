"""All kinds of records: one entry each, and `KINDS` by name."""

from flopsheet.registry.records import RecordType, fields

Chip = RecordType(
    kind="chip",
    folder="hardware/chips",
    fields=fields(
        ("memory", "GiB", r"M_{\text{chip}}", "Memory of one chip, as the device reports it"),
        ("memory_bandwidth", "TB/s", r"W_{\text{mem}}", "Rate at which one chip reads its memory, decimal"),
        ("flops.fp32", "TFLOP/s", r"C_{\text{fp32}}", "Peak fp32 rate outside the matrix units"),
        ("flops.fp32_matrix", "TFLOP/s", r"C_{\text{fp32m}}", "Peak dense fp32 rate of the matrix units"),
        ("flops.tf32", "TFLOP/s", r"C_{\text{tf32}}", "Peak dense tf32 rate"),
        ("flops.bf16", "TFLOP/s", r"C_{\text{bf16}}", "Peak dense bf16 rate"),
        ("flops.fp16", "TFLOP/s", r"C_{\text{fp16}}", "Peak dense fp16 rate"),
        ("flops.fp8", "TFLOP/s", r"C_{\text{fp8}}", "Peak dense fp8 rate"),
        ("flops.int8", "TFLOP/s", r"C_{\text{int8}}", "Peak dense int8 rate, one operation counted as one FLOP"),
        ("flops.fp6", "TFLOP/s", r"C_{\text{fp6}}", "Peak dense fp6 rate"),
        ("flops.fp4", "TFLOP/s", r"C_{\text{fp4}}", "Peak dense fp4 rate"),
        (
            "link.bandwidth",
            "GB/s",
            r"W_{\text{link}}",
            "Chip-to-chip bandwidth one way, all links of one chip together",
        ),
        ("link.links", "count", r"n_{\text{links}}", "Chip-to-chip links of one chip"),
        ("link.domain", "count", r"n_{\text{domain}}", "Chips that these links join directly or by switch"),
        ("power", "W", r"P_{\text{chip}}", "Largest sustained power of one chip"),
        ("price", "USD", r"K_{\text{chip}}", "Price of one chip"),
        ("hourly_price", "USD/hour", r"p_{\text{chip}}", "Price of renting one chip"),
        ("sram.l2", "MiB", r"M_{\text{L2}}", "Cache that all cores of one chip share"),
        ("sram.last_level", "MiB", r"M_{\text{LLC}}", "Cache behind that, before the memory"),
        ("sram.per_core", "KiB", r"M_{\text{core}}", "Fast memory of one core: shared memory and first cache"),
        ("sram.on_chip", "MiB", r"M_{\text{sram}}", "Fast memory of one chip that programs address"),
        ("cores", "count", r"n_{\text{core}}", "Cores: streaming multiprocessors, compute units, tensor cores"),
        ("clock", "GHz", r"f_{\text{chip}}", "Clock at which the peak rates are quoted"),
    ),
    labels=("link.name", "link.topology", "memory_type"),
    required=("name", "vendor", "source", "memory", "memory_bandwidth", "flops"),
    columns=("memory", "memory_bandwidth", "flops.bf16", "link.bandwidth", "power"),
)


System = RecordType(
    kind="system",
    folder="hardware/systems",
    fields=fields(
        ("n_chips", "count", r"n_{\text{sys}}", "Chips of the system"),
        ("memory", "GiB", r"M_{\text{sys}}", "Memory of all its chips together"),
        ("link.bandwidth", "GB/s", r"W_{\text{up}}", "Scale-up bandwidth of one chip inside the domain, one way"),
        ("link.domain", "count", r"n_{\text{up}}", "Chips that the scale-up links join directly or by switch"),
        ("link.dimensions", "count", r"n_{\text{dim}}", "Dimensions of the torus, where it is one"),
        ("network.bandwidth", "GB/s", r"W_{\text{out}}", "Scale-out bandwidth of one chip, one way"),
        ("network.ports", "count", r"n_{\text{nic}}", "Network ports of the system"),
        ("host.bandwidth", "GB/s", r"W_{\text{host}}", "Bandwidth between one chip and its host, one way"),
        ("host.memory", "GiB", r"M_{\text{host}}", "Memory of the hosts"),
        ("host.cpus", "count", r"n_{\text{cpu}}", "Processors of the hosts"),
        ("power", "kW", r"P_{\text{sys}}", "Largest power of the whole"),
        ("price", "USD", r"K_{\text{sys}}", "Price of the whole"),
        ("hourly_price", "USD/hour", r"p_{\text{sys}}", "Price of renting the whole"),
    ),
    labels=("link.name", "link.topology", "network.name", "host.name"),
    required=("name", "vendor", "source", "chip", "n_chips"),
    columns=("n_chips", "memory", "link.domain", "link.bandwidth", "network.bandwidth", "power"),
    references={"chip": Chip},
)


Datacenter = RecordType(
    kind="datacenter",
    folder="hardware/datacenters",
    fields=fields(
        ("latitude", "degree", r"\varphi", "Latitude of the machine hall, north is positive"),
        ("longitude", "degree", r"\lambda", "Longitude of the machine hall, east is positive"),
        ("n_chips", "count", r"n_{\text{site}}", "Chips of the main kind"),
        ("power", "MW", r"P_{\text{site}}", "Power that the site can draw"),
        ("measured_power", "MW", r"P_{\text{hpl}}", "Power drawn while it ran the High Performance Linpack"),
        ("pue", "", r"\mathrm{PUE}", "Power usage effectiveness: energy of the site over energy of its machines"),
        ("grid_carbon", "gram/kWh", r"\gamma", "CO2 of a unit of energy from the grid, mean of a year"),
        ("energy_price", "USD/kWh", r"p_{\text{energy}}", "Price of a unit of energy"),
        ("network.bandwidth", "GB/s", r"W_{\text{net}}", "Network bandwidth of one chip, one way"),
        between={"latitude": (-90, 90), "longitude": (-180, 180)},
    ),
    labels=("country", "system", "network.name", "other_chips"),
    columns=("latitude", "longitude", "n_chips", "power", "pue", "grid_carbon", "energy_price"),
    references={"chip": Chip},
    maker="operator",
)


_FLAGS = (
    *("router_bias", "shared_gate", "qkv_bias", "output_bias", "ffn_bias", "head_bias"),
    *("head_norm", "wide_norm"),
)
_NONE_UNLESS_SAID = (
    *_FLAGS,
    *("n_experts", "n_routed", "d_expert", "d_shared", "n_moe_blocks"),
    *("q_rank", "kv_rank", "d_rope", "n_positions", "d_ff", "stored_rope"),
)
_MOST = 10**9

Architecture = RecordType(
    kind="architecture",
    folder="models/architectures",
    fields=fields(
        ("params", "param", "N", "Parameters of the model, as its authors or its files count them"),
        ("active_params", "param", r"N_{\text{act}}", "Parameters that one token meets, as its authors count them"),
        ("n_blocks", "count", "L", "Blocks in the stack: the layers of a transformer"),
        ("d_model", "count", "d", "Width of the residual stream"),
        ("vocab", "count", "V", "Entries of the vocabulary, padding included"),
        ("context_len", "token", r"\ell", "Tokens of the longest sequence that it was made for"),
        ("n_positions", "count", r"n_{\text{pos}}", "Positions that have an embedding of their own"),
        ("embedding_matrices", "count", r"m_{\text{emb}}", "Matrices of the vocabulary: 1 where the output shares it"),
        ("n_heads", "count", r"n_{\text{head}}", "Query heads of a layer"),
        ("n_kv_heads", "count", r"n_{\text{kv}}", "Key and value heads of a layer"),
        ("d_head", "count", r"d_{\text{head}}", "Width of a query or key head"),
        ("d_value", "count", r"d_{\text{val}}", "Width of a value head"),
        ("q_rank", "count", r"r_{\text{q}}", "Rank of the queries in latent attention"),
        ("kv_rank", "count", r"r_{\text{kv}}", "Rank of keys and values in latent attention"),
        ("d_rope", "count", r"d_{\text{rope}}", "Part of a head that bears the position in latent attention"),
        ("qkv_bias", "count", r"b_{\text{qkv}}", "1 where queries, keys and values have biases"),
        ("output_bias", "count", r"b_{\text{out}}", "1 where the output of attention has a bias"),
        ("head_norm", "count", r"b_{\text{qk}}", "1 where queries and keys have a norm, shared by the heads"),
        ("wide_norm", "count", r"b_{\text{wide}}", "1 where queries and keys have a norm over all heads"),
        ("d_ff", "count", "f", "Width of the hidden layer of a dense feed-forward block"),
        ("ffn_matrices", "count", r"m_{\text{ffn}}", "Matrices of a feed-forward block: 3 with a gate, 2 without"),
        ("ffn_bias", "count", r"b_{\text{ffn}}", "1 where the layers of a feed-forward block have biases"),
        ("n_moe_blocks", "count", r"L_{\text{moe}}", "Blocks that have experts"),
        ("n_experts", "count", r"n_{\text{exp}}", "Experts of a block that has them, shared ones aside"),
        ("n_routed", "count", r"n_{\text{routed}}", "Experts that a token passes, shared ones aside"),
        ("d_expert", "count", r"f_{\text{exp}}", "Width of the hidden layer of an expert"),
        ("d_shared", "count", r"f_{\text{sh}}", "Width of the hidden layer of all shared experts together"),
        ("shared_gate", "count", r"b_{\text{gate}}", "1 where a gate weighs the shared experts"),
        ("router_bias", "count", r"b_{\text{rout}}", "1 where the router has a bias for each expert"),
        ("block_norms", "count", r"m_{\text{norm}}", "Norms of a block, as wide as the residual stream"),
        ("outer_norms", "count", r"m_{\text{out}}", "Norms outside the blocks"),
        ("norm_vectors", "count", r"m_{\text{vec}}", "Vectors of a norm: 1 scales, 2 scale and shift"),
        ("head_bias", "count", r"b_{\text{head}}", "1 where the output layer has a bias"),
        ("stored_rope", "count", r"m_{\text{rope}}", "Rotary frequencies of a block that files store as parameters"),
        between={**dict.fromkeys(_NONE_UNLESS_SAID, (0, _MOST)), **dict.fromkeys(_FLAGS, (0, 1))},
        absent={
            **dict.fromkeys(_NONE_UNLESS_SAID, 0),
            "embedding_matrices": 2,
            "ffn_matrices": 3,
            "block_norms": 2,
            "outer_norms": 1,
            "norm_vectors": 1,
        },
    ),
    labels=("family", "huggingface"),
    required=("name", "vendor", "source", "n_blocks", "d_model", "vocab", "n_heads", "n_kv_heads", "d_head", "d_value"),
    columns=("params", "n_blocks", "d_model", "d_ff", "n_heads", "n_kv_heads", "vocab", "n_experts"),
)

KINDS = {record_type.kind: record_type for record_type in (Chip, System, Datacenter, Architecture)}
