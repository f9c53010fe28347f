#include <fmt/format.h>

#include <glassbox/train/loss.h>

#include "commands/shared/logits_and_labels.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::loss;

Subject make(const ModelBuilder& m, double smoothing) {
    const Tensor labels = logits_and_labels(m);
    const CrossEntropyOptions options{smoothing};
    name_file_in_errors(m.settings.input, [&] { cross_entropy(m.input["logits"], labels, options); });
    Subject subject;
    subject.title = "Cross-entropy and its gradient";
    subject.header = {fmt::format("losses = {},  loss = {},  dlogits = {}", step::losses.formula,
                                  step::loss.formula, step::dlogits.formula),
                      counted_rows(m.input) + (smoothing > 0 ? fmt::format("; ε = {}", smoothing) : "")};
    subject.result = step::dlogits.name;
    subject.scalar = step::loss.name;
    subject.forward = [options, &input = m.input] {
        (void)loss_and_gradient(input["logits"], input["labels"], options);
    };
    return subject;
}

ModelCommand model() {
    const auto smoothing = std::make_shared<double>(0);
    ModelCommand command = command_of_labels();
    command.order = 101;
    command.name = "loss";
    command.summary = "Cross-entropy of logits and labels, and its gradient.";
    command.examples = {
        {"tracer loss --seq 3 --classes 4", "Every step, from logits to ∂loss/∂logits."},
        {"tracer loss --batch 2 --lengths 3,2", "Padding: rows with the label −1 do not count."},
        {"tracer loss --label-smoothing 0.1 --only q", "A share of each label is spread over all classes."},
        {"tracer loss --grad", "dlogits, and the gradient of the backward pass, which is the same."},
        {"tracer loss --mistake losses/softmax-twice", "One softmax too many."}};
    command.options.own_choices = [=](Options& o) {
        o.value("--label-smoothing", *smoothing,
                {.help = "Share of each label's weight spread over all classes, ε"});
    };
    command.check = [smoothing, check = command.check](const ModelSettings& s, const Options& o) {
        if (*smoothing > 1)
            fail<UsageError>("--label-smoothing: expected a number from 0 to 1, got {}", *smoothing);
        check(s, o);
    };
    command.make = [=](const ModelBuilder& m) { return make(m, *smoothing); };
    return command;
}

}  // namespace

Command loss() { return command_of(model); }

}  // namespace glassbox::tracer::commands
