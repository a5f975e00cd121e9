from flopsheet import equal, formula, given, indicator, limit, max_, mod, override
from flopsheet.builtin.models.parallel_layout import ParallelLayout


class ParallelDegrees(ParallelLayout):
    """How chips share the work on any model: tensor, pipeline, context, expert and data parallelism.

    Chips share weights and gradients with their data-parallel replicas and with the chips that share their sequences.
    Experts are divided otherwise than the rest of a layer, over the same chips of a pipeline stage.
    """

    n_cp = given(
        "Context-parallel ranks: chips that share a sequence", default=1, example=2, maximum=10**5, integer=True
    )
    n_ep = given(
        "Expert-parallel degree: chips that share the experts of a layer",
        default=1,
        example=8,
        maximum=10**5,
        integer=True,
    )
    n_etp = given(
        "Tensor-parallel degree of the experts: that of the rest of a layer, or one where experts are on other ranks",
        inferred=max_(1, n_tp * indicator(n_ep <= 1)),
        example=2,
        maximum=10**5,
        integer=True,
    )

    replica_chips = override(n_tp * n_cp * n_pp)
    n_chips = formula(replica_chips * n_dp, "chip", "Chips that train the model", integer=True, headline=True)
    data_ranks = formula(
        n_dp * n_cp, "", "Data-parallel ranks of a stage: replicas, and chips of a sequence", integer=True
    )
    n_edp = formula(
        n_tp * data_ranks / (n_ep * n_etp),
        "",
        "Expert-data-parallel ranks: those with the same experts in a stage",
        headline=True,
    )

    expert_ranks_fit = limit(
        equal(mod(n_tp * data_ranks, n_ep * n_etp), 0),
        "Groups of experts are equally large: they divide the chips of a stage in all replicas",
    )

    assumptions = ("Pipeline stages share no weights.",)
    sources = ("megatron-core-moe",)
