#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/mistakes/power.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "cli/heartbeat.h"
#include "cli/number.h"
#include "cli/output.h"
#include "commands/shared/model_command.h"
#include "commands/shared/probe_options.h"
#include "report/step_reports.h"

// Makes an input that separates a layer's mistakes: all sizes different, masks, a batch with large and with
// small numbers, weights and biases that are nowhere 0 or 1.
namespace glassbox::tracer::commands {
namespace {

// Batch entries of usual, large and small numbers: saturated weights, and rows of low variance, which show ε.
Tensor spread(const Tensor& x) {
    if (x.rank() < 3) return x;
    std::vector<Tensor> entries;
    const double sizes[] = {1, 3, 0.05};
    for (index_t i = 0; i < x.size(0); ++i) entries.push_back(slice(x, 0, i, i + 1) * sizes[i % 3]);
    return concat(entries, 0);
}

// (V, V), 1 where i is followed by 3 i + first: most words are, one after the other, so that many are
// written.
Tensor next_of_each(index_t V, index_t first) {
    std::vector<real> next;
    for (index_t i = 0; i < V; ++i) next.push_back(static_cast<real>((3 * i + first) % V));
    return one_hot(Tensor({V}, next), V);
}

// The last feature is negative everywhere: its largest number is not that of padding set to 0, nor of a
// search that starts at 0.
Tensor with_negative_feature(const Tensor& x) {
    const index_t d = x.size(-1);
    return x - one_hot(Tensor({1}, {static_cast<real>(d - 1)}), d) * 12;
}

bool has_step(NamedModel& model, std::string_view name) {
    Trace trace;
    model.subject().forward();
    return std::any_of(trace.steps().begin(), trace.steps().end(),
                       [&](const Trace::Step& step) { return step.info && step.info->name == name; });
}

// (V, 1), which changes no probability, but shows where scores are added in place of their logarithms.
Tensor level_of_each(index_t V) {
    std::vector<real> levels;
    for (index_t i = 0; i < V; ++i) levels.push_back(static_cast<real>(i * i % 5) - 2);
    return Tensor({V, 1}, levels);
}

// Scores of what follows each word, in which one is likelier. Searched: how much, and after which, so that
// the most mistakes show in what is written; and not 0 first, which a softmax over one row gives, too.
Tensor with_likely_words(NamedModel& model, const Tensor& table) {
    const bool has_beams = has_step(model, "parent");
    const index_t V = table.size(0);
    return has_beams ? table + next_of_each(V, 2) * 1.4 + level_of_each(V) : table + next_of_each(V, 3) * 1.5;
}

// How many mistakes show in the result.
index_t shown(NamedModel& model) {
    const auto power = test_power(model.subject().computation());
    return std::count_if(power.begin(), power.end(), [](const MistakePower& each) { return each.is_seen; });
}

// Of the table with its columns in turned orders, and with lower scores, the one by which the most mistakes
// show: what beams keep depends on little, and a penalty acts otherwise on a score below 0.
void choose_words(NamedModel& model, Tensor& table) {
    const Tensor drawn = table;
    const index_t V = drawn.size(0), orders = std::min<index_t>(V, 12);
    const std::vector<double> levels =
        has_step(model, "penalised") ? std::vector<double>{0, -1.5, -3} : std::vector<double>{0};
    Tensor best;
    index_t most = -1;
    for (const double level : levels)
        for (index_t by = 0; by < orders; ++by) {
            const Tensor turned =
                by == 0 ? drawn : concat({slice(drawn, 1, by, V), slice(drawn, 1, 0, by)}, 1);
            table = with_likely_words(model, turned) + level;
            if (const index_t count = shown(model); count > most) most = count, best = table;
        }
    table = best;
}

// The token that ends a sequence; −1 without one.
index_t end_of(const NamedModel& model) {
    for (const Options::Described& each : model.options().described())
        if (each.name() == "--end" && !each.value().empty()) return std::stoll(each.value());
    return -1;
}

// Word i of the table becomes word names[i].
Tensor renamed(const Tensor& table, const std::vector<index_t>& names) {
    const Tensor to =
        one_hot(Tensor({table.size(0)}, std::vector<real>(names.begin(), names.end())), table.size(0));
    return matmul(matmul(contiguous(transpose(to)), table), to);
}

// Seven words, of which 2 ends a sequence and 4 begins it. Searched: two or three beams complete a short, a
// middle and a long sequence, and with the length penalty the middle one wins, without it the short one, and
// with more of it the long one, however beams are pruned; and no greedy choice leads there.
constexpr real to_the_end[7][7] = {
    {0, 2.9, 1.9, 1.7, -0.5, -0.4, -0.5},     {-2.2, -3, -2.8, 3, -0.7, -2.2, -0.9},
    {-0.1, -1.5, -3, 3, -0.8, 2.2, -2.3},     {-2.6, 1.2, 1.6, -2.2, -0.5, 1.1, 1.5},
    {-0.7, -0.3, -1.7, -0.2, -2.5, -2, -1.9}, {-3, -0.4, -2.2, 0.2, 1.2, 1.7, 0.6},
    {0.6, -2.3, 3, -0.4, -2.2, -3, -0.7}};

// The numbers of a table's first row, which are drawn, say which of the other words is which.
Tensor with_an_end(const Tensor& table, index_t prompt, index_t end) {
    const index_t V = table.size(0);
    std::vector<real> numbers(static_cast<std::size_t>(V * V), -9);
    for (std::size_t i = 0; i < 7; ++i)
        std::copy(std::begin(to_the_end[i]), std::end(to_the_end[i]),
                  numbers.begin() + static_cast<index_t>(i) * V);
    std::vector<index_t> left, names;
    for (index_t i = 0; i < V; ++i)
        if (i != prompt && i != end) left.push_back(i);
    std::sort(left.begin(), left.end(), [&](index_t a, index_t b) {
        return table.at({0, a}) < table.at({0, b});
    });
    for (index_t i = 0, at = 0; i < V; ++i)
        names.push_back(i == 2 ? end : i == 4 ? prompt : left[static_cast<std::size_t>(at++)]);
    return renamed(Tensor({V, V}, numbers), names);
}

// The fourth word that is written becomes the end.
Tensor with_end_soon(const Tensor& table, index_t prompt, index_t end) {
    index_t last = prompt;
    for (int n = 0; n < 4; ++n) last = argmax(slice(table, 0, last, last + 1), -1)[0];
    std::vector<index_t> names(static_cast<std::size_t>(table.size(0)));
    std::iota(names.begin(), names.end(), 0);
    std::swap(names[static_cast<std::size_t>(last)], names[static_cast<std::size_t>(end)]);
    return renamed(table, names);
}

void set_words(NamedModel& model, Tensor& table) {
    const index_t end = end_of(model);
    const auto prompt = static_cast<index_t>(model.input()["prompt"].values().back());
    const bool has_beams = has_step(model, "parent");
    if (end < 0 && (has_beams || has_step(model, "penalised"))) choose_words(model, table);
    else if (end < 0) table = with_likely_words(model, table);
    else if (has_beams && table.size(0) >= 7 && prompt != end) table = with_an_end(table, prompt, end);
    else table = with_end_soon(with_likely_words(model, table), prompt, end);
}

// Words that both repeat, at other places, and one that only the translation does.
void set_sentences(NamedModel& model) {
    for (const char* flag : {"--translation", "--reference", "--input"})
        if (model.options().given(flag)) return;
    model.input().set("translation", Tensor({8}, {1, 2, 3, 4, 1, 2, 5, 3}));
    model.input().set("reference", Tensor({9}, {6, 1, 2, 3, 4, 1, 2, 7, 8}));
}

void make_general(NamedModel& model) {
    if (model.name() == "bleu") set_sentences(model);
    draw_hiding_parameters(model.subject(), model.settings().seed + 1, 0.3, 0.1);
    for (auto& [name, value] : model.input().arrays)
        if (model.name() == "pooling") value = with_negative_feature(spread(value));
        else if (name == "x" || name == "memory" || name == "Q" || name == "K") value = spread(value);
        else if (name == "table") set_words(model, value);
        else if (name == "gradients" || name == "left") value = value * 6;   // clearly too long
        else if (name == "time") value = value * value * 0.3 + value + 0.7;  // not evenly spaced
}

// Whether one input shows only a part of the mistakes: a gradient is too long, or it is not.
bool has_other(const NamedModel& model) {
    return model.name() == "clip" || model.name() == "training-step" || model.name() == "bleu";
}

// A gradient that is short enough; a translation that is longer than its reference.
void make_other(NamedModel& model) {
    if (!has_other(model))
        fail<UsageError>(
            "--other: requires clip, training-step or bleu; one input of {} shows all mistakes that can show",
            model.name());
    Trace trace;
    model.subject().forward();
    for (auto& [name, value] : model.input().arrays)
        if (name == "gradient") value = value * trace["factor"] * 0.5;
        else if (name == "gradients" || name == "left") value = value * trace["clip/factor"] * 0.1;
    if (model.name() == "bleu")
        std::swap(model.input().arrays.at(0).second, model.input().arrays.at(1).second);
}

// For the first attention: 1 is seen.
std::optional<Tensor> mask_of(NamedModel& model) {
    Trace trace;
    model.subject().forward();
    for (const Trace::Step& step : trace.steps()) {
        const Operation* operation = trace.operation_of(step.made);
        const bool is_mask = operation && step.info && operation->op == std::string_view("masked_fill");
        if (!is_mask || step.info->name != std::string_view("masked")) continue;
        Tensor mask = operation->inputs[1];
        if (mask.rank() == 4 && mask.size(1) == 1) mask = select(mask, 1, 0);
        return contiguous(mask);
    }
    return {};
}

std::string lengths(const std::vector<index_t>& all) { return fmt::format("{}", fmt::join(all, ",")); }

// "tracer", "check", "multihead", "--heads", "3", …, "FILE"
Arguments check_words(NamedModel& model, const std::string& file) {
    std::vector<std::string> without{"--output", "--format", "--other", "--seed", "--rng"};
    if (!model.settings().weights.empty()) without.push_back("--weights");  // the probe holds its own
    const ModelInput& input = model.input();
    if (!input.arrays.empty())
        for (const std::string& flag : probe_sizes()) without.push_back(flag);
    // Its weights are inputs, which have an axis for the heads.
    const bool is_attention = model.name() == "attention";
    if (is_attention) without.insert(without.end(), {"--heads", "--din", "--da", "--no-bias"});
    Arguments words{"tracer", "check", model.name()};
    const Arguments typed = model.typed_words(without);
    words.insert(words.end(), typed.begin(), typed.end());
    const auto add = [&](const char* flag, const std::string& value) {
        words.insert(words.end(), {flag, value});
    };
    const auto& shared = model.command().options.shared;
    const bool takes_lengths = std::find(shared.begin(), shared.end(), "--lengths") != shared.end();
    if (!input.lengths.empty() && takes_lengths) add("--lengths", lengths(input.lengths));
    if (!input.target_lengths.empty()) add("--target-lengths", lengths(input.target_lengths));
    if (!input.arrays.empty()) add("--input", file);
    const bool has_weights = !is_attention && !model.subject().parameters().entries().empty();
    if (has_weights) add("--weights", file);
    words.emplace_back("FILE");
    return words;
}

std::string shell_line(const Arguments& words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
    return line;
}

// What a program needs to check with it; without the power, which takes the longest.
std::string as_json(NamedModel& model, const ProbeOptions& own, const NamedTensors& arrays,
                    std::size_t parameters) {
    std::vector<std::string> inputs, weights;
    for (std::size_t i = 0; i < arrays.size(); ++i)
        (i + parameters < arrays.size() ? inputs : weights).push_back(arrays[i].first);
    const Arguments words = check_words(model, own.output.string());
    Trace trace;
    model.subject().forward();
    JsonObject json{{"schema", 1},
                    {"command", "probe"},
                    {"layer", model.name()},
                    {"inputs", inputs},
                    {"parameters", weights},
                    {"other", has_other(model)},
                    {"check", shell_line(words)},
                    {"words", words}};
    json.add_line("options", probe_options_json(model, trace));
    return json.add_line("facts", probe_facts(model, trace, arrays)).text() + "\n";
}

// The steps that the result is computed from, itself among them.
std::set<const StepInfo*> steps_behind(const Trace& trace, const Tensor& result) {
    const std::set<Tensor::Id> all = behind(trace, {result});
    std::set<const StepInfo*> steps;
    for (const Trace::Step& step : trace.steps())
        if (step.info && all.count(step.value.id())) steps.insert(step.info);
    return steps;
}

std::string power_text(NamedModel& model) {
    const Subject& subject = model.subject();
    const Activity doing("trying every mistake");
    const auto power = test_power(subject.computation());
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
    std::string text = fmt::format("The last array, {}, shows {} of {} mistakes possible in it",
                                   subject.result, seen, seen + hidden.size());
    if (!hidden.empty()) text += fmt::format("; not {}, which need the steps", fmt::join(hidden, ", "));
    if (beside > 0)
        text +=
            fmt::format(". It does not depend on {}, in which {} more are possible: submit those steps too",
                        fmt::join(others, ", "), beside);
    return text + ".\n";
}

void run(const Arguments& arguments) {
    ProbeOptions own;
    NamedModel model = probed_model(arguments, own);
    if (!model.is_wanted()) return;
    check_known_ending(own.output, {".npz"});
    if (own.output.empty())
        fail<UsageError>("probe: expected -o FILE.npz, where to write the input and the weights");
    if (!model.settings().input.empty())
        fail<UsageError>("--input: tracer probe makes the input: leave it out");
    (void)model.subject();
    make_general(model);
    if (own.other) make_other(model);
    NamedTensors arrays;
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
    write_npz(own.output, arrays);
    if (own.format == DataFormat::json) return write_out(as_json(model, own, arrays, weights.size()));
    write_out(fmt::format(
        "{}: {}{}\nCheck a submission, all steps by name or the last array alone:\n   {}\n{}",
        own.output.string(), listed.empty() ? "nothing, as the options say all" : listed,
        weights.empty() ? ""
                        : fmt::format(", and {}", counted(static_cast<index_t>(weights.size()), "parameter")),
        shell_line(check_words(model, own.output.string())), power_text(model)));
}

}  // namespace

Command probe() {
    Command command{
        .order = 116,
        .name = "probe",
        .summary = "Creates an input and weights that tell a layer's mistakes apart.",
        .examples = {{"tracer probe multihead -o probe.npz",
                      "Input, mask and weights for an exercise, without answers."},
                     {"tracer probe encoder-block --seed 7 -o anna.npz", "Other numbers for each student."}}};
    return about_model<ProbeOptions>(std::move(command), declare_probe, run);
}

}  // namespace glassbox::tracer::commands
