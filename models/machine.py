from flopsheet import Chip, Sheet, System, part

CHIPS_ALIKE = "All chips are alike."


class Machine(Sheet):
    """Chip of the registry, and the server or rack that it is in."""

    system = part(System, "Server or rack of the chips, which gives the chip too")
    chip = part(Chip, "Chip that does the computation", example="h100-sxm", of=system)

    assumptions = (CHIPS_ALIKE,)
