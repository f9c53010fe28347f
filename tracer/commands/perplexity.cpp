#include <fmt/format.h>

#include <glassbox/train/loss.h>

#include "commands/shared/logits_and_labels.h"

namespace glassbox::tracer::commands {
namespace {

Subject make(const ModelBuilder& m) {
    const Tensor labels = logits_and_labels(m);
    name_file_in_errors(m.settings.input, [&] { (void)glassbox::perplexity(m.input["logits"], labels); });
    Subject subject;
    subject.title = "Perplexity of a language model";
    subject.header = {fmt::format("losses = {},  loss = {},  perplexity = {}", steps::loss::losses.formula,
                                  steps::loss::loss.formula, steps::perplexity::perplexity.formula),
                      counted_rows(m.input)};
    subject.result = steps::perplexity::perplexity.name;
    subject.forward = [&input = m.input] { (void)glassbox::perplexity(input["logits"], input["labels"]); };
    return subject;
}

ModelCommand model() {
    ModelCommand command = command_of_labels();
    command.order = 106;
    command.name = "perplexity";
    command.summary = "Perplexity: between how many words a language model is undecided.";
    command.examples = {{"tracer perplexity --seq 3 --classes 4", "From the logits of three words."},
                        {"tracer perplexity --batch 2 --lengths 3,2", "Padding does not count."},
                        {"tracer perplexity --explain perplexity", "The arithmetic, back to the logits."},
                        {"tracer perplexity --mistake perplexity/mean-of-exp",
                         "The mean of each word's own perplexity is larger."}};
    command.make = make;
    return command;
}

}  // namespace

Command perplexity() { return command_of(model); }

}  // namespace glassbox::tracer::commands
