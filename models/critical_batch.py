from flopsheet import choice, formula, given, override, select
from flopsheet.builtin.models.training_work import TrainingWork


class CriticalBatch(TrainingWork):
    """Critical batch of a training run in tokens, from its computation by a published power law.

    Beyond this batch, each token contributes less progress. The law was fitted to small runs, and is extrapolated far
    beyond them here.
    """

    # What the law raises to a power: a pure number
    law = choice(
        "compute", "params", doc="Quantity that the law raises to a power: FLOP or parameters", default="compute"
    )
    work_unit = given(
        "Unit of the computation in the law, because a power needs a pure number", "FLOP", default=1, symbol="F_1"
    )
    params_unit = given(
        "Unit of the parameters in the law, because a power needs a pure number", "param", default=1, symbol="N_1"
    )

    law_base = formula(
        select(law, compute=total_work / work_unit, params=params / params_unit),
        "",
        "Computation of the run in FLOP, or its number of parameters",
        symbol="x",
    )

    # The law
    law_coefficient = given("Tokens at a base of one", "token", default=0.292, symbol="c", source="deepseek-llm")
    law_exponent = given("Exponent of the law", default=0.3271, symbol=r"\alpha", source="deepseek-llm")
    sequence_tokens = given(
        "Sequence length that multiplies the law of parameters",
        default=4096,
        symbol="s_0",
        source="diloco-notebook",
    )

    law_value = formula(law_coefficient * law_base**law_exponent, "token", "Value of the law", symbol="B_x")
    critical_batch = formula(
        select(law, compute=law_value, params=sequence_tokens * law_value), "token", "Tokens in a critical batch"
    )

    # The run at this batch
    tokens = override(critical_batch)

    assumptions = (
        "Computation is 6 FLOP per parameter and token; the law itself was fitted with attention counted as well.",
        "The law holds for one recipe of data and training; another shifts the coefficient.",
    )
    notes = (
        "The law gives the batch of lowest loss at a compute budget; the source calls it the critical batch.",
        "The source raises parameters instead of FLOP and multiplies by 4096; law = params does the same.",
    )
    sources = ("deepseek-llm", "diloco-notebook", "chinchilla", "kaplan")
