#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <glassbox/models/predictor.h>
#include <glassbox/models/transformer.h>
#include <glassbox/tasks/set_anomaly.h>
#include <glassbox/train/learner.h>

#include "train/settings.h"

namespace tracer {

// A model and the data it learns from, made as the settings say.
struct TrainSetup {
    std::unique_ptr<glassbox::Learner> learner;
    std::unique_ptr<glassbox::DataSet> training, validation, test;
    std::vector<std::string> header;  // what is learned, and the sizes
    std::string unit;                 // what the accuracy counts: "numbers", "sequences", "sets"
    // What goes to another device than the cpu besides the parameters, before the first batch.
    std::function<void(glassbox::Device)> move_data;
};

// What can be trained. Each has its defaults, which are the sources' where they have the task.
struct TrainTask {
    std::string name, summary;
    Settings::Texts defaults;
    TrainSetup (*make)(const Settings& settings);
};
const std::vector<TrainTask>& train_tasks();
const TrainTask& train_task(const std::string& name);  // UsageError that lists them
std::vector<std::string> train_task_names();

// The tasks' models with their first weights, as the settings say.
glassbox::Predictor reversal_model(const Settings& settings);
glassbox::Predictor sequence_model(const Settings& settings);
glassbox::Predictor anomaly_model(const Settings& settings, index_t width);
glassbox::Transformer writing_model(const Settings& settings);

// The sets that an anomaly run is tested on. `validation`: the images of that part, when they are at hand, so
// that a file that both come from is read once.
std::unique_ptr<glassbox::SetAnomalyData> anomaly_test_sets(
    const Settings& settings, const glassbox::LabelledImages* validation = nullptr);

}  // namespace tracer
