from flopsheet import formula, given
from flopsheet.builtin.models.sent_states import SentStates


class StateTraffic(SentStates):
    """Time that one chip takes to send gradients and weights to its data-parallel ranks, at a known bandwidth."""

    exchange_bandwidth = given("Bandwidth at which one chip sends to its data-parallel ranks", "GB/s", example=42.5)
    exchange_time = formula(
        sync_traffic / exchange_bandwidth,
        "second",
        "Time to send gradients and weights, where nothing hides it",
        headline=True,
    )

    assumptions = ("Latency and slower links between nodes are left out.",)
