#include "figures/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

#include "cli/number.h"

namespace glassbox::tracer {
namespace {

// Adds the events of a run log to its curves.
class CurvesReader {
  public:
    explicit CurvesReader(Curves& run) : run_(run) {}

    void operator()(const RunStart& e) {
        run_.title = fmt::format("{}, {}, seed {}", e.task, e.convention, e.seed);
    }
    void operator()(const RunStep& e) {
        add(Quantity::loss, "training", e.step, e.loss);
        if (e.accuracy) add(Quantity::accuracy, "training", e.step, *e.accuracy);
        add(Quantity::learning_rate, "training", e.step, e.learning_rate);
        add(Quantity::gradient_norm, "training", e.step, e.gradient_norm);
    }
    void operator()(const RunValidation& e) {
        add(Quantity::loss, "validation", e.step, e.loss);
        if (!e.accuracy) return;
        add(Quantity::accuracy, "validation", e.step, *e.accuracy);
        first_epoch_.emplace(*e.accuracy, e.epoch);
    }
    void operator()(const RunEnd& e) {
        std::string note = fmt::format("{} in {:.3g} s", counted(e.step, "step"), e.seconds);
        if (e.best_accuracy) {
            note += fmt::format(", best validation accuracy {:.2f} %", 100 * *e.best_accuracy);
            if (const auto first = first_epoch_.find(*e.best_accuracy); first != first_epoch_.end())
                note += fmt::format(", first in epoch {}", first->second);
        }
        if (e.test_accuracy) note += fmt::format(", test accuracy {:.2f} %", 100 * *e.test_accuracy);
        run_.notes.push_back(note);
    }

  private:
    void add(Quantity quantity, const char* of, index_t step, double value) {
        auto found = std::find_if(run_.all.begin(), run_.all.end(), [&](const Curve& curve) {
            return curve.quantity == quantity && curve.of == of;
        });
        if (found == run_.all.end()) found = run_.all.insert(found, {quantity, of, {}});
        found->points.push_back({static_cast<double>(step), value});
    }

    Curves& run_;
    std::map<double, index_t> first_epoch_;  // of each accuracy
};

}  // namespace

const Curve* Curves::find(Quantity quantity, const std::string& of) const {
    for (const Curve& curve : all)
        if (curve.quantity == quantity && curve.of == of) return &curve;
    return nullptr;
}

bool Curves::has_points() const {
    return std::any_of(all.begin(), all.end(), [](const Curve& curve) { return !curve.points.empty(); });
}

Curves curves_of_run(const std::string& file) {
    std::filesystem::path path = file;
    std::error_code ignored;  // reading reports the error
    if (file != "-" && std::filesystem::is_directory(path, ignored)) path /= "run.jsonl";
    const RunHistory history = read_run_log(path);
    Curves run;
    for (const RunEvent& event : history.events) std::visit(CurvesReader(run), event);
    if (history.truncated_line > 0)
        run.notes.push_back(
            fmt::format("line {}, the last one, is incomplete: the run was cut off while writing it",
                        history.truncated_line));
    if (!run.has_points()) run.notes.push_back("no steps yet");
    return run;
}

void name_runs(std::vector<Curves>& runs, const std::vector<std::string>& files) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::filesystem::path path = std::filesystem::path(files[i]).lexically_normal();
        const bool is_in_folder = path.filename() == "run.jsonl" && path.has_parent_path();
        const std::filesystem::path last = is_in_folder          ? path.parent_path().filename()
                                           : path.has_filename() ? path.stem()
                                                                 : path.parent_path().filename();
        runs[i].name = files[i] == "-" ? display_name("-") : last.string();
        names.insert(runs[i].name);
    }
    if (names.size() < runs.size())
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i].name = display_name(files[i]);
}

Curves curves_of_schedule(const ScheduleConfig& config) {
    Curve curve{Quantity::learning_rate, "schedule", {}};
    for (index_t done = 0; done <= config.steps; ++done)
        curve.points.push_back({static_cast<double>(done), glassbox::learning_rate(config, done)});
    return {glassbox::name(config.kind), "", {std::move(curve)}, {}};
}

}  // namespace glassbox::tracer
