#pragma once

namespace glassbox {

// Limits the norm of a gradient without changing its direction (Pascanu et al. 2013, algorithm 1).
struct Clipping {
    double max_norm = 0;  // 0: no clipping
    double epsilon = 0;   // torch.nn.utils.clip_grad_norm_ adds 1e-6 to the norm, optax nothing
};

// The factor for a gradient of this norm: max_norm / (norm + ε), at most 1. NaN if the norm is NaN.
[[nodiscard]] constexpr double clip_factor(const Clipping& clipping, double norm) {
    if (clipping.max_norm <= 0) return 1;
    const double factor = clipping.max_norm / (norm + clipping.epsilon);
    return factor < 1 || norm != norm ? factor : 1;
}

}  // namespace glassbox
