"""The kind of record `system`: chips that are built and bought as one, a board, a rack or a slice of a pod."""

from flopsheet.registry.kinds.chip import Chip
from flopsheet.registry.records import RecordType, fields

System = RecordType(
    kind="system",
    folder="hardware/systems",
    fields=fields(
        ("n_chips", "count", r"n_{\text{sys}}", "Chips of the system"),
        ("memory", "GiB", r"M_{\text{sys}}", "Memory of all its chips together"),
        ("link.bandwidth", "GB/s", r"W_{\text{up}}", "Scale-up bandwidth of one chip inside the domain, one way"),
        ("link.domain", "count", r"n_{\text{up}}", "Chips that the scale-up links join directly or by switch"),
        ("link.dimensions", "count", r"n_{\text{dim}}", "Dimensions of the torus, where it is one"),
        ("network.bandwidth", "GB/s", r"W_{\text{out}}", "Scale-out bandwidth of one chip, one way"),
        ("network.ports", "count", r"n_{\text{nic}}", "Network ports of the system"),
        ("host.bandwidth", "GB/s", r"W_{\text{host}}", "Bandwidth between one chip and its host, one way"),
        ("host.memory", "GiB", r"M_{\text{host}}", "Memory of the hosts"),
        ("host.cpus", "count", r"n_{\text{cpu}}", "Processors of the hosts"),
        ("power", "kW", r"P_{\text{sys}}", "Largest power of the whole"),
        ("price", "USD", r"K_{\text{sys}}", "Price of the whole"),
        ("hourly_price", "USD/hour", r"p_{\text{sys}}", "Price of renting the whole"),
    ),
    labels=("link.name", "link.topology", "network.name", "host.name"),
    required=("name", "vendor", "source", "chip", "n_chips"),
    columns=("n_chips", "memory", "link.domain", "link.bandwidth", "network.bandwidth", "power"),
    references={"chip": Chip},
)
