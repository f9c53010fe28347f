#include "commands/shared/other_draws.h"

#include <glassbox/conventions/ways_of_drawing.h>
#include <glassbox/tensor/format.h>

namespace tracer {

namespace {

using glassbox::WayOfDrawing;

std::vector<WayOfDrawing> ways_for(NamedModel& model) {
    const ModelSettings& s = model.settings();
    const bool draws_input = !model.input().rng.empty() && s.input.empty();
    const bool draws_weights = !model.subject().parameters().entries().empty() && s.weights.empty();
    const glassbox::Rng rng = s.random_numbers();
    if (draws_weights) return ways_of_drawing_weights(rng, *s.convention);
    return draws_input ? ways_of_drawing_inputs(rng) : std::vector<WayOfDrawing>{};
}

bool passes_with(const WayOfDrawing& way, NamedModel& model,
                 const std::function<bool(const Subject&)>& passes) {
    const ModelSettings& s = model.settings();
    ModelInput input;
    Subject subject;
    way.draw(*s.convention, s.seed, [&](const glassbox::Convention& convention, glassbox::Stream& stream) {
        subject = subject_of(model.command(), s, convention, input, stream);
    });
    return passes(subject);
}

}  // namespace

std::string draws_that_pass(NamedModel& model, const std::function<bool(const Subject&)>& passes,
                            glassbox::index_t tries) {
    for (const WayOfDrawing& way : ways_for(model)) {
        if (tries-- <= 0) break;
        if (passes_with(way, model, passes))
            return fmt::format("seed {} {}", model.settings().seed, way.sentence);
    }
    return "";
}

}  // namespace tracer
