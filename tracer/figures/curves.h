#pragma once
#include <string>
#include <vector>

#include <glassbox/runs/run_log.h>
#include <glassbox/tensor/words.h>
#include <glassbox/train/schedule.h>

#include "figures/chart.h"

namespace tracer {

enum class Quantity { loss, accuracy, learning_rate, gradient_norm };

}  // namespace tracer

template <>
struct glassbox::EnumWords<tracer::Quantity> {  // as tracer plot --only takes them
    static constexpr const char* what = "quantity";
    static constexpr Word<tracer::Quantity> all[] = {{tracer::Quantity::loss, "loss"},
                                                     {tracer::Quantity::accuracy, "accuracy"},
                                                     {tracer::Quantity::learning_rate, "learning-rate"},
                                                     {tracer::Quantity::gradient_norm, "gradient-norm"}};
};

namespace tracer {

using glassbox::name;

// One quantity of one run, against steps. Values may be NaN or infinite, as the log has them.
struct Curve {
    Quantity quantity;
    std::string of;  // "training", "validation", "schedule"
    std::vector<Chart::Point> points;
};

// A training run, or a schedule, under the name by which a legend calls it.
struct Curves {
    std::string name, title;
    std::vector<Curve> all;
    std::vector<std::string> notes;  // what was cut off; how it ended

    const Curve* find(Quantity quantity, const std::string& of) const;
    bool has_points() const;
};

// What FILE says: a run.jsonl, or its folder. Throws as read_run_log does.
Curves curves_of_run(const std::string& file);
// runs/a/run.jsonl and runs/b/run.jsonl are called a and b, other files by their names without an ending, and
// by all of their paths where that would not tell them apart.
void name_runs(std::vector<Curves>& runs, const std::vector<std::string>& files);

// The factor or rate of every step, from 0 to config.steps made before it.
Curves curves_of_schedule(const glassbox::ScheduleConfig& config);

}  // namespace tracer
