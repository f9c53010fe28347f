#include "train/memory.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

#include "cli/machine_memory.h"
#include "cli/output.h"

namespace tracer {
namespace {

double number(const Settings& s, const char* name) {
    return s.has(name) ? static_cast<double>(s.whole(name, 0)) : 0;
}

// The number of weights of all blocks: W_Q, W_K, W_V, W_O of each attention, W_1 and W_2.
double weights(const glassbox::TaskSizes& sizes, const Settings& s) {
    const double d = number(s, "dmodel"), d_ff = number(s, "dff");
    const double encoder = 4 * d * d + 2 * d * d_ff, decoder = 8 * d * d + 2 * d * d_ff;
    return number(s, "layers") * (encoder + (sizes.decodes ? decoder : 0));
}

}  // namespace

void check_memory(const glassbox::Task& task, const Settings& s) {
    for (const char* size : {"layers", "dmodel", "dff", "batch", "seq", "examples", "validation", "test"})
        if (s.has(size) && number(s, size) == 0) return;  // refused elsewhere
    // The weights as drawn and in the parameter block, m, v, the gradients of at least two lanes and their
    // sum.
    const double model = weights(task.sizes, s) * 7 * sizeof(glassbox::real);
    const double width = task.sizes.width ? task.sizes.width(s) : 1;
    const double batch = std::min(number(s, "batch"), number(s, "examples") * task.sizes.images) *
                         number(s, "seq") * (width + 1) * sizeof(glassbox::real);
    // One byte per element, and the order of the examples.
    const double examples = number(s, "examples") + number(s, "validation") + number(s, "test");
    const double data = examples * (number(s, "seq") + 8);
    const double needed = model + batch + data, have = machine_memory();
    if (needed > have / 16 && needed <= have / 2)
        say(fmt::format("train {}: needs about {:.2g} GB of memory\n", task.name, needed / 1e9));
    if (needed <= have / 2) return;
    glassbox::fail<glassbox::UsageError>(
        "train {}: the model (--layers {}, --dmodel {}, --dff {}) needs {:.1f} GB to train, a batch "
        "(--batch {}) {:.1f} GB, the data (--examples, --validation, --test, --seq) {:.1f} GB; the limit is "
        "half of this machine's {:.3g} GB",
        task.name, s.text("layers"), s.text("dmodel"), s.text("dff"), model / 1e9, s.text("batch"),
        batch / 1e9, data / 1e9, have / 1e9);
}

}  // namespace tracer
