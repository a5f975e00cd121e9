from flopsheet import formula, given, override, part
from flopsheet.builtin.models.decode import Decode
from flopsheet.builtin.models.drafts import Drafts
from flopsheet.builtin.models.served_model import ServedModel


class SpeculativeDecoding(ServedModel, Drafts):
    """Gain of speculative decoding on any machine: the time of a token without drafts over that with them, by batch.

    A small batch leaves computation idle that checks drafts; a large one computes them at the cost of other sequences.
    """

    n_tp = override(example=8)
    n_sequences = override(example=16)

    context = given("Tokens of the past that a step attends to, on average", "token", inferred=seq_len, example=4096)
    n_draft = override(doc="Tokens that a draft proposes per step: four", default=4)
    draft_ratio = override(
        doc="Time to propose a token over that of a step without drafts: a few percent for a module of the model itself"
    )
    plain = part(
        Decode,
        "Steps without drafts",
        n_tp=n_tp,
        n_sequences=n_sequences,
        seq_len=seq_len,
        context=context,
        n_draft=0,
        acceptance=acceptance,
        draft_ratio=draft_ratio,
    )
    drafted = part(
        Decode,
        "Steps with drafts",
        n_tp=n_tp,
        n_sequences=n_sequences,
        seq_len=seq_len,
        context=context,
        n_draft=n_draft,
        acceptance=acceptance,
        draft_ratio=draft_ratio,
        draft_time=n_draft * draft_ratio * plain.decode_time,
    )

    speedup = formula(
        plain.token_time / drafted.token_time,
        "",
        "Time of a token without drafts over that with them: a gain above 1",
        headline=True,
    )
    step_growth = formula(
        drafted.decode_time / plain.decode_time,
        "",
        "Time of a step that checks a draft over that of one without",
        headline=True,
    )

    assumptions = (
        "A draft computes one token of each sequence at a time, so a large batch slows it down like a plain step.",
    )
