from flopsheet import formula, given
from flopsheet.builtin.models.chip_hours import ChipHours
from flopsheet.builtin.models.machine import Machine


class RunCost(Machine, ChipHours):
    """Cost of a training run, from the price of an hour of its chips."""

    chip_price = given(
        "Price of one chip per hour",
        "USD/hour",
        inferred=(system.hourly_price / system.n_chips, chip.hourly_price),
        example=2,
    )
    train_cost = formula(chip_time * chip_price, "USD", "Cost of the run")

    assumptions = (
        *ChipHours.assumptions,
        "A price is that of renting a chip with its share of server and network; storage and staff are left out.",
    )
