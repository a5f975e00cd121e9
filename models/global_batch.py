from flopsheet import Sheet, formula, given


class GlobalBatch(Sheet):
    """Tokens of a global batch, from its sequences."""

    batch = given("Sequences in a global batch", "sequence", example=2048, integer=True)
    seq_len = given("Tokens in a sequence", "token", example=2048, maximum=10**9, integer=True)
    tokens = formula(batch * seq_len, "token", "Tokens in a global batch", integer=True)

    assumptions = ("All sequences are full.",)
