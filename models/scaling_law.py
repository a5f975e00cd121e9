from flopsheet import choice, formula, given, override, ratio, select
from flopsheet.builtin.models.batch_law import BatchLaw
from flopsheet.builtin.models.loss_fit import LossFit


class ScalingLaw(LossFit, BatchLaw):
    """Compute-optimal parameters and tokens by published laws, the loss of a run, and what over-training costs.

    The optimum is that for a computation, `optimal_params`, or for a model, `balanced_tokens`; `overtraining = 1` asks
    for a run that is optimal.
    """

    params = override(example=70e9)
    params_unit = override(default=1)
    work_per_param_token = given(
        "FLOP per parameter and token: two forward, four backward", "FLOP/param/token", default=6, source="kaplan"
    )

    tokens_per_param = formula(dataset_tokens / params, "token/param", "Training tokens per parameter")
    total_work = override(work_per_param_token * params * dataset_tokens)

    # Compute-optimal parameters: a power of the computation, through a point
    optimum = choice(
        "approach_1",
        "approach_2",
        "approach_3",
        "kaplan",
        "llama_3",
        "deepseek",
        "fixed_ratio",
        doc="Law of the optimum: the three approaches of Chinchilla, the third by loss_fit, or others",
        default="approach_3",
    )
    tabulated_params = given(
        "Parameters at which tables 3 and A3 of Chinchilla state optimal tokens",
        "param",
        default=10e9,
        symbol=r"N_{\text{tab}}",
        source="chinchilla",
    )
    approach_1_tokens = given(
        "Their optimal tokens by approach 1", "token", default=205.1e9, symbol=r"D_{\text{a1}}", source="chinchilla"
    )
    approach_1_exponent = given(
        "Exponent of approach 1: printed as 0.50, here to the digits that give the rows of table 3",
        default=0.4981,
        symbol=r"a_{\text{a1}}",
        source="chinchilla",
    )
    approach_2_tokens = given(
        "Their optimal tokens by approach 2", "token", default=219.5e9, symbol=r"D_{\text{a2}}", source="chinchilla"
    )
    approach_2_exponent = given(
        "Exponent of approach 2: printed as 0.49, here to the digits that give the rows of table A3",
        default=0.489885,
        symbol=r"a_{\text{a2}}",
        source="chinchilla",
    )
    kaplan_optimum = given(
        "Optimal parameters by Kaplan, embeddings left out, at a petaFLOP/s-day",
        "param",
        default=1.3e9,
        symbol=r"N_{\text{ka}}",
        source="kaplan",
    )
    kaplan_work = given(
        "Computation of a petaFLOP/s-day", "EFLOP", default="8.64e19 FLOP", symbol=r"F_{\text{ka}}", source="kaplan"
    )
    kaplan_exponent = given("Exponent of Kaplan's law", default=0.73, symbol=r"a_{\text{ka}}", source="kaplan")
    llama_3_tokens = given(
        "Optimal tokens by Llama 3", "token", default=16.55e12, symbol=r"D_{\text{ll}}", source="llama-3"
    )
    llama_3_work = given(
        "Computation of these", "EFLOP", default="3.8e25 FLOP", symbol=r"F_{\text{ll}}", source="llama-3"
    )
    llama_3_exponent = given(
        "Exponent of the tokens by Llama 3", default=0.53, symbol=r"b_{\text{ll}}", source="llama-3"
    )
    deepseek_token_work = given(
        "Optimal computation of a token by DeepSeek, for a run of one FLOP",
        "FLOP/token",
        default=0.1715,
        symbol=r"M_{\text{ds}}",
        source="deepseek-llm",
    )
    deepseek_exponent = given(
        "Exponent of DeepSeek's law", default=0.5243, symbol=r"a_{\text{ds}}", source="deepseek-llm"
    )
    fixed_ratio = given(
        "Tokens per parameter of the rule of thumb", "token/param", default=20, symbol="r_0", source="chinchilla"
    )

    optimal_factor = formula(
        (size_exponent * size_factor / (data_exponent * data_factor)) ** (1 / (size_exponent + data_exponent)),
        "",
        "Optimal parameters of approach 3 where computation over FLOP per parameter and token is 1",
        symbol="G",
    )
    reference_optimum = formula(
        select(
            optimum,
            approach_1=tabulated_params,
            approach_2=tabulated_params,
            approach_3=optimal_factor * params_unit,
            kaplan=kaplan_optimum,
            llama_3=llama_3_work / (work_per_param_token * llama_3_tokens),
            deepseek=deepseek_token_work / work_per_param_token,
            fixed_ratio=params_unit,
        ),
        "param",
        "Optimal parameters at a point of the law",
    )
    reference_budget = formula(
        select(
            optimum,
            approach_1=work_per_param_token * tabulated_params * approach_1_tokens,
            approach_2=work_per_param_token * tabulated_params * approach_2_tokens,
            approach_3=work_per_param_token * params_unit * token_unit,
            kaplan=kaplan_work,
            llama_3=llama_3_work,
            deepseek=work_unit,
            fixed_ratio=work_per_param_token * fixed_ratio * params_unit**2,
        ),
        "EFLOP",
        "Computation at this point",
    )
    params_exponent = formula(
        select(
            optimum,
            approach_1=approach_1_exponent,
            approach_2=approach_2_exponent,
            approach_3=data_exponent / (size_exponent + data_exponent),
            kaplan=kaplan_exponent,
            llama_3=1 - llama_3_exponent,
            deepseek=deepseek_exponent,
            fixed_ratio=ratio(1, 2),
        ),
        "",
        "Power of the computation with which optimal parameters grow",
    )
    tokens_exponent = formula(1 - params_exponent, "", "Power of the computation with which optimal tokens grow")

    # The optimum for the computation of the run
    optimal_params = formula(
        reference_optimum * (total_work / reference_budget) ** params_exponent,
        "param",
        "Parameters that the computation of the run trains best",
    )
    optimal_tokens = formula(total_work / (work_per_param_token * optimal_params), "token", "Tokens of that model")
    optimal_loss = formula(
        loss_floor
        + (
            size_factor * (optimal_params / params_unit) ** -size_exponent
            + data_factor * (optimal_tokens / token_unit) ** -data_exponent
        )
        ** outer_exponent,
        "",
        "Loss of that model",
    )

    # The optimum for the model of the run
    balanced_work = formula(
        reference_budget * (params / reference_optimum) ** (1 / params_exponent),
        "EFLOP",
        "Computation for which this model is optimal",
    )
    balanced_tokens = formula(
        balanced_work / (work_per_param_token * params), "token", "Tokens for which this model is optimal"
    )
    overtraining = formula(dataset_tokens / balanced_tokens, "", "Tokens of the run over these")

    # The least computation for the loss of the run, by the fit of the loss
    least_params = formula(
        params_unit * (size_factor * (1 + size_exponent / data_exponent) / reducible) ** (1 / size_exponent),
        "param",
        "Parameters of the model that reaches the loss with the least computation",
    )
    least_tokens = formula(
        token_unit * (data_factor * (1 + data_exponent / size_exponent) / reducible) ** (1 / data_exponent),
        "token",
        "Tokens of that model",
    )
    least_work = formula(
        work_per_param_token * least_params * least_tokens, "EFLOP", "Least computation that reaches the loss"
    )
    size_ratio = formula(params / least_params, "", "Parameters over those of that model")
    data_excess = formula(dataset_tokens / least_tokens, "", "Tokens over those of that model")
    work_excess = formula(total_work / least_work, "", "Computation over the least: the cost of over-training")

    assumptions = (
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
        *LossFit.assumptions,
        *BatchLaw.assumptions,
    )
    notes = (
        *LossFit.notes,
        *BatchLaw.notes,
        "Llama 3 names 402e9 parameters at its optimum: its computation per parameter and token is not 6 FLOP.",
        "Kaplan's law is that of runs far below the critical batch, and its parameters leave out embeddings.",
    )
    sources = (*LossFit.sources, "llama-3", "deepseek-llm", "diloco-notebook")
