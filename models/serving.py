from flopsheet import override, part, select
from flopsheet.builtin.models.decode import Decode
from flopsheet.builtin.models.prefill import Prefill
from flopsheet.builtin.models.served_model import ServedModel
from flopsheet.builtin.models.serving_cost import ServingCost
from flopsheet.builtin.models.serving_load import ServingLoad


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
    seq_len = override(prompt_len + output_len, doc="Tokens for which each request has room", integer=False)
    n_sequences = override(
        doc="Answers that a replica writes at once, at most: as many as memory holds unless stated",
        inferred=max_sequences,
        example=64,
    )
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
        Decode,
        "A step of the answers, which are half written on average",
        n_tp=n_tp,
        replica_chips=replica_chips,
        n_sequences=n_sequences,
        seq_len=seq_len,
        context=prompt_len + output_len / 2,
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
    first_token_time = override(prefill.first_token_time)
    token_time = override(decode.token_time)
    replica_token_rate = override(decode.replica_token_rate)
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
            * (output_len / (single_token * decode.tokens_per_step))
        )
        / (request_chip_time * peak_rate),
        doc="Share of the peak rate that busy chips reach",
    )

    assumptions = (
        *Decode.assumptions,
        *Prefill.assumptions,
        *ServingLoad.assumptions,
        *ServingCost.assumptions,
        "All requests have the mean lengths; memory is kept for the whole answer from the start.",
        "Replicas for prompts have the same layout as those for answers.",
    )
    notes = (
        *Decode.notes,
        *Prefill.notes,
        *ServingLoad.notes,
        "Another layout for prompts, or measured times, are those of `serving_load` and `serving_cost`.",
        "With requests of many lengths, give the mean ones, and fewer sequences than memory holds.",
    )
    sources = (*Decode.sources, *Prefill.sources, *ServingLoad.sources, *ServingCost.sources)
