"""The kind of record `datacenter`: a site with machines, where it lies, what its energy is and costs."""

from flopsheet.registry.records import RecordType, fields

Datacenter = RecordType(
    kind="datacenter",
    folder="datacenters",
    fields=fields(
        ("latitude", "degree", r"\varphi", "Latitude of the machine hall, north is positive"),
        ("longitude", "degree", r"\lambda", "Longitude of the machine hall, east is positive"),
        ("power", "MW", r"P_{\text{site}}", "Power that the site can draw"),
        ("pue", "", r"\mathrm{PUE}", "Power usage effectiveness: energy of the site over energy of its machines"),
        ("grid_carbon", "gram/kWh", r"\gamma", "CO2 of a unit of energy from the grid, mean of a year"),
        ("energy_price", "USD/kWh", r"p_{\text{energy}}", "Price of a unit of energy"),
        between={"latitude": (-90, 90), "longitude": (-180, 180)},
    ),
    listed=("latitude", "longitude", "power", "pue", "grid_carbon", "energy_price"),
)
