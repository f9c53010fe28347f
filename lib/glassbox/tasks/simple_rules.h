#pragma once
#include <glassbox/tasks/set_anomaly.h>

namespace glassbox {

// What rules without learning make of features: the figures beside which a model's mean something.

// Classification by the nearest mean of a class, means taken over `training`: the share that is right.
double nearest_mean_accuracy(const LabelledImages& training, const LabelledImages& test);

// The anomaly is the element farthest from the mean of the others: the share of sets in which that is right.
double farthest_accuracy(const SetAnomalyData& sets);

}  // namespace glassbox
