#include <glassbox/conventions/convention.h>

#include <limits>

namespace glassbox {

// Attention Is All You Need (Vaswani et al. 2017), with the names and the layout of torch.nn; training as in
// section 5.3.
Convention paper() {
    return {
        .order = 3,
        .name = "paper",
        .source = "Attention Is All You Need",
        .mask_fill = -std::numeric_limits<double>::infinity(),
        .norm_epsilon = 1e-5,
        .moments = Moments::two_pass,
        .gelu = Activation::gelu,
        .qkv = QkvLayout::stacked,
        .deep_output_net = false,
        .init = Init::torch,
        .renames = {{"qkv_proj.weight", "in_proj_weight"},
                    {"qkv_proj.bias", "in_proj_bias"},
                    {"o_proj", "out_proj"},
                    {"cross_attn", "multihead_attn"},
                    {"linear_net.0", "linear1"},
                    {"linear_net.3", "linear2"},
                    {"input_net.1", "input_net"},
                    {"transformer", "encoder"}},
        .training = {.schedule = ScheduleKind::inverse_sqrt,
                     .rate = 1,
                     .beta2 = 0.98,
                     .epsilon = 1e-9,
                     .warmup = 4000},
    };
}

}  // namespace glassbox
