from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.attention_span import AttentionSpan
from flopsheet.builtin.models.block_matrices import BlockMatrices
from flopsheet.builtin.models.global_batch import GlobalBatch
from flopsheet.builtin.models.model_size import ModelSize


class Transformer(ModelSize, BlockMatrices, AttentionSpan, GlobalBatch):
    """Parameters of a language model and its computation: forward and backward, per token, sequence, batch and run.

    Every matrix that multiplies a token counts twice its elements, and attention twice the products of each pair of
    tokens that it computes. Conventions on which authors differ are choices.
    """

    model = override(example="deepseek-v3")
    seq_len = override(example=4096)
    batch = override(example=15360)

    # FLOP of a multiplication and an addition, by what is multiplied
    forward_work_per_param_token = given(
        "Forward FLOP per parameter and token: a multiplication and an addition",
        "FLOP/param/token",
        default=2,
        source="kaplan",
    )
    work_per_pair = given(
        "FLOP per product of a pair of tokens: a multiplication and an addition",
        "FLOP/token^2",
        default=2,
        source="kaplan",
    )
    work_per_state_value = given(
        "FLOP per pass over a value of a state: a multiplication and an addition",
        "FLOP/token",
        default=2,
        source="mamba-2",
    )
    lookup_work_per_value = given(
        "FLOP to look up a value of an embedding: none, it is copied", "FLOP/token", default=0, example=4, minimum=0
    )

    # Blocks, with those of modules that predict further tokens
    mtp_counted = choice("no", "yes", doc="Whether modules that predict further tokens count", default="no")
    n_counted_mtp = formula(select(mtp_counted, no=0, yes=mtp.n_modules), "", "Modules that count")
    n_worked_attention = formula(n_attention_blocks + n_counted_mtp, "", "Attentions that a token passes")
    n_worked_global = formula(n_global_blocks + n_counted_mtp, "", "Those without a window")
    n_worked_moe = formula(n_moe_blocks + n_counted_mtp * mtp.experts, "", "Parts with experts")
    n_worked_dense = formula(n_dense_blocks + n_counted_mtp * (1 - mtp.experts), "", "Dense feed-forward parts")

    # Forward, by part
    projection_work_per_token = formula(
        forward_work_per_param_token
        * (
            n_worked_attention * attention_matrix_params
            - (n_shared_kv_blocks + n_shared_window_blocks) * key_value_matrix_params
        ),
        "GFLOP/token",
        "Projections of attention: queries, keys, values, output",
    )
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
    state_passes = formula(
        2 + state.delta_rule, "", "Passes over a state: a write, a read, and one more with a delta rule"
    )
    mixer_work_per_token = formula(
        state.n_blocks
        * (
            forward_work_per_param_token * state_matrix_params
            + work_per_state_value * state_passes * d_state_values * state.d_state
        ),
        "GFLOP/token",
        "Recurrent mixers: matrices, convolution and states",
    )
    ffn_work_per_token = formula(
        forward_work_per_param_token * (n_worked_dense * ffn_matrix_params + n_worked_moe * moe_dense_params),
        "GFLOP/token",
        "Dense feed-forward parts, shared experts included",
    )
    expert_work_per_token = formula(
        forward_work_per_param_token * n_worked_moe * routed_matrix_params, "GFLOP/token", "Routed experts"
    )
    router_work_per_token = formula(
        forward_work_per_param_token * n_worked_moe * router_matrix_params, "GFLOP/token", "Routers"
    )
    mtp_join_work_per_token = formula(
        forward_work_per_param_token * n_counted_mtp * mtp_join_params,
        "GFLOP/token",
        "Matrices that join the inputs of modules",
    )
    head_counted = choice(
        "all", "forward", "no", doc="Whether the output layer counts in all passes, forward only, or not", default="all"
    )
    head_matrix_params = formula(vocab * d_model, "param", "Matrix of the output layer")
    n_worked_heads = formula(
        select(head_counted, all=1 + n_counted_mtp, forward=1 + n_counted_mtp, no=0),
        "",
        "Output layers that a token passes, one more in each module",
    )
    head_work_per_token = formula(
        forward_work_per_param_token * n_worked_heads * head_matrix_params, "GFLOP/token", "Output layer"
    )
    lookup_work_per_token = formula(lookup_work_per_value * d_model, "GFLOP/token", "Lookup of the embedding")
    exact_work_per_token = formula(
        (projection_work_per_token + score_work_per_token + mixing_work_per_token + indexing_work_per_token)
        + mixer_work_per_token
        + (ffn_work_per_token + expert_work_per_token + router_work_per_token)
        + (mtp_join_work_per_token + head_work_per_token + lookup_work_per_token),
        "GFLOP/token",
        "Forward computation of a token, the sum of all parts",
    )

    # Forward and backward, by rule
    work_rule = choice(
        "exact",
        "six_n",
        "six_n_scores",
        "deepseek",
        doc="How computation is counted: by parts, 6 N, 6 N with scores, or 72 L d^2 + 12 L d s",
        default="exact",
    )
    dense_shape_params = formula(
        12 * n_blocks * d_model**2, "param", "Matrices of blocks with 4 d^2 in attention, 8 d^2 after it"
    )
    counted_params = choice(
        "active",
        "all",
        "non_embedding",
        doc="N of 6 N: active parameters, all, or active without embeddings",
        default="active",
    )
    rule_params = formula(
        select(
            counted_params,
            active=active_params,
            all=params,
            non_embedding=active_params - embedding_params - position_params,
        ),
        "param",
        "Parameters N of the rule",
    )
    pair_work_per_token = formula(
        select(
            work_rule,
            exact=score_work_per_token + mixing_work_per_token + indexing_work_per_token,
            six_n=0,
            six_n_scores=score_work_per_token + mixing_work_per_token,
            deepseek=2 * work_per_pair * n_blocks * d_model * seq_len,
        ),
        "GFLOP/token",
        "Forward computation for pairs of tokens",
    )
    forward_work_per_token = formula(
        select(
            work_rule,
            exact=exact_work_per_token,
            six_n=forward_work_per_param_token * rule_params,
            six_n_scores=forward_work_per_param_token * rule_params + pair_work_per_token,
            deepseek=forward_work_per_param_token * dense_shape_params + pair_work_per_token,
        ),
        "GFLOP/token",
        "Forward computation of a token",
    )
    backward_ratio = given(
        "Backward over forward computation: gradients of inputs and of weights", default=2, source="kaplan"
    )
    single_pass_work = formula(
        lookup_work_per_token + select(head_counted, all=0, forward=head_work_per_token, no=0),
        "GFLOP/token",
        "Part of the exact count that has no backward pass",
    )
    backward_work_per_token = formula(
        backward_ratio
        * (forward_work_per_token - select(work_rule, exact=single_pass_work, six_n=0, six_n_scores=0, deepseek=0)),
        "GFLOP/token",
        "Backward computation of a token",
    )

    # Recomputed in the backward pass
    counted = choice(
        "model", "hardware", doc="Whether computation excludes or includes what is recomputed", default="model"
    )
    recomputation = choice(
        "none",
        "selective",
        "full",
        doc="What the backward pass recomputes: nothing, scores or layers",
        default="none",
    )
    head_recomputed = choice("no", "yes", doc="Whether full recomputation repeats the output layer too", default="no")
    kept_work_per_token = formula(
        lookup_work_per_token + select(head_recomputed, no=head_work_per_token, yes=0),
        "GFLOP/token",
        "Part of the exact count that full recomputation does not repeat",
    )
    recomputed_work_per_token = formula(
        select(
            recomputation,
            none=0,
            selective=pair_work_per_token,
            full=forward_work_per_token
            - select(work_rule, exact=kept_work_per_token, six_n=0, six_n_scores=0, deepseek=0),
        ),
        "GFLOP/token",
        "Forward computation of a token that the backward pass repeats",
    )
    model_work_per_token = formula(
        forward_work_per_token + backward_work_per_token, "GFLOP/token", "Computation of a token that training needs"
    )
    hardware_work_per_token = formula(
        model_work_per_token + recomputed_work_per_token, "GFLOP/token", "Computation of a token with what is repeated"
    )
    train_work_per_token = formula(
        select(counted, model=model_work_per_token, hardware=hardware_work_per_token),
        "GFLOP/token",
        "Computation of a token in training",
    )

    # Sequences, batches and the run
    dataset_tokens = given("Tokens that the model is trained on", "token", example=14.8e12)
    sequence_forward_work = formula(forward_work_per_token * seq_len, "TFLOP", "Forward computation of a sequence")
    sequence_work = formula(train_work_per_token * seq_len, "TFLOP", "Computation of a sequence in training")
    step_work = formula(train_work_per_token * tokens, "PFLOP", "Computation of a step")
    total_work = formula(train_work_per_token * dataset_tokens, "EFLOP", "Computation of the run")

    assumptions = (
        *ModelSize.assumptions,
        *BlockMatrices.assumptions,
        *AttentionSpan.assumptions,
        "Norms, softmax, activation functions, biases and the optimizer are left out.",
        "States count as a recurrence; kernels that work in chunks compute more.",
    )
    notes = (
        *AttentionSpan.notes,
        *BlockMatrices.notes,
        "EleutherAI counts the output layer once (head_counted = forward) and 4 FLOP per value looked up.",
        "llm-analysis recomputes the output layer too: head_recomputed = yes.",
        "deepseek is the model scale of DeepSeek LLM: dense, four times as wide, all pairs, no vocabulary.",
    )
    sources = ("kaplan", "palm", "megatron-lm", "korthikanti", "deepseek-llm", "eleutherai-cookbook")
