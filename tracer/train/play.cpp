#include "train/trained_run.h"

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
    std::vector<std::string> read, answer;

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
};

Said said_of(const std::filesystem::path& folder) {
    const std::filesystem::path log = RunFolder{folder}.log();
    Said said;
    if (!is_there(log)) return said;
    for (const RunEvent& event : read_run_log(log).events)
        if (const auto* start = std::get_if<RunStart>(&event)) {
            said.by = fmt::format("tracer train {}: ", start->task);
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

// "tracer train reverse: after 390 steps, epoch 1, 75.2 % right"
std::string title_of(index_t epoch, const Said& said) {
    if (epoch == 0) return said.by + "before training";
    const auto steps = said.steps.find(epoch);
    const auto right = said.accuracy.find(epoch);
    return (steps == said.steps.end()
                ? fmt::format("{}after epoch {}", said.by, epoch)
                : fmt::format("{}, epoch {}", after_steps(steps->second, said), epoch)) +
           (right == said.accuracy.end() ? "" : fmt::format(", {:.1f} % right", 100 * right->second));
}

// Whether the movie has an epoch: between steps of the first ones, few of the later ones, which look alike.
bool is_shown(index_t epoch, index_t last) {
    constexpr index_t first = 3;
    return epoch <= first || epoch == (first + last) / 2 || epoch == last;
}

// One after the other, with its title. Steps have a place where the log says when epochs ended.
std::vector<std::pair<std::string, Kept>> frames_of(const NamedTensors& kept, const Said& said) {
    std::map<index_t, Kept> epochs, steps;
    for (const auto& [name, value] : kept) {
        if (const std::optional<index_t> step = step_of(name)) steps[*step].add(name, value);
        const std::optional<index_t> number = epoch_of(name);
        if (!number) continue;
        epochs[*number].add(name, value);
        epochs[*number].read = kept_numbers(kept, name.substr(0, name.find('/')), "read");
        epochs[*number].answer = kept_numbers(kept, name.substr(0, name.find('/')), "answer");
    }
    std::vector<std::pair<std::string, Kept>> frames;
    auto step = steps.begin();
    for (const auto& [epoch, maps] : epochs) {
        const auto end = said.steps.find(epoch);
        for (; end != said.steps.end() && step != steps.end() && step->first < end->second; ++step) {
            const std::string number = fmt::format("step/{}", step->first);
            step->second.read = kept_numbers(kept, number, "read");
            step->second.answer = kept_numbers(kept, number, "answer");
            frames.emplace_back(after_steps(step->first, said), step->second);
        }
        if (steps.empty() || is_shown(epoch, epochs.rbegin()->first))
            frames.emplace_back(title_of(epoch, said), maps);
    }
    return frames;
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
                if (!epoch.read.empty()) map.x.label = "what it reads";
                if (!epoch.answer.empty()) map.y.label = "what it writes";
            }
    }
    if (frames.size() < 2)
        fail<FileError>("{}: expected attention maps of at least two epochs, got {}",
                        display_name(maps_file(folder)), frames.size());
    for (Figure& frame : frames)
        for (std::vector<Panel>& row : frame.rows)
            for (Panel& panel : row) {
                auto& map = std::get<HeatMap>(panel);
                map.high = high > 0 ? high : 1;
                for (real& value : map.values)
                    value = static_cast<real>(std::round(static_cast<double>(value) / map.high * shades) /
                                              shades * map.high);
            }
    return frames;
}

}  // namespace glassbox::tracer
