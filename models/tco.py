from flopsheet import Datacenter, choice, formula, given, max_, part, ratio, select
from flopsheet.builtin.models.chip_peak import ChipPeak
from flopsheet.builtin.models.chip_power import ChipPower
from flopsheet.builtin.models.rental_price import RentalPrice

PAID_BY_USE = "An owned chip costs the same whether it is used or not; a rented one is paid for the hours used."


class Tco(ChipPeak, ChipPower, RentalPrice):
    """Total cost of ownership of a chip: per year, per hour, per computation, and whether to rent or to buy it.

    All costs are those of one chip with its share of server, network and building.
    """

    # Capital
    server_ratio = given("Price of a server over that of its chips", default=1.6, source="epoch-training-cost")
    network_ratio = given(
        "Price of a cluster over that of its servers: switches and cables", default=1.15, source="epoch-training-cost"
    )
    server_price = given(
        "Price of one chip with its share of the server",
        "USD",
        inferred=(system.price / system.n_chips, chip.price * server_ratio),
        example=48000,
    )

    chip_capital = formula(server_price * network_ratio, "USD", "Capital of one chip with its share of the cluster")

    # Depreciation
    depreciation = choice(
        "annuity",
        "straight_line",
        doc="Equal payments that include the cost of capital, or the loss of value alone",
        default="annuity",
    )
    lifetime = given("Time for which machines are used", "year", default=5, source="epoch-datacenter-cost")
    residual_share = given(
        "Share of the capital that selling the machines returns: none", default=0, minimum=0, maximum=1
    )
    capital_rate = given("Cost of capital: interest and return", "percent/year", default=7, source="omb-a94")
    payment_period = given("Time between two payments: a year", "year", default=1, minimum=ratio(1, 1000), maximum=100)

    period_rate = formula(capital_rate * payment_period, "", "Cost of capital for one period")
    discount = formula(
        (1 + period_rate) ** (-lifetime / payment_period), "", "Present value of a payment when machines are sold"
    )
    capital_charge = formula(
        select(
            depreciation,
            annuity=capital_rate + (1 - residual_share) * capital_rate * discount / (1 - discount),
            straight_line=(1 - residual_share) / lifetime,
        ),
        "percent/year",
        "Share of the capital that one year costs",
    )
    capital_cost = formula(chip_capital * capital_charge, "USD/year", "Cost of the capital per year")

    # Energy
    site = part(Datacenter, "Site of the chips", example="jean-zay")
    power_share = given(
        "Mean power over the largest power, of a chip with its share of the server",
        default=0.7,
        maximum=1,
        source="inference-energy",
    )

    mean_power = formula(
        power_share * power_per_chip * site.pue, "W", "Mean power of one chip with its server, cooling and losses"
    )
    power_cost = formula(mean_power * site.energy_price, "USD/year", "Cost of energy per year")

    # Building and cooling
    housing = choice(
        "colocation", "own_building", doc="Rented space with cooling, or an own building", default="colocation"
    )
    colocation_price = given(
        "Rent of space and cooling for machines of one kilowatt, without energy",
        "USD/kW/month",
        default=184.06,
        source="cbre-2024",
    )
    building_price = given(
        "Price of a building, its power supply and cooling, for machines of one watt",
        "USD/W",
        default=11.7,
        source="cushman-wakefield-2025",
    )
    building_lifetime = given("Time for which a building is used", "year", default=14, source="epoch-datacenter-cost")

    building_discount = formula(
        (1 + period_rate) ** (-building_lifetime / payment_period), "", "Present value of a payment at its end"
    )
    building_charge = formula(
        select(
            depreciation,
            annuity=capital_rate + capital_rate * building_discount / (1 - building_discount),
            straight_line=1 / building_lifetime,
        ),
        "percent/year",
        "Share of the price of the building that one year costs",
    )
    housing_price = formula(
        select(housing, colocation=colocation_price, own_building=building_price * building_charge),
        "USD/kW/year",
        "Cost of space and cooling for machines of one kilowatt",
    )
    housing_cost = formula(power_per_chip * housing_price, "USD/year", "Cost of space and cooling per year")

    # Operation
    operation_price = given(
        "Staff, repairs and all else but energy for machines of one kilowatt: 0.3 billion USD a year for 1 GW",
        "USD/kW/year",
        default=300,
        source="epoch-datacenter-cost",
    )
    repair_rate = given(
        "Share of the capital that repairs cost per year, beside the operation: none",
        "percent/year",
        default=0,
        minimum=0,
    )

    operation_cost = formula(
        power_per_chip * operation_price + chip_capital * repair_rate, "USD/year", "Cost of staff and repairs per year"
    )

    # Cost of owning
    busy_share = given("Share of the time that an owned chip is used: all", default=1, example=0.8, maximum=1)

    running_cost = formula(power_cost + housing_cost + operation_cost, "USD/year", "Cost per year besides the capital")
    yearly_cost = formula(capital_cost + running_cost, "USD/year", "Cost of owning a chip per year", headline=True)
    lifetime_cost = formula(yearly_cost * lifetime, "USD", "Total cost of ownership of a chip")
    owned_price = formula(yearly_cost, "USD/hour", "Cost of owning a chip per hour, used or not", headline=True)
    used_price = formula(owned_price / busy_share, "USD/hour", "Cost of an hour in which an owned chip is used")

    # Cost of computation
    utilization = given("Share of the peak rate that is reached while the chip is used", example=0.4, maximum=1)

    chip_rate = formula(utilization * peak_rate, "TFLOP/s", "Rate of one chip while it is used")
    work_price = formula(used_price / chip_rate, "USD/EFLOP", "Cost of computation on an owned chip")

    # Rent or buy
    break_even_share = formula(
        owned_price / chip_price, "", "Share of the time above which an owned chip costs less than a rented one"
    )
    saved_rent = formula(
        busy_share * chip_price - running_cost,
        "USD/month",
        "Rent of the hours used, less what running an owned chip costs",
        signed=True,
    )
    payback_time = formula(
        chip_capital / max_(saved_rent, 0),
        "month",
        "Time after which saved rent has paid the capital; none where no rent is saved",
    )

    assumptions = (
        PAID_BY_USE,
        "Prices stay the same for years. Taxes, insurance, storage and the time until machines run are left out.",
        "Space is paid for the largest power; saved rent bears no interest.",
    )
    notes = (
        "Ratios of prices are estimates; server_price of an offer with its network needs network_ratio = 1.",
        "Servers in training drew 0.76 of their rated power in measurements at Brookhaven (arXiv 2506.14551).",
        "Many calculators use straight_line and leave the cost of capital out.",
    )
    sources = (
        "epoch-training-cost",
        "epoch-datacenter-cost",
        "omb-a94",
        "inference-energy",
        "cbre-2024",
        "cushman-wakefield-2025",
    )
