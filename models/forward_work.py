from flopsheet import formula, override
from flopsheet.builtin.models.attention_span import AttentionSpan
from flopsheet.builtin.models.matrix_work import MatrixWork


class ForwardWork(MatrixWork, AttentionSpan):
    """Forward computation of a token in a language model, part by part.

    Every matrix that multiplies a token counts twice its elements, and attention twice the products of each pair of
    tokens that it computes.
    """

    model = override(example="deepseek-v3")

    # Pairs of tokens
    attended_tokens = formula(
        n_worked_global * global_span + n_window_blocks * window_span,
        "token",
        "Tokens that a token attends to, over all blocks",
    )
    score_work_per_token = formula(
        work_per_pair * d_attn * attended_tokens, "GFLOP/token", "Scores: queries times keys"
    )
    mixing_work_per_token = formula(
        work_per_pair * d_mixed * attended_tokens, "GFLOP/token", "Mixed values: scores times values"
    )
    indexing_work_per_token = formula(
        work_per_pair * indexer.n_heads * (indexer.d_head + 1) * n_worked_global * past_tokens,
        "GFLOP/token",
        "Scores of the indexer, and the sum over its heads",
    )

    # All parts
    exact_work_per_token = formula(
        block_work_per_token
        + (score_work_per_token + mixing_work_per_token + indexing_work_per_token)
        + (head_work_per_token + lookup_work_per_token),
        "GFLOP/token",
        "Forward computation of a token, the sum of all parts",
        headline=True,
    )

    assumptions = ("Latent attention computes keys and values of all heads, as in training.",)
    sources = ("kaplan", "palm", "mamba-2", "gated-delta-net", "eleutherai-cookbook")
