from flopsheet import Sheet, formula, given


class ParallelLayout(Sheet):
    """How chips share the work on a model: tensor, pipeline and data parallelism."""

    # No machine has more chips than these bounds, so that a search for a degree ends
    n_tp = given(
        "Tensor-parallel degree: chips that share each layer", default=1, example=8, maximum=10**5, integer=True
    )
    n_pp = given("Pipeline stages: one is no pipeline", default=1, example=8, maximum=10**5, integer=True)
    n_dp = given(
        "Data-parallel replicas: one is no data parallelism", inferred=1, example=4, maximum=10**7, integer=True
    )

    replica_chips = formula(n_tp * n_pp, "chip", "Chips of one replica of the model", integer=True, headline=True)

    assumptions = ("All layers have the same parallel degrees.",)
