from flopsheet import choice, formula, given, ratio, select
from flopsheet.builtin.models.model_shape import ModelShape

LEAST, MOST = ratio(1, 1000), 2  # exponents of power laws of runs


class BatchLaw(ModelShape):
    """Critical batch in tokens, from the computation, the parameters or the loss of a run, by published power laws.

    Beyond this batch, each token contributes less progress. The laws were fitted to small runs, and are extrapolated
    far beyond them here.
    """

    params = given("Parameters of the model", "param", inferred=model.params, example=70e9, minimum=1)
    total_work = given("Computation of the run", "EFLOP", example="5.88e23 FLOP")
    loss = given("Loss that the run reaches, in nats per token", example=1.97)

    # What the law raises to a power: a pure number
    batch_law = choice(
        "compute",
        "params",
        "loss",
        doc="Quantity that the law raises to a power: FLOP, parameters, or one over the loss",
        default="compute",
    )
    work_unit = given(
        "Unit of the computation in the law, because a power needs a pure number",
        "FLOP",
        default=1,
        fixed=True,
        symbol="F_1",
    )
    params_unit = given(
        "Unit of the parameters in the law, because a power needs a pure number",
        "param",
        default=1,
        fixed=True,
        symbol="N_1",
    )

    law_base = formula(
        select(batch_law, compute=total_work / work_unit, params=params / params_unit, loss=1 / loss),
        "",
        "Computation of the run in FLOP, its number of parameters, or one over its loss",
        symbol="x",
    )

    # The law
    law_coefficient = given("Tokens at a base of one", "token", default=0.292, symbol="c", source="deepseek-llm")
    law_exponent = given(
        "Exponent of the law", default=0.3271, minimum=LEAST, maximum=MOST, symbol="e", source="deepseek-llm"
    )
    sequence_tokens = given(
        "Sequence length that multiplies the law of parameters",
        default=4096,
        symbol="s_0",
        source="diloco-notebook",
    )
    loss_coefficient = given(
        "Tokens at a loss of one nat, in the law of the loss", "token", default=2.1e8, symbol="B_*", source="kaplan"
    )
    loss_exponent = given(
        "Exponent of the loss over that of the batch, in the law of the loss",
        default=0.21,
        minimum=LEAST,
        maximum=MOST,
        symbol=r"\alpha_B",
        source="kaplan",
    )

    law_value = formula(
        select(
            batch_law,
            compute=law_coefficient * law_base**law_exponent,
            params=law_coefficient * law_base**law_exponent,
            loss=loss_coefficient * law_base ** (1 / loss_exponent),
        ),
        "token",
        "Value of the law",
        symbol="B_x",
    )
    critical_batch = formula(
        select(batch_law, compute=law_value, params=sequence_tokens * law_value, loss=law_value),
        "token",
        "Tokens in a critical batch",
        headline=True,
    )

    assumptions = ("The law holds for one recipe of data and training; another shifts the coefficient.",)
    notes = (
        "The law of computation gives the batch of lowest loss at a budget; the notebook calls it the critical batch.",
        "The notebook raises parameters instead of FLOP and multiplies by 4096; batch_law = params does the same.",
        "batch_law = loss is the law of Kaplan et al., at which a run takes twice the fewest steps and tokens.",
    )
    sources = ("deepseek-llm", "diloco-notebook", "kaplan")
