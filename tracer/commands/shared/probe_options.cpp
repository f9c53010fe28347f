#include "commands/shared/probe_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

namespace glassbox::tracer {
namespace {

void declare_own(Options& o, ProbeOptions& own) {
    o.group("Probe");
    o.value("-o,--output", own.output,
            {.help = "Write the input, the mask and the weights to this file",
             .value_name = "FILE.npz",
             .endings = {".npz"}});
    o.value("--format", own.format, {.help = "Output format of what is printed", .default_text = "text"});
    o.flag("--other", own.other,
           "Make another input, if one cannot show all mistakes: of clip and training-step a short gradient, "
           "of bleu a "
           "long translation");
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
                                {"--decay", "6", false},
                                {"--updates", "20", false},
                                {"--words", "7", true},
                                {"--prompt", "1,4", true},
                                {"--tokens", "6", false},
                                {"--batches", "3", true},
                                {"--parameters", "5", true},
                                {"--training", "8", false},
                                {"--temperature", "0.7", false},
                                {"--top-k", "4", false},
                                {"--top-p", "0.8", false},
                                {"--repetition-penalty", "1.5", false},
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
NamedModel probed(const Arguments& arguments, ProbeOptions& own) {
    return {"probe", arguments, [&](Options& o) {
                declare_own(o, own);
                if (layer_has(arguments, "--seed")) return;
                o.value("--seed", own.seed,
                        {.help = "Seed, for numbers other than the default", .default_text = "none"});
            }};
}

// Whether the command takes this option beside those that were typed: no --momentum with adam.
bool goes_with(const Arguments& typed, const Default& option) {
    Arguments all = typed;
    all.insert(all.end(), {option.flag, option.value});
    try {
        ProbeOptions ignored;
        (void)probed(all, ignored);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

// What was typed after these, which it wins over.
Arguments with(const std::vector<Arguments>& some, const Arguments& typed) {
    Arguments all{typed[0]};
    for (const Arguments& each : some) all.insert(all.end(), each.begin(), each.end());
    all.insert(all.end(), typed.begin() + 1, typed.end());
    return all;
}

// Whether there is such a layer, and it takes its input.
bool computes(const Arguments& arguments) {
    try {
        ProbeOptions ignored;
        probed(arguments, ignored).subject().forward();
        return true;
    } catch (const Error&) {
        return false;
    }
}

// Replaces the defaults of a layer without random numbers, by this seed: other updates, again at the start
// and the end of the warm-up, within it and after it; and each sentence's words in another order.
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
    ProbeOptions ignored;
    const NamedModel model = probed(all, ignored);
    const Options& options = model.options();
    // If the memory has no lengths, its positions are the keys, which --lengths counts.
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
    ProbeOptions own;
    (void)probed(arguments, own);  // for its seed
    std::vector<Arguments> all;
    for (const Default& each : defaults) {
        const std::string flag = each.flag;
        const bool is_text = flag == "--text" || flag == "--target";
        if (!has(options, flag) || (takes_text ? flag == "--mask" : is_text)) continue;
        if (has_weights && comes_from_weights(flag)) continue;
        if (flag == "--dmodel" && settings.d_model.value == 0) continue;  // no axis of the input
        const bool has_seq = std::any_of(arguments.begin(), arguments.end(),
                                         [](const std::string& word) { return word.starts_with("--seq"); });
        if (flag == "--keys" && has_seq) continue;                    // as many
        if (flag == "--memory" && !settings.memory) continue;         // self-attention
        if (flag == "--epsilon" && has(options, "--norm")) continue;  // a block's code has the usual one
        if (flag == "--din" && settings.d_in.value == 0) continue;    // as --dmodel
        const bool is_of_heads = flag == "--heads" || flag == "--dmodel" || flag == "--din";
        if (is_of_heads && has(options, "--dk")) continue;  // attention of Q, K and V themselves
        if (!goes_with(with(all, arguments), each)) continue;
        // Only attention has a query that sees all keys of the longest sequence.
        const bool is_drawn = own.seed && (flag == "--at" || is_text);
        const bool is_seq = flag == "--seq";
        all.push_back({flag, is_drawn                               ? drawn(each, *own.seed)
                             : is_seq && has(options, "--dk")       ? "6"
                             : is_seq && has(options, "--training") ? "11"  // of a series
                                                                    : each.value});
    }
    return all;
}

// The layer's name, the defaults, and what was typed, which wins.
Arguments joined(const std::vector<Arguments>& fitting, const Arguments& arguments) {
    Arguments all = with(fitting, arguments);
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
    return all;  // wrong input: its own error is enough
}

}  // namespace

void declare_probe(Options& o, ProbeOptions& own) {
    declare_layer(o, "probe", own.layer);
    declare_own(o, own);
}

NamedModel probed_model(const Arguments& arguments, ProbeOptions& own) {
    return probed(with_defaults(arguments), own);
}

std::vector<std::string> probe_sizes() {
    std::vector<std::string> flags;
    for (const Default& each : defaults)
        if (each.is_size) flags.emplace_back(each.flag);
    return flags;
}

}  // namespace glassbox::tracer
