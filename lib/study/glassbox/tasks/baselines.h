#pragma once
#include <glassbox/tasks/set_anomaly.h>

namespace glassbox {

// Baselines without training, to compare a model's accuracy with.

// The accuracy of assigning each image of `test` to the class with the nearest mean over `training`.
double nearest_mean_accuracy(const LabelledImages& training, const LabelledImages& test);

// The accuracy of taking the element farthest from the mean of the others as the anomaly.
double farthest_rule_accuracy(const SetAnomalyData& sets);

}  // namespace glassbox
