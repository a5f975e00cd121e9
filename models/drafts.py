from flopsheet import Sheet, formula, given, indicator, ratio


class Drafts(Sheet):
    """Tokens that a sequence gains per step of speculative decoding: a draft proposes them, a step checks them."""

    n_draft = given(
        "Tokens that a draft proposes per step: none without speculative decoding",
        default=0,
        minimum=0,
        integer=True,
    )
    acceptance = given(
        "Probability that a proposed token is accepted: about 0.8 with modules that predict further tokens; 0.9999 "
        "where all are, which gains n_draft + 1 tokens",
        default=ratio(4, 5),
        minimum=0,
        maximum=ratio(9999, 10000),
    )
    draft_ratio = given(
        "Time to propose a token over that of a step: a module that predicts a further token takes a few percent",
        default=ratio(1, 20),
        minimum=0,
    )
    tokens_per_step = formula(
        1 + indicator(n_draft > 0) * (acceptance - acceptance ** (n_draft + 1)) / (1 - acceptance),
        "",
        "Tokens that a sequence gains per step, expected: one, and those of the draft that are accepted",
        source="speculative-decoding",
    )

    assumptions = ("A proposed token is accepted independently of those before it.",)
    sources = ("speculative-decoding",)
