from flopsheet import Datacenter, floor, formula, given, limit, override, part
from flopsheet.builtin.models.chip_peak import ChipPeak


class SiteCapacity(ChipPeak):
    """Systems, chips, rate and price that the power of a site allows.

    A system is a server or a rack with its hosts, switches and fans; the site adds cooling and losses.
    """

    # The systems
    system = override(example="gb200-nvl72")
    chip = override(example="gb200")
    n_systems = given("Systems at the site", example=600, integer=True)
    system_power = given("Power of one system", "kW", inferred=system.power, symbol=r"P_{\text{rack}}", example=120)
    system_price = given("Price of one system", "USD", inferred=system.price, symbol=r"K_{\text{rack}}", example=3e6)

    n_chips = formula(n_systems * system.n_chips, "chip", "Chips of all systems", integer=True)
    systems_power = formula(n_systems * system_power, "MW", "Power of all systems", symbol=r"P_{\text{racks}}")
    systems_memory = formula(n_systems * system.memory, "TiB", "Memory of all chips", symbol=r"M_{\text{racks}}")
    systems_rate = formula(
        n_chips * peak_rate,
        "EFLOP/s",
        "Peak rate of all chips at this precision",
        symbol=r"C_{\text{racks}}",
        headline=True,
    )
    systems_price = formula(n_systems * system_price, "USD", "Price of all systems", symbol=r"K_{\text{racks}}")

    # The site
    site = part(Datacenter, "Site of the systems", example="jean-zay")
    site_power = given("Power that the site can draw", "MW", inferred=site.power, symbol=r"P_{\text{max}}", example=100)
    pue = given(
        "Power usage effectiveness: energy of the site over energy of its machines",
        inferred=site.pue,
        symbol=r"\mathrm{PUE}",
        example=1.2,
        minimum=1,
    )

    drawn_power = formula(
        systems_power * pue, "MW", "Power of all systems with cooling and losses", symbol=r"P_{\text{drawn}}"
    )
    has_power = limit(drawn_power <= site_power, "The site can power its systems")
    max_systems = formula(
        floor(site_power / (pue * system_power)),
        "",
        "Whole systems that the site can power",
        integer=True,
        symbol=r"n_{\text{rack},\max}",
        headline=True,
    )
    max_chips = formula(
        max_systems * system.n_chips,
        "chip",
        "Chips of as many systems",
        integer=True,
        symbol=r"n_{\max}",
        headline=True,
    )

    assumptions = (
        "Systems draw their largest power at the same time; switches and storage outside them are left out.",
    )
    sources = ()
