#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include <glassbox/io/json.h>
#include <glassbox/io/npz.h>
#include <glassbox/mistakes/power.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "cli/data_format.h"
#include "cli/heartbeat.h"
#include "cli/output.h"
#include "cli/plural.h"
#include "commands/shared/named_model.h"
#include "report/ids.h"
#include "subject/general_parameters.h"

// Makes an input that tells a layer's mistakes apart: all sizes different, masks, a batch with large and with
// small numbers, weights and biases that are nowhere 0 or 1.
namespace tracer::commands {
namespace probe_cpp {
namespace {

using glassbox::fail;
using glassbox::Trace;
using glassbox::UsageError;

struct Own {
    std::string layer;
    std::filesystem::path output;
    DataFormat format = DataFormat::text;
    bool other = false;
    std::optional<std::uint64_t> seed;  // of a layer that draws nothing itself
};

void declare_own(Options& o, Own& own) {
    o.group("Probe");
    o.value("-o,--output", own.output,
            {.help = "Write the input, the mask and the weights to this file",
             .value_name = "FILE.npz",
             .endings = {".npz"}});
    o.value("--format", own.format, {.help = "Output format of what is printed", .default_text = "text"});
    o.flag("--other", own.other,
           "Make another input, where one cannot show all mistakes: of clip a short gradient");
}

void declare(Options& o, Own& own) {
    o.argument("LAYER", own.layer,
               {.help = "The layer or model, with its options: tracer probe multihead --help lists them",
                .words_only = true,
                .words = model_names()});
    declare_own(o, own);
}

struct Default {
    const char *flag, *value;
    bool is_size;  // comes from the arrays when the probe is read
};
constexpr Default defaults[] = {{"--seq", "5", true},
                                {"--batch", "3", true},
                                {"--keys", "5", true},
                                {"--memory", "6", true},
                                {"--dk", "4", true},
                                {"--dv", "7", true},
                                {"--da", "8", true},
                                {"--dmodel", "12", true},
                                {"--din", "9", true},
                                {"--dff", "7", true},
                                {"--layers", "2", true},
                                {"--classes", "8", true},
                                {"--width", "4", true},
                                {"--heads", "3", false},
                                {"--mask", "causal", false},
                                {"--rows", "4", true},
                                {"--columns", "3", true},
                                {"--label-smoothing", "0.1", false},
                                {"--max-norm", "0.8", false},  // shorter than the gradient, and not 1
                                {"--optimiser", "adamw", false},
                                {"--update", "3", false},
                                {"--rate", "0.1", false},
                                {"--beta1", "0.8", false},
                                {"--beta2", "0.7", false},
                                {"--epsilon", "0.05", false},
                                {"--momentum", "0.8", false},
                                {"--weight-decay", "0.2", false},
                                {"--factor", "0.5", false},
                                {"--warmup", "4", false},
                                {"--updates", "20", false},
                                {"--at", "1,3,4,9,17", true},  // in the warm-up, and after it
                                {"--text", "b d|a b c d e|c a e d", true},
                                {"--target", "y|x y z|z x y w", true}};

bool has(const Options& options, const std::string& flag) {
    const auto& all = options.described();
    return std::any_of(all.begin(), all.end(), [&](const Options::Described& option) {
        const auto flags = option.all_flags();
        return std::find(flags.begin(), flags.end(), flag) != flags.end();
    });
}

// Whether the layer that the arguments name has this option itself.
bool layer_has(const Arguments& arguments, const std::string& flag) {
    ModelCommand command = model_named("probe", arguments);
    Options options("probe", "", {});
    declare_model(options, command.defaults, command.options);
    return has(options, flag);
}

// The layer that the arguments name, with the options of this command.
NamedModel probed(const Arguments& arguments, Own& own) {
    return {"probe", arguments, [&](Options& o) {
                declare_own(o, own);
                if (layer_has(arguments, "--seed")) return;
                o.value("--seed", own.seed,
                        {.help = "Seed of other numbers than the usual ones", .default_text = "none"});
            }};
}

// Whether the command takes this option beside those that were typed: no --momentum with adam.
bool goes_with(const Arguments& typed, const Default& option) {
    Arguments all = typed;
    all.insert(all.end(), {option.flag, option.value});
    try {
        Own ignored;
        (void)probed(all, ignored);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

// Whether there is such a layer, and it takes its input.
bool computes(const Arguments& arguments) {
    try {
        Own ignored;
        probed(arguments, ignored).subject().forward();
        return true;
    } catch (const glassbox::Error&) {
        return false;
    }
}

// What a layer without random numbers is given in place of its default, by this seed: other updates, again at
// the start and the end of the warm-up, within it and after it; and the words of each sentence in another
// order.
std::string drawn(const Default& option, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    if (option.flag == std::string_view("--at"))
        return fmt::format("1,{},4,{},{}", 2 + below(2), 5 + below(8), 13 + below(7));
    std::string words, sentences;
    for (const char c : std::string_view(option.value))
        if (c != ' ' && c != '|' && words.find(c) == words.npos) words += c;
    std::string left;
    for (const char c : std::string_view(option.value)) {
        if (c == '|' || left.empty()) left = words;
        if (c == ' ' || c == '|') {
            sentences += c;
            continue;
        }
        const std::size_t chosen = below(left.size());
        sentences += left[chosen];
        left.erase(chosen, 1);
    }
    return sentences;
}

// How many positions are left out at the end of each sequence of a batch, and again from the first on.
struct DefaultLengths {
    const char *flag, *longest;
    std::array<index_t, 3> left_out;
};
constexpr DefaultLengths default_lengths[] = {{"--lengths", "--seq", {1, 0, 3}},
                                              {"--memory-lengths", "--memory", {3, 0, 1}}};

// The value of an option that has one, typed or by default; 0 without.
index_t size_of(const Options& options, const std::string& flag) {
    for (const Options::Described& each : options.described()) {
        const auto flags = each.all_flags();
        const std::string value = each.value();
        if (std::find(flags.begin(), flags.end(), flag) != flags.end() && !value.empty())
            return std::stoll(value);
    }
    return 0;
}

// Lengths that fit the sequences, unless they were typed: "4,5,2" of three with 5 positions.
void add_lengths(Arguments& all) {
    Own ignored;
    const NamedModel model = probed(all, ignored);
    const Options& options = model.options();
    // Where the memory has no lengths of its own, its positions are the keys, which --lengths counts.
    const bool are_of_memory = !has(options, "--memory-lengths") && size_of(options, "--memory") > 0;
    for (const DefaultLengths& each : default_lengths) {
        const index_t longest = size_of(options, are_of_memory ? "--memory" : each.longest);
        if (!has(options, each.flag) || options.given(each.flag) || longest == 0) continue;
        std::vector<index_t> lengths;
        for (index_t i = 0; i < size_of(options, "--batch"); ++i)
            lengths.push_back(std::max<index_t>(1, longest - each.left_out[static_cast<std::size_t>(i % 3)]));
        if (!lengths.empty()) all.insert(all.end(), {each.flag, fmt::format("{}", fmt::join(lengths, ","))});
    }
}

bool comes_from_weights(const std::string& flag) {
    const char* const sizes[] = {"--dmodel", "--din", "--dff", "--layers", "--classes", "--width"};
    return std::find(std::begin(sizes), std::end(sizes), flag) != std::end(sizes);
}

bool asks_help(const Arguments& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [](const std::string& word) { return word == "--help" || word == "-h"; });
}

// The flags and values of the defaults that go with what was typed.
std::vector<Arguments> fitting_defaults(const Arguments& arguments) {
    ModelCommand command = model_named("probe", arguments);
    ModelSettings settings = command.defaults;
    Options options("probe", "", {});
    declare_model(options, settings, command.options);
    const bool takes_text = !has(options, "--seq");
    const bool has_weights = std::find(arguments.begin(), arguments.end(), "--weights") != arguments.end();
    Own own;
    (void)probed(arguments, own);  // for its seed
    std::vector<Arguments> all;
    for (const Default& each : defaults) {
        const std::string flag = each.flag;
        const bool is_text = flag == "--text" || flag == "--target";
        if (!has(options, flag) || (takes_text ? flag == "--mask" : is_text)) continue;
        if (has_weights && comes_from_weights(flag)) continue;
        if (flag == "--dmodel" && settings.d_model.value == 0) continue;  // no axis of the input
        if (flag == "--memory" && !settings.memory) continue;             // self-attention
        if (flag == "--din" && settings.d_in.value == 0) continue;        // as --dmodel
        const bool is_of_heads = flag == "--heads" || flag == "--dmodel" || flag == "--din";
        if (is_of_heads && has(options, "--dk")) continue;  // attention of Q, K and V themselves
        if (!goes_with(arguments, each)) continue;
        // Attention alone has a query that sees all keys of the longest sequence.
        const bool is_drawn = own.seed && (flag == "--at" || is_text);
        all.push_back({flag, is_drawn                                  ? drawn(each, *own.seed)
                             : has(options, "--dk") && flag == "--seq" ? "6"
                                                                       : each.value});
    }
    return all;
}

// The layer's name, the defaults, and what was typed, which wins.
Arguments joined(const std::vector<Arguments>& fitting, const Arguments& arguments) {
    Arguments all{arguments[0]};
    for (const Arguments& each : fitting) all.insert(all.end(), each.begin(), each.end());
    all.insert(all.end(), arguments.begin() + 1, arguments.end());
    if (layer_has(arguments, "--seq")) add_lengths(all);
    return all;
}

Arguments with_defaults(const Arguments& arguments) {
    if (asks_help(arguments)) return arguments;
    const std::vector<Arguments> fitting = fitting_defaults(arguments);
    const Arguments all = joined(fitting, arguments);
    if (computes(all)) return all;
    // A default contradicts what was typed: a causal mask of a token in front, a d_ff that the convention has
    // itself.
    for (std::size_t i = 0; i < fitting.size(); ++i) {
        std::vector<Arguments> fewer = fitting;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (const Arguments without = joined(fewer, arguments); computes(without)) return without;
    }
    return all;  // what was typed is wrong, and says so
}

// Batch entries of usual, large and small numbers: saturated weights, and rows of low variance, which show ε.
Tensor spread(const Tensor& x) {
    if (x.rank() < 3) return x;
    std::vector<Tensor> entries;
    const double sizes[] = {1, 3, 0.05};
    for (index_t i = 0; i < x.size(0); ++i) entries.push_back(slice(x, 0, i, i + 1) * sizes[i % 3]);
    return concat(entries, 0);
}

void make_general(NamedModel& model) {
    draw_hiding_parameters(model.subject(), model.settings().seed + 1, 0.3, 0.1);
    for (auto& [name, value] : model.input().arrays)
        if (name == "x" || name == "memory" || name == "Q" || name == "K") value = spread(value);
        else if (name == "time") value = value * value * 0.3 + value + 0.7;  // not evenly spaced
}

// Whether one input shows only a part of the mistakes: a gradient is too long, or it is not.
bool has_other(const NamedModel& model) { return model.name() == "clip"; }

// A gradient that is short enough.
void make_other(NamedModel& model) {
    if (!has_other(model))
        fail<UsageError>("--other: goes with clip; one input of {} shows all mistakes that can be shown",
                         model.name());
    Trace trace;
    model.subject().forward();
    for (auto& [name, value] : model.input().arrays)
        if (name == "gradient") value = value * trace["factor"] * 0.5;
}

// Of the first attention: 1 is seen.
std::optional<Tensor> mask_of(NamedModel& model) {
    Trace trace;
    model.subject().forward();
    for (const Trace::Step& step : trace.steps()) {
        const glassbox::Operation* operation = trace.operation_of(step.made);
        const bool is_mask = operation && step.info && operation->op == std::string_view("masked_fill");
        if (!is_mask || step.info->name != std::string_view("masked")) continue;
        Tensor mask = operation->inputs[1];
        if (mask.rank() == 4 && mask.size(1) == 1) mask = select(mask, 1, 0);
        return contiguous(mask);
    }
    return {};
}

std::string lengths(const std::vector<index_t>& all) { return fmt::format("{}", fmt::join(all, ",")); }

std::string check_line(NamedModel& model, const std::string& file) {
    std::vector<std::string> without{"--output", "--format", "--other", "--seed", "--rng"};
    if (!model.settings().weights.empty()) without.push_back("--weights");  // the probe holds its own
    const ModelInput& input = model.input();
    for (const Default& each : defaults)
        if (each.is_size && !input.arrays.empty()) without.push_back(each.flag);
    // Its weights are inputs, which have an axis for the heads.
    const bool is_attention = model.name() == "attention";
    if (is_attention) without.insert(without.end(), {"--heads", "--din", "--da"});
    std::string line = fmt::format("tracer check {}{}", model.name(), model.typed(without));
    if (!input.lengths.empty()) line += " --lengths " + lengths(input.lengths);
    if (!input.target_lengths.empty()) line += " --target-lengths " + lengths(input.target_lengths);
    if (!input.arrays.empty()) line += " --input " + file;
    const bool has_weights = !is_attention && !model.subject().parameters().entries().empty();
    return line + (has_weights ? " --weights " + file : "") + " FILE";
}

std::string as_parameter(std::string flag) {
    flag.erase(0, 2);
    std::replace(flag.begin(), flag.end(), '-', '_');
    return flag;
}

// A number, a list of numbers, or a text.
std::string json_value(const std::string& text) {
    for (const std::string& json : {text, "[" + text + "]"})
        if (const auto value = nlohmann::json::parse(json, nullptr, false);
            value.is_number() || (value.is_array() && !value.empty() && value[0].is_number()))
            return json;
    return glassbox::json_string(text);
}

// The operations of this name that made the model's steps.
std::vector<const glassbox::Operation*> operations(const Trace& trace, const char* op) {
    std::vector<const glassbox::Operation*> all;
    for (const Trace::Step& step : trace.steps())
        if (const glassbox::Operation* made = trace.operation_of(step.made);
            made && made->op == std::string_view(op))
            all.push_back(made);
    return all;
}

// What the layer is computed with, by name: its sizes and choices, and ε of its norms.
std::string options_json(NamedModel& model, const Trace& trace) {
    std::string text;
    bool has_epsilon = false;
    const auto add = [&](const std::string& name, const std::string& value) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", glassbox::json_string(name), value);
        has_epsilon = has_epsilon || name == "epsilon";
    };
    for (const Options::Described& each : model.options().described()) {
        if (each.group != "Sizes" && each.group != "Computation") continue;
        const std::string value = each.is_flag() ? "" : each.value();
        if (each.is_flag())
            add(as_parameter(each.name()), model.options().given(each.name()) ? "true" : "false");
        else if (!value.empty() && each.name() != "--mask") add(as_parameter(each.name()), json_value(value));
    }
    const auto norms = operations(trace, "layer_norm");
    if (!has_epsilon && !norms.empty()) add("epsilon", fmt::format("{}", (*norms.front())["epsilon"]));
    return "{" + text + "}";
}

// What else is needed to compute it by hand: in sentences.
std::vector<std::string> facts(NamedModel& model, const Trace& trace, const glassbox::NamedTensors& arrays) {
    std::vector<std::string> all = model.subject().header;
    const auto has_name = [&](const char* part) {
        return std::any_of(arrays.begin(), arrays.end(),
                           [&](const auto& each) { return each.first.find(part) != std::string::npos; });
    };
    if (has_name(".weight")) all.emplace_back("A linear layer is x Wᵀ + b: each weight is (out, in).");
    if (has_name("qkv_proj"))
        all.emplace_back(
            "qkv_proj has the rows of W_Q, W_K and W_V head by head: (h, 3, d_h, d_in), the three of the "
            "first head, "
            "then those of the second.");
    else if (has_name("in_proj"))
        all.emplace_back("in_proj has all rows of W_Q, then all of W_K, then all of W_V: (3, h, d_h, d_in).");
    if (const auto norms = operations(trace, "layer_norm"); !norms.empty())
        all.push_back(
            fmt::format("LayerNorm divides by √(variance + ε), ε = {}.", (*norms.front())["epsilon"]));
    if (const auto gelus = operations(trace, "gelu"); !gelus.empty())
        all.push_back((*gelus.front())["erf"] != 0 ? "GELU(x) = x (1 + erf(x / √2)) / 2."
                                                   : "GELU(x) = x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2.");
    if (has_name("mask")) all.emplace_back("mask: where it is 1 a key is seen, where it is 0 it is hidden.");
    return all;
}

// What a program needs to check with it; without the power, which takes longer than all else.
std::string as_json(NamedModel& model, const Own& own, const glassbox::NamedTensors& arrays,
                    std::size_t parameters) {
    std::vector<std::string> inputs, weights;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        (i + parameters < arrays.size() ? inputs : weights).push_back(arrays[i].first);
    Trace trace;
    model.subject().forward();
    return fmt::format(
        "{{\"schema\": 1, \"command\": \"probe\", \"layer\": {}, \"inputs\": {}, \"parameters\": {}, "
        "\"other\": {}, \"check\": {},\n \"options\": {},\n \"facts\": {}}}\n",
        glassbox::json_string(model.name()), glassbox::json_list(inputs), glassbox::json_list(weights),
        has_other(model) ? "true" : "false",
        glassbox::json_string(check_line(model, shell_word(own.output.string()))), options_json(model, trace),
        glassbox::json_list(facts(model, trace, arrays)));
}

// The steps that the result is computed from, itself among them.
std::set<const glassbox::StepInfo*> steps_behind(const Trace& trace, const Tensor& result) {
    const std::set<Tensor::Id> all = behind(trace, {result});
    std::set<const glassbox::StepInfo*> steps;
    for (const Trace::Step& step : trace.steps())
        if (step.info && all.count(step.value.id())) steps.insert(step.info);
    return steps;
}

std::string power_text(NamedModel& model) {
    const Subject& subject = model.subject();
    const Activity doing("putting in every mistake");
    const auto power = glassbox::test_power({subject.forward, subject.result});
    Trace trace;
    subject.forward();
    const auto of_result = steps_behind(trace, trace[subject.result]);
    std::vector<std::string> hidden,
        others;  // others: steps beside the result, as the loss beside its gradient
    std::size_t seen = 0, beside = 0;
    for (const auto& each : power) {
        const auto& steps = each.mistake->lines.front().at.steps;
        const bool may_show = steps.empty() || std::any_of(steps.begin(), steps.end(), [&](const auto* step) {
                                  return of_result.count(step) > 0;
                              });
        if (each.is_seen) ++seen;
        else if (may_show) hidden.push_back(each.mistake->key);
        else if (++beside; std::find(others.begin(), others.end(), steps.front()->name) == others.end())
            others.emplace_back(steps.front()->name);
    }
    std::string text = fmt::format("The last array, {}, shows {} of {} mistakes that can be made in it",
                                   subject.result, seen, seen + hidden.size());
    if (!hidden.empty()) text += fmt::format("; not {}, which need the steps", fmt::join(hidden, ", "));
    if (beside > 0)
        text += fmt::format(
            ". It is not computed from {}, in which {} more can be made: hand in those steps, too",
            fmt::join(others, ", "), beside);
    return text + ".\n";
}

void run(const Arguments& arguments) {
    Own own;
    NamedModel model = probed(with_defaults(arguments), own);
    if (!model.is_wanted()) return;
    if (own.output.empty())
        fail<UsageError>("probe: -o FILE.npz expected: where to write the input and the weights");
    if (!model.settings().input.empty())
        fail<UsageError>("--input: tracer probe makes the input: leave it out");
    (void)model.subject();
    make_general(model);
    if (own.other) make_other(model);
    glassbox::NamedTensors arrays;
    for (const auto& [name, value] : model.input().arrays) arrays.emplace_back(name, value);
    std::string listed;
    for (const auto& [name, value] : arrays)
        listed += fmt::format("{}{} {}", listed.empty() ? "" : ", ", name, value.shape());
    if (const auto mask = mask_of(model)) {
        arrays.emplace_back("mask", *mask);
        listed += fmt::format(", mask {}", mask->shape());
    }
    const auto weights = model.subject().parameters().to_file(model.settings().convention->file_names());
    arrays.insert(arrays.end(), weights.begin(), weights.end());
    glassbox::write_npz(own.output, arrays);
    if (own.format == DataFormat::json) return write_out(as_json(model, own, arrays, weights.size()));
    write_out(fmt::format(
        "{}: {}{}\nCheck a hand-in, all steps by name or the last array alone:\n   {}\n{}",
        own.output.string(), listed.empty() ? "nothing, as the options say all" : listed,
        weights.empty() ? ""
                        : fmt::format(", and {}", counted(static_cast<index_t>(weights.size()), "parameter")),
        check_line(model, shell_word(own.output.string())), power_text(model)));
}

}  // namespace
}  // namespace probe_cpp

Command probe() {
    using namespace probe_cpp;
    Command command{
        .order = 116,
        .name = "probe",
        .summary = "Makes an input and weights that tell a layer's mistakes apart.",
        .examples = {{"tracer probe multihead -o probe.npz",
                      "Input, mask and weights for an exercise, without answers."},
                     {"tracer probe encoder-block --seed 7 -o anna.npz", "Other numbers for each student."}}};
    return about_model<Own>(std::move(command), declare, run);
}

}  // namespace tracer::commands
