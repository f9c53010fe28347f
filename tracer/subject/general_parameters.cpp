#include "subject/general_parameters.h"

#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

namespace tracer {

namespace {

// γ of norms, and every bias.
bool hides_differences(const std::string& name, const Tensor& value) {
    return name.ends_with("bias") || (name.ends_with("weight") && value.rank() == 1);
}

}  // namespace

bool draw_hiding_parameters(const Subject& subject, std::uint64_t seed, double gain, double spread) {
    const auto stream = glassbox::make_stream(glassbox::Rng::numpy, seed);
    bool any = false;
    for (const auto& each : subject.parameters().entries()) {
        if (!hides_differences(each.name, *each.tensor)) continue;
        const Tensor z = stream->normal(each.tensor->shape()).to(each.tensor->device());
        *each.tensor = each.name.ends_with("bias") ? z * spread : (z * 0.5 + 1) * gain;
        any = true;
    }
    return any;
}

}  // namespace tracer
