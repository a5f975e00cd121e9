from flopsheet import Datacenter, formula, given, part
from flopsheet.builtin.models.chip_hours import ChipHours
from flopsheet.builtin.models.chip_power import ChipPower


class RunEnergy(ChipPower, ChipHours):
    """Power, energy, electricity bill and CO2 of a training run at a site, from its chips and its time.

    Each chip draws its own power and a share of that of its server, and the site adds cooling and losses.
    Where the price of energy is unknown, set `site.energy_price`.
    """

    step_time = given("Time of a step", "second", example=1)

    # Power
    run_power = formula(n_chips * power_per_chip, "MW", "Power of all chips", symbol=r"P_{\text{run}}")

    # Energy
    step_energy = formula(run_power * step_time, "MWh", "Energy of one step", symbol=r"E_{\text{step}}")
    energy = formula(run_power * train_time, "MWh", "Energy of the run", symbol=r"E_{\text{run}}")

    # The site
    site = part(Datacenter, "Site of the chips", example="jean-zay")

    site_energy = formula(
        energy * site.pue, "MWh", "Energy of the run with cooling and losses", symbol=r"E_{\text{site}}"
    )
    energy_cost = formula(
        site_energy * site.energy_price,
        "USD",
        "Cost of the energy of the run",
        symbol=r"K_{\text{energy}}",
        headline=True,
    )
    carbon = formula(
        site_energy * site.grid_carbon,
        "tonne",
        "CO2 emitted for the energy of the run",
        symbol=r"m_{\mathrm{CO_2}}",
        headline=True,
    )

    assumptions = (
        "Chips and servers draw full power throughout the run; switches and storage are left out.",
        "CO2 is that of energy from the grid; the manufacture of chips and buildings is left out.",
    )
