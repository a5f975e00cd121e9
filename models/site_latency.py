from flopsheet import Datacenter, asin, choice, cos, formula, given, part, pi, select, sin, sqrt
from flopsheet.builtin.models.training_run import TrainingRun


class SiteLatency(TrainingRun):
    """Distance and latency between two datacenters, and the cost to a training run that waits for it.

    Light follows the great circle, in fibre or in vacuum, and each step of the run waits for it without computing. The
    sheet gradient_sync has the time to send data.
    """

    # The distance
    here = part(Datacenter, "Site at one end", example="jean-zay")
    there = part(Datacenter, "Site at the other end", example="el-capitan")
    earth_radius = given(
        "Mean radius of the earth", "km", default=6371.009, fixed=True, source="grs-80", symbol=r"R_{\oplus}"
    )
    half_turn = given(
        "Half a turn: 180 degree by definition", "degree", default=180, fixed=True, symbol=r"\varphi_{\pi}"
    )

    haversine = formula(
        sin((there.latitude - here.latitude) / 2) ** 2
        + cos(here.latitude) * cos(there.latitude) * sin((there.longitude - here.longitude) / 2) ** 2,
        "",
        "Haversine of the angle between the sites: the squared sine of half of it",
        symbol=r"\mathrm{hav}",
    )
    central_angle = formula(
        2 * asin(sqrt(haversine)),
        "degree",
        "Angle between the sites at the earth's centre",
        symbol=r"\theta_{\text{arc}}",
    )
    distance = formula(
        pi * earth_radius * central_angle / half_turn,
        "km",
        "Great-circle distance between the sites",
        symbol=r"\ell_{\text{arc}}",
    )

    # The latency
    speed_of_light = given(
        "Speed of light in vacuum", "m/s", default=299792458, fixed=True, source="si-brochure", symbol="c_0"
    )
    refractive_index = given(
        "Refractive index of fibre",
        default=1.468,
        source="corning-smf28",
        symbol=r"\nu_{\text{fibre}}",
        minimum=1,
    )
    medium = choice("fibre", "vacuum", doc="Medium of the light", default="fibre")

    vacuum_latency = formula(distance / speed_of_light, "ms", "Latency in vacuum, one way", symbol=r"\lambda_0")
    fibre_latency = formula(
        vacuum_latency * refractive_index, "ms", "Latency in fibre, one way", symbol=r"\lambda_{\text{fibre}}"
    )
    latency = formula(
        select(medium, fibre=fibre_latency, vacuum=vacuum_latency),
        "ms",
        "Latency in the medium, one way",
        symbol=r"\lambda_{\text{way}}",
    )

    # The run that waits
    n_traversals = given(
        "Sequential traversals that a step waits for",
        default=1,
        source="diloco-notebook",
        symbol=r"n_{\text{way}}",
    )

    step_latency = formula(n_traversals * latency, "ms", "Waiting time of a step", symbol=r"t_{\text{wait}}")
    total_latency = formula(n_steps * step_latency, "hour", "Waiting time of the run", symbol=r"T_{\text{wait}}")
    idle_chip_time = formula(n_chips * total_latency, "hour", "Chip-hours spent waiting")
    idle_cost = formula(idle_chip_time * chip_price, "USD", "Cost of the waiting chips")

    lifted = ("The utilization is that of the whole run, with waiting, communication and restarts.",)
    assumptions = (
        "The earth is a sphere and the cable a great circle: real routes are longer, and switches add delay.",
        "A step waits for the whole latency, and nothing is computed meanwhile.",
    )
    notes = (
        "The source uses the speed of light in vacuum; medium = vacuum does the same.",
        "The source divides kilometres by metres per second: its latencies are 1000 times too small.",
        "The source multiplies by the chips of another row; here they are those of the run.",
        "The source places Joliot-Curie in Lyon, 383 km from Jean Zay; the machine is 12 km away.",
    )
    sources = ("diloco-notebook", "grs-80", "si-brochure", "corning-smf28", "kaplan")
