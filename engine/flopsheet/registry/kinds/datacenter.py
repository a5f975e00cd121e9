"""The kind of record `datacenter`: a site with machines, its position, and the source and price of its energy."""

from flopsheet.registry.kinds.chip import Chip
from flopsheet.registry.records import RecordType, fields

Datacenter = RecordType(
    kind="datacenter",
    folder="hardware/datacenters",
    fields=fields(
        ("latitude", "degree", r"\varphi", "Latitude of the machine hall, north is positive"),
        ("longitude", "degree", r"\lambda", "Longitude of the machine hall, east is positive"),
        ("n_chips", "count", r"n_{\text{site}}", "Chips of the main kind"),
        ("power", "MW", r"P_{\text{site}}", "Power that the site can draw"),
        ("measured_power", "MW", r"P_{\text{hpl}}", "Power drawn while it ran the High Performance Linpack"),
        ("pue", "", r"\mathrm{PUE}", "Power usage effectiveness: energy of the site over energy of its machines"),
        ("grid_carbon", "gram/kWh", r"\gamma", "CO2 of a unit of energy from the grid, mean of a year"),
        ("energy_price", "USD/kWh", r"p_{\text{energy}}", "Price of a unit of energy"),
        ("network.bandwidth", "GB/s", r"W_{\text{net}}", "Network bandwidth of one chip, one way"),
        between={"latitude": (-90, 90), "longitude": (-180, 180)},
    ),
    labels=("country", "system", "network.name", "other_chips"),
    columns=("latitude", "longitude", "n_chips", "power", "pue", "grid_carbon", "energy_price"),
    references={"chip": Chip},
    maker="operator",
)
