"""All kinds of records: one entry each, and `KINDS` by name."""

from flopsheet.registry.architecture import Architecture
from flopsheet.registry.records import RecordType, fields
from flopsheet.registry.traits import Additions, Presumed

TERMS = (
    *("on demand", "marketplace", "reserved 1 year", "reserved 3 years", "reserved"),
    *("capacity block", "flex start", "serverless", "spot", "purchase"),
)
SEGMENTS = ("data center", "workstation", "consumer", "embedded")
CHIP_KINDS = ("GPU", "ASIC", "SoC")  # an ASIC computes tensors alone; in an SoC, processor and GPU share the memory
CARBON_SCOPES = ("direct combustion", "life cycle", "operational gross")
_CARBON = "direct combustion in states of the USA, else life cycle"

Price = RecordType(
    kind="price",
    folder="hardware/prices",
    fields=fields(
        (
            "hourly_price",
            "USD/hour",
            r"p_{\text{hour}}",
            "Price of renting one chip with its share of the host, or one system",
        ),
        ("price", "USD", r"K_{\text{list}}", "Price of one chip, or of one system"),
        usual={"hourly_price": ("0.02 USD/hour", "5000 USD/hour"), "price": ("100 USD", "20000000 USD")},
    ),
    labels=("region", "terms", "date"),
    required=("name", "provider", "source", "terms", "date"),
    columns=("chip", "system", "provider", "terms", "date", "hourly_price", "price"),
    maker="provider",
    options={"terms": TERMS},
    dates=("date",),
    qualifiers=dict.fromkeys(("hourly_price", "price"), ("provider", "region", "terms", "date")),
    adds=Additions(kinds=("chip", "system"), preferred="terms", dated="date"),
    conventions={"hourly_price": "of one chip with its share of the host, or of one system", "price": "before taxes"},
)


Grid = RecordType(
    kind="grid",
    folder="hardware/grids",
    fields=fields(
        ("carbon", "gram/kWh", r"\gamma_{\text{grid}}", "CO2 of a unit of energy, mean of a year"),
        (
            "energy_price",
            "USD/kWh",
            r"p_{\text{grid}}",
            "Price of a unit of energy, mean of all customers of a class",
        ),
        usual={"carbon": ("5 gram/kWh", "1200 gram/kWh"), "energy_price": ("0.01 USD/kWh", "0.6 USD/kWh")},
    ),
    labels=("country", "region", "carbon_year", "carbon_scope", "price_year", "customers"),
    columns=("carbon", "carbon_scope", "carbon_year", "energy_price", "customers", "price_year"),
    maker="operator",
    options={"carbon_scope": CARBON_SCOPES},
    dates=("carbon_year", "price_year"),
    qualifiers={"carbon": ("carbon_scope", "carbon_year"), "energy_price": ("customers", "price_year")},
    sought=("carbon", "energy_price"),
    conventions={"carbon": _CARBON, "energy_price": "mean of a class of customers"},
)


Chip = RecordType(
    kind="chip",
    folder="hardware/chips",
    fields=fields(
        ("memory", "GiB", r"M_{\text{chip}}", "Memory of one chip"),
        ("memory_bandwidth", "TB/s", r"W_{\text{mem}}", "Rate at which one chip reads its memory, decimal"),
        ("flops.fp32", "TFLOP/s", r"C_{\text{fp32}}", "Peak fp32 rate outside the matrix units"),
        ("flops.fp32_matrix", "TFLOP/s", r"C_{\text{fp32m}}", "Peak dense fp32 rate of the matrix units"),
        ("flops.tf32", "TFLOP/s", r"C_{\text{tf32}}", "Peak dense tf32 rate"),
        ("flops.bf16", "TFLOP/s", r"C_{\text{bf16}}", "Peak dense bf16 rate"),
        ("flops.fp16", "TFLOP/s", r"C_{\text{fp16}}", "Peak dense fp16 rate"),
        ("flops.fp8", "TFLOP/s", r"C_{\text{fp8}}", "Peak dense fp8 rate"),
        ("flops.int8", "TFLOP/s", r"C_{\text{int8}}", "Peak dense int8 rate, one operation counted as one FLOP"),
        ("flops.fp6", "TFLOP/s", r"C_{\text{fp6}}", "Peak dense fp6 rate"),
        ("flops.fp4", "TFLOP/s", r"C_{\text{fp4}}", "Peak dense fp4 rate"),
        ("flops_acc16.fp16", "TFLOP/s", r"C_{\text{fp16}}^{16}", "Peak dense fp16 rate with fp16 accumulation"),
        ("flops_acc16.fp8", "TFLOP/s", r"C_{\text{fp8}}^{16}", "Peak dense fp8 rate with fp16 accumulation"),
        (
            "link.bandwidth",
            "GB/s",
            r"W_{\text{link}}",
            "Chip-to-chip bandwidth one way, all links of one chip together",
        ),
        ("link.links", "count", r"n_{\text{links}}", "Chip-to-chip links of one chip"),
        ("link.domain", "count", r"n_{\text{domain}}", "Chips that the links join directly or by switch"),
        (
            "link.dimensions",
            "count",
            r"n_{\text{torus}}",
            "Dimensions of the torus of chip-to-chip links; switches have none",
        ),
        ("link.longest_side", "count", r"n_{\text{side,1}}", "Chips along the longest axis of the torus"),
        ("link.second_side", "count", r"n_{\text{side,2}}", "Chips along its second longest axis"),
        ("link.third_side", "count", r"n_{\text{side,3}}", "Chips along its third longest axis"),
        (
            "link.peers",
            "count",
            r"n_{\text{peer}}",
            "Chips to each of which it has links of its own; switches have none",
        ),
        ("power", "W", r"P_{\text{chip}}", "Largest sustained power of one chip"),
        ("server_power", "W", r"P_{\text{whole}}", "Power of its server per chip, where all are alike"),
        ("price", "USD", r"K_{\text{chip}}", "Price of one chip"),
        ("hourly_price", "USD/hour", r"p_{\text{chip}}", "Price of renting one chip"),
        ("sram.l2", "MiB", r"M_{\text{L2}}", "Cache that all cores of one chip share"),
        ("sram.last_level", "MiB", r"M_{\text{LLC}}", "Cache behind that, before the memory"),
        ("sram.per_core", "KiB", r"M_{\text{core}}", "Fast memory of one core: shared memory and first cache"),
        ("sram.on_chip", "MiB", r"M_{\text{sram}}", "Fast memory of one chip that programs address"),
        ("cores", "count", r"n_{\text{core}}", "Cores: streaming multiprocessors, compute units, tensor cores"),
        ("clock", "GHz", r"f_{\text{chip}}", "Clock at which the peak rates are quoted"),
        usual={
            "memory": ("4 GiB", "2 TiB"),
            "memory_bandwidth": ("30 GB/s", "50 TB/s"),
            "flops": ("1 TFLOP/s", "60000 TFLOP/s"),
            "flops_acc16": ("1 TFLOP/s", "60000 TFLOP/s"),
            "link.bandwidth": ("5 GB/s", "4 TB/s"),
            "link.links": ("1", "72"),
            "link.domain": ("1", "20000"),
            "link.dimensions": ("1", "6"),
            "link.longest_side": ("2", "64"),
            "link.second_side": ("2", "64"),
            "link.third_side": ("2", "64"),
            "link.peers": ("1", "31"),
            "power": ("5 W", "5 kW"),
            "server_power": ("5 W", "50 kW"),
            "price": ("100 USD", "200000 USD"),
            "hourly_price": ("0.02 USD/hour", "50 USD/hour"),
            "sram.l2": ("0.5 MiB", "1 GiB"),
            "sram.last_level": ("1 MiB", "4 GiB"),
            "sram.per_core": ("16 KiB", "8 MiB"),
            "sram.on_chip": ("1 MiB", "1 GiB"),
            "cores": ("1", "2000"),
            "clock": ("0.3 GHz", "5 GHz"),
        },
    ),
    labels=("segment", "kind", "link.name", "link.topology", "memory_type"),
    required=("name", "vendor", "source", "memory", "memory_bandwidth", "flops"),
    columns=("memory", "memory_bandwidth", "flops.bf16", "link.bandwidth", "power"),
    options={"segment": SEGMENTS, "kind": CHIP_KINDS},
    added_by=Price,
    conventions={
        "memory": "nominal",
        "flops": "dense peaks with fp32 accumulation",
        "flops_acc16": "dense peaks with fp16 accumulation",
        "link.bandwidth": "one way, all links of a chip",
        "power": "of the chip alone",
        "server_power": "of a chip with its share of the server",
        "hourly_price": "median of the newest offers on demand, where there are any",
    },
    presumed=(Presumed("link.bandwidth", "scale_up_bandwidth", ("replica_chips", "data_ranks", "n_ranks")),),
)


System = RecordType(
    kind="system",
    folder="hardware/systems",
    fields=fields(
        ("n_chips", "count", r"n_{\text{sys}}", "Chips of the system"),
        ("memory", "GiB", r"M_{\text{sys}}", "Memory of all its chips together"),
        ("link.bandwidth", "GB/s", r"W_{\text{up}}", "Scale-up bandwidth of one chip inside the domain, one way"),
        ("link.domain", "count", r"n_{\text{up}}", "Chips that the scale-up links join directly or by switch"),
        ("link.dimensions", "count", r"n_{\text{dim}}", "Dimensions of the torus, where it is one"),
        ("link.longest_side", "count", r"k_{\text{up,1}}", "Chips along the longest axis of the torus"),
        ("link.second_side", "count", r"k_{\text{up,2}}", "Chips along its second longest axis"),
        ("link.third_side", "count", r"k_{\text{up,3}}", "Chips along its third longest axis"),
        ("link.peers", "count", r"n_{\text{mate}}", "Chips to each of which a chip has links of its own"),
        ("network.bandwidth", "GB/s", r"W_{\text{out}}", "Scale-out bandwidth of one chip, one way"),
        ("network.ports", "count", r"n_{\text{nic}}", "Network ports of the system"),
        ("host.bandwidth", "GB/s", r"W_{\text{host}}", "Bandwidth between one chip and its host, one way"),
        ("host.memory", "GiB", r"M_{\text{host}}", "Memory of the hosts"),
        ("host.cpus", "count", r"n_{\text{cpu}}", "Processors of the hosts"),
        ("power", "kW", r"P_{\text{sys}}", "Largest power of the whole"),
        ("price", "USD", r"K_{\text{sys}}", "Price of the whole"),
        ("hourly_price", "USD/hour", r"p_{\text{sys}}", "Price of renting the whole"),
        usual={
            "n_chips": ("1", "20000"),
            "memory": ("4 GiB", "10 PiB"),
            "link.bandwidth": ("5 GB/s", "4 TB/s"),
            "link.domain": ("1", "20000"),
            "link.longest_side": ("2", "64"),
            "link.second_side": ("2", "64"),
            "link.third_side": ("2", "64"),
            "link.peers": ("1", "31"),
            "network.bandwidth": ("0.1 GB/s", "1 TB/s"),
            "host.bandwidth": ("1 GB/s", "4 TB/s"),
            "host.memory": ("4 GiB", "1 PiB"),
            "power": ("0.05 kW", "20 MW"),
            "price": ("500 USD", "20000000 USD"),
            "hourly_price": ("0.05 USD/hour", "5000 USD/hour"),
        },
    ),
    labels=("link.name", "link.topology", "network.name", "host.name"),
    required=("name", "vendor", "source", "chip", "n_chips"),
    columns=("n_chips", "memory", "link.domain", "link.bandwidth", "network.bandwidth", "power"),
    references={"chip": Chip},
    added_by=Price,
    conventions={
        "memory": "nominal, of all chips",
        "link.bandwidth": "of one chip, one way",
        "network.bandwidth": "of one chip, one way",
        "power": "of the whole, with hosts, network and fans",
    },
)


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
        between={"latitude": (-90, 90), "longitude": (-180, 180), "pue": (1, 100)},
        usual={
            "n_chips": ("8", "2000000"),
            "power": ("50 kW", "10 GW"),
            "measured_power": ("5 kW", "1 GW"),
            "pue": ("1.02", "2.5"),
            "grid_carbon": ("5 gram/kWh", "1200 gram/kWh"),
            "energy_price": ("0.01 USD/kWh", "0.6 USD/kWh"),
            "network.bandwidth": ("0.1 GB/s", "1 TB/s"),
        },
    ),
    labels=("country", "system", "network.name", "other_chips"),
    columns=("latitude", "longitude", "n_chips", "power", "pue", "grid_carbon", "energy_price"),
    references={"chip": Chip, "grid": Grid},
    maker="operator",
    inherited={"grid_carbon": "grid.carbon", "energy_price": "grid.energy_price"},
    sought=("power", "pue", "grid_carbon", "energy_price"),
    conventions={
        "power": "what the site can draw",
        "grid_carbon": _CARBON,
        "energy_price": "that of the grid where the site states none",
        "network.bandwidth": "of one chip, one way",
    },
)


KINDS = {record_type.kind: record_type for record_type in (Chip, System, Datacenter, Architecture, Grid, Price)}
