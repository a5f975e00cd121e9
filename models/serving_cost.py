from flopsheet import choice, formula, given, max_, override, select
from flopsheet.builtin.models.tco import PAID_BY_USE, Tco

RATES_ARE_GIVEN = (
    "Batches, and thus the rates, are smaller at low load: give the rates at the mean load where they are known."
)

LOAD_FACTOR = "Mean load of a day over its peak: 227 of 278 nodes", 0.816, "deepseek-serving"


class ServingCost(Tco):
    """Cost, energy and CO2 of served tokens: input, cached input and output apart, against the prices of an API.

    A chip serves input and output tokens in turn, or some chips only input and others only output: a token costs the
    time for which it takes its chips. The rates are those at full load; a chip that waits costs as much.
    """

    # Rates of a replica
    replica_chips = given("Chips of a replica that decodes", "chip", example=8, integer=True)
    replica_token_rate = given("Output tokens per second of a replica that decodes", "token/s", example=5662)
    prefill_chips = given("Chips of a replica that prefills", "chip", inferred=replica_chips, example=8, integer=True)
    prefill_token_rate = given("Input tokens per second of a replica that prefills", "token/s", example=56000)
    cached_ratio = given(
        "Chip time of a cached input token over that of another: what providers charge, an estimate",
        default=0.1,
        minimum=0,
        maximum=1,
        source="anthropic-pricing",
    )

    input_chip_time = formula(prefill_chips / prefill_token_rate, "s/token", "Chip time of an input token")
    cached_chip_time = formula(cached_ratio * input_chip_time, "s/token", "Chip time of a cached input token")
    output_chip_time = formula(replica_chips / replica_token_rate, "s/token", "Chip time of an output token")

    # Load
    load_factor = given(LOAD_FACTOR[0], default=LOAD_FACTOR[1], maximum=1, source=LOAD_FACTOR[2])
    peak_load = given("Share of the capacity that is used at the peak: all", default=1, example=0.8, maximum=1)

    busy_share = override(load_factor * peak_load, doc="Share of the capacity that is used, averaged over a day")

    # Price of an hour
    price_basis = choice("rented", "owned", doc="Chips are rented, or owned", default="rented")

    hour_price = formula(
        select(price_basis, rented=chip_price, owned=owned_price), "USD/hour", "Price of an hour of one chip"
    )
    busy_price = formula(hour_price / busy_share, "USD/hour", "Price of an hour of one chip at full load")

    # Cost of tokens
    input_cost = formula(input_chip_time * busy_price, "USD/Mtoken", "Cost of input tokens")
    cached_cost = formula(cached_chip_time * busy_price, "USD/Mtoken", "Cost of cached input tokens")
    output_cost = formula(output_chip_time * busy_price, "USD/Mtoken", "Cost of output tokens")

    # Energy and CO2 of tokens
    busy_power_share = given(
        "Power over the largest power of a chip under load, with its share of the server",
        default=0.7,
        maximum=1,
        source="inference-energy",
    )
    idle_power_share = given(
        "Power over the largest power of a chip that waits, with its share of the server: an estimate",
        default=0.2,
        maximum=1,
    )

    power_share = override(
        busy_share * busy_power_share + (1 - busy_share) * idle_power_share,
        doc="Mean power over the largest power, of a chip with its share of the server",
    )
    load_energy_price = formula(
        (busy_power_share - idle_power_share) * power_per_chip * site.pue * site.energy_price,
        "USD/hour",
        "Cost of the energy that an hour at full load takes beyond one of waiting",
        signed=True,
    )
    waiting_price = formula(
        capital_cost + housing_cost + operation_cost + idle_power_share * power_per_chip * site.pue * site.energy_price,
        "USD/hour",
        "Cost of an hour of an owned chip that waits",
    )
    break_even_share = override(
        waiting_price / max_(chip_price - load_energy_price, 0),
        doc="Share of the capacity above which an owned chip costs less than a rented one",
    )
    busy_energy = formula(mean_power / busy_share, "W", "Energy per second of chip time at full load")
    input_energy = formula(input_chip_time * busy_energy, "Wh/Mtoken", "Energy of input tokens")
    cached_energy = formula(cached_chip_time * busy_energy, "Wh/Mtoken", "Energy of cached input tokens")
    output_energy = formula(output_chip_time * busy_energy, "Wh/Mtoken", "Energy of output tokens")
    input_carbon = formula(input_energy * site.grid_carbon, "gram/Mtoken", "CO2 of input tokens")
    cached_carbon = formula(cached_energy * site.grid_carbon, "gram/Mtoken", "CO2 of cached input tokens")
    output_carbon = formula(output_energy * site.grid_carbon, "gram/Mtoken", "CO2 of output tokens")

    # A request
    prompt_len = given("Input tokens of a request, mean", "token", example=2000, symbol=r"s_{\text{in}}")
    output_len = given("Output tokens of a request, mean", "token", example=500)
    cached_share = given("Share of the input tokens that is cached: none", default=0, example=0.5, minimum=0, maximum=1)

    fresh_len = formula((1 - cached_share) * prompt_len, "token", "Input tokens that are not cached", signed=True)
    cached_len = formula(
        cached_share * prompt_len, "token", "Input tokens that are cached", symbol=r"s_{\text{hit}}", signed=True
    )
    request_chip_time = formula(
        fresh_len * input_chip_time + cached_len * cached_chip_time + output_len * output_chip_time,
        "second",
        "Chip time of a request",
    )
    request_cost = formula(request_chip_time * busy_price, "USD", "Cost of a request", headline=True)
    request_energy = formula(request_chip_time * busy_energy, "Wh", "Energy of a request")
    request_carbon = formula(request_energy * site.grid_carbon, "gram", "CO2 of a request")
    token_cost = formula(
        request_cost / (prompt_len + output_len),
        "USD/Mtoken",
        "Cost of tokens, input and output together",
        headline=True,
    )

    # A fleet
    n_chips = given("Chips that serve", "chip", example=64, integer=True)

    daily_requests = formula(n_chips * busy_share / request_chip_time, "request/day", "Requests served per day")
    daily_tokens = formula(
        daily_requests * (prompt_len + output_len), "Gtoken/day", "Tokens served per day, input and output together"
    )
    daily_cost = formula(n_chips * hour_price, "USD/day", "Cost of the chips per day")
    fleet_power = formula(n_chips * mean_power, "kW", "Mean power of the chips, with their servers, cooling and losses")
    daily_energy = formula(fleet_power, "MWh/day", "Energy of the chips per day")
    daily_carbon = formula(fleet_power * site.grid_carbon, "tonne/day", "CO2 of the energy of the chips per day")

    # Against an API
    api_input_price = given("Price that is charged for input tokens", "USD/Mtoken", example=0.55)
    api_cached_price = given(
        "Price that is charged for cached input tokens", "USD/Mtoken", inferred=api_input_price, example=0.14
    )
    api_output_price = given("Price that is charged for output tokens", "USD/Mtoken", example=2.19)

    request_revenue = formula(
        fresh_len * api_input_price + cached_len * api_cached_price + output_len * api_output_price,
        "USD",
        "Price that is charged for a request",
    )
    daily_revenue = formula(daily_requests * request_revenue, "USD/day", "Price that is charged for a day")
    markup = formula(request_revenue / request_cost - 1, "percent", "Profit over cost", signed=True)
    margin = formula(1 - request_cost / request_revenue, "percent", "Profit over price", signed=True)
    break_even_load = formula(
        select(
            price_basis,
            rented=hour_price * request_chip_time / request_revenue,
            owned=waiting_price / max_(request_revenue / request_chip_time - load_energy_price, 0),
        ),
        "",
        "Share of the capacity at which the price covers the cost; none where no load does",
    )
    break_even_tokens = formula(
        n_chips * break_even_load / request_chip_time * (prompt_len + output_len),
        "Gtoken/day",
        "Tokens per day at which the price covers the cost",
    )

    lifted = (PAID_BY_USE,)
    assumptions = (
        "A chip that waits costs as much as a busy one, but for the energy of an owned one.",
        "break_even_share and payback_time compare with chips that are rented for the hours used alone.",
        "Rates at full load hold at any load, and the mix of requests at any time.",
        "Hosts that route requests, storage of caches, failures and staff that operate the service are left out.",
    )
    notes = (
        "Chips that prefill and decode in turn and chips that do one of both cost the same in this account.",
        RATES_ARE_GIVEN,
    )
    sources = (
        "deepseek-serving",
        "anthropic-pricing",
    )
