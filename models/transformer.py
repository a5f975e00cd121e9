from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.forward_work import ForwardWork
from flopsheet.builtin.models.global_batch import GlobalBatch


class Transformer(ForwardWork, GlobalBatch):
    """Parameters of a language model and its computation in training: per token, sequence, batch and run.

    Conventions on which authors differ are choices: computation part by part or 6 FLOP per parameter and token, causal
    or full attention, with or without what the backward pass computes again.
    """

    model = override(example="deepseek-v3")
    seq_len = override(example=4096)
    batch = override(example=15360)

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
        doc="What the backward pass computes again: nothing, scores, or whole layers from their inputs",
        default="none",
    )
    recomputed_share = given("Share of the blocks that full recomputation covers: all", default=1, maximum=1)
    pair_repeats = given("Times that selective recomputation repeats pairs of tokens: once", default=1)
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
            selective=pair_repeats * pair_work_per_token,
            full=recomputed_share
            * (
                forward_work_per_token
                - select(work_rule, exact=kept_work_per_token, six_n=0, six_n_scores=0, deepseek=0)
            ),
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
        headline=True,
    )

    # Sequences, batches and the run
    dataset_tokens = given("Tokens that the model is trained on", "token", example=14.8e12)
    sequence_forward_work = formula(forward_work_per_token * seq_len, "TFLOP", "Forward computation of a sequence")
    sequence_work = formula(train_work_per_token * seq_len, "TFLOP", "Computation of a sequence in training")
    step_work = formula(train_work_per_token * tokens, "PFLOP", "Computation of a step", headline=True)
    total_work = formula(train_work_per_token * dataset_tokens, "EFLOP", "Computation of the run", headline=True)

    assumptions = ("The work of the optimizer is left out.",)
    notes = (
        "Korthikanti et al. count the repeated pairs three times in hardware FLOP: pair_repeats = 3.",
        "llm-analysis recomputes the output layer too: head_recomputed = yes.",
        "deepseek is the model scale of DeepSeek LLM: dense, four times as wide, all pairs, no vocabulary.",
    )
    sources = ("kaplan", "palm", "megatron-lm", "korthikanti", "deepseek-llm")
