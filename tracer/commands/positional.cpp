#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"
#include "commands/shared/model_command.h"
#include "figures/draw.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::shifted_encoding;

double largest(const Tensor& difference) {
    double result = 0;
    for (const real v : difference.values()) result = std::max(result, std::abs(static_cast<double>(v)));
    return result;
}

// M PE(t) and PE(t + shift), for every frequency.
void show_shift(index_t T, index_t d_model, index_t shift, bool in_float) {
    const Tensor encoding = named(step::encoding, sinusoidal_encoding(T, d_model, in_float));   // (T, d)
    const Tensor M = named(step::M, shift_matrix(shift, d_model));                              // (d/2, 2, 2)
    const Tensor rotated = named(step::rotated, shifted_encoding(encoding, M));                 // (T, d)
    const Tensor later = named(step::later, sinusoidal_encoding(T, d_model, in_float, shift));  // (T, d)
    (void)named(step::difference, rotated - later);                                             // (T, d)
}

// PE(s) · PE(t), for every two positions.
void show_dots(index_t T, index_t d_model, bool in_float) {
    const Tensor encoding = named(step::encoding, sinusoidal_encoding(T, d_model, in_float));  // (T, d)
    (void)named(step::dots, matmul(encoding, transpose(encoding)));                            // (T, T)
}

std::vector<std::string> formula() { return {glassbox::steps::positional_encoding::formula}; }

// The command's own options.
struct PositionalFlags {
    std::optional<index_t> shift;
    bool dot = false, learned = false;
    bool has_sizes = false;  // given, by numbers or by what is read
};

Subject shift_subject(const ModelBuilder& m, index_t T, index_t d_model, index_t shift) {
    if (d_model % 2 != 0)
        fail<UsageError>("--shift: pairs of sine and cosine need an even --dmodel, got {}", d_model);
    const bool in_float = m.convention.encoding_in_float;
    Subject subject;
    subject.title = "Positional encoding, shifted";
    subject.header = formula();
    subject.header.push_back(fmt::format("{} at every position t, φ = {}: M depends on the distance alone",
                                         step::shift_formula, shift));
    const Tensor M = shift_matrix(shift, d_model);
    const Tensor off = shifted_encoding(sinusoidal_encoding(T, d_model, in_float), M) -
                       sinusoidal_encoding(T, d_model, in_float, shift);
    subject.header.push_back(
        fmt::format("T = {}, d_model = {}; the largest difference is {:.1e}", T, d_model, largest(off)));
    subject.result = "rotated";
    subject.forward = [=] { show_shift(T, d_model, shift, in_float); };
    return subject;
}

Subject dot_subject(const ModelBuilder& m, index_t T, index_t d_model) {
    const bool in_float = m.convention.encoding_in_float;
    Subject subject;
    subject.title = "Positional encoding, dot products";
    subject.header = formula();
    subject.header.push_back(fmt::format(
        "{}: symmetric, the same for equal distances, less for larger ones nearby", step::dots_formula));
    subject.header.push_back(fmt::format("T = {}, d_model = {}", T, d_model));
    subject.result = "dots";
    subject.forward = [=] { show_dots(T, d_model, in_float); };
    const Tensor encoding = sinusoidal_encoding(T, d_model, in_float);
    subject.figure = [=] { return dot_figure(matmul(encoding, transpose(encoding))); };
    return subject;
}

Subject make(const ModelBuilder& m, const PositionalFlags& flags) {
    const index_t d_model = m.width("x", m.settings.d_model, "weight", 1);
    const index_t T = m.settings.seq;
    if (flags.shift || flags.dot) {
        const auto positions = static_cast<double>(T), width = static_cast<double>(d_model);
        check_memory("--seq", positions * std::max(30 * width, flags.dot ? 4 * positions : 0));
    }
    if (flags.shift) return shift_subject(m, T, d_model, *flags.shift);
    if (flags.dot) return dot_subject(m, T, d_model);
    m.sequence("x", T, d_model);
    const index_t length = m.input["x"].rank() > 1 ? m.input["x"].size(-2) : 1;
    Subject subject;
    subject.title = flags.learned ? "Learned positions" : "Positional encoding";
    subject.header =
        flags.learned ? std::vector<std::string>{glassbox::steps::learned_positions::formula} : formula();
    subject.header.push_back(fmt::format("T = {}, d_model = {}", length, d_model));
    subject.result = "output";
    if (flags.learned) {
        const index_t rows = m.weights.size("weight", 0, m.convention, length);
        const auto layer = std::make_shared<LearnedPositions>(rows, d_model);
        draw(*layer, m.stream);
        subject.model = layer;
        subject.parameters = [layer] { return parameters_of(*layer); };
        subject.forward = [layer = layer.get(), &input = m.input] { (*layer)(input["x"]); };
        subject.figure = [layer = layer.get()] { return positional_figure(layer->weight); };
        return subject;
    }
    const auto layer = std::make_shared<PositionalEncoding>(d_model, m.convention.positions());
    subject.model = layer;
    subject.forward = [layer = layer.get(), &input = m.input] { (*layer)(input["x"]); };
    if (!m.input.rng.empty()) subject.untrained = "x is random; the encoding is not";
    const bool in_float = m.convention.encoding_in_float;
    // Four positions, enough to be read, show no wave: a map has more unless sizes are given.
    constexpr index_t seen = 50, seen_width = 16;
    const index_t rows = flags.has_sizes ? length : seen, columns = flags.has_sizes ? d_model : seen_width;
    subject.figure = [=] { return positional_figure(sinusoidal_encoding(rows, columns, in_float)); };
    return subject;
}

void declare_own(Options& o, PositionalFlags& flags) {
    o.value("--shift", flags.shift,
            {.help = "Show the matrices M with M PE(t) = PE(t + N), one for each frequency",
             .min = -(1 << 24),
             .max = 1 << 24});
    o.flag("--dot", flags.dot, "Show the dot products between positions");
    o.flag("--learned", flags.learned, "Use a learned table instead of sines and cosines");
}

void check_own(const PositionalFlags& flags) {
    if (flags.shift && flags.dot) fail<UsageError>("--dot: cannot be combined with --shift");
    if (flags.learned && (flags.dot || flags.shift))
        fail<UsageError>("--learned: cannot be combined with {}, which applies to sines and cosines",
                         flags.dot ? "--dot" : "--shift");
}

ModelCommand model() {
    const auto flags = std::make_shared<PositionalFlags>();
    ModelCommand command;
    command.order = 30;
    command.name = "positional";
    command.summary = "Positional encoding; with an option its shift matrices, or its dot products.";
    command.examples = {
        {"tracer positional --seq 4 --dmodel 4", "The encoding of four positions, added to x."},
        {"tracer positional --shift 3", "The matrices that shift an encoding by three positions."},
        {"tracer positional --dot --seq 8 --dmodel 32 --only dots", "How similar two positions are."},
        {"tracer positional --seq 96 --dmodel 48 --map encoding.svg", "The tutorial's two figures."},
        {"tracer positional --learned", "The alternative: a learned table."},
        {"tracer positional --seq 17 --convention report", "The report's encoding ends at 16 positions."}};
    command.options = {.shared = {"--seq", "--batch", "--dmodel", "--text"}, .input_help = "x by name"};
    command.inputs = {"x"};
    command.defaults = {{.seq = 4, .d_model = {4}}};
    command.options.own_choices = [flags](Options& o) { declare_own(o, *flags); };
    command.check = [flags](const ModelSettings&, const Options& o) {
        check_own(*flags);
        for (const char* size : {"--seq", "--dmodel", "--text", "--input"})
            flags->has_sizes = flags->has_sizes || o.given(size);
    };
    command.make = [flags](const ModelBuilder& m) { return make(m, *flags); };
    return command;
}

}  // namespace

Command positional() { return command_of(model); }

}  // namespace glassbox::tracer::commands
