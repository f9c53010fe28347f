#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/train/loss.h>

#include <glassbox/tensor/format.h>

#include "commands/shared/model_command.h"
#include "subject/error_source.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::loss;

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

Subject make(const ModelBuilder& m, double smoothing) {
    if (m.input.file) read_input(m);
    else draw_input(m);
    if (!m.settings.lengths.empty() && m.input["labels"].rank() > 0)
        m.input.set("labels", padded_labels(m.input["labels"], m.settings.lengths));
    const CrossEntropyOptions options{smoothing};
    name_file_in_errors(m.settings.input,
                        [&] { cross_entropy(m.input["logits"], m.input["labels"], options); });
    const std::vector<real> all = m.input["labels"].values();
    Subject subject;
    subject.title = "Cross-entropy and its gradient";
    subject.header = {
        fmt::format("losses = {},  loss = {},  dlogits = {}", step::losses.formula, step::loss.formula,
                    step::dlogits.formula),
        fmt::format("C = {} classes; {} of {} rows count{}", m.input["logits"].size(-1),
                    std::count_if(all.begin(), all.end(), [](real label) { return label >= 0; }), all.size(),
                    smoothing > 0 ? fmt::format("; ε = {}", smoothing) : "")};
    subject.result = step::dlogits.name;
    subject.scalar = step::loss.name;
    subject.forward = [options, &input = m.input] {
        (void)loss_and_gradient(input["logits"], input["labels"], options);
    };
    return subject;
}

void check_own(const ModelSettings& s, const Options& o, double smoothing) {
    if (smoothing > 1)
        fail<UsageError>("--label-smoothing: expected a number from 0 to 1, got {}", smoothing);
    if (!s.input.empty() && o.given("--classes"))
        fail<UsageError>("--classes: sizes come from the --input file: leave it out");
}

ModelCommand model() {
    const auto smoothing = std::make_shared<double>(0);
    ModelCommand command;
    command.order = 101;
    command.name = "loss";
    command.summary = "Cross-entropy of logits and labels, and its gradient.";
    command.examples = {
        {"tracer loss --seq 3 --classes 4", "Every step, from logits to ∂loss/∂logits."},
        {"tracer loss --batch 2 --lengths 3,2", "Padding: rows with the label −1 do not count."},
        {"tracer loss --label-smoothing 0.1 --only q", "A share of each label is spread over all classes."},
        {"tracer loss --grad", "dlogits, and the gradient of the backward pass, which is the same."},
        {"tracer loss --mistake losses/softmax-twice", "One softmax too many."}};
    command.options = {.shared = {"--seq", "--batch", "--classes", "--lengths"},
                       .input_help = "logits and labels by name; a negative label does not count",
                       .own_choices =
                           [=](Options& o) {
                               o.value("--label-smoothing", *smoothing,
                                       {.help = "Share of each label's weight spread over all classes, ε"});
                           },
                       .without = {"--weights", "--save-weights", "--products"}};
    command.inputs = {"logits", "labels"};
    command.defaults = {{.seq = 3, .classes = {4}}};
    command.check = [=](const ModelSettings& s, const Options& o) { check_own(s, o, *smoothing); };
    command.make = [=](const ModelBuilder& m) { return make(m, *smoothing); };
    return command;
}

}  // namespace

Command loss() { return command_of(model); }

}  // namespace glassbox::tracer::commands
