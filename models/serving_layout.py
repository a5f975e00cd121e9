from flopsheet import equal, formula, given, limit, mod, override
from flopsheet.builtin.models.parallel_layout import ParallelLayout


class ServingLayout(ParallelLayout):
    """How chips share a model that they serve: tensor, pipeline, context, expert and data parallelism.

    A replica is what answers a request. Data-parallel attention is inside it: groups of chips that have sequences of
    their own and share the experts.
    """

    n_cp = given(
        "Context-parallel ranks: chips that share a sequence", default=1, example=2, maximum=10**4, integer=True
    )
    n_adp = given(
        "Data-parallel attention: groups of chips of a replica, each with sequences of its own",
        default=1,
        example=2,
        maximum=10**4,
        integer=True,
    )
    n_ep = given("Expert-parallel degree: groups that the experts of a layer are divided over", default=1, integer=True)

    stage_chips = formula(n_tp * n_cp * n_adp, "chip", "Chips of a pipeline stage of one replica", integer=True)
    replica_chips = override(stage_chips * n_pp)
    n_chips = formula(replica_chips * n_dp, "chip", "Chips of all replicas", integer=True, headline=True)
    n_etp = formula(stage_chips / n_ep, "", "Chips that share an expert: those of a stage are divided over experts")
    whole_expert_groups = limit(
        equal(mod(stage_chips, n_ep), 0), "The chips of a stage are equally many for each group of experts"
    )

    whole_replicas = limit(equal(mod(n_dp, 1), 0), "Chips make up a whole number of replicas")

    assumptions = ("All chips of a stage share its experts; replicas share nothing.",)
