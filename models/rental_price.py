from flopsheet import given
from flopsheet.builtin.models.machine import Machine


class RentalPrice(Machine):
    """Price of renting a chip, or a system with its chips, by the hour."""

    chip_price = given(
        "Price of one chip per hour",
        "USD/hour",
        inferred=(system.hourly_price / system.n_chips, chip.hourly_price),
        example=2,
    )

    assumptions = ("A price is that of renting a chip with its share of server and network.",)
