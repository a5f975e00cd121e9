from flopsheet import Sheet, choice, erlang_c, formula, given, limit, log, max_, min_, select, sqrt


class Queueing(Sheet):
    """Waiting of requests for a server: probability, mean and percentile of the wait, and response time.

    Requests arrive at random; each takes a server for its service time, and those that find all servers busy wait in
    the order of arrival. A server is a replica, or one of the sequences that a replica serves at once.
    """

    # Load
    arrival_rate = given("Requests that arrive per second", "request/second", example=20)
    service_time = given("Time for which a request takes a server, mean", "second", example=8)
    n_servers = given("Requests that can be served at once", example=192, integer=True, maximum=1_000_000)

    offered_load = formula(arrival_rate * service_time, "", "Requests in service on average")
    server_load = formula(offered_load / n_servers, "", "Share of the time that a server is busy")
    spare_servers = formula(
        max_(0, n_servers - offered_load), "", "Servers that are idle on average: none where they cannot keep up"
    )
    is_stable = limit(server_load < 1, "Requests are served faster than they arrive")

    # The law
    queue_law = choice(
        "mmc",
        "mgc",
        "mg1",
        doc="M/M/c, M/G/c, or M/G/1: a queue for each server, which requests choose at random",
        default="mmc",
    )
    service_variability = given(
        "Variance of the service time over the square of its mean: 1 if exponential, 0 if constant",
        default=1,
        minimum=0,
        source="allen-queueing",
    )

    general_factor = formula(
        (1 + service_variability) / 2, "", "Wait over that for exponential service times", source="allen-queueing"
    )
    wait_factor = formula(
        select(queue_law, mmc=1, mgc=general_factor, mg1=general_factor), "", "Factor of the wait by this law"
    )

    # Wait
    wait_percentile = given("Share of the requests that wait no longer: 95 % by default", default=0.95)

    busy_probability = formula(
        erlang_c(n_servers, offered_load),
        "",
        "Probability that all servers are busy, by Erlang C: 1 where they cannot keep up",
        source="kleinrock",
    )
    wait_probability = formula(
        select(queue_law, mmc=busy_probability, mgc=busy_probability, mg1=min_(1, server_load)),
        "",
        "Probability that a request waits",
        headline=True,
    )
    n_queues = formula(select(queue_law, mmc=1, mgc=1, mg1=n_servers), "", "Queues: one, or one of each server")
    delayed_wait = formula(
        wait_factor * service_time * n_queues / spare_servers,
        "second",
        "Mean wait of the requests that wait",
    )
    mean_wait = formula(wait_probability * delayed_wait, "second", "Mean wait of all requests", headline=True)
    tail_wait = formula(
        delayed_wait * max_(0, log(wait_probability / (1 - wait_percentile))),
        "second",
        "Wait that this share of the requests does not exceed",
        headline=True,
    )
    wait_deviation = formula(
        delayed_wait * sqrt(wait_probability * (2 - wait_probability)),
        "second",
        "Standard deviation of the wait of all requests",
    )
    queue_len = formula(arrival_rate * mean_wait, "", "Requests that wait on average")
    response_time = formula(
        mean_wait + service_time, "second", "Mean time from arrival to the end of service", headline=True
    )

    assumptions = (
        "Arrivals are a Poisson process at a constant rate, nobody gives up, and servers are alike.",
        "The wait of those that wait is exponentially distributed: exact for mmc, approximate for mgc and mg1.",
        "A server takes as long for a request however many others are busy: take the time at full batch.",
    )
    notes = ("Where requests arrive faster than they are served, waits grow without end: they have no value.",)
    sources = ("kleinrock", "allen-queueing")
