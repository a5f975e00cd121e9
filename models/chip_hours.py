from flopsheet import Sheet, formula, given


class ChipHours(Sheet):
    """Chip-hours of a training run, from its chips and its time."""

    n_chips = given("Chips that train the model", "chip", example=4247, integer=True)
    train_time = given("Time of the run", "day", example=4)

    chip_time = formula(n_chips * train_time, "hour", "Chip-hours of the run")

    assumptions = ("All chips are held from the start of the run to its end.",)
