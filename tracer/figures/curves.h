#pragma once
#include <string>
#include <vector>

#include <glassbox/runs/run_log.h>
#include <glassbox/tensor/words.h>
#include <glassbox/train/schedule.h>

#include "figures/chart.h"

namespace glassbox {
struct Answer;  // tasks/answer.h
}

namespace glassbox::tracer {

enum class Quantity { loss, accuracy, learning_rate, gradient_norm };

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::Quantity> {  // for tracer plot --only
    static constexpr const char* what = "quantity";
    static constexpr Word<glassbox::tracer::Quantity> all[] = {
        {glassbox::tracer::Quantity::loss, "loss"},
        {glassbox::tracer::Quantity::accuracy, "accuracy"},
        {glassbox::tracer::Quantity::learning_rate, "learning-rate"},
        {glassbox::tracer::Quantity::gradient_norm, "gradient-norm"}};
};

namespace glassbox::tracer {

struct Figure;

// One quantity of one run by step. Values may be NaN or infinite, as in the log.
struct Curve {
    Quantity quantity;
    std::string of;  // "training", "validation", "schedule"
    std::vector<Chart::Point> points;
};

// A training run or a schedule, with its name in legends.
struct Curves {
    std::string name, title;
    std::vector<Curve> all;
    std::vector<std::string> notes;  // a log that is cut off; how the run ended

    const Curve* find(Quantity quantity, const std::string& of) const;
    bool has_points() const;
};

// From a run.jsonl or its folder. Throws as read_run_log does.
Curves curves_of_run(const std::string& file);
// runs/a/run.jsonl and runs/b/run.jsonl are named a and b, other files by their stems; all by their full
// paths where names would clash.
void name_runs(std::vector<Curves>& runs, const std::vector<std::string>& files);

// The learning rate (or factor) after 0, 1, …, config.steps steps.
Curves curves_of_schedule(const ScheduleConfig& config);

// A chart for each quantity, stacked, with a common axis of steps. The notes list values that were left out.
Figure curves_figure(const std::vector<Curves>& runs, const std::vector<Quantity>& wanted,
                     bool is_logarithmic, const std::string& x_label);

// The charts of an answer, one below the other, with a common legend: the first curve of each is what was
// measured, the second the model's.
Figure answer_figure(const Answer& answer);

}  // namespace glassbox::tracer
