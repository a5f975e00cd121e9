from flopsheet import choice, formula, given, indicator, max_, min_, mod, select
from flopsheet.builtin.models.model_blocks import ModelBlocks


class AttentionSpan(ModelBlocks):
    """Tokens that a token attends to, averaged over the positions of a sequence.

    With causal attention the token at position i attends to i tokens, itself included, or to as many as a window holds.
    """

    seq_len = given("Tokens in a sequence", "token", example=4096, maximum=10**9, integer=True)
    attention_span = choice(
        "causal",
        "half",
        "full",
        doc="Pairs of tokens that count: earlier tokens and the token itself, half of all pairs, or all pairs",
        default="causal",
    )
    single_token = given("One token: that which a token itself is", "token", default=1, fixed=True)

    self_tokens = formula(
        select(attention_span, causal=single_token, half=0, full=0),
        "token",
        "Tokens that the convention adds for itself",
    )
    masked_pairs = formula(
        select(attention_span, causal=1, half=1, full=0), "", "1 if later tokens are masked and not computed, else 0"
    )

    # A block without a window: all tokens, or those that an indexer selects
    has_indexer = formula(indicator(indexer.top_k > 0), "", "1 if an indexer selects tokens, else 0")
    reach = formula(
        min_(seq_len, has_indexer * indexer.top_k + (1 - has_indexer) * seq_len),
        "token",
        "Most tokens that a token attends to in a block without a window",
    )
    past_tokens = formula(
        seq_len - masked_pairs * (seq_len - self_tokens) / 2, "token", "Tokens up to a token, averaged over positions"
    )
    global_span = formula(
        reach - masked_pairs * reach * (reach - self_tokens) / (2 * seq_len),
        "token",
        "Tokens that a token attends to in a block without a window",
        headline=True,
    )

    # A block with a window that slides, or with chunks that do not
    window_reach = formula(min_(seq_len, window), "token", "Most tokens that a token attends to in a window")
    sliding_span = formula(
        window_reach - masked_pairs * window_reach * (window_reach - self_tokens) / (2 * seq_len),
        "token",
        "Tokens that a token attends to in a window that slides",
    )
    last_chunk = choice(
        "full",
        "cut",
        doc="Whether a last chunk counts as full, or as what the sequence leaves of it",
        default="full",
    )
    chunk_rest = formula(
        select(last_chunk, full=0, cut=mod(seq_len, max_(window_reach, single_token))),
        "token",
        "Tokens in a last chunk that counts as cut, or none",
    )
    chunk_span = formula(
        window_reach
        - masked_pairs * (window_reach - self_tokens) / 2
        - (1 - masked_pairs / 2) * chunk_rest * (window_reach - chunk_rest) / seq_len,
        "token",
        "Tokens that a token attends to in a chunk",
    )
    window_span = formula(
        chunked * chunk_span + (1 - chunked) * sliding_span,
        "token",
        "Tokens that a token attends to in a block with a window",
        headline=True,
    )

    assumptions = (
        "A sequence longer than a chunk is a whole number of chunks, unless last_chunk = cut.",
        "Sequences are full and hold one document; a token attends within its sequence only.",
    )
    notes = (
        "Causal counts (s + 1) / 2 tokens for a sequence of s; Megatron-LM counts s / 2, attention_span = half.",
        "PaLM, the SC21 paper of Megatron-LM and EleutherAI count all s: attention_span = full.",
    )
    sources = ("palm", "megatron-flop", "deepseek-v3.2")
