from flopsheet import formula, given
from flopsheet.builtin.models.chip_peak import ChipPeak


class ScaleUpLinks(ChipPeak):
    """Bandwidth of the links between chips, and the computation that takes as long as a byte sent over them."""

    scale_up_bandwidth = given(
        "Bandwidth of all links of one chip, one way", "GB/s", inferred=(system.link.bandwidth, chip.link.bandwidth)
    )

    scale_up_ridge = formula(
        peak_rate / scale_up_bandwidth, "FLOP/byte", "Peak FLOP of one chip per byte sent over all of its links"
    )

    notes = ("Vendors print the bandwidth of NVLink and ICI for both directions; here it is one way.",)
    sources = ("scaling-book-gpus",)
