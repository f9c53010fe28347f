#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/data_format.h"
#include "cli/number.h"
#include "cli/output.h"
#include "figures/curves.h"
#include "figures/draw.h"
#include "report/renderer.h"
#include "tasks/task.h"
#include "train/trained_run.h"

// `tracer plot`: the curves of training runs, of a schedule, or of a forecast.
namespace glassbox::tracer::commands {
namespace {

// A figure format, text, JSON, a page, or frames that follow each other.
struct PlotFormat {
    DataFormat data = DataFormat::text;
    const FigureFormat* figure = nullptr;
    bool is_page = false, is_gif = false;

    std::string name() const {
        return is_page ? "html" : is_gif ? "gif" : figure ? figure->name : glassbox::name(data);
    }
};

struct PlotFlags {
    std::vector<std::string> files;
    std::vector<Quantity> only{Quantity::loss, Quantity::accuracy, Quantity::learning_rate};
    std::vector<ScheduleKind> schedules;
    ScheduleConfig schedule{.rate = 1, .warmup = 100, .steps = 2000};
    ColorWhen color = ColorWhen::automatic;
    std::optional<PlotFormat> format;
    std::filesystem::path output;
    bool log = false;
    bool play = false;
    bool forecast = false;
    std::optional<index_t> at;     // of the forecast: a window of the test
    std::filesystem::path series;  // or a file
};

std::vector<std::string> format_names() {
    std::vector<std::string> names = glassbox::words<DataFormat>();
    for (const FigureFormat& format : figure_formats()) names.emplace_back(format.name);
    names.insert(names.end(), {"gif", "html"});
    return names;
}

}  // namespace
}  // namespace glassbox::tracer::commands

namespace glassbox::tracer {

template <>
struct OptionValue<commands::PlotFormat> {
    static constexpr const char* value_name = "NAME";
    static commands::PlotFormat parse(const Typed& typed) {
        const std::string& name = one_of(typed.option, typed.text, commands::format_names());
        for (const FigureFormat& format : figure_formats())
            if (name == format.name) return {DataFormat::text, &format};
        if (name == "html") return {.is_page = true};
        if (name == "gif") return {.is_gif = true};
        return {glassbox::parse<DataFormat>(name)};
    }
    static std::string text(const commands::PlotFormat& format) { return format.name(); }
    static Values values(const OptionInfo&) { return {commands::format_names(), true}; }
};

}  // namespace glassbox::tracer

namespace glassbox::tracer::commands {
namespace {

void declare(Options& o, PlotFlags& flags) {
    o.arguments("FILE", flags.files,
                {.help = "The run.jsonl of a training run, or its folder; several share one chart",
                 .endings = {".jsonl"}});
    o.value("--only", flags.only, {.help = "Quantities to draw"});
    o.flag("--log", flags.log, "Use a logarithmic axis for the loss and the gradient norm");
    o.flag("--play", flags.play,
           "Play how the attention maps formed, epoch by epoch: an SVG file that moves");
    o.group("Schedules");
    o.value("--schedule", flags.schedules, {.help = "Schedules to draw"});
    o.value("--warmup", flags.schedule.warmup, {.help = "Number of warm-up steps", .min = 0});
    o.value("--steps", flags.schedule.steps, {.help = "Number of steps", .max = 10'000'000});
    o.value("--rate", flags.schedule.rate, {.help = "Maximum learning rate, η; for inverse-sqrt a factor"});
    o.value("--dmodel", flags.schedule.d_model, {.help = "Width of the model, d_model, for inverse-sqrt"});
    o.group("Forecasts");
    o.flag("--forecast", flags.forecast, "Draw what a run's model forecasts, with the baselines");
    o.value("--at", flags.at,
            {.help = "Window of the test, from 0, with its truth",
             .default_text = "what follows the series",
             .min = 0});
    o.value("--series", flags.series, {.help = "Draw what follows this file's series", .endings = {".csv"}});
    o.group("Output");
    declare_color(o, flags.color);
    o.value("--format", flags.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    std::vector<std::string> endings = figure_endings();
    endings.insert(endings.end(), {".gif", ".html", ".json", ".txt"});
    o.value("-o,--output", flags.output,
            {.help = "Write to this file instead of standard output", .endings = endings});
}

// ---- curves ----------------------------------------------------------------------------------------------

std::vector<Quantity> wanted(const PlotFlags& flags) {
    if (!flags.schedules.empty()) return {Quantity::learning_rate};
    std::vector<Quantity> each;
    for (const Quantity quantity : flags.only)
        if (std::find(each.begin(), each.end(), quantity) == each.end()) each.push_back(quantity);
    return each;
}

template <class T>
bool has_any(const std::vector<T>& all, std::initializer_list<T> wanted) {
    return std::find_first_of(all.begin(), all.end(), wanted.begin(), wanted.end()) != all.end();
}

void check_forecast(const Options& o, const PlotFlags& flags) {
    for (const char* option : {"--only", "--log", "--schedule", "--warmup", "--steps", "--rate", "--dmodel"})
        if (o.given(option)) fail<UsageError>("--forecast: cannot be combined with {}", option);
    if (flags.files.size() != 1)
        fail<UsageError>("--forecast: expected the folder of one run, got {}", flags.files.size());
}

void check(const Options& o, const PlotFlags& flags) {
    using enum ScheduleKind;
    for (const std::string& file : flags.files) check_not_read("-o", flags.output, RunFolder{file}.log());
    if (flags.forecast) return check_forecast(o, flags);
    for (const char* option : {"--at", "--series"})
        if (o.given(option)) fail<UsageError>("{}: requires --forecast", option);
    if (flags.schedules.empty()) {
        if (flags.files.empty())
            fail<UsageError>("tracer plot: expected a run.jsonl, or --schedule, got nothing");
        for (const char* option : {"--warmup", "--steps", "--rate", "--dmodel"})
            if (o.given(option)) fail<UsageError>("{}: requires --schedule; a run has its own", option);
        if (flags.log && !has_any(flags.only, {Quantity::loss, Quantity::gradient_norm}))
            fail<UsageError>("--log: applies to loss and gradient-norm, got --only {}",
                             OptionValue<std::vector<Quantity>>::text(flags.only));
        return;
    }
    const std::string schedules = OptionValue<std::vector<ScheduleKind>>::text(flags.schedules);
    if (!flags.files.empty())
        fail<UsageError>("--schedule: cannot be combined with runs, got '{}'", flags.files[0]);
    for (const char* option : {"--only", "--log"})
        if (o.given(option)) fail<UsageError>("{}: requires runs, not --schedule", option);
    if (o.given("--dmodel") && !has_any(flags.schedules, {inverse_sqrt}))
        fail<UsageError>("--dmodel: requires inverse-sqrt, got --schedule {}", schedules);
    if (o.given("--warmup") && !has_any(flags.schedules, {cosine, cosine_printed, inverse_sqrt}))
        fail<UsageError>("--warmup: requires a schedule with a warm-up, got constant");
}

std::vector<Curves> read_runs(const PlotFlags& flags) {
    std::vector<Curves> runs;
    for (const std::string& file : flags.files) {
        if (file != "-" && !std::filesystem::exists(file))
            fail<IoError>(
                "{}: there is no such run: train one first, tracer train reverse, or name its folder",
                display_name(file));
        runs.push_back(curves_of_run(file));
    }
    name_runs(runs, flags.files);
    if (std::none_of(runs.begin(), runs.end(), [](const Curves& run) { return run.has_points(); }))
        fail<FileError>("{}: no steps yet, nothing to draw", fmt::join(flags.files, ", "));
    return runs;
}

std::vector<Curves> compute_schedules(const PlotFlags& flags) {
    ScheduleConfig config = flags.schedule;
    std::vector<Curves> result;
    for (const ScheduleKind kind : flags.schedules) {
        config.kind = kind;
        glassbox::check(config);
        result.push_back(curves_of_schedule(config));
    }
    return result;
}

Figure figure_of(const std::vector<Curves>& runs, const PlotFlags& flags, const Options& o) {
    const bool is_schedule = !flags.schedules.empty();
    Figure figure =
        curves_figure(runs, wanted(flags), flags.log, is_schedule ? "updates made before" : "step");
    if (figure.rows.empty())
        fail<FileError>("{}: no finite {} in it", fmt::join(flags.files, ", "),
                        o.given("--only")
                            ? either(comma_list(OptionValue<std::vector<Quantity>>::text(flags.only)))
                            : "number");
    if (is_schedule) {
        figure.title = fmt::format("Schedule over {}, {} of them warm-up",
                                   counted(flags.schedule.steps, "step"), flags.schedule.warmup);
        if (runs.size() == 1) figure.title = runs[0].name + ": " + figure.title;
    }
    return figure;
}

// ---- forecasts -------------------------------------------------------------------------------------------

// The model's answer, with its charts.
Answer forecast_of(const PlotFlags& flags) {
    std::filesystem::path file = flags.files[0];
    if (is_folder(file)) file = RunFolder{file}.best();
    const TrainedRun run = read_run(file);
    const glassbox::Task& task = glassbox::task(run.settings.text("task"));
    PredictRequest request;
    request.model = run.file;
    if (flags.at) request.options["at"] = std::to_string(*flags.at);
    if (!flags.series.empty()) request.options["series"] = flags.series.string();
    const bool forecasts = std::any_of(task.options.begin(), task.options.end(),
                                       [](const auto& option) { return option.name == "series"; });
    if (!forecasts)
        fail<UsageError>("--forecast: {} is of task {}, which forecasts nothing", run.file, task.name);
    if (task.check) task.check(request);
    return answerer_of(task, run, request).answers(request).at(0);
}

JsonObject json_of(const Answer::Curve& curve) {
    const auto number = [](double value) { return std::isnan(value) ? nullptr : JsonValue(value); };
    return {{"name", curve.name}, {"values", JsonList(curve.values, number)}};
}

std::string json_of(const std::vector<Answer::Chart>& charts) {
    const auto curves = [](const std::vector<Answer::Curve>& all) {
        return JsonList(all, [](const auto& each) { return json_of(each); }, {"\n  ", "\n  "});
    };
    const auto chart = [&](const Answer::Chart& each) {
        return JsonObject{{"title", each.title}, {"places", each.places}, {"curves", curves(each.curves)}};
    };
    const JsonList all(charts, chart, json_rows);
    return JsonObject{{"schema", 1}, {"command", "plot"}, {"charts", all}}.text() + "\n";
}

// ---- json ----------------------------------------------------------------------------------------------

std::string json_of(const std::vector<Curves>& runs, const std::vector<Quantity>& quantities_wanted) {
    JsonList series(json_rows), notes;
    for (const Curves& run : runs) {
        for (const Curve& curve : run.all) {
            if (std::find(quantities_wanted.begin(), quantities_wanted.end(), curve.quantity) ==
                quantities_wanted.end())
                continue;
            JsonList steps, values;
            for (const Chart::Point& point : curve.points)
                steps.add(std::llround(point.x)), values.add(point.y);
            series.add(JsonObject{{"run", run.name},
                                  {"quantity", name(curve.quantity)},
                                  {"of", curve.of},
                                  {"steps", steps},
                                  {"values", values}});
        }
        for (const std::string& note : run.notes) notes.add(run.name + ": " + note);
    }
    const JsonObject json{{"schema", 1}, {"command", "plot"}, {"series", series}, {"notes", notes}};
    return json.text() + "\n";
}

std::vector<std::string> endings() {
    std::vector<std::string> all{".txt", ".json", ".html"};
    for (const std::string& each : figure_endings()) all.push_back(each);
    all.push_back(".gif");
    return all;
}

// The format of --format, else from the extension of -o.
PlotFormat format_of(const PlotFlags& flags) {
    PlotFormat chosen = flags.format.value_or(PlotFormat{});
    if (!flags.format) {
        chosen.figure = figure_format_of(flags.output);
        chosen.is_page = flags.output.extension() == ".html";
        chosen.is_gif = flags.output.extension() == ".gif";
        if (!chosen.figure && !chosen.is_page && !chosen.is_gif) {
            check_known_ending(flags.output, endings());
            chosen.data = data_format({}, flags.output);
        }
    }
    check_ending(chosen.name(), flags.output);
    return chosen;
}

void check_play(const PlotFlags& flags, const PlotFormat& format, const Options& o) {
    if (flags.files.size() != 1 || !is_folder(flags.files[0]))
        fail<UsageError>(
            "--play: expected the folder of one run: tracer plot runs/reverse --play -o run.svg");
    if (format.name() != "svg" && !format.is_gif) refuse_to_play(format.name(), "run");
    for (const char* option : {"--only", "--log", "--forecast", "--schedule"})
        if (o.given(option)) fail<UsageError>("--play: cannot be combined with {}", option);
}

void check_gif(const PlotFlags& flags) {
    if (!flags.play)
        fail<UsageError>("{}: requires --play, a GIF moves",
                         flags.format ? "--format gif" : "-o " + flags.output.string());
    tracer::check_gif();
}

void deliver_play(const std::vector<Figure>& frames, const PlotFormat& format,
                  const std::filesystem::path& output) {
    if (format.is_gif) deliver_bytes(draw_gif(frames_of(frames)), output.string());
    else deliver(draw_svg_play(frames), output.string());
}

void deliver_as(const PlotFormat& format, const PlotFlags& flags, const Figure& figure,
                const std::function<std::string()>& json) {
    if (format.figure) return deliver_figure(figure, *format.figure, flags.output);
    if (format.data == DataFormat::json) return deliver(json(), flags.output.string());
    deliver(draw_terminal(figure, colors_for(flags.color, flags.output), terminal_width(flags.output)),
            flags.output.string());
}

void run(const PlotFlags& flags, const Options& o) {
    check(o, flags);
    const PlotFormat format = format_of(flags);
    if (flags.play) check_play(flags, format, o);
    if (format.is_gif) check_gif(flags);
    if (format.is_page && (flags.forecast || flags.files.size() != 1))
        fail<UsageError>("{}: shows one run: tracer plot runs/reverse -o run.html",
                         flags.format ? "--format html" : "-o " + flags.output.string());
    if (flags.forecast) {
        const Answer answer = forecast_of(flags);
        return deliver_as(format, flags, answer_figure(answer), [&] { return json_of(answer.charts); });
    }
    if (flags.play) return deliver_play(maps_by_epoch(flags.files[0]), format, flags.output);
    if (format.is_page) return deliver(run_page(flags.files[0]), flags.output.string());
    const std::vector<Quantity> quantities_wanted = wanted(flags);
    const std::vector<Curves> runs = flags.schedules.empty() ? read_runs(flags) : compute_schedules(flags);
    const Figure figure = figure_of(runs, flags, o);
    deliver_as(format, flags, figure, [&] { return json_of(runs, quantities_wanted); });
}

}  // namespace

Command plot() {
    return command_with<PlotFlags>(
        {
            .order = 140,
            .name = "plot",
            .summary =
                "Plots the loss, accuracy and learning rate of training runs, a schedule, or a forecast.",
            .examples = {{"tracer plot runs/reverse/run.jsonl",
                          "A run, finished or still in progress, on the terminal."},
                         {"tracer plot runs/warm runs/cold --only loss --log", "Two runs in one chart."},
                         {"tracer plot runs/reverse -o run.svg",
                          "As a figure; also as run.png, or as run.json with the points."},
                         {"tracer plot runs/reverse -o run.html",
                          "As a page: curves, attention maps as they form, every logged step."},
                         {"tracer plot runs/reverse --play -o run.svg",
                          "Its attention maps, forming epoch by epoch."},
                         {"tracer plot --schedule cosine-printed",
                          "The tutorial's figure of its learning rate."},
                         {"tracer plot --schedule cosine,cosine-printed --warmup 500",
                          "The difference between two schedules."},
                         {"tracer plot runs/forecast --forecast --at 3 -o forecast.svg",
                          "A forecast with the truth and the baselines."}},
        },
        declare, run);
}

}  // namespace glassbox::tracer::commands
