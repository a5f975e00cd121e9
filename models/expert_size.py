from flopsheet import formula, indicator, override
from flopsheet.builtin.models.model_shape import ModelShape


class ExpertSize(ModelShape):
    """Parameters of one routed expert of a language model."""

    model = override(example="deepseek-v3")

    # As wide as the residual stream, or as the latent space that experts work in
    latent_experts = formula(indicator(d_latent > 0), "", "1 if experts work in a latent space, else 0")
    d_expert_in = formula(d_latent + (1 - latent_experts) * d_model, "", "Width that an expert reads")

    expert_matrix_params = formula(ffn_matrices * d_expert_in * d_expert, "param", "Matrices of one expert")
    expert_bias_params = formula(ffn_bias * ((ffn_matrices - 1) * d_expert + d_expert_in), "param", "Its biases")
    single_expert_params = formula(expert_matrix_params + expert_bias_params, "param", "Parameters of one expert")

    assumptions = ("Experts are alike.",)
    sources = ("switch-transformers", "deepseek-v2")
