from flopsheet import Sheet, choice, formula, given, select

MOST = 0.5  # exponents of the parametric rate of statistics, above which no term of a loss falls


class LossFit(Sheet):
    """Loss of a model from its parameters and training tokens, by published fits.

    The loss is a floor plus (size_factor / N^size_exponent + data_factor / D^data_exponent)^outer_exponent, in nats per
    token of the data and tokenizer of the fit; the outer exponent is 1 but in Kaplan's fit.
    """

    params = given("Parameters of the model", "param", example=70e9)
    dataset_tokens = given("Tokens that the model is trained on", "token", example=1.4e12)
    params_unit = given(
        "Unit of the parameters in the law, because a power needs a pure number", "param", default=1, symbol="N_1"
    )
    token_unit = given(
        "Unit of the tokens in the law, because a power needs a pure number", "token", default=1, symbol="D_1"
    )

    # Published coefficients
    loss_fit = choice(
        "epoch",
        "chinchilla",
        "chinchilla_rounded",
        "data_constrained",
        "kaplan",
        doc="Fit of the loss: Chinchilla's third approach as refitted by Epoch, as fitted, or as printed, or others",
        default="epoch",
    )
    epoch_floor = given("Floor of Epoch's fit", default=1.8172, symbol=r"E_{\text{ep}}", source="epoch-chinchilla")
    epoch_size_factor = given(
        "Size factor of Epoch's fit", default=482.01, symbol=r"A_{\text{ep}}", source="epoch-chinchilla"
    )
    epoch_data_factor = given(
        "Data factor of Epoch's fit", default=2085.43, symbol=r"B_{\text{ep}}", source="epoch-chinchilla"
    )
    epoch_size_exponent = given(
        "Size exponent of Epoch's fit",
        default=0.3478,
        maximum=MOST,
        symbol=r"\alpha_{\text{ep}}",
        source="epoch-chinchilla",
    )
    epoch_data_exponent = given(
        "Data exponent of Epoch's fit",
        default=0.3658,
        maximum=MOST,
        symbol=r"\beta_{\text{ep}}",
        source="epoch-chinchilla",
    )
    fitted_floor = given("Floor as fitted", default=1.693374, symbol=r"E_{\text{ch}}", source="chinchilla-fit")
    fitted_size_factor = given(
        "Size factor as fitted", default=406.401018, symbol=r"A_{\text{ch}}", source="chinchilla-fit"
    )
    fitted_data_factor = given(
        "Data factor as fitted", default=410.722827, symbol=r"B_{\text{ch}}", source="chinchilla-fit"
    )
    fitted_size_exponent = given(
        "Size exponent as fitted",
        default=0.33917084,
        maximum=MOST,
        symbol=r"\alpha_{\text{ch}}",
        source="chinchilla-fit",
    )
    fitted_data_exponent = given(
        "Data exponent as fitted", default=0.2849083, maximum=MOST, symbol=r"\beta_{\text{ch}}", source="chinchilla-fit"
    )
    printed_floor = given("Floor as printed", default=1.69, symbol=r"E_{\text{pr}}", source="chinchilla")
    printed_size_factor = given("Size factor as printed", default=406.4, symbol=r"A_{\text{pr}}", source="chinchilla")
    printed_data_factor = given("Data factor as printed", default=410.7, symbol=r"B_{\text{pr}}", source="chinchilla")
    printed_size_exponent = given(
        "Size exponent as printed", default=0.34, maximum=MOST, symbol=r"\alpha_{\text{pr}}", source="chinchilla"
    )
    printed_data_exponent = given(
        "Data exponent as printed", default=0.28, maximum=MOST, symbol=r"\beta_{\text{pr}}", source="chinchilla"
    )
    c4_floor = given("Floor on C4", default=1.869144, symbol=r"E_{\text{c4}}", source="data-constrained")
    c4_size_factor = given("Size factor on C4", default=520.824952, symbol=r"A_{\text{c4}}", source="data-constrained")
    c4_data_factor = given("Data factor on C4", default=1487.716094, symbol=r"B_{\text{c4}}", source="data-constrained")
    c4_exponent = given(
        "Size and data exponent on C4",
        default=0.3526596,
        maximum=MOST,
        symbol=r"\alpha_{\text{c4}}",
        source="data-constrained",
    )
    kaplan_params = given(
        "Parameters in Kaplan's fit, embeddings left out", "param", default=6.4e13, symbol="N_c", source="kaplan"
    )
    kaplan_tokens = given("Tokens in Kaplan's fit", "token", default=1.8e13, symbol="D_c", source="kaplan")
    kaplan_size_exponent = given("Size exponent of Kaplan's fit", default=0.076, symbol=r"\alpha_{N}", source="kaplan")
    kaplan_data_exponent = given("Data exponent of Kaplan's fit", default=0.103, symbol=r"\alpha_{D}", source="kaplan")

    # The chosen fit
    loss_floor = formula(
        select(
            loss_fit,
            epoch=epoch_floor,
            chinchilla=fitted_floor,
            chinchilla_rounded=printed_floor,
            data_constrained=c4_floor,
            kaplan=0,
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
        ),
        "",
        "Exponent of the tokens",
    )
    outer_exponent = formula(
        select(loss_fit, epoch=1, chinchilla=1, chinchilla_rounded=1, data_constrained=1, kaplan=kaplan_data_exponent),
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
    loss = formula(loss_floor + reducible**outer_exponent, "", "Loss that the run reaches, in nats per token")

    assumptions = (
        "Each token is seen once; the batch and the schedule of the learning rate are good ones.",
        "The fits were made on runs of up to about 1e22 FLOP, and are extrapolated beyond; data and tokenizer differ.",
    )
    notes = (
        "Tools that take the digits printed for Chinchilla's third approach, chinchilla_rounded, get too many tokens.",
        "Kaplan's parameters leave out embeddings, and no loss is irreducible in that fit.",
    )
    sources = ("epoch-chinchilla", "chinchilla", "chinchilla-fit", "data-constrained", "kaplan")
