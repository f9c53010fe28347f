#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"
#include "commands/commands.h"
#include "figures/draw.h"
#include "subject/model.h"

namespace tracer {
namespace {

namespace step = glassbox::steps::shifted_encoding;
using glassbox::fail;
using glassbox::named;
using glassbox::UsageError;

double largest(const Tensor& difference) {
    double most = 0;
    for (const real v : difference.values()) most = std::max(most, std::abs(static_cast<double>(v)));
    return most;
}

// M PE(t) beside PE(t + shift), for every frequency.
void show_shift(index_t T, index_t d_model, index_t shift, bool in_float) {
    const Tensor encoding =
        named(step::encoding, glassbox::sinusoidal_encoding(T, d_model, in_float));        // (T, d)
    const Tensor M = named(step::M, glassbox::shift_matrix(shift, d_model));               // (d/2, 2, 2)
    const Tensor rotated = named(step::rotated, glassbox::shifted_encoding(encoding, M));  // (T, d)
    const Tensor later =
        named(step::later, glassbox::sinusoidal_encoding(T, d_model, in_float, shift));  // (T, d)
    (void)named(step::difference, rotated - later);                                      // (T, d)
}

// PE(s) · PE(t), for every two positions.
void show_dots(index_t T, index_t d_model, bool in_float) {
    const Tensor encoding =
        named(step::encoding, glassbox::sinusoidal_encoding(T, d_model, in_float));  // (T, d)
    (void)named(step::dots, matmul(encoding, transpose(encoding)));                  // (T, T)
}

std::vector<std::string> formula() {
    return {"PE[t, 2i] = sin(t ω_i),  PE[t, 2i+1] = cos(t ω_i),  ω_i = 10000^(−2i/d_model)"};
}

Subject shift_subject(const Making& m, index_t T, index_t d_model) {
    const index_t shift = whole_number("--shift", m.typed.shift, -(1 << 24), 1 << 24);
    if (d_model % 2 != 0)
        fail<UsageError>("--shift: pairs of sine and cosine need an even --dmodel, got {}", d_model);
    const bool in_float = m.convention.encoding_in_float;
    Subject subject;
    subject.title = "Positional encoding, shifted";
    subject.header = formula();
    subject.header.push_back(
        fmt::format("M PE(t) = PE(t + {}) at every position t: M depends on the distance alone", shift));
    const Tensor M = glassbox::shift_matrix(shift, d_model);
    const Tensor off = glassbox::shifted_encoding(glassbox::sinusoidal_encoding(T, d_model, in_float), M) -
                       glassbox::sinusoidal_encoding(T, d_model, in_float, shift);
    subject.header.push_back(
        fmt::format("T = {}, d_model = {}; the largest difference is {:.1e}", T, d_model, largest(off)));
    subject.result = "rotated";
    subject.forward = [=] { show_shift(T, d_model, shift, in_float); };
    return subject;
}

Subject dot_subject(const Making& m, index_t T, index_t d_model) {
    const bool in_float = m.convention.encoding_in_float;
    Subject subject;
    subject.title = "Positional encoding, dot products";
    subject.header = formula();
    subject.header.push_back(
        "PE(s) · PE(t) = Σ_i cos((s − t) ω_i): symmetric, the same for equal distances, less for larger ones "
        "nearby");
    subject.header.push_back(fmt::format("T = {}, d_model = {}", T, d_model));
    subject.result = "dots";
    subject.forward = [=] { show_dots(T, d_model, in_float); };
    const Tensor encoding = glassbox::sinusoidal_encoding(T, d_model, in_float);
    subject.figure = [=] { return dot_figure(matmul(encoding, transpose(encoding))); };
    return subject;
}

Subject make(const Making& m) {
    const index_t d_model =
        m.width("x", "--dmodel", m.typed.dmodel, m.weights.size("weight", 1, m.convention, 4));
    const index_t T = m.typed.seq.empty() ? 4 : whole_number("--seq", m.typed.seq, 1, 1 << 24);
    if (!m.typed.shift.empty() && m.typed.dot) fail<UsageError>("--dot: not together with --shift");
    if (m.typed.learned && (m.typed.dot || !m.typed.shift.empty()))
        fail<UsageError>("--learned: not together with {}: only waves have it",
                         m.typed.dot ? "--dot" : "--shift");
    if (!m.typed.shift.empty()) return shift_subject(m, T, d_model);
    if (m.typed.dot) return dot_subject(m, T, d_model);
    m.sequence("x", T, d_model);
    const index_t length = m.input["x"].rank() > 1 ? m.input["x"].size(-2) : 1;
    Subject subject;
    subject.title = m.typed.learned ? "Learned positions" : "Positional encoding";
    subject.header = m.typed.learned ? std::vector<std::string>{"x + table[0 … T − 1]"} : formula();
    subject.header.push_back(fmt::format("T = {}, d_model = {}", length, d_model));
    subject.result = "output";
    if (m.typed.learned) {
        const index_t rows = m.weights.size("weight", 0, m.convention, length);
        const auto layer = std::make_shared<glassbox::LearnedPositions>(rows, d_model);
        draw(*layer, m.stream);
        subject.model = layer;
        subject.parameters = [layer] { return parameters_of(*layer); };
        subject.forward = [layer = layer.get(), &input = m.input] { (*layer)(input["x"]); };
        subject.figure = [layer = layer.get()] { return positional_figure(layer->weight); };
        return subject;
    }
    const auto layer = std::make_shared<glassbox::PositionalEncoding>(d_model, m.convention.positions());
    subject.model = layer;
    subject.forward = [layer = layer.get(), &input = m.input] { (*layer)(input["x"]); };
    const bool in_float = m.convention.encoding_in_float;
    subject.figure = [=] {
        return positional_figure(glassbox::sinusoidal_encoding(length, d_model, in_float));
    };
    return subject;
}

}  // namespace

ModelCommand positional_command() {
    ModelCommand command;
    command.name = "positional";
    command.summary = "Positional encoding, its shift matrix and its dot products.";
    command.examples = {
        {"tracer positional --seq 4 --dmodel 4", "The encoding of four positions, added to x."},
        {"tracer positional --shift 3", "The matrices that move an encoding by three positions."},
        {"tracer positional --dot --seq 8 --dmodel 32 --only dots", "How alike two positions are."},
        {"tracer positional --seq 96 --dmodel 48 --map encoding.svg", "The tutorial's two figures."},
        {"tracer positional --learned", "The alternative: a table that is learned."},
        {"tracer positional --seq 17 --convention report", "The report's encoding ends at 16 positions."}};
    command.options = {"--seq", "--batch", "--dmodel", "--text", "--shift", "--dot", "--learned", "--map"};
    command.inputs = {"x"};
    command.defaults.seq = "4";
    command.make = make;
    return command;
}

}  // namespace tracer
