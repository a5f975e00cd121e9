from flopsheet import (
    Expr,
    ceil,
    choice,
    equal,
    exp,
    formula,
    given,
    indicator,
    limit,
    max_,
    override,
    part,
    ratio,
    select,
    sqrt,
)
from flopsheet.builtin.models.queueing import Queueing
from flopsheet.builtin.models.request_lengths import RequestLengths

SENT_AT_ONCE = "Sending keys and values to another replica takes no time."
SHARE_IS_GIVEN = (
    "Two measured loads tell shared_share: what a line through both leaves without sequences, over token_time."
)


def met_share(sequences: Expr) -> Expr:
    """Return the share of the prompts that meet a step in progress: that of others is a Poisson variable."""
    return 1 - exp(1 - sequences)


class ServingLoad(RequestLengths):
    """Replicas and chips that serve a rate of requests, and their latency: first token, each token, whole answer.

    A replica computes prompts before it goes on with its answers, or prompts and answers have replicas of their own.
    Requests wait for a replica that computes their prompt; there must be places for all answers that are written.
    """

    # Requests
    arrival_rate = given(
        "Requests that arrive per second", "request/second", example=20, minimum=ratio(1, 10**9), maximum=10**8
    )
    output_len = override(example=500)

    # One replica
    single_token = given("One token: that which a sequence computes in a step", "token", default=1, fixed=True)
    first_token_time = given("Time in which a replica computes a prompt, without waiting", "ms", example=120)
    token_time = given("Time of a token of an answer in a replica that writes as many as it can", "ms", example=25)
    n_sequences = given("Answers that a replica writes at once, at most", example=64, integer=True)
    replica_chips = given("Chips of a replica that decodes", "chip", example=8, integer=True)
    n_prompts = given("Prompts that a replica computes at once: one", default=1, maximum=10**6, integer=True)
    prefill_chips = given("Chips of a replica that prefills", "chip", inferred=replica_chips, example=8, integer=True)

    # Replicas for this rate
    placement = choice(
        "together", "apart", doc="Prompts and answers share replicas, or have their own", default="together"
    )
    target_load = given(
        "Share of the time that replicas are busy at most: a margin for bursts", default=0.8, example=0.7, maximum=1
    )

    prompt_interval = given(
        "Time after which a replica begins the next prompts: that of a prompt, less in a pipeline",
        "ms",
        inferred=first_token_time,
        example=120,
    )
    prompt_time = formula(prompt_interval / n_prompts, "ms", "Time of a replica that a prompt takes")
    prompt_load = formula(arrival_rate * prompt_time, "", "Replicas that compute prompts, on average")
    decoded_len = formula(
        output_len - single_token,
        "token",
        "Tokens of an answer that steps compute: all but the first, which its prompt gives",
        source="splitwise",
    )
    slot_time = formula(
        decoded_len * token_time / (single_token * n_sequences), "second", "Time of a replica that an answer takes"
    )
    answer_load = formula(arrival_rate * slot_time, "", "Replicas that write answers, on average")
    answer_replicas = given(
        "Replicas that write answers: none beside those for prompts where answers are one token",
        inferred=ceil(select(placement, together=prompt_load + answer_load, apart=answer_load) / target_load),
        example=8,
        minimum=0,
        integer=True,
        maximum=100000,
    )
    prompt_replicas = given(
        "Replicas that compute prompts: those that write answers, or others",
        inferred=select(placement, together=answer_replicas, apart=ceil(prompt_load / target_load)),
        example=8,
        integer=True,
        maximum=100000,
    )
    replicas_are_shared = limit(
        equal(select(placement, together=prompt_replicas, apart=answer_replicas), answer_replicas),
        "Replicas that write answers compute prompts too, unless these have replicas of their own",
    )

    n_chips = formula(
        answer_replicas * replica_chips + select(placement, together=0, apart=prompt_replicas * prefill_chips),
        "chip",
        "Chips of all replicas",
        integer=True,
    )
    max_arrival_rate = formula(
        select(
            placement,
            together=answer_replicas / (prompt_time + slot_time),
            apart=indicator(decoded_len <= decoded_len * answer_replicas)
            / max_(prompt_time / prompt_replicas, slot_time / max_(1, answer_replicas)),
        ),
        "request/second",
        "Requests per second that keep all replicas busy: none where answers have no replicas",
    )
    replica_load = formula(
        arrival_rate / max_arrival_rate, "", "Share of the time that the busiest replicas work", headline=True
    )
    answer_rate = formula(arrival_rate * output_len, "token/s", "Tokens of answers per second, all replicas together")
    chip_answer_rate = formula(answer_rate / n_chips, "token/s", "Tokens of answers per second over the chips")
    full_chip_rate = formula(
        output_len / (prefill_chips * prompt_time + replica_chips * slot_time),
        "token/s",
        "Tokens of answers per second over the chips, where all of them are busy",
    )

    # A token: it shares a step with the answers in progress, and in shared replicas prompts interrupt it
    prompt_share = formula(
        prompt_load / prompt_replicas, "", "Share of the time that a replica for prompts computes them"
    )
    replica_rate = formula(
        arrival_rate / max_(1, answer_replicas),
        "request/second",
        "Requests per second of each replica with answers",
    )
    interrupted_share = formula(
        select(placement, together=replica_rate * prompt_time, apart=0),
        "",
        "Share of the time that a replica with answers computes prompts",
    )
    answer_share = formula(
        max_(0, 1 - interrupted_share),
        "",
        "Share of the time that a replica has for answers",
    )
    offered_token_rate = formula(
        replica_rate * decoded_len, "token/s", "Tokens per second that the steps of a replica are asked for"
    )
    shared_share = given(
        "Share of the time of a token that does not grow with the answers written at once: all unless stated",
        default=1,
        example=0.6,
        maximum=1,
    )
    running_sequences = formula(
        1
        / max_(
            1 / n_sequences,
            (answer_share - offered_token_rate * token_time / single_token * (1 - shared_share) / n_sequences)
            / (answer_share + offered_token_rate * token_time / single_token * shared_share),
        ),
        "",
        "Answers that a replica writes at once, as one of them meets them: itself, and as many as there are on average",
        source="kelly",
    )
    running_token_time = formula(
        token_time * (shared_share + (1 - shared_share) * running_sequences / n_sequences),
        "ms",
        "Time of a token in a replica that writes as many",
    )
    token_latency = formula(
        running_token_time / answer_share,
        "ms",
        "Time from one token of an answer to the next, prompts of others included",
    )
    full_token_latency = formula(
        token_time + select(placement, together=n_sequences * prompt_time * single_token / decoded_len, apart=0),
        "ms",
        "Time of a token where answers take all places, and one that ends makes room for the next prompt; none if they "
        "are one token",
    )
    answer_time = formula(
        decoded_len * token_latency / single_token,
        "second",
        "Time in which an answer is written, after its first token",
    )
    concurrency = formula(arrival_rate * answer_time, "", "Answers that are written at once, by Little's law")
    n_places = formula(answer_replicas * n_sequences, "", "Answers that all replicas can write at once", integer=True)

    answering_share = formula(
        replica_rate * slot_time, "", "Share of the time that a replica takes to write its answers in full steps"
    )
    has_places = limit(
        answer_load <= answer_replicas * answer_share,
        "Replicas have places for all answers, which are written as fast as they are asked for",
    )

    # Waiting for a replica that computes the prompt
    queue = part(
        Queueing,
        "Prompts that wait for a replica",
        arrival_rate=arrival_rate,
        service_time=prompt_interval,
        n_servers=prompt_replicas * n_prompts,
        service_variability=override(inferred=prompt_cv**2),
    )
    quantile_scale = given(
        "Factor of Tukey's lambda distribution, which is close to the normal one",
        default=ratio(491, 100),
        fixed=True,
        source="tukey-lambda",
    )
    quantile_power = given(
        "Exponent of Tukey's lambda distribution", default=ratio(14, 100), fixed=True, source="tukey-lambda"
    )
    normal_quantile = formula(
        quantile_scale * (queue.wait_percentile**quantile_power - (1 - queue.wait_percentile) ** quantile_power),
        "",
        "Deviations above the mean at which a normal variable has this percentile",
        source="tukey-lambda",
        signed=True,
    )

    # A prompt does not interrupt a step of the answers
    tokens_per_step = given("Tokens that a sequence gains per step: one without speculative decoding", default=1)
    answer_step = formula(running_token_time * tokens_per_step, "ms", "Time of a step of the answers at the load")
    mean_step = formula(
        select(placement, together=met_share(running_sequences) * answer_step / 2, apart=0),
        "ms",
        "Mean time until a step in progress ends: half of it, where one is met; the number of answers is Poisson",
        source="kelly",
    )
    mean_first_token = formula(
        queue.mean_wait + mean_step + first_token_time,
        "ms",
        "Mean time to the first token: waiting for other prompts and for the end of a step, and the prompt",
        source="kleinrock",
    )
    tail_step = formula(
        select(
            placement,
            together=answer_step
            * max_(0, 1 - (1 - queue.wait_percentile) / max_(met_share(running_sequences), 1 - queue.wait_percentile)),
            apart=0,
        ),
        "ms",
        "Percentile of the time until a step in progress ends: it is met at a random time, or not at all",
    )
    tail_prompt_time = formula(
        first_token_time * (1 - prompt_cv**2 / 9 + normal_quantile * prompt_cv / 3) ** 3,
        "ms",
        "Percentile of the time of a prompt",
        source="wilson-hilferty",
        signed=True,
    )
    tail_first_token = formula(
        queue.tail_wait + tail_step + tail_prompt_time,
        "ms",
        "Time to the first token, with the percentiles of wait, step and prompt, while has_places holds",
        headline=True,
    )
    request_time = formula(mean_first_token + answer_time, "second", "Mean time from a request to its last token")
    request_deviation = formula(
        sqrt(
            queue.wait_deviation**2
            + (prompt_cv * first_token_time) ** 2
            + (output_cv * output_len * token_latency / single_token) ** 2
        ),
        "second",
        "Standard deviation of the time of a request",
    )
    request_cv = formula(
        request_deviation / request_time, "", "Standard deviation of the time of a request over its mean"
    )
    tail_request_time = formula(
        request_time * (1 - request_cv**2 / 9 + normal_quantile * request_cv / 3) ** 3,
        "second",
        "Percentile of the time of a request",
        source="wilson-hilferty",
        signed=True,
    )

    # Targets
    first_token_target = given("Time to the first token that is promised", "ms", example=1000)
    token_target = given("Time of a token that is promised", "ms", example=50)
    request_target = given("Time of a whole answer that is promised", "second", example=30)
    first_token_in_time = limit(tail_first_token <= first_token_target, "The first token comes in time")
    tokens_in_time = limit(token_latency <= token_target, "Tokens come in time")
    request_in_time = limit(request_time <= request_target, "The whole answer comes in time, on average")

    assumptions = (
        "There is a request in 30 years or more often, and no more than a hundred million per second.",
        "The time of a prompt varies as its tokens do, and percentiles are those of gamma distributions.",
        "Prompts are computed before answers, each in a place of its own, once a step in progress has ended.",
        "Answers meet as many others as are in progress on average, and all places are taken where load exceeds them.",
        "An answer finds a place at once. Where has_places does not hold, answers and first tokens wait without end.",
        SENT_AT_ONCE,
    )
    notes = (
        "The spread of prompts enters the wait with queue.queue_law = mgc or mg1; mmc takes exponential times.",
        "The percentile of the first token is a sum of percentiles, a cautious figure: not all long prompts wait long.",
        SHARE_IS_GIVEN,
        "Chunked prefill spreads a prompt over steps: it moves time from tokens to the first token.",
        "The scaling book counts a step for each token of an answer: decoded_len is then what it calls its length.",
    )
    sources = ("kelly", "kleinrock", "little", "splitwise", "tukey-lambda", "wilson-hilferty")
