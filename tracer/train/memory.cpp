#include "train/memory.h"

#include <algorithm>

#include <glassbox/tensor/format.h>

#include "cli/machine_memory.h"
#include "cli/output.h"

namespace tracer {
namespace {

constexpr auto leniently = glassbox::SettingTable::Reading::leniently;

// The number of weights of all blocks: W_Q, W_K, W_V, W_O of each attention, W_1 and W_2.
double weights(const glassbox::TaskSizes& sizes, const glassbox::StackSettings& s) {
    const auto d = static_cast<double>(s.d_model), d_ff = static_cast<double>(s.d_ff);
    const double encoder = 4 * d * d + 2 * d * d_ff, decoder = 8 * d * d + 2 * d * d_ff;
    return static_cast<double>(s.layers) * (encoder + (sizes.decodes ? decoder : 0));
}

}  // namespace

void check_memory(const glassbox::Task& task, const Settings& s, index_t per_batch) {
    const glassbox::TaskSizes sizes = task.sizes(s);
    const glassbox::StackSettings stack = glassbox::shared_settings(s, leniently).stack;
    // The weights as drawn and in the parameter block, m, v, the gradients of at least two lanes and their
    // sum.
    const double model = weights(sizes, stack) * 7 * sizeof(glassbox::real);
    const auto training = static_cast<double>(sizes.drawn.examples),
               length = static_cast<double>(sizes.length.value_or(0));
    if (sizes.length && (length == 0 || training == 0 || sizes.drawn.test == 0)) return;  // refused elsewhere
    const double batch = std::min(static_cast<double>(per_batch), training * sizes.images) * length *
                         (sizes.width + 1) * sizeof(glassbox::real);
    // One byte per element, and the order of the examples.
    const double examples =
        training + static_cast<double>(sizes.drawn.validation) + static_cast<double>(sizes.drawn.test);
    const double data = examples * (length + 8);
    const double needed = model + batch + data, have = machine_memory();
    if (needed > have / 16 && needed <= have / 2)
        say(fmt::format("train {}: needs about {:.2g} GB of memory\n", task.name, needed / 1e9));
    if (needed <= have / 2) return;
    glassbox::fail<glassbox::UsageError>(
        "train {}: the model (--layers {}, --dmodel {}, --dff {}) needs {:.1f} GB to train, a batch "
        "(--batch {}) {:.1f} GB, the data (--examples, --validation, --test, --seq) {:.1f} GB; the limit is "
        "half of this machine's {:.3g} GB",
        task.name, stack.layers, stack.d_model, stack.d_ff, model / 1e9, per_batch, batch / 1e9, data / 1e9,
        have / 1e9);
}

}  // namespace tracer
