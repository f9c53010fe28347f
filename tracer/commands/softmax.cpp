#include <glassbox/blocks/blocks.h>

#include "commands/shared/of_rows.h"

namespace glassbox::tracer::commands {
namespace {

ModelCommand model() {
    namespace step = steps::softmax;
    static const RowFunction rows{"Softmax", step::x, step::softmax,
                                  [](const Tensor& x) { return glassbox::softmax(x); },
                                  "softmax(x)_j = exp(x_j) / Σ_k exp(x_k)"};
    ModelCommand command = command_of_rows(rows);
    command.order = 12;
    command.name = "softmax";
    command.summary = "Softmax: each row of scores becomes probabilities.";
    command.examples = {
        {"tracer softmax --seq 2 --classes 3", "Two rows, each of which sums to 1."},
        {"tracer softmax --explain 'softmax[0,1]'", "The arithmetic behind one probability."},
        {"tracer softmax --grad", "Every probability depends on every score of its row."},
        {"tracer softmax --mistake softmax/wrong-axis", "The columns sum to 1, not the rows."}};
    return command;
}

}  // namespace

Command softmax() { return command_of(model); }

}  // namespace glassbox::tracer::commands
