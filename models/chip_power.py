from flopsheet import formula, given
from flopsheet.builtin.models.machine import Machine


class ChipPower(Machine):
    """Largest power of a chip with its share of the server."""

    server_power = given(
        "Power of a server per chip: processors, network cards, power supplies",
        "W",
        default=575,
        inferred=system.power / system.n_chips - chip.power,
        source="semianalysis-100k",
        minimum=0,
        symbol=r"P_{\text{srv}}",
    )

    power_per_chip = formula(
        chip.power + server_power, "W", "Power of one chip with its share of the server", symbol=r"P_{\text{share}}"
    )

    assumptions = (*Machine.assumptions, "Switches and storage outside the server are left out.")
    notes = (
        "The default share of a server was estimated for H100s in servers of eight.",
        "system = gb200-nvl72 gives that of another server.",
    )
    sources = ("semianalysis-100k",)
