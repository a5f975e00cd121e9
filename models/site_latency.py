"""Distance of two datacenters, the latency between them, and what a training run that waits for it costs."""

from flopsheet import Datacenter, asin, choice, cos, formula, given, part, pi, select, sin, sqrt
from flopsheet.builtin.models.training_run import TrainingRun


class SiteLatency(TrainingRun):
    """Distance of two datacenters, the latency between them, and what a training run that waits for it costs.

    Light takes the great circle, in fibre or in vacuum. Each step of the run waits for it, and nothing is computed
    meanwhile. The time to send data is in the sheet gradient_sync.
    """

    # The way between both
    here = part(Datacenter, "Site at one end", example="jean-zay")
    there = part(Datacenter, "Site at the other end", example="el-capitan")
    earth_radius = given("Mean radius of the earth", "km", default=6371.009, source="grs-80", symbol=r"R_{\oplus}")
    half_turn = given("Half a turn: 180 degree by definition", "degree", default=180, symbol=r"\varphi_{\pi}")

    haversine = formula(
        sin((there.latitude - here.latitude) / 2) ** 2
        + cos(here.latitude) * cos(there.latitude) * sin((there.longitude - here.longitude) / 2) ** 2,
        "",
        "Haversine of the angle between both sites: the squared sine of its half",
        symbol=r"\mathrm{hav}",
    )
    central_angle = formula(
        2 * asin(sqrt(haversine)),
        "degree",
        "Angle between both sites, seen from the earth's centre",
        symbol=r"\theta_{\text{arc}}",
    )
    distance = formula(
        pi * earth_radius * central_angle / half_turn,
        "km",
        "Great-circle distance of both sites",
        symbol=r"\ell_{\text{arc}}",
    )

    # The time of light
    speed_of_light = given("Speed of light in vacuum", "m/s", default=299792458, source="si-brochure", symbol="c_0")
    refractive_index = given(
        "How much slower light is in fibre",
        default=1.468,
        source="corning-smf28",
        symbol=r"\nu_{\text{fibre}}",
        minimum=1,
    )
    medium = choice("fibre", "vacuum", doc="What the light goes through", default="fibre")

    vacuum_latency = formula(distance / speed_of_light, "ms", "Time of light in vacuum, one way", symbol=r"\lambda_0")
    fibre_latency = formula(
        vacuum_latency * refractive_index, "ms", "Time of light in fibre, one way", symbol=r"\lambda_{\text{fibre}}"
    )
    latency = formula(
        select(medium, fibre=fibre_latency, vacuum=vacuum_latency),
        "ms",
        "Latency, one way",
        symbol=r"\lambda_{\text{way}}",
    )

    # The run that waits
    n_traversals = given(
        "Traversals for which a step waits, one after the other",
        default=1,
        source="diloco-notebook",
        symbol=r"n_{\text{way}}",
    )

    step_latency = formula(n_traversals * latency, "ms", "Time for which a step waits", symbol=r"t_{\text{wait}}")
    total_latency = formula(n_steps * step_latency, "hour", "Time for which the run waits", symbol=r"T_{\text{wait}}")
    idle_chip_time = formula(n_chips * total_latency, "hour", "Time that all chips together wait")
    idle_cost = formula(idle_chip_time * chip_price, "USD", "Price of the chips while they wait")

    assumptions = (
        "The earth is a sphere and the cable a great circle: real routes are longer, and switches add to them.",
        "A step waits for the whole latency: nothing is computed meanwhile.",
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
    )
    notes = (
        "The source counts light in vacuum: medium = vacuum does the same.",
        "The source divides kilometres by metres per second: its latencies are 1000 times too small.",
        "The source multiplies by chips left over from another row; here they are those of the run.",
        "The source puts Joliot-Curie into Lyon, 383 km from Jean Zay: it stands 12 km from it.",
    )
    sources = ("diloco-notebook", "grs-80", "si-brochure", "corning-smf28", "kaplan")
