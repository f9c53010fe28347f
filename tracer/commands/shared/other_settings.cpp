#include "commands/shared/other_settings.h"

#include <algorithm>

#include <glassbox/conventions/convention.h>
#include <glassbox/conventions/ways_of_drawing.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace {

// Options whose other values are also tried, even if typed: requested, but not what was computed.
bool is_often_otherwise(const std::string& flag) { return flag == "--norm" || flag == "--activation"; }

// The command line with this option in place of the one that was typed; as it is where that has the same
// value.
Arguments with_option(const Arguments& arguments, const std::string& flag, const std::string& value) {
    Arguments all;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == flag) ++i;
        else if (!arguments[i].starts_with(flag + "=")) all.push_back(arguments[i]);
    }
    all.insert(all.end(), {flag, value});
    return all;
}
bool is_typed(const Arguments& arguments, const std::string& flag) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); });
}

// What is often forgotten on the command line, or another source's choice.
std::vector<Arguments> alternatives() {
    std::vector<Arguments> all = {{"--mask", "causal"},
                                  {"--norm", "pre"},
                                  {"--norm", "post"},
                                  {"--activation", "gelu"},
                                  {"--activation", "relu"}};
    for (const Convention& each : glassbox::conventions())
        all.push_back({"--convention", std::string(each.name)});
    for (const std::string& rng : glassbox::words<Rng>()) all.push_back({"--rng", rng});
    for (const char* heads : {"1", "2", "3", "4", "6", "8", "12"}) all.push_back({"--heads", heads});
    return all;
}

}  // namespace

std::optional<std::string> option_that_passes(const std::string& verb, const Arguments& arguments,
                                              const std::function<void(Options&)>& declare,
                                              const std::function<bool(NamedModel&)>& passes, index_t tries) {
    for (const Arguments& option : alternatives()) {
        if (is_typed(arguments, option[0]) && !is_often_otherwise(option[0])) continue;
        if (tries-- <= 0) break;
        try {
            NamedModel model(verb, with_option(arguments, option[0], option[1]), declare);
            if (passes(model)) return fmt::format("{} {}", option[0], option[1]);
        } catch (const Error&) {  // this model has no such option, or it does not fit the others
        }
    }
    return std::nullopt;
}

namespace {

std::vector<WayOfDrawing> ways_for(NamedModel& model) {
    const ModelSettings& s = model.settings();
    const bool draws_input = !model.input().rng.empty() && s.input.empty();
    const bool draws_weights = !model.subject().parameters().entries().empty() && s.weights.empty();
    const Rng rng = s.random_numbers();
    if (draws_weights) return ways_of_drawing_weights(rng, *s.convention);
    return draws_input ? ways_of_drawing_inputs(rng) : std::vector<WayOfDrawing>{};
}

bool passes_with(const WayOfDrawing& way, NamedModel& model,
                 const std::function<bool(const Subject&)>& passes) {
    const ModelSettings& s = model.settings();
    ModelInput input;
    Subject subject;
    way.draw(*s.convention, s.seed, [&](const Convention& convention, glassbox::Stream& stream) {
        subject = subject_of(model.command(), s, convention, input, stream);
    });
    return passes(subject);
}

}  // namespace

std::string draws_that_pass(NamedModel& model, const std::function<bool(const Subject&)>& passes,
                            index_t tries) {
    for (const WayOfDrawing& way : ways_for(model)) {
        if (tries-- <= 0) break;
        if (passes_with(way, model, passes))
            return fmt::format("seed {} {}", model.settings().seed, way.sentence);
    }
    return "";
}

}  // namespace glassbox::tracer
