from flopsheet import formula, given, limit
from flopsheet.builtin.models.chip_peak import ChipPeak
from flopsheet.builtin.models.transformer import Transformer


class StepRates(ChipPeak, Transformer):
    """Rates of a training step whose time is known: tokens per second, computation per chip, MFU and HFU."""

    n_chips = given("Chips that train the model", "chip", example=2048, integer=True)
    step_time = given("Time of a step", "second", example=20)

    token_rate = formula(tokens / step_time, "token/s", "Tokens that all chips train on per second", headline=True)
    chip_token_rate = formula(token_rate / n_chips, "token/s", "Tokens per second over the chips")
    model_rate = formula(
        chip_token_rate * model_work_per_token, "TFLOP/s", "Computation of one chip, without what is repeated"
    )
    hardware_rate = formula(
        chip_token_rate * hardware_work_per_token, "TFLOP/s", "Computation of one chip, with what is repeated"
    )
    model_utilization = formula(
        model_rate / peak_rate, "", "MFU: share of the peak rate, without what is repeated", headline=True
    )
    hardware_utilization = formula(
        hardware_rate / peak_rate, "", "HFU: share of the peak rate, with what is repeated", headline=True
    )
    step_is_possible = limit(hardware_utilization <= 1, "The step takes no less time than at the peak rate")

    sources = ("palm", "megatron-lm", "korthikanti")
