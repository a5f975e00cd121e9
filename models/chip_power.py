from flopsheet import formula, given, ratio
from flopsheet.builtin.models.machine import Machine


class ChipPower(Machine):
    """Largest power of a chip with its share of the server."""

    server_power_ratio = given(
        "Power of the rest of a server over that of its chips: 575 W beside an H100 of 700 W",
        default=ratio(575, 700),
        minimum=0,
        source="semianalysis-100k",
    )
    server_power = given(
        "Power of a server per chip: processors, network cards, power supplies",
        "W",
        inferred=(
            system.power / system.n_chips - chip.power,
            chip.server_power - chip.power,
            server_power_ratio * chip.power,
        ),
        example=575,
        minimum=0,
        symbol=r"P_{\text{srv}}",
    )

    power_per_chip = formula(
        chip.power + server_power, "W", "Power of one chip with its share of the server", symbol=r"P_{\text{share}}"
    )

    assumptions = ("Switches and storage outside the server are left out.",)
    notes = (
        (
            "The default share of a server was estimated for H100s in servers of eight; racks and servers of the "
            "registry have 0.4 (GB200 NVL72) to 1.1 (DGX-2) of the power of their chips."
        ),
        "system = gb200-nvl72 gives that of another server.",
    )
    sources = ("semianalysis-100k",)
