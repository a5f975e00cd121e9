from flopsheet import choice, floor, formula, given, limit, override, part, ratio, select, sqrt
from flopsheet.builtin.models.decode_at_load import DecodeAtLoad
from flopsheet.builtin.models.prefill import Prefill
from flopsheet.builtin.models.served_model import ServedModel
from flopsheet.builtin.models.serving_cost import RATES_ARE_GIVEN, ServingCost
from flopsheet.builtin.models.serving_load import SHARE_IS_GIVEN, ServingLoad


class Serving(ServedModel, ServingLoad, ServingCost):
    """Chips, latency, memory and cost of serving a language model on any machine: prefill, decode, load and queues.

    Requests arrive at a rate, each with a prompt and an answer. Replicas compute prompts and write answers, together
    or apart, as many at once as memory holds.
    """

    n_tp = override(example=8)
    n_pp = override(example=2)
    arrival_rate = override(example=12)
    weight_format = override(example="fp8")

    # A request: its tokens, and those that it has while it is answered
    single_token = override(doc="One token: that which a sequence computes in a step")
    prompt_len = override(example=2048)
    output_len = override(doc="Output tokens of a request, mean", example=512)
    cache_allocation = choice(
        "whole",
        "paged",
        doc="A request has room for its whole answer from the start, or gets blocks as it is written",
        default="whole",
    )
    seq_len = override(
        select(cache_allocation, whole=mean_prompt + mean_answer, paged=held_len),
        doc="Tokens for which a request in progress has room, on average",
        integer=False,
    )
    room_deviations = given(
        "Standard deviations of all tokens held that paged caches keep free: 1.645, enough for 95 % of the time",
        default=ratio(1645, 1000),
        minimum=0,
    )
    room_spread = formula(
        room_deviations * held_deviation / held_len,
        "",
        "Free standard deviations of the tokens of one request, over their mean",
    )
    paged_sequences = formula(
        n_adp * floor(((sqrt(room_spread**2 + 4 * max_sequences / n_adp) - room_spread) / 2) ** 2),
        "",
        "Requests whose tokens have room for that time in each group of chips, where all it holds vary as a sum does",
        integer=True,
    )
    n_sequences = override(
        doc="Answers that a replica writes at once, at most: as many as memory holds unless stated",
        inferred=select(cache_allocation, whole=max_sequences, paged=paged_sequences),
        example=64,
    )
    fits = override(n_sequences <= max_sequences, "The most loaded chip holds the requests in progress")
    holds_request = limit(n_sequences >= 1, "The memory that is left beside the weights holds a request")
    n_prompts = override(
        doc="Prompts that a replica computes at once: one in each group of chips with sequences of its own",
        inferred=n_adp,
    )
    cached_ratio = override(
        doc="Chip time of a cached input token: none, as the time of a prompt has what attention to it takes",
        default=0,
    )

    # The passes
    decode = part(
        DecodeAtLoad,
        "A step of the answers, which are half written on average",
        n_tp=n_tp,
        replica_chips=replica_chips,
        n_sequences=n_sequences,
        seq_len=seq_len,
        context=held_len,
        offered_token_rate=offered_token_rate,
        answer_share=answer_share,
    )
    prefill = part(
        Prefill,
        "Prompts that a replica computes at once",
        n_tp=n_tp,
        replica_chips=replica_chips,
        n_sequences=n_sequences,
        seq_len=seq_len,
        n_prompts=n_prompts,
        prompt_len=prompt_len,
        cached_len=cached_len,
    )
    first_token_time = override(prefill.first_token_time, headline=True)
    prompt_interval = override(prefill.prompt_interval)
    token_cost = override(headline=True)
    token_time = override(decode.token_time)
    shared_share = override(decode.shared_share)
    running_sequences = override(decode.running_sequences)
    running_token_time = override(decode.running_token_time)
    tokens_per_step = override(decode.tokens_per_step)
    replica_token_rate = override(decode.replica_token_rate)
    output_chip_time = override(
        replica_chips * slot_time / output_len,
        doc="Mean chip time of an output token: the first of an answer takes none beyond its prompt",
    )
    prefill_token_rate = override(prefill.new_tokens / prompt_time)

    # All replicas
    prefill_chips = override(replica_chips)
    n_dp = override(answer_replicas)
    n_chips = override(
        answer_replicas * replica_chips + select(placement, together=0, apart=prompt_replicas * prefill_chips)
    )
    peak_load = override(
        doc="Share of the capacity that is used at the peak: that of the arrival rate unless stated",
        inferred=arrival_rate * request_chip_time / n_chips,
    )
    daily_requests = override(load_factor * arrival_rate)
    utilization = override(
        (
            prefill.prefill_work / n_prompts
            + (decode.decode_work * replica_chips / n_sequences)
            * (decoded_len / (single_token * decode.tokens_per_step))
        )
        / (request_chip_time * peak_rate),
        doc="Share of the peak rate that busy chips reach",
    )

    lifted = (RATES_ARE_GIVEN, SHARE_IS_GIVEN)
    assumptions = (
        "A prompt takes the time of one of mean length.",
        "Replicas for prompts have the same layout as those for answers.",
    )
    notes = (
        "disaggregated_serving has other chips or another layout for prompts; measured times go to serving_load.",
        "vLLM gives blocks as answers are written (cache_allocation = paged), and preempts requests without room.",
    )
