from flopsheet.builtin.models.run_energy import RunEnergy
from flopsheet.builtin.models.training_run import TrainingRun


class Electricity(TrainingRun, RunEnergy):
    """Power, energy, electricity bill and CO2 of a training run at a site.

    Each chip draws its own power and a share of that of its server, and the site adds cooling and losses.
    Where the price of energy is unknown, set `site.energy_price`.
    """

    assumptions = (
        "Chips and servers draw full power throughout the run; switches and storage are left out.",
        "CO2 is that of energy from the grid; the manufacture of chips and buildings is left out.",
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
        "The utilization is that of the whole run, with waiting, communication and restarts.",
    )
    notes = (
        "The source labels terajoules TW, and calls the power of all chips electricity per step.",
        "The source counts 1275 W for an H100: 700 W of the chip, as in the registry, and its share of the server.",
        "That share was estimated for H100 servers with eight chips; system = gb200-nvl72 gives that of another.",
    )
    sources = ("diloco-notebook", "semianalysis-100k", "kaplan")
