#include "commands/shared/model_command.h"

#include <algorithm>

#include <glassbox/io/safetensors.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/output.h"
#include "report/text_report.h"
#include "subject/error_source.h"
#include "subject/model_report.h"
#include "subject/show_subject.h"
#include "subject/side_by_side.h"

namespace glassbox::tracer {

Subject subject_of(const ModelCommand& command, const ModelSettings& s, const Convention& convention,
                   ModelInput& input) {
    return subject_of(command, s, convention, input, *make_stream(s.rng.value_or(convention.rng), s.seed));
}

namespace {

// A norm's own: nothing of them is drawn.
bool are_ones_and_zeros(const std::vector<glassbox::Parameters::Entry>& parameters) {
    return std::ranges::all_of(parameters, [](const auto& each) {
        const real start = each.name.ends_with("bias") ? 0 : 1;
        const std::vector<real> values = each.tensor->values();
        return std::ranges::all_of(values, [start](real x) { return x == start; });
    });
}

std::string untrained(const Subject& subject, const WeightFile& weights, const ModelInput& input) {
    if (weights.is_there()) return "";
    const bool is_drawn = !input.rng.empty() && !input.arrays.empty();
    if (const auto parameters = subject.parameters().entries(); !parameters.empty()) {
        if (!are_ones_and_zeros(parameters))
            return "untrained: the weights are random, so the pattern means nothing yet";
        return fmt::format("{}γ = 1, β = 0, as before training", is_drawn ? "x is random; " : "");
    }
    if (!subject.untrained.empty()) return subject.untrained;  // the command knows which of them are drawn
    return is_drawn ? "random numbers: the pattern means nothing" : "";
}

}  // namespace

Subject subject_of(const ModelCommand& command, const ModelSettings& s, const Convention& named,
                   ModelInput& input, glassbox::Stream& stream) {
    const auto followed = std::make_shared<Convention>(named);
    followed->norm_epsilon = s.norm_epsilon.value_or(named.norm_epsilon);
    const Convention& convention = *followed;
    const Device device = ready(s.backend);
    const WeightFile weights(s.weights);
    input = read_arrays(command.inputs, s);
    const Activity doing("drawing the model's weights");
    Subject subject;
    try {
        subject = command.make({s, convention, weights, input, stream});
    } catch (const Error&) {
        weights.check_is_known();  // with sizes of another file's model nothing need fit
        throw;
    }
    if (!s.diff) weights.load_into(subject.parameters(), convention);  // --diff shares one file
    subject.convention = followed;
    subject.untrained = untrained(subject, weights, input);
    input.read();
    subject.parameters().move_to(device);
    for (auto& [name, value] : input.arrays) value = value.to(device);
    return subject;
}

namespace {

void save_weights(const Subject& subject, const ModelSettings& s) {
    if (!s.save_weights.empty()) {
        FileMetadata metadata = subject.parameters().metadata();
        metadata["convention"] = s.convention->name;
        write_safetensors(s.save_weights, subject.parameters().to_file(s.convention->file_names()), metadata);
    }
}

// Runs the same model, from the same seed or files, on two backends.
void compare_backends(const ModelCommand& command, const ModelSettings& s) {
    ModelInput input, same;
    const Subject subject = subject_of(command, s, *s.convention, input);
    save_weights(subject, s);
    Trace trace;
    name_file_in_errors(s.input, subject.forward);
    ModelSettings other_settings = s;
    other_settings.backend = *s.compare;
    const Subject other = subject_of(command, other_settings, *s.convention, same);
    Trace second;  // the innermost trace, so that the first one records no more
    name_file_in_errors(s.input, other.forward);
    const BackendComparison found = compare_traces(trace, name(s.backend), second, name(*s.compare));
    deliver_checked(found.agrees, [&] {
        if (s.renderer().compares)
            show_side_by_side(command.name, {name(s.backend), trace, subject, input, s},
                              {name(*s.compare), second, other, same, other_settings},
                              {fmt::format("{}: {} and {}\n{}", subject.title, name(s.backend),
                                           name(*s.compare), found.text)},
                              s);
        else
            deliver(render_header(model_report(trace, subject, s, input), s.style()) + "\n" + found.text,
                    s.output);
    });
}

void show_model(const ModelCommand& command, const ModelSettings& s) {
    if (s.diff) return show_diff(command, s);
    if (s.compare) return compare_backends(command, s);
    ModelInput input;
    const Subject subject = subject_of(command, s, *s.convention, input);
    save_weights(subject, s);
    show_subject(command.name, subject, s, input);
}

struct Declared {
    ModelCommand command;
    ModelSettings settings = command.defaults;
    Options options{command.name, command.about.empty() ? command.summary : command.about, command.examples};
    explicit Declared(const ModelCommand& model) : command(model) {
        declare(options, settings, command.options);
    }
};

void run_model(const ModelCommand& command, const Arguments& arguments) {
    Declared declared(command);
    if (!declared.options.parse(arguments)) return;
    ModelSettings& s = declared.settings;
    if (!s.input.empty() && !declared.options.given("--text")) s.text = s.target = "";  // the default texts
    check(s, declared.options);
    if (command.check) command.check(s, declared.options);
    show_model(command, s);
}

}  // namespace

Command command_of(ModelCommand (*model)()) {
    const ModelCommand described = model();
    Command command{described.order, described.name, described.summary, described.examples};
    command.about = described.about;
    command.model = model;
    command.run = [model](const Arguments& arguments) { run_model(model(), arguments); };
    command.options = [model]() -> std::shared_ptr<const Options> {
        const auto declared = std::make_shared<const Declared>(model());
        return {declared, &declared->options};
    };
    return command;
}

namespace {

// γ of norms, and every bias.
bool hides_differences(const std::string& name, const Tensor& value) {
    return name.ends_with("bias") || (name.ends_with("weight") && value.rank() == 1);
}

}  // namespace

bool draw_hiding_parameters(const Subject& subject, std::uint64_t seed, double gain, double spread) {
    const auto stream = make_stream(Rng::numpy, seed);
    bool any = false;
    for (const auto& each : subject.parameters().entries()) {
        if (!hides_differences(each.name, *each.tensor)) continue;
        const Tensor z = stream->normal(each.tensor->shape()).to(each.tensor->device());
        *each.tensor = each.name.ends_with("bias") ? z * spread : (z * 0.5 + 1) * gain;
        any = true;
    }
    return any;
}

}  // namespace glassbox::tracer
