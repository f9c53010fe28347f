#include <glassbox/conventions/convention.h>

namespace glassbox {

// The tutorial's PyTorch version.
Convention uva_torch() {
    return {
        .order = 1,
        .name = "uva-torch",
        .source = "its PyTorch twin",
        .norm_epsilon = 1e-5,
        .moments = Moments::two_pass,
        .gelu = Activation::gelu,
        .encoding_in_float = true,
        .rng = Rng::torch,
        .init = Init::torch,
        .training = {.schedule = ScheduleKind::cosine_printed,
                     .clipping = {.max_norm = 5, .epsilon = 1e-6}},  // as in torch.nn.utils.clip_grad_norm_
    };
}

}  // namespace glassbox
