from flopsheet import choice, equal, formula, given, indicator, limit, max_, min_, override, part, select
from flopsheet.builtin.models.decode_at_load import DecodeAtLoad
from flopsheet.builtin.models.machine import CHIPS_ALIKE
from flopsheet.builtin.models.matrix_work import MatrixWork
from flopsheet.builtin.models.prefill import Prefill
from flopsheet.builtin.models.rental_price import RentalPrice
from flopsheet.builtin.models.serving_cost import LOAD_FACTOR
from flopsheet.builtin.models.serving_load import SENT_AT_ONCE, SHARE_IS_GIVEN, ServingLoad


class DisaggregatedServing(MatrixWork, ServingLoad):
    """Chips, latency and cost of serving where prompts and answers have chips, layouts and formats of their own.

    Chips that prefill send the past of a prompt to chips that decode. Both have the same parallel degrees unless the
    question states others; they may be of different kinds.
    """

    model = override(example="llama-3-70b")
    placement = override(default="apart", example="apart")
    arrival_rate = override(example=12)
    single_token = override(doc="One token: that which a sequence computes in a step")
    prompt_len = override(example=2048)
    output_len = override(example=512)

    kept_len = formula(
        mean_prompt + mean_answer, "token", "Tokens for which a request in progress has room, on average", signed=True
    )

    # The passes, each on its own chips
    decode = part(
        DecodeAtLoad,
        "A step of the answers",
        single_token=single_token,
        n_sequences=n_sequences,
        seq_len=kept_len,
        context=held_len,
        offered_token_rate=offered_token_rate,
        answer_share=answer_share,
        n_pp=override(example=2),
        weight_format=override(example="fp8"),
    )
    prefill = part(
        Prefill,
        "Prompts that a replica computes at once",
        single_token=single_token,
        n_prompts=n_prompts,
        n_sequences=n_prompts,
        prompt_len=prompt_len,
        seq_len=prompt_len,
        cache_precision=decode.cache_precision,
        weight_format=override(example="fp8"),
        n_tp=override(inferred=decode.n_tp),
        n_pp=override(inferred=decode.n_pp, example=2),
        n_cp=override(inferred=decode.n_cp),
        n_adp=override(inferred=decode.n_adp),
        n_ep=override(inferred=decode.n_ep),
    )
    n_sequences = override(
        doc="Answers that a replica writes at once, at most: as many as memory holds unless stated",
        inferred=decode.max_sequences,
        example=64,
    )
    holds_request = limit(n_sequences >= 1, "The memory that is left beside the weights holds a request")
    n_prompts = override(
        doc="Prompts that a replica computes at once: one in each group of chips with sequences of its own",
        inferred=prefill.n_adp,
    )
    first_token_time = override(prefill.first_token_time, headline=True)
    prompt_interval = override(prefill.prompt_interval)
    token_time = override(decode.token_time)
    shared_share = override(decode.shared_share)
    running_sequences = override(decode.running_sequences)
    running_token_time = override(decode.running_token_time)
    tokens_per_step = override(decode.tokens_per_step)
    replica_chips = override(decode.replica_chips)
    prefill_chips = override(prefill.replica_chips)
    chips_apart = limit(
        equal(select(placement, together=0, apart=1), 1), "Prompts and answers have replicas of their own"
    )
    chip_ratio = formula(
        prefill_chips * prompt_time / (replica_chips * slot_time),
        "",
        "Chips that prefill over chips that decode, where all are busy",
    )

    # The past of a prompt on its way from the ones to the others
    cache_transfer = choice(
        "layerwise",
        "after",
        doc="Layers are sent while later ones are computed, or all after them",
        default="layerwise",
    )
    transfer_bandwidth = given(
        "Bandwidth at which the past of a prompt moves: that of the chips that have it, or of those that get it",
        "GB/s",
        inferred=min_(
            prefill_chips / prefill.n_adp * prefill.scale_out_bandwidth,
            replica_chips / decode.n_adp * decode.scale_out_bandwidth,
        ),
        example=400,
    )
    cache_transfer_time = formula(
        prefill.sequence_cache / transfer_bandwidth, "ms", "Time to send the past of a prompt"
    )
    handed_on = formula(
        indicator(decoded_len > 0), "", "1 if answers have further tokens, for which the past is sent, else 0"
    )
    handover_time = formula(
        handed_on
        * select(
            cache_transfer,
            layerwise=max_(cache_transfer_time / n_blocks, cache_transfer_time - first_token_time * (1 - 1 / n_blocks)),
            after=cache_transfer_time,
        ),
        "ms",
        "Time of sending the past that an answer waits for",
        source="splitwise",
    )
    past_senders = formula(prefill.n_adp * prompt_replicas, "", "Groups of chips that send the past of prompts")
    past_receivers = formula(decode.n_adp * answer_replicas, "", "Groups of chips that receive it")
    pasts_are_sent = limit(
        handed_on * arrival_rate * cache_transfer_time <= min_(past_senders, past_receivers),
        "The past of prompts is sent as fast as they arrive: each group of chips with sequences of its own moves one",
    )
    request_time = override(mean_first_token + handover_time + answer_time, headline=True)

    # Price
    prefill_rent = part(RentalPrice, "Rent of chips that prefill", chip=prefill.chip, system=prefill.system)
    decode_rent = part(RentalPrice, "Rent of chips that decode", chip=decode.chip, system=decode.system)
    input_cost = formula(
        prefill_chips * prompt_time * prefill_rent.chip_price / prompt_len,
        "USD/Mtoken",
        "Cost of input tokens on chips that are always busy",
    )
    output_cost = formula(
        replica_chips * slot_time * decode_rent.chip_price / output_len,
        "USD/Mtoken",
        "Cost of output tokens on chips that are always busy",
    )
    fleet_price = formula(
        prompt_replicas * prefill_chips * prefill_rent.chip_price
        + answer_replicas * replica_chips * decode_rent.chip_price,
        "USD/hour",
        "Price of an hour of all chips",
    )
    load_factor = given(LOAD_FACTOR[0], default=LOAD_FACTOR[1], maximum=1, source=LOAD_FACTOR[2])
    token_cost = formula(
        fleet_price / (load_factor * arrival_rate * (prompt_len + output_len)),
        "USD/Mtoken",
        "Cost of tokens at the mean rate of requests, input and output together",
        headline=True,
    )

    lifted = (CHIPS_ALIKE, SENT_AT_ONCE, SHARE_IS_GIVEN)
    assumptions = (
        "Chips that prefill are alike, and so are chips that decode.",
        "Memory is kept for the whole answer from the start; a prompt takes the time of one of mean length.",
        "Each chip sends or receives its part of the past over the network between domains, one prompt at a time.",
    )
    notes = ("Owned prices, energy and CO2 are those of serving_cost; chips of one kind and layout those of serving.",)
    sources = ("splitwise",)
