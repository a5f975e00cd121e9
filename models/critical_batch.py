from flopsheet import override
from flopsheet.builtin.models.batch_law import BatchLaw
from flopsheet.builtin.models.training_work import TrainingWork


class CriticalBatch(TrainingWork, BatchLaw):
    """Critical batch of a training run in tokens, by a published power law, and the steps of the run at this batch."""

    params = override(example=70e9)
    tokens = override(critical_batch)

    assumptions = ("The law itself was fitted with attention counted as well.",)
    sources = ("deepseek-llm", "diloco-notebook", "chinchilla", "kaplan")
