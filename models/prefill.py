from flopsheet import ceil, choice, formula, given, indicator, limit, max_, min_, override, part, select
from flopsheet.builtin.models.collective_time import CollectiveTime
from flopsheet.builtin.models.forward_pass import ForwardPass


class Prefill(ForwardPass):
    """Time from prompts to their first tokens on any machine: passes over chunks of the prompts, and what bounds them.

    A prompt is computed in one pass, or in chunks that follow each other through the pipeline stages. Tokens whose
    keys and values a prefix cache has are attended to and not computed.
    """

    model = override(example="llama-3-70b")
    chip = override(example="h100-sxm")
    n_tp = override(example=8)

    # The prompts
    prompt_len = given(
        "Tokens of a prompt: the whole sequence unless stated", "token", inferred=seq_len, example=6144, integer=True
    )
    cached_len = given(
        "Tokens of a prompt whose keys and values a prefix cache has: none", "token", default=0, minimum=0, example=1024
    )
    n_prompts = given("Prompts of a replica that are computed at once: one", default=1, maximum=10**6, integer=True)
    new_tokens = formula(prompt_len - cached_len, "token", "Tokens of a prompt that are computed", signed=True)
    something_is_new = limit(
        cached_len + single_token <= prompt_len, "A token of the prompt is computed, the last one at least"
    )
    rank_prompts = formula(ceil(n_prompts / n_adp), "", "Prompts that one chip takes part in, at most", integer=True)
    pass_tokens = formula(
        min_(batched_tokens, rank_prompts * new_tokens), "token", "Tokens of a pass: a chunk, or all that there are"
    )
    n_passes = formula(
        max_(1, rank_prompts * new_tokens / batched_tokens),
        "",
        "Passes: chunks of prompts, a last one that is not full as a part",
    )
    local_tokens = override(pass_tokens / n_cp)
    n_token_ranks = override(n_adp * n_cp)
    stage_tokens = override(pass_tokens * n_prompts / rank_prompts)
    head_tokens = override(inferred=rank_prompts * single_token)

    # Pairs of tokens: each new token attends to what is cached, to new ones before it, and to itself
    prompt_reach = formula(
        min_(prompt_len, indexer.top_k + (1 - indicator(indexer.top_k > 0)) * prompt_len),
        "token",
        "Most tokens that a token of the prompt attends to in a block without a window",
    )
    cached_reach = formula(min_(cached_len, prompt_reach), "token", "Most that a cached token attended to")
    prompt_window = formula(min_(prompt_len, window), "token", "Most that a token attends to in a window")
    cached_window = formula(min_(cached_len, window), "token", "Most that a cached token attended to in a window")
    global_pairs = formula(
        prompt_len * prompt_reach
        - cached_len * cached_reach
        - (prompt_reach * (prompt_reach - single_token) - cached_reach * (cached_reach - single_token)) / 2,
        "token^2",
        "Pairs of tokens of a prompt in a block without a window",
    )
    sliding_pairs = formula(
        prompt_len * prompt_window
        - cached_len * cached_window
        - (prompt_window * (prompt_window - single_token) - cached_window * (cached_window - single_token)) / 2,
        "token^2",
        "Pairs of tokens of a prompt in a block with a window that slides",
    )
    chunk_pairs = formula(
        (prompt_len * (prompt_window + single_token) - cached_len * (cached_window + single_token)) / 2,
        "token^2",
        "Pairs of tokens of a prompt in a block with chunks that do not slide, the last one as dense as the others",
    )
    window_pairs = formula(
        chunked * chunk_pairs + (1 - chunked) * sliding_pairs,
        "token^2",
        "Pairs of tokens of a prompt in a block with a window",
    )
    indexed_pairs = formula(
        (prompt_len * (prompt_len + single_token) - cached_len * (cached_len + single_token)) / 2,
        "token^2",
        "Pairs of tokens of a prompt that an indexer scores",
    )
    pairs_counted = choice("yes", "no", doc="Whether pairs of tokens count in the computation", default="yes")
    prompt_pair_work = formula(
        select(pairs_counted, yes=work_per_pair, no=0)
        * (
            (d_attn + d_mixed) * (n_global_blocks * global_pairs + n_window_blocks * window_pairs)
            + indexer.n_heads * (indexer.d_head + 1) * n_global_blocks * indexed_pairs
        ),
        "TFLOP",
        "Computation of pairs of tokens of a prompt, all blocks",
    )

    # Attention of a pass, on one chip
    prompt_passes = formula(max_(1, n_passes / rank_prompts), "", "Passes that read the past of a prompt")
    read_tokens = formula(
        rank_prompts * (prompt_passes * (cached_len + new_tokens / 2) + new_tokens / 2) / n_passes,
        "token",
        "Tokens whose keys and values a pass reads: the mean",
    )
    window_read_tokens = formula(
        min_(read_tokens, pass_tokens + prompt_window * rank_prompts * prompt_passes / n_passes),
        "token",
        "Tokens that a pass reads in a block with a window, at most: its own, and a window of each prompt before them",
    )
    pair_work = formula(
        rank_prompts * stage_share * prompt_pair_work / (n_passes * n_tp * n_cp),
        "TFLOP",
        "Computation of one chip for pairs of tokens in a stage",
    )
    cache_traffic = formula(
        stage_share
        * bytes_per_cached
        * local_d_cached
        * (n_global_blocks * read_tokens + n_window_blocks * window_read_tokens)
        / n_cp,
        "GB",
        "Keys and values that one chip reads in a stage",
    )
    attention_time = override(
        max_(cache_traffic / memory_rate, pair_work / sustained_attention_rate),
        "Time of attention: the longer of computation and reading",
    )
    cp = part(
        CollectiveTime,
        "Keys and values for the ranks of a sequence: an all-gather, or a ring that passes them on",
        operation="all_gather",
        n_ranks=n_cp,
        payload=read_tokens * local_d_cached * bytes_per_activation,
        domain_ranks=max_(1, domain_chips / n_tp),
    )
    stage_cp_time = override(
        stage_share * n_attention_blocks * (cp.collective_time + indicator(n_cp > 1) * exchange_launch_time),
        doc="Context parallelism of a stage",
    )

    # All passes through all stages
    prompt_interval = formula(
        n_passes * stage_pass_time + output_time + n_passes * host_time + rank_prompts * sequence_host_time,
        "ms",
        "Time after which a replica begins the next prompts: they follow in the pipeline",
    )
    first_token_time = formula(
        prompt_interval + (n_pp - 1) * stage_pass_time,
        "ms",
        "Time from the prompts to their first tokens, without waiting for others",
        headline=True,
    )

    # Rates
    prompt_token_rate = formula(
        n_prompts * prompt_len / first_token_time,
        "token/s",
        "Tokens of prompts per second of one replica, with no others in its pipeline",
        headline=True,
    )
    prefill_work = formula(
        n_prompts * (new_tokens * block_work_per_token + single_token * head_work_per_token + prompt_pair_work),
        "PFLOP",
        "Computation of all prompts",
    )
    utilization = formula(
        prefill_work / (replica_chips * peak_rate * first_token_time),
        "percent",
        "Share of the peak rate that is reached",
    )
    exchange_share = formula(
        (n_passes + n_pp - 1) * stage_exchange_time / first_token_time, "percent", "Exchanges over the whole time"
    )

    assumptions = (
        "Latent attention computes keys and values of all heads, of what is cached too without further work.",
        "The output layer computes the last token of each prompt. Prompts are a whole number of attention's chunks.",
        "Prompts have the same length; context-parallel ranks have equal work.",
        "Context parallelism gathers keys and values of blocks with a window whole, as those of others.",
    )
    notes = ("The scaling book counts two FLOP per parameter and token and no pairs of tokens: pairs_counted = no.",)
    sources = ("scaling-book-inference",)
