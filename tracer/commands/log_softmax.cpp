#include <glassbox/blocks/blocks.h>

#include "commands/shared/of_rows.h"

namespace glassbox::tracer::commands {
namespace {

ModelCommand model() {
    namespace step = steps::log_softmax;
    static const RowFunction rows{"Log-softmax", step::x, step::output,
                                  [](const Tensor& x) { return glassbox::log_softmax(x); }};
    ModelCommand command = command_of_rows(rows);
    command.order = 13;
    command.name = "log-softmax";
    command.summary = "Log-softmax: the logarithms of the probabilities, for a loss.";
    command.examples = {
        {"tracer log-softmax --seq 2 --classes 3", "Two rows, all numbers below 0."},
        {"tracer log-softmax --grad", "A sum of logarithms, and what each score adds to it."}};
    return command;
}

}  // namespace

Command log_softmax() { return command_of(model); }

}  // namespace glassbox::tracer::commands
