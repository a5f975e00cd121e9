"""The kind of record `architecture`: the shape of a language model, down to every parameter."""

from flopsheet.registry.records import RecordType, fields

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
