from flopsheet import choice, formula, given, limit, override, ratio, select, sqrt
from flopsheet.builtin.models.batch_law import BatchLaw
from flopsheet.builtin.models.loss_fit import LossFit


class ScalingLaw(LossFit, BatchLaw):
    """Compute-optimal parameters and tokens by published laws, the loss of a run, and what over-training costs.

    The optimum is that for a computation, `optimal_params`, or for a model, `balanced_tokens`; `overtraining = 1` asks
    for a run that is optimal.
    """

    params = override(example=8e9)
    params_unit = override(default=1)
    work_per_param_token = given(
        "FLOP per parameter and token: two forward, four backward",
        "FLOP/param/token",
        default=6,
        fixed=True,
        source="kaplan",
    )

    active_params = given(
        "Parameters used for one token: all of them, but for idle experts",
        "param",
        inferred=(model.active_params, params),
    )
    has_active_params = limit(active_params <= params, "A token uses no more parameters than the model has")
    dense_share = given(
        "Share of the parameters that a token meets at least in a dense model: all, but for rounded counts",
        default=ratio(99, 100),
        maximum=1,
        symbol=r"q_{\text{dense}}",
    )
    is_dense = limit(
        active_params >= dense_share * params,
        "Each token meets all parameters, as in the dense models to which the laws were fitted",
    )

    tokens_per_param = formula(dataset_tokens / params, "token/param", "Training tokens per parameter")
    total_work = override(work_per_param_token * active_params * dataset_tokens)

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
        "Computation of a petaFLOP/s-day",
        "EFLOP",
        default="8.64e19 FLOP",
        fixed=True,
        symbol=r"F_{\text{ka}}",
        source="kaplan",
    )
    kaplan_exponent = given("Exponent of Kaplan's law", default=0.73, symbol=r"a_{\text{ka}}", source="kaplan")
    llama_3_tokens = given(
        "Optimal tokens by Llama 3", "token", default=16.55e12, symbol=r"D_{\text{ll}}", source="llama-3"
    )
    llama_3_work = given(
        "Computation for which Llama 3's tokens are optimal",
        "EFLOP",
        default="3.8e25 FLOP",
        symbol=r"F_{\text{ll}}",
        source="llama-3",
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
        select(
            optimum,
            approach_1=tabulated_params
            * (total_work / (work_per_param_token * tabulated_params * approach_1_tokens)) ** approach_1_exponent,
            approach_2=tabulated_params
            * (total_work / (work_per_param_token * tabulated_params * approach_2_tokens)) ** approach_2_exponent,
            approach_3=params_unit
            * (
                (size_exponent * size_factor)
                / (data_exponent * data_factor)
                * (total_work / (work_per_param_token * params_unit * token_unit)) ** data_exponent
            )
            ** (1 / (size_exponent + data_exponent)),
            kaplan=kaplan_optimum * (total_work / kaplan_work) ** kaplan_exponent,
            llama_3=total_work
            / (work_per_param_token * llama_3_tokens)
            * (total_work / llama_3_work) ** -llama_3_exponent,
            deepseek=deepseek_token_work / work_per_param_token * (total_work / work_unit) ** deepseek_exponent,
            fixed_ratio=sqrt(total_work / (work_per_param_token * fixed_ratio)),
        ),
        "param",
        "Parameters that the computation of the run trains best",
        headline=True,
    )
    optimal_tokens = formula(
        total_work / (work_per_param_token * optimal_params),
        "token",
        "Tokens that the computation of the run trains best",
        headline=True,
    )

    # The optimum for the model of the run
    balanced_tokens = formula(
        select(
            optimum,
            approach_1=approach_1_tokens * (params / tabulated_params) ** (1 / approach_1_exponent - 1),
            approach_2=approach_2_tokens * (params / tabulated_params) ** (1 / approach_2_exponent - 1),
            approach_3=token_unit * (data_exponent * data_factor / (size_exponent * size_term)) ** (1 / data_exponent),
            kaplan=kaplan_work / (work_per_param_token * params) * (params / kaplan_optimum) ** (1 / kaplan_exponent),
            llama_3=llama_3_tokens
            * (work_per_param_token * params * llama_3_tokens / llama_3_work)
            ** (llama_3_exponent / (1 - llama_3_exponent)),
            deepseek=work_unit
            / (work_per_param_token * params)
            * (work_per_param_token * params / deepseek_token_work) ** (1 / deepseek_exponent),
            fixed_ratio=fixed_ratio * params,
        ),
        "token",
        "Tokens for which the model of the run is optimal",
    )
    balanced_work = formula(
        work_per_param_token * params * balanced_tokens,
        "EFLOP",
        "Computation for which the model of the run is optimal",
    )
    overtraining = formula(
        dataset_tokens / balanced_tokens,
        "",
        "Tokens of the run over those for which its model is optimal",
        headline=True,
    )

    # The least computation for the loss of the run, by the fit of the loss
    least_params = formula(
        params_unit * (size_factor * (1 + size_exponent / data_exponent) / reducible) ** (1 / size_exponent),
        "param",
        "Parameters of the model that reaches the loss with the least computation",
    )
    least_tokens = formula(
        token_unit * (data_factor * (1 + data_exponent / size_exponent) / reducible) ** (1 / data_exponent),
        "token",
        "Tokens with which the model of the least computation reaches the loss",
    )
    least_work = formula(
        work_per_param_token * least_params * least_tokens, "EFLOP", "Least computation that reaches the loss"
    )

    # The run against it: the cost of over-training
    term_ratio = formula(data_term / size_term, "", "Term of the loss that data lower over that of the model")
    size_ratio = formula(
        ((1 + term_ratio) / (1 + size_exponent / data_exponent)) ** (1 / size_exponent),
        "",
        "Parameters over those of the model that reaches the loss with the least computation",
    )
    data_excess = formula(
        ((1 + 1 / term_ratio) / (1 + data_exponent / size_exponent)) ** (1 / data_exponent),
        "",
        "Tokens over those of the model that reaches the loss with the least computation",
    )
    work_excess = formula(
        size_ratio * data_excess, "", "Computation over the least that reaches the loss", headline=True
    )

    assumptions = (
        "Computation is 6 FLOP per parameter and token: attention scores, embeddings and recomputation are left out.",
    )
    notes = (
        "Table A3 of Chinchilla has 6 to 13 % fewer tokens by approach 3 than its fit gives, however that is rounded.",
        "Llama 3 names 402e9 parameters at its optimum: its computation per parameter and token is not 6 FLOP.",
        "Kaplan's law is that of runs far below the critical batch, and its parameters leave out embeddings.",
    )
    sources = (
        "llama-3",
        "deepseek-llm",
        "diloco-notebook",
    )
