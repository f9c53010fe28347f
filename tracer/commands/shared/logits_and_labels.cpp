#include "commands/shared/logits_and_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

namespace glassbox::tracer {
namespace {

// Whole numbers from 0 to C − 1.
Tensor drawn_labels(const ModelBuilder& m, const Shape& shape, index_t C) {
    std::vector<real> labels = m.stream.uniform(shape, 0, static_cast<double>(C)).values();
    for (real& label : labels) label = std::min(std::floor(label), static_cast<real>(C - 1));
    return Tensor(shape, labels);
}

// −1 after the end of each sequence: labels (…, T), a length for each sequence.
Tensor padded_labels(const Tensor& labels, const std::vector<index_t>& lengths) {
    const std::string flag = "--lengths " + OptionValue<std::vector<index_t>>::text(lengths);
    const index_t T = labels.size(-1);
    const auto sequences = static_cast<std::size_t>(labels.numel() / std::max<index_t>(T, 1));
    if (lengths.size() != sequences)
        fail<UsageError>("{}: expected a length for each sequence, {}, got {}", flag, sequences,
                         lengths.size());
    std::vector<real> all = labels.values();
    for (std::size_t i = 0; i < sequences; ++i) {
        if (lengths[i] > T)
            fail<UsageError>("{}: expected at most {} positions, got {}", flag, T, lengths[i]);
        for (index_t t = lengths[i]; t < T; ++t)
            all[i * static_cast<std::size_t>(T) + static_cast<std::size_t>(t)] = -1;
    }
    return Tensor(labels.shape(), all);
}

// (T, C) and (T), or with a batch axis.
void draw_input(const ModelBuilder& m) {
    const index_t T = m.settings.seq, C = m.settings.classes.value;
    const Shape rows = m.settings.batch ? Shape{*m.settings.batch, T} : Shape{T};
    check_memory("--seq, --batch, --classes",
                 static_cast<double>(rows.numel()) * static_cast<double>(C) * 30);
    m.input.set("logits", m.stream.normal(rows.with_appended(C)));
    m.input.set("labels", drawn_labels(m, rows, C));
}

void read_input(const ModelBuilder& m) {
    const double numbers = static_cast<double>(m.input["logits"].numel() + m.input["labels"].numel());
    check_memory("--input: logits and labels", numbers * 30);
    m.input.read();
}

}  // namespace

Tensor logits_and_labels(const ModelBuilder& m) {
    if (m.input.file) read_input(m);
    else draw_input(m);
    if (!m.settings.lengths.empty() && m.input["labels"].rank() > 0)
        m.input.set("labels", padded_labels(m.input["labels"], m.settings.lengths));
    return m.input["labels"];
}

std::string counted_rows(const ModelInput& input) {
    const std::vector<real> all = input["labels"].values();
    return fmt::format("C = {} classes; {} of {} rows count", input["logits"].size(-1),
                       std::count_if(all.begin(), all.end(), [](real label) { return label >= 0; }),
                       all.size());
}

ModelCommand command_of_labels() {
    ModelCommand command;
    command.options = {.shared = {"--seq", "--batch", "--classes", "--lengths"},
                       .input_help = "logits and labels by name; a negative label does not count",
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"logits", "labels"};
    command.defaults = {{.seq = 3, .classes = {4}}};
    command.check = [](const ModelSettings& s, const Options& o) {
        if (!s.input.empty() && o.given("--classes"))
            fail<UsageError>("--classes: sizes come from the --input file: leave it out");
    };
    return command;
}

}  // namespace glassbox::tracer
