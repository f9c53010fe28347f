#include "train/trained_run.h"

#include <cmath>
#include <map>

#include <glassbox/io/file.h>
#include <glassbox/ops/ops.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/runs/run_log.h>

#include "figures/figure.h"
#include "train/kept_maps.h"

namespace glassbox::tracer {
namespace {

constexpr double shades = 32;  // a map's colours: neighbours that look alike are alike

// What was kept of an epoch: its maps, all of one shape, and the ids read and answered, if known.
struct KeptEpoch {
    std::vector<Tensor> layers;  // (h, n_q, n_k) each
    std::vector<std::string> read, answer;
};

std::map<index_t, KeptEpoch> epochs_of(const NamedTensors& kept) {
    std::map<index_t, KeptEpoch> epochs;
    for (const auto& [name, value] : kept) {
        const std::optional<index_t> number = epoch_of(name);
        if (!number) continue;
        KeptEpoch& epoch = epochs[*number];
        epoch.read = kept_numbers(kept, *number, "read"),
        epoch.answer = kept_numbers(kept, *number, "answer");
        if (!is_map(name) || value.rank() < 2 || value.numel() == 0) continue;
        const Tensor heads = reshape(value, {-1, value.size(-2), value.size(-1)});
        if (epoch.layers.empty() || epoch.layers[0].shape() == heads.shape()) epoch.layers.push_back(heads);
    }
    return epochs;
}

// What the run's log says of the frames.
struct Said {
    std::string by;                      // "tracer train reverse · "
    std::map<index_t, double> accuracy;  // of an epoch's validation
};

Said said_of(const std::filesystem::path& folder) {
    const std::filesystem::path log = RunFolder{folder}.log();
    Said said;
    if (!is_there(log)) return said;
    for (const RunEvent& event : read_run_log(log).events)
        if (const auto* start = std::get_if<RunStart>(&event))
            said.by = fmt::format("tracer train {} · ", start->task);
        else if (const auto* scored = std::get_if<RunValidation>(&event); scored && scored->accuracy)
            said.accuracy[scored->epoch] = *scored->accuracy;
    return said;
}

// "tracer train reverse · epoch 1 · 75.2 % right"
std::string title_of(index_t epoch, const Said& said) {
    if (epoch == 0) return said.by + "before training";
    const auto found = said.accuracy.find(epoch);
    const std::string right =
        found == said.accuracy.end() ? "" : fmt::format(" · {:.1f} % right", 100 * found->second);
    return fmt::format("{}epoch {}{}", said.by, epoch, right);
}

}  // namespace

std::vector<Figure> maps_by_epoch(const std::filesystem::path& folder) {
    std::vector<Figure> frames;
    const Said said = said_of(folder);
    double high = 0;
    for (const auto& [number, epoch] : epochs_of(read_maps(folder))) {
        if (epoch.layers.empty()) continue;
        const Shape& shape = epoch.layers[0].shape();
        frames.push_back(attention_figure(epoch.layers, names_or_numbers(epoch.answer, shape[1]),
                                          names_or_numbers(epoch.read, shape[2]), title_of(number, said)));
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
