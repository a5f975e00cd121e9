from flopsheet import formula
from flopsheet.builtin.models.chip_hours import ChipHours
from flopsheet.builtin.models.rental_price import RentalPrice


class RunCost(RentalPrice, ChipHours):
    """Cost of a training run, from the price of an hour of its chips."""

    train_cost = formula(chip_time * chip_price, "USD", "Cost of the run", headline=True)

    assumptions = ("Storage and staff are left out.",)
