#include "train/trained_run.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <glassbox/io/file.h>
#include <glassbox/ops/ops.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/runs/run_log.h>
#include <glassbox/tensor/words.h>

#include "figures/figure.h"
#include "train/kept_maps.h"

namespace glassbox::tracer {
namespace {

constexpr double shades = 32;  // a map's colours: neighbours that look alike are alike

// What was kept of an epoch or a step: its maps, all of one shape, and the ids read and answered, if known.
struct Kept {
    std::vector<Tensor> layers;  // (h, n_q, n_k) each
    std::vector<std::string> read, answer, expected;
    index_t step = 0;

    // ", 12 of 16 right"; empty where it is not known.
    std::string right() const {
        if (expected.empty() || expected.size() != answer.size()) return "";
        std::size_t count = 0;
        for (std::size_t i = 0; i < answer.size(); ++i) count += answer[i] == expected[i] ? 1 : 0;
        return fmt::format(", {} of {} right", count, answer.size());
    }
    std::vector<bool> is_wrong() const {
        std::vector<bool> wrong;
        if (expected.size() == answer.size())
            for (std::size_t i = 0; i < answer.size(); ++i) wrong.push_back(answer[i] != expected[i]);
        return wrong;
    }

    void add(const std::string& name, const Tensor& value) {
        if (last_part(name) != "attention" || value.rank() < 2 || value.numel() == 0) return;
        const Tensor heads = reshape(value, {-1, value.size(-2), value.size(-1)});
        if (layers.empty() || layers[0].shape() == heads.shape()) layers.push_back(heads);
    }
};

// What the run's log says of the frames.
struct Said {
    std::string by;                      // "tracer train reverse: "
    std::map<index_t, double> accuracy;  // of an epoch's validation
    std::map<index_t, index_t> steps;    // by epoch, when it ended
    std::vector<Chart::Point> batches;   // % right of each batch that was logged, by step
};

Said said_of(const std::filesystem::path& folder) {
    const std::filesystem::path log = RunFolder{folder}.log();
    Said said;
    if (!is_there(log)) return said;
    for (const RunEvent& event : read_run_log(log).events)
        if (const auto* start = std::get_if<RunStart>(&event)) {
            said.by = fmt::format("tracer train {}: ", start->task);
        } else if (const auto* step = std::get_if<RunStep>(&event); step && step->accuracy) {
            said.batches.push_back({static_cast<double>(step->step), 100 * *step->accuracy});
        } else if (const auto* scored = std::get_if<RunValidation>(&event)) {
            said.steps[scored->epoch] = scored->step;
            if (scored->accuracy) said.accuracy[scored->epoch] = *scored->accuracy;
        }
    return said;
}

// "tracer train reverse: after 48 steps"
std::string after_steps(index_t steps, const Said& said) {
    return fmt::format("{}after {}", said.by, counted(steps, "step"));
}

// "tracer train reverse: after 390 steps, epoch 1, 12 of 16 right", of the example that is shown; else the
// share of the validation.
std::string title_of(index_t epoch, const Said& said, const Kept& kept) {
    const std::string here = kept.right();
    if (epoch == 0) return said.by + "before training" + here;
    const auto steps = said.steps.find(epoch);
    const auto right = said.accuracy.find(epoch);
    return (steps == said.steps.end()
                ? fmt::format("{}after epoch {}", said.by, epoch)
                : fmt::format("{}, epoch {}", after_steps(steps->second, said), epoch)) +
           (!here.empty()                  ? here
            : right == said.accuracy.end() ? ""
                                           : fmt::format(", {:.1f} % right", 100 * right->second));
}

// Whether the movie has an epoch: between steps of the first ones, few of the later ones, which look alike.
bool is_shown(index_t epoch, index_t last) {
    constexpr index_t first = 3;
    return epoch <= first || epoch == (first + last) / 2 || epoch == last;
}

// One after the other, with its title. Steps have a place where the log says when epochs ended.
std::vector<std::pair<std::string, Kept>> frames_of(const NamedTensors& kept, const Said& said) {
    std::map<index_t, Kept> epochs, steps;
    const auto add_numbers = [&](Kept& to, const std::string& when) {
        to.read = kept_numbers(kept, when, "read");
        to.answer = kept_numbers(kept, when, "answer");
        to.expected = kept_numbers(kept, when, "expected");
    };
    for (const auto& [name, value] : kept) {
        if (const std::optional<index_t> step = step_of(name)) steps[*step].add(name, value);
        const std::optional<index_t> number = epoch_of(name);
        if (!number) continue;
        epochs[*number].add(name, value);
        add_numbers(epochs[*number], name.substr(0, name.find('/')));
    }
    std::vector<std::pair<std::string, Kept>> frames;
    auto step = steps.begin();
    for (auto& [epoch, maps] : epochs) {
        const auto end = said.steps.find(epoch);
        if (end != said.steps.end()) maps.step = end->second;
        for (; end != said.steps.end() && step != steps.end() && step->first < end->second; ++step) {
            add_numbers(step->second, fmt::format("step/{}", step->first));
            step->second.step = step->first;
            frames.emplace_back(after_steps(step->first, said) + step->second.right(), step->second);
        }
        if (steps.empty() || is_shown(epoch, epochs.rbegin()->first))
            frames.emplace_back(title_of(epoch, said, maps), maps);
    }
    return frames;
}

// Where the curve is at a step, between two that were logged.
double height_at(const std::vector<Chart::Point>& curve, double step) {
    const auto after = std::find_if(curve.begin(), curve.end(), [&](const auto& at) { return at.x >= step; });
    if (after == curve.end()) return curve.back().y;
    if (after == curve.begin()) return after->y;
    const Chart::Point &a = *(after - 1), &b = *after;
    return a.y + (b.y - a.y) * (step - a.x) / (b.x - a.x);
}

// How much was right through the run, and how far the frame is.
Chart curve_of(const Said& said, index_t step) {
    const double at = static_cast<double>(step);
    Chart chart;
    chart.title = "right in each batch, %";
    chart.x_label = "step";
    chart.x_high = said.batches.back().x;
    chart.y_high = 100;
    chart.series = {{said.batches, clear_blue}, {{{at, height_at(said.batches, at)}}, wrong_color, false}};
    chart.is_thin = true;
    return chart;
}

// As the map of a prediction calls them.
std::string what(const std::vector<std::string>& words) {
    const auto is_number = [](const std::string& word) {
        return word.find_first_not_of("0123456789") == word.npos;
    };
    return std::all_of(words.begin(), words.end(), is_number) ? "the number" : "what";
}

}  // namespace

std::vector<Figure> maps_by_epoch(const std::filesystem::path& folder) {
    std::vector<Figure> frames;
    const Said said = said_of(folder);
    double high = 0;
    for (const auto& [title, epoch] : frames_of(read_maps(folder), said)) {
        if (epoch.layers.empty()) continue;
        const Shape& shape = epoch.layers[0].shape();
        frames.push_back(attention_figure(epoch.layers, names_or_numbers(epoch.answer, shape[1]),
                                          names_or_numbers(epoch.read, shape[2]), title));
        for (const Tensor& layer : epoch.layers)
            for (const real weight : layer.values()) high = std::max(high, static_cast<double>(weight));
        for (std::vector<Panel>& row : frames.back().rows)
            for (Panel& panel : row) {
                auto& map = std::get<HeatMap>(panel);
                if (!epoch.read.empty()) map.x.label = what(epoch.read) + " it reads";
                if (!epoch.answer.empty()) map.y.label = what(epoch.answer) + " it writes";
                map.y.is_wrong = epoch.is_wrong();
            }
        if (said.batches.size() > 1) frames.back().rows.push_back({curve_of(said, epoch.step)});
    }
    if (frames.size() < 2)
        fail<FileError>("{}: expected attention maps of at least two epochs, got {}",
                        display_name(maps_file(folder)), frames.size());
    for (Figure& frame : frames)
        for (std::vector<Panel>& row : frame.rows)
            for (Panel& panel : row) {
                auto* map = std::get_if<HeatMap>(&panel);
                if (!map) continue;
                map->high = high > 0 ? high : 1;
                for (real& value : map->values)
                    value = static_cast<real>(std::round(static_cast<double>(value) / map->high * shades) /
                                              shades * map->high);
            }
    return frames;
}

}  // namespace glassbox::tracer
