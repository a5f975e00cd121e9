from flopsheet import formula
from flopsheet.builtin.models.training_data import TrainingData
from flopsheet.builtin.models.training_steps import TrainingSteps


class TrainingWork(TrainingData, TrainingSteps):
    """Steps and computation of a training run, from the parameters of its model and its batch."""

    total_work = formula(
        work_per_param_token * active_params * dataset_tokens, "EFLOP", "Computation of the run", headline=True
    )
    trained_work = formula(work_per_param_token * active_params * trained_tokens, "EFLOP", "Computation of all steps")
    step_work = formula(work_per_param_token * active_params * tokens, "PFLOP", "Computation of a step")
