#include <glassbox/conventions/convention.h>

namespace glassbox {

// The practical report, as implemented in its code.
Convention report() {
    return {
        .order = 2,
        .name = "report",
        .source = "the practical report",
        .mask_fill = -1e14,
        .norm_epsilon = 1e-5,
        .moments = Moments::two_pass,
        .gelu = Activation::gelu,
        .encoding_in_float = true,
        .max_len = 16,
        .dropout = DropoutPlace::norm,
        .shares_norm = true,
        .passes_mask = false,
        .d_ff_factor = 2,
        .input_dropout_after = true,
        .deep_output_net = false,
        .rng = Rng::torch,
        .init = Init::torch,
        .draws_o_proj_first = true,
        .renames = {{"linear_net.0", "mlp.0"},
                    {"linear_net.3", "mlp.3"},
                    {"norm1", "norm.0"},
                    {"input_net.1", "input_net.0"}},
        .training = {.optimiser = OptimiserKind::adamw, .weight_decay = 0.01, .warmup = 0},
    };
}

}  // namespace glassbox
