from flopsheet import Sheet, formula, given, ratio, sqrt


class RequestLengths(Sheet):
    """Tokens that requests hold while they are answered, from mean and spread of the lengths of prompts and answers.

    A long answer is written for a long time, so that at any moment more of the answers are long ones than of those
    that arrive.
    """

    # Requests as they arrive
    prompt_len = given("Input tokens of a request, mean", "token", example=1155)
    output_len = given("Output tokens of a request, mean", "token", example=211)
    prompt_cv = given(
        "Standard deviation of the input tokens over their mean: none", default=0, minimum=0, maximum=10, example=0.96
    )
    output_cv = given(
        "Standard deviation of the output tokens over their mean: none", default=0, minimum=0, maximum=10, example=0.77
    )
    length_correlation = given(
        "Correlation of input and output tokens: none", default=0, minimum=-1, maximum=1, example=ratio(-1, 10)
    )

    # Those that are answered at a moment: each counts as often as its answer has tokens
    mean_prompt = formula(
        prompt_len * (1 + length_correlation * prompt_cv * output_cv),
        "token",
        "Input tokens of requests in progress, mean",
        signed=True,
    )
    mean_answer = formula(
        output_len * (1 + output_cv**2), "token", "Output tokens of requests in progress, mean", source="kleinrock"
    )
    held_len = formula(
        mean_prompt + mean_answer / 2,
        "token",
        "Tokens of a request in progress: its prompt, and half of its answer on average",
        signed=True,
        headline=True,
    )
    held_deviation = formula(
        sqrt(
            (prompt_cv * prompt_len) ** 2
            + output_len**2 * ((1 + output_cv**2) * (1 + 2 * output_cv**2) / 3 - (1 + output_cv**2) ** 2 / 4)
        ),
        "token",
        "Standard deviation of the tokens that a request holds, for gamma-distributed answers",
        headline=True,
    )

    assumptions = (
        "Answers are written at the same pace, and as many at once at any time.",
        "For the deviation, lengths of answers have a gamma distribution and do not depend on prompts.",
    )
    notes = (
        "Requests of Azure in 2023 had coefficients of variation of 0.96 and 0.77 (chat), 0.96 and 2.15 (code).",
        "Their input and output tokens had correlations of -0.11 and 0.00.",
    )
    sources = ("kleinrock", "azure-llm-traces")
