#include <glassbox/conventions/convention.h>

namespace glassbox {

// The JAX tutorial: Flax, and optax with warm-up and cosine decay.
Convention uva_jax() {
    return {
        .order = 0,
        .name = "uva-jax",
        .source = "the JAX tutorial",
        .training = {.schedule = ScheduleKind::cosine, .clipping = {.max_norm = 1}},
    };
}

}  // namespace glassbox
