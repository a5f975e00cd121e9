from flopsheet import choice, formula, given, ratio, select
from flopsheet.builtin.models.model_shape import ModelShape

LEAST = ratio(1, 1000)  # a term with a smaller exponent hardly falls
MOST = 0.5  # exponents of the parametric rate of statistics, above which no term of a loss falls


class LossFit(ModelShape):
    """Loss of a model from its parameters and training tokens, by published fits.

    The loss is a floor plus (size_factor / N^size_exponent + data_factor / D^data_exponent)^outer_exponent, in nats per
    token of the data and tokenizer of the fit; the outer exponent is 1 but in Kaplan's fit.
    """

    params = given("Parameters of the model", "param", inferred=model.params, example=8e9)
    dataset_tokens = given("Tokens that the model is trained on", "token", example=15e12)
    params_unit = given(
        "Unit of the parameters in the law, because a power needs a pure number",
        "param",
        default=1,
        fixed=True,
        symbol="N_1",
    )
    token_unit = given(
        "Unit of the tokens in the law, because a power needs a pure number",
        "token",
        default=1,
        fixed=True,
        symbol="D_1",
    )

    # Published coefficients
    loss_fit = choice(
        "epoch",
        "chinchilla",
        "chinchilla_rounded",
        "data_constrained",
        "kaplan",
        "own",
        doc="Fit of the loss: Chinchilla's third approach as refitted by Epoch, as fitted, or as printed, or others",
        default="epoch",
    )
    epoch_floor = formula(
        ratio(18172, 10**4), "", "Floor of Epoch's fit", symbol=r"E_{\text{ep}}", source="epoch-chinchilla"
    )
    epoch_size_factor = formula(
        ratio(48201, 100), "", "Size factor of Epoch's fit", symbol=r"A_{\text{ep}}", source="epoch-chinchilla"
    )
    epoch_data_factor = formula(
        ratio(208543, 100), "", "Data factor of Epoch's fit", symbol=r"B_{\text{ep}}", source="epoch-chinchilla"
    )
    epoch_size_exponent = formula(
        ratio(3478, 10**4), "", "Size exponent of Epoch's fit", symbol=r"\alpha_{\text{ep}}", source="epoch-chinchilla"
    )
    epoch_data_exponent = formula(
        ratio(3658, 10**4), "", "Data exponent of Epoch's fit", symbol=r"\beta_{\text{ep}}", source="epoch-chinchilla"
    )
    fitted_floor = formula(
        ratio(1693374, 10**6), "", "Floor as fitted", symbol=r"E_{\text{ch}}", source="chinchilla-fit"
    )
    fitted_size_factor = formula(
        ratio(406401018, 10**6), "", "Size factor as fitted", symbol=r"A_{\text{ch}}", source="chinchilla-fit"
    )
    fitted_data_factor = formula(
        ratio(410722827, 10**6), "", "Data factor as fitted", symbol=r"B_{\text{ch}}", source="chinchilla-fit"
    )
    fitted_size_exponent = formula(
        ratio(33917084, 10**8), "", "Size exponent as fitted", symbol=r"\alpha_{\text{ch}}", source="chinchilla-fit"
    )
    fitted_data_exponent = formula(
        ratio(2849083, 10**7), "", "Data exponent as fitted", symbol=r"\beta_{\text{ch}}", source="chinchilla-fit"
    )
    printed_floor = formula(ratio(169, 100), "", "Floor as printed", symbol=r"E_{\text{pr}}", source="chinchilla")
    printed_size_factor = formula(
        ratio(4064, 10), "", "Size factor as printed", symbol=r"A_{\text{pr}}", source="chinchilla"
    )
    printed_data_factor = formula(
        ratio(4107, 10), "", "Data factor as printed", symbol=r"B_{\text{pr}}", source="chinchilla"
    )
    printed_size_exponent = formula(
        ratio(34, 100), "", "Size exponent as printed", symbol=r"\alpha_{\text{pr}}", source="chinchilla"
    )
    printed_data_exponent = formula(
        ratio(28, 100), "", "Data exponent as printed", symbol=r"\beta_{\text{pr}}", source="chinchilla"
    )
    c4_floor = formula(ratio(1869144, 10**6), "", "Floor on C4", symbol=r"E_{\text{c4}}", source="data-constrained")
    c4_size_factor = formula(
        ratio(520824952, 10**6), "", "Size factor on C4", symbol=r"A_{\text{c4}}", source="data-constrained"
    )
    c4_data_factor = formula(
        ratio(1487716094, 10**6), "", "Data factor on C4", symbol=r"B_{\text{c4}}", source="data-constrained"
    )
    c4_exponent = formula(
        ratio(3526596, 10**7),
        "",
        "Size and data exponent on C4",
        symbol=r"\alpha_{\text{c4}}",
        source="data-constrained",
    )
    kaplan_params = formula(
        64 * 10**12 * params_unit,
        "param",
        "Parameters in Kaplan's fit, embeddings left out",
        symbol="N_c",
        source="kaplan",
    )
    kaplan_tokens = formula(18 * 10**12 * token_unit, "token", "Tokens in Kaplan's fit", symbol="D_c", source="kaplan")
    kaplan_size_exponent = formula(
        ratio(76, 1000), "", "Size exponent of Kaplan's fit", symbol=r"\alpha_{N}", source="kaplan"
    )
    kaplan_data_exponent = formula(
        ratio(103, 1000), "", "Data exponent of Kaplan's fit", symbol=r"\alpha_{D}", source="kaplan"
    )
    own_floor = given("Floor of an own fit", example=1.8, symbol=r"E_{\text{own}}")
    own_size_factor = given("Size factor of an own fit", example=480, symbol=r"A_{\text{own}}")
    own_data_factor = given("Data factor of an own fit", example=2000, symbol=r"B_{\text{own}}")
    own_size_exponent = given(
        "Size exponent of an own fit", example=0.35, minimum=LEAST, maximum=MOST, symbol=r"\alpha_{\text{own}}"
    )
    own_data_exponent = given(
        "Data exponent of an own fit", example=0.36, minimum=LEAST, maximum=MOST, symbol=r"\beta_{\text{own}}"
    )

    # The chosen fit
    loss_floor = formula(
        select(
            loss_fit,
            epoch=epoch_floor,
            chinchilla=fitted_floor,
            chinchilla_rounded=printed_floor,
            data_constrained=c4_floor,
            kaplan=0,
            own=own_floor,
        ),
        "",
        "Loss that no model and no data get below; none in Kaplan's fit",
        signed=True,
    )
    kaplan_ratio = formula(
        kaplan_size_exponent / kaplan_data_exponent, "", "Ratio of Kaplan's exponents", symbol=r"r_{\alpha}"
    )
    size_factor = formula(
        select(
            loss_fit,
            epoch=epoch_size_factor,
            chinchilla=fitted_size_factor,
            chinchilla_rounded=printed_size_factor,
            data_constrained=c4_size_factor,
            kaplan=(kaplan_params / params_unit) ** kaplan_ratio,
            own=own_size_factor,
        ),
        "",
        "Size term of a model of one parameter",
    )
    data_factor = formula(
        select(
            loss_fit,
            epoch=epoch_data_factor,
            chinchilla=fitted_data_factor,
            chinchilla_rounded=printed_data_factor,
            data_constrained=c4_data_factor,
            kaplan=kaplan_tokens / token_unit,
            own=own_data_factor,
        ),
        "",
        "Data term of one token",
    )
    size_exponent = formula(
        select(
            loss_fit,
            epoch=epoch_size_exponent,
            chinchilla=fitted_size_exponent,
            chinchilla_rounded=printed_size_exponent,
            data_constrained=c4_exponent,
            kaplan=kaplan_ratio,
            own=own_size_exponent,
        ),
        "",
        "Exponent of the parameters",
    )
    data_exponent = formula(
        select(
            loss_fit,
            epoch=epoch_data_exponent,
            chinchilla=fitted_data_exponent,
            chinchilla_rounded=printed_data_exponent,
            data_constrained=c4_exponent,
            kaplan=1,
            own=own_data_exponent,
        ),
        "",
        "Exponent of the tokens",
    )
    outer_exponent = formula(
        select(
            loss_fit,
            epoch=1,
            chinchilla=1,
            chinchilla_rounded=1,
            data_constrained=1,
            kaplan=kaplan_data_exponent,
            own=1,
        ),
        "",
        "Exponent of both terms together",
    )

    # The loss
    size_term = formula(
        size_factor * (params / params_unit) ** -size_exponent, "", "Term of the loss that a larger model lowers"
    )
    data_term = formula(
        data_factor * (dataset_tokens / token_unit) ** -data_exponent, "", "Term of the loss that more data lower"
    )
    reducible = formula(size_term + data_term, "", "Both terms together")
    loss = formula(
        loss_floor + reducible**outer_exponent, "", "Loss that the run reaches, in nats per token", headline=True
    )

    assumptions = (
        "Each token is seen once; the batch and the schedule of the learning rate are good ones.",
        "The fits were made on runs of up to about 1e22 FLOP, and are extrapolated beyond; data and tokenizer differ.",
    )
    notes = (
        "Tools that take the digits printed for Chinchilla's third approach, chinchilla_rounded, get too many tokens.",
        "Kaplan's parameters leave out embeddings, and no loss is irreducible in that fit.",
        "Published coefficients are fixed, so that no question overrides them; loss_fit = own takes others.",
    )
    sources = ("epoch-chinchilla", "chinchilla", "chinchilla-fit", "data-constrained", "kaplan")
