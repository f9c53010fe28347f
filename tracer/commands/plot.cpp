#include <fmt/format.h>

#include <algorithm>

#include <glassbox/io/json.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "cli/output.h"
#include "commands/commands.h"
#include "figures/curves.h"
#include "figures/draw.h"

// `tracer plot`: how training runs went, or how a schedule will go.
namespace tracer {
namespace {

using glassbox::fail;
using glassbox::index_t;
using glassbox::UsageError;

struct Typed {
    std::vector<std::string> files;
    std::string only, schedule, warmup = "100", steps = "2000", rate = "1", d_model = "512";
    std::string color = "auto", format, output;
    bool log = false;
};

const std::vector<std::string> formats{"text", "json", "svg", "png"};

std::vector<std::string> schedule_names() {
    using enum glassbox::ScheduleKind;
    std::vector<std::string> names;
    for (const auto kind : {constant, cosine, cosine_printed, inverse_sqrt})
        names.emplace_back(glassbox::name(kind));
    return names;
}

std::vector<std::string> quantity_names() {
    std::vector<std::string> names;
    for (const Quantity quantity : quantities) names.emplace_back(name(quantity));
    return names;
}

void declare(Options& o, Typed& t) {
    o.arguments("FILE", t.files,
                "The run.jsonl of a training run, or its folder; several stand in one chart.",
                Values::file({".jsonl"}));
    o.value("--only", t.only, "LIST", "Of loss, accuracy, learning-rate, gradient-norm (the first three).",
            Values::list_of(quantity_names()));
    o.flag("--log", t.log, "A logarithmic axis for the loss and for the gradient's norm.");
    o.group("A schedule alone");
    o.value("--schedule", t.schedule, "LIST", "Of constant, cosine, cosine-printed, inverse-sqrt.",
            Values::list_of(schedule_names()));
    o.value("--warmup", t.warmup, "N", "Steps of warm-up (100).");
    o.value("--steps", t.steps, "N", "Steps of the run (2000).");
    o.value("--rate", t.rate, "X", "The highest learning rate; of inverse-sqrt a factor (1).");
    o.value("--dmodel", t.d_model, "N", "For inverse-sqrt (512).");
    o.group("Shown");
    o.value("--color", t.color, "WHEN", "auto, always or never.",
            Values::one_of({"auto", "always", "never"}));
    o.value("--format", t.format, "NAME", "text, json, svg or png (by the ending of -o, else text).",
            Values::one_of(formats));
    o.value("-o,--output", t.output, "FILE", "Writes there, whole or not at all.",
            Values::file({".svg", ".png", ".json", ".txt"}));
}

struct Declared {
    Typed typed;
    Options options{
        "plot",
        "Loss, accuracy and learning rate of training runs, step by step; or a schedule alone.",
        {{"tracer plot runs/reverse/run.jsonl", "A run on the terminal; it may still be going on."},
         {"tracer plot runs/warm runs/cold --only loss --log", "Two runs in one chart."},
         {"tracer plot runs/reverse -o run.svg", "A figure; or run.png, or run.json with the points."},
         {"tracer plot --schedule cosine-printed", "The tutorial's figure of its learning rate."},
         {"tracer plot --schedule cosine,cosine-printed --warmup 500", "What differs between the two."}}};
    Declared() { declare(options, typed); }
};

// ---- what is to be drawn -------------------------------------------------------------------------------

std::vector<Quantity> wanted(const Typed& t) {
    if (!t.schedule.empty()) return {Quantity::learning_rate};
    if (t.only.empty()) return {Quantity::loss, Quantity::accuracy, Quantity::learning_rate};
    const std::vector<std::string> names = quantity_names();
    std::vector<Quantity> result;
    for (const std::string& word : comma_list(t.only)) {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end())
            fail<UsageError>("--only: {} expected, got '{}'{}", either(names), word,
                             did_you_mean(word, names));
        const Quantity quantity = quantities[found - names.begin()];
        if (std::find(result.begin(), result.end(), quantity) == result.end()) result.push_back(quantity);
    }
    return result;
}

void check(const Options& o, const Typed& t) {
    if (t.schedule.empty()) {
        if (t.files.empty())
            fail<UsageError>("tracer plot: a run.jsonl, or --schedule, expected, got nothing");
        for (const char* option : {"--warmup", "--steps", "--rate", "--dmodel"})
            if (o.given(option)) fail<UsageError>("{}: goes with --schedule; a run has its own", option);
        const std::vector<Quantity> shown = wanted(t);
        if (t.log && std::none_of(shown.begin(), shown.end(), [](Quantity each) {
                return each == Quantity::loss || each == Quantity::gradient_norm;
            }))
            fail<UsageError>("--log: is of loss and gradient-norm, and --only {} leaves them out", t.only);
        return;
    }
    if (!t.files.empty()) fail<UsageError>("--schedule: shows a schedule alone, without '{}'", t.files[0]);
    for (const char* option : {"--only", "--log"})
        if (o.given(option)) fail<UsageError>("{}: goes with runs, not with --schedule", option);
    const std::vector<std::string> kinds = comma_list(t.schedule);
    const auto has = [&](const char* kind) {
        return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    if (o.given("--dmodel") && !has("inverse-sqrt"))
        fail<UsageError>("--dmodel: is of inverse-sqrt, and --schedule {} has none", t.schedule);
    if (o.given("--warmup") && t.schedule == "constant")
        fail<UsageError>("--warmup: goes with a schedule that rises, not with constant");
}

std::vector<Curves> read_runs(const Typed& t) {
    std::vector<Curves> runs;
    for (const std::string& file : t.files) runs.push_back(curves_of_run(file));
    name_runs(runs, t.files);
    if (std::none_of(runs.begin(), runs.end(), [](const Curves& run) { return run.has_points(); }))
        fail<glassbox::FileError>("{}: no steps yet: nothing to draw", fmt::join(t.files, ", "));
    return runs;
}

std::vector<Curves> computed(const Typed& t) {
    glassbox::ScheduleConfig config;
    config.warmup = whole_number("--warmup", t.warmup, 0);
    config.steps = whole_number("--steps", t.steps, 1, 10'000'000);
    config.rate = real_number("--rate", t.rate, 0);
    config.d_model = whole_number("--dmodel", t.d_model, 1);
    std::vector<Curves> result;
    for (const std::string& kind : comma_list(t.schedule)) {
        config.kind = glassbox::parse_schedule(kind);
        check(config);
        result.push_back(curves_of_schedule(config));
    }
    return result;
}

Figure figure_of(const std::vector<Curves>& runs, const Typed& t) {
    const bool is_schedule = !t.schedule.empty();
    Figure figure = curves_figure(runs, wanted(t), t.log, is_schedule ? "updates made before" : "step");
    if (figure.rows.empty())
        fail<glassbox::FileError>("{}: no finite {} in it", fmt::join(t.files, ", "),
                                  t.only.empty() ? "number" : either(comma_list(t.only)));
    if (is_schedule) {
        figure.title = fmt::format("Schedule over {} steps, {} of them warm-up", t.steps, t.warmup);
        if (runs.size() == 1) figure.title = runs[0].name + ": " + figure.title;
    }
    return figure;
}

// ---- json ----------------------------------------------------------------------------------------------

std::string json_of(const std::vector<Curves>& runs, const std::vector<Quantity>& quantities_wanted) {
    std::string text = "{\"schema\": 1, \"command\": \"plot\", \"series\": [";
    const char* between = "\n ";
    for (const Curves& run : runs)
        for (const Curve& curve : run.all) {
            if (std::find(quantities_wanted.begin(), quantities_wanted.end(), curve.quantity) ==
                quantities_wanted.end())
                continue;
            text += fmt::format("{}{{\"run\": {}, \"quantity\": \"{}\", \"of\": \"{}\", \"steps\": [",
                                between, glassbox::json_string(run.name), name(curve.quantity), curve.of);
            const char* comma = "";
            std::string values;
            for (const Chart::Point& point : curve.points) {
                text += fmt::format("{}{:.0f}", comma, point.x);
                values += comma + glassbox::json_number(point.y);
                comma = ", ";
            }
            text += "], \"values\": [" + values + "]}";
            between = ",\n ";
        }
    text += "\n], \"notes\": [";
    const char* comma = "";
    for (const Curves& run : runs)
        for (const std::string& note : run.notes) {
            text += comma + glassbox::json_string(run.name + ": " + note);
            comma = ", ";
        }
    return text + "]}\n";
}

// What --format says, else the ending of -o.
std::string format_of_plot(const Typed& t) {
    std::string chosen = t.format;
    for (const std::string& format : formats)
        if (chosen.empty() && t.output.ends_with("." + format)) chosen = format;
    if (chosen.empty()) chosen = "text";
    check_ending(chosen, t.output);
    return chosen;
}

}  // namespace

std::shared_ptr<const Options> plot_options() {
    const auto declared = std::make_shared<const Declared>();
    return {declared, &declared->options};
}

void run_plot(const Arguments& arguments) {
    Declared declared;
    const Typed& t = declared.typed;
    if (!declared.options.parse(arguments)) return;
    check(declared.options, t);
    const std::string format = format_of_plot(t);
    const std::vector<Quantity> quantities_wanted = wanted(t);
    const std::vector<Curves> runs = t.schedule.empty() ? read_runs(t) : computed(t);
    const Figure figure = figure_of(runs, t);
    if (format == "json") deliver(json_of(runs, quantities_wanted), t.output);
    else if (format == "svg") deliver(draw_svg(figure), t.output);
    else if (format == "png") deliver_bytes(glassbox::as_text(draw_png(figure)), t.output);
    else deliver(draw_terminal(figure, wants_color(t.color, t.output), terminal_width(t.output)), t.output);
}

}  // namespace tracer
