#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <glassbox/mistakes/power.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/heartbeat.h"
#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "commands/shared/model_command.h"
#include "commands/shared/named_model.h"

// Which mistakes a test cannot see: every mistake is put into the computation on the test's inputs.
namespace glassbox::tracer::commands {
namespace {

struct PowerFlags {
    std::string layer;
    std::vector<std::string> inputs, steps;
    std::optional<double> rtol, atol;
    std::filesystem::path output;
};

void declare_own(Options& o, PowerFlags& flags) {
    o.arguments(
        "FILE", flags.inputs,
        {.help = "The test's inputs, one npz each, as for --input; without any, the numbers of tracer LAYER",
         .endings = {".npz"}});
    o.group("Test");
    o.value(
        "--steps", flags.steps,
        {.help = "The steps that the test compares", .value_name = "STEP,STEP", .default_text = "the last"});
    o.value("--rtol", flags.rtol,
            {.help = "The test's relative tolerance", .default_text = "what rounding allows"});
    o.value("--atol", flags.atol, {.help = "The test's absolute tolerance"});
    o.value("-o,--output", flags.output, {.help = "Write to this file instead of standard output"});
}

void declare(Options& o, PowerFlags& flags) {
    declare_layer(o, "power", flags.layer);
    declare_own(o, flags);
}

std::vector<MistakePower> power_of(NamedModel& model, const PowerFlags& flags) {
    std::optional<StatedTolerance> tolerance;
    if (flags.rtol || flags.atol) tolerance = {flags.atol.value_or(0), flags.rtol.value_or(0)};
    const Subject& subject = model.subject();
    const Activity doing("trying every mistake");
    return test_power(subject.computation(), flags.steps, tolerance);
}

// Seen by any of the inputs.
using Seen = std::map<const Mistake*, bool>;

void add(Seen& seen, const std::vector<MistakePower>& found) {
    for (const MistakePower& each : found) seen[each.mistake] = seen[each.mistake] || each.is_seen;
}

// A change of a test's input, from the smallest on.
struct InputChange {
    const char* words;
    Arguments options;        // added to the command line
    double factor = 1;        // of the inputs
    bool parameters = false;  // biases and γ are drawn
};

const std::vector<InputChange>& changes() {
    static const std::vector<InputChange> all = {
        {"biases other than 0, γ other than 1", {}, 1, true},
        {"inputs 10 times as large", {}, 10},
        {"inputs a hundredth as large", {}, 0.01},
        {"the same with such biases and γ", {}, 0.01, true},
        {"a causal mask", {"--mask", "causal"}},
        {"a batch of 2", {"--batch", "2"}},
        {"two sequences, one of them padded", {"--batch", "2", "--lengths", "3,2"}},
        {"more keys than queries", {"--keys", "5"}},
        {"values wider than keys", {"--dv", "5"}},
        {"3 heads", {"--heads", "3", "--dmodel", "12"}},
        {"2 blocks", {"--layers", "2"}},
    };
    return all;
}

bool shows(const Arguments& arguments, const InputChange& change, const Mistake* mistake,
           std::map<const InputChange*, Seen>& known, const PowerFlags& flags) {
    const auto [at, is_new] = known.try_emplace(&change);
    if (is_new) {
        try {
            PowerFlags ignored;
            Arguments all = arguments;
            all.insert(all.end(), change.options.begin(), change.options.end());
            NamedModel model("power", all, [&](Options& o) { declare_own(o, ignored); });
            (void)model.subject();
            if (change.parameters) draw_hiding_parameters(model.subject(), 1, 1, 0.1);
            for (auto& [name, value] : model.input().arrays)
                if (change.factor != 1 && (name == "x" || name == "memory" || name == "Q" || name == "K"))
                    value = value * change.factor;
            add(at->second, power_of(model, flags));
        } catch (const Error&) {  // this model has no such option, or it does not fit the others
        }
    }
    const auto found = at->second.find(mistake);
    return found != at->second.end() && found->second;
}

std::string hint(const Arguments& arguments, const Mistake* mistake,
                 std::map<const InputChange*, Seen>& known, const PowerFlags& flags) {
    for (const EffectClass& each : effect_classes())
        if (each.name == mistake->effect && each.has_no_effect)
            return fmt::format("no input, from the last step alone: {}", each.reason);
    for (const InputChange& change : changes())
        if (shows(arguments, change, mistake, known, flags)) return change.words;
    return fmt::format("none of the changes that were tried; --steps {} compares its own step",
                       mistake->key.substr(0, mistake->key.find('/')));
}

// A file of inputs may also be that of --weights.
Arguments without_inputs(const Arguments& arguments, const PowerFlags& flags, const Options& options) {
    Arguments kept;
    bool is_value = false;  // of the option before it
    for (const std::string& word : arguments) {
        if (is_value || std::find(flags.inputs.begin(), flags.inputs.end(), word) == flags.inputs.end())
            kept.push_back(word);
        is_value = options.takes_value(word);
    }
    return kept;
}

void run(const Arguments& arguments) {
    PowerFlags flags;
    NamedModel first("power", arguments, [&](Options& o) { declare_own(o, flags); });
    if (!first.is_wanted()) return;
    check_known_ending(flags.output, {".txt"});
    Seen seen;
    const Arguments without_files = without_inputs(arguments, flags, first.options());
    if (flags.inputs.empty()) add(seen, power_of(first, flags));
    for (const std::string& file : flags.inputs) {
        PowerFlags ignored;
        Arguments all = without_files;
        all.insert(all.end(), {"--input", file});
        NamedModel model("power", all, [&](Options& o) { declare_own(o, ignored); });
        add(seen, power_of(model, flags));
    }
    const auto count = std::count_if(seen.begin(), seen.end(), [](const auto& each) { return each.second; });
    std::string text = fmt::format("This test detects {} of {} mistakes.\n", count, seen.size());
    std::map<const InputChange*, Seen> known;
    for (const Mistake& mistake : all_mistakes()) {
        const auto found = seen.find(&mistake);
        if (found == seen.end() || found->second) continue;
        text += fmt::format("{}: {}\n   {}\n   would show with: {}\n", mistake.key, mistake.formula,
                            mistake.sentence, hint(without_files, &mistake, known, flags));
    }
    deliver(wrapped_lines(text, line_width(flags.output.string())), flags.output.string());
}

}  // namespace

Command power() {
    Command command{
        .order = 118,
        .name = "power",
        .summary = "Which mistakes a test of a layer cannot detect, and what would reveal them.",
        .examples = {{"tracer power attention --seq 3 --dk 2", "What the tutorial's example cannot show."},
                     {"tracer power multihead --heads 2 a.npz b.npz --rtol 1e-3",
                      "A course's test: its inputs and its tolerance."}}};
    return about_model<PowerFlags>(std::move(command), declare, run);
}

}  // namespace glassbox::tracer::commands
