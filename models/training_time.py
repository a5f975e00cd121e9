from flopsheet import formula, given, override
from flopsheet.builtin.models.chip_hours import ChipHours
from flopsheet.builtin.models.chip_peak import ChipPeak
from flopsheet.builtin.models.training_work import TrainingWork


class TrainingTime(TrainingWork, ChipPeak, ChipHours):
    """Time of a training run on chips that sustain a rate."""

    utilization = given("Share of the peak rate that the run reaches", example=0.4, maximum=1)

    chip_rate = formula(utilization * peak_rate, "TFLOP/s", "Sustained rate of one chip")
    step_time = formula(step_work / (n_chips * chip_rate), "second", "Time of a step")
    chip_time = override(trained_work / chip_rate)
    train_time = override(chip_time / n_chips, headline=True)

    assumptions = ("The utilization is that of the whole run, with waiting, communication and restarts.",)
