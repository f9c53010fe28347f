#include "train/before_run.h"

#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>

#include "cli/memory.h"
#include "cli/output.h"
#include "report/text_style.h"
#include "subject/convention_option.h"

namespace glassbox::tracer {

void check_settings_count(const Settings& settings, const Settings::Texts& typed) {
    const auto text_of = [&](const std::string& name) {
        const auto found = typed.find(name);
        return found == typed.end() ? std::string() : found->second;
    };
    const SettingTable table = glassbox::task(settings.text("task")).table(settings);
    for (const auto& [name, why] : table.without_effect()) {
        const std::string text = text_of(name);
        // --warmup 0 does not contradict; seed 0 is a seed.
        const bool is_none = says_none(text) && (text == "none" || name != names::data_seed.name);
        if (!text.empty() && !is_none) fail<UsageError>("--{}: {}", name, why);
    }
    if (text_of(names::dff.name).empty()) return;
    const StackSettings stack = shared_settings(settings).stack;
    check_d_ff(settings.convention(), stack.d_model, stack.d_ff);
}

void check_run_options(const TrainOptions& t, const Options& o) {
    const auto refuse = [&](std::initializer_list<const char*> flags, const std::string& why) {
        for (const char* flag : flags)
            if (o.given(flag)) fail<UsageError>("{}: {}", flag, why);
    };
    const TrainFormat format = t.format();
    if (!t.step) {
        refuse({"--number", "--precision"}, "requires --step N, which shows numbers");
        if (format == TrainFormat::npz || format == TrainFormat::html)
            fail<UsageError>("--format: {} requires --step N; a run's result is text or json",
                             glassbox::name(format));
    } else {
        refuse({"--validate-every", "--save-every", "--log-every", "--tensorboard", "--log"},
               "cannot be combined with --step, which shows one step and writes no files");
        if (t.resume.empty()) refuse({"--folder"}, "--step writes no files: add --resume, or leave it out");
        check_precision(o, glassbox::name(format));
        if (format != TrainFormat::text)
            refuse({"--number"}, fmt::format("requires text; {} has all elements", glassbox::name(format)));
    }
    if (t.no_files) refuse({"--save-every"}, "cannot be combined with --no-files, which saves nothing");
    if (t.no_files && t.log.empty())
        refuse({"--log-every"}, "--no-files writes no log: add --log FILE, or leave it out");
}

namespace {

constexpr auto leniently = SettingTable::Reading::leniently;

// The number of weights of all blocks: W_Q, W_K, W_V, W_O of each attention, W_1 and W_2.
double weights(const TaskSizes& sizes, const StackSettings& s) {
    const auto d = static_cast<double>(s.d_model), d_ff = static_cast<double>(s.d_ff);
    const double encoder = 4 * d * d + 2 * d * d_ff, decoder = 8 * d * d + 2 * d * d_ff;
    return static_cast<double>(s.layers) * (encoder + (sizes.decodes ? decoder : 0));
}

}  // namespace

void check_memory(const glassbox::Task& task, const Settings& s, index_t per_batch) {
    const TaskSizes sizes = task.sizes(s);
    const StackSettings stack = shared_settings(s, leniently).stack;
    // The weights as drawn and in the parameter block, m, v, the gradients of at least two lanes and their
    // sum.
    const double model = weights(sizes, stack) * 7 * sizeof(real);
    const auto training = static_cast<double>(sizes.drawn.examples),
               length = static_cast<double>(sizes.length.value_or(0));
    if (sizes.length && (length == 0 || training == 0 || sizes.drawn.test == 0)) return;  // refused elsewhere
    const double batch = std::min(static_cast<double>(per_batch), training * sizes.images) * length *
                         (sizes.width + 1) * sizeof(real);
    // One byte per element, and the order of the examples.
    const double examples =
        training + static_cast<double>(sizes.drawn.validation) + static_cast<double>(sizes.drawn.test);
    const double data = examples * (length + 8);
    const double needed = model + batch + data, have = machine_memory();
    if (needed > have / 16 && needed <= have / 2)
        say(fmt::format("train {}: needs about {:.2g} GB of memory\n", task.name, needed / 1e9));
    if (needed <= have / 2) return;
    fail<UsageError>(
        "train {}: the model (--layers {}, --dmodel {}, --dff {}) needs {:.1f} GB to train, a batch "
        "(--batch {}) {:.1f} GB, the data (--examples, --validation, --test, --seq) {:.1f} GB; the limit is "
        "half of this machine's {:.3g} GB",
        task.name, stack.layers, stack.d_model, stack.d_ff, model / 1e9, per_batch, batch / 1e9, data / 1e9,
        have / 1e9);
}

namespace {

// Whether this processor also has the instructions of that name.
bool may_be_chosen(const std::string& instructions) {
    try {
        (void)asked_instruction_set(instructions.c_str(), best_instruction_set());
        return !instructions.empty();
    } catch (const UsageError&) {
        return false;
    }
}

std::string way_back(const OtherBits& other) {
    const std::string name = other.name;
    if (name == "device") return "--backend " + other.before;
    if (name == "products") return "--products " + other.before;
    if (name == "instructions" && may_be_chosen(other.before)) return "GLASSBOX_CPU=" + other.before;
    return "";
}

}  // namespace

std::string other_bits_text(const std::string& file, const Checkpoint& from, Device device) {
    std::string what, back;
    for (const OtherBits& each : other_bits(from.made_on, device)) {
        what += fmt::format("{}{} {}, here {}", what.empty() ? "" : "; ", each.name, printable(each.before),
                            each.here);
        if (const std::string way = way_back(each); !way.empty()) back += (back.empty() ? "" : " and ") + way;
    }
    if (what.empty()) return "";
    return fmt::format(
        "{} was computed with other arithmetic ({}): after step {} the run may differ in its last digits "
        "from an uninterrupted one{}\n",
        file, what, from.step, back.empty() ? "" : "; with " + back + " it continues unchanged");
}

}  // namespace glassbox::tracer
