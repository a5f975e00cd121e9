from flopsheet import Sheet, formula, geometric_sum, given, ratio


class Drafts(Sheet):
    """Tokens that a sequence gains per step of speculative decoding: a draft proposes them, a step checks them."""

    n_draft = given(
        "Tokens that a draft proposes per step: none without speculative decoding",
        default=0,
        minimum=0,
        integer=True,
    )
    acceptance = given(
        "Probability that a proposed token is accepted: about 0.8 with modules that predict further tokens",
        default=ratio(4, 5),
        minimum=0,
        maximum=1,
    )
    draft_ratio = given(
        "Time to propose a token over that of a step: a module that predicts a further token takes a few percent",
        default=ratio(1, 20),
        minimum=0,
    )
    tokens_per_step = formula(
        geometric_sum(acceptance, n_draft + 1),
        "",
        "Tokens that a sequence gains per step, expected: one, and those of the draft that are accepted in a row",
        source="speculative-decoding",
    )

    assumptions = ("A proposed token is accepted independently of those before it.",)
    sources = ("speculative-decoding",)
