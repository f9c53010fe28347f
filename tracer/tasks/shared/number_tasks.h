#pragma once
#include <string>
#include <vector>

#include <glassbox/tasks/digits.h>

#include "tasks/answer.h"
#include "tasks/task.h"

namespace glassbox {

enum class Writing;  // glassbox/tasks/copying.h

// Shared by the tasks on sequences of numbers.
using Numbers = std::vector<index_t>;

// Sequences of numbers that are drawn, all of one length.
struct DigitsSettings {
    index_t seq = 16, categories = 10;  // numbers are below `categories`
    DrawnSettings drawn{};
};
void declare(SettingTable& table, DigitsSettings& settings);

DigitsConfig digits_of(const DigitsSettings& settings, index_t count);
TaskSizes sizes_of_digits(const DigitsSettings& settings);

// The inputs a model takes: sequences of at most `longest` numbers from 0 to categories − 1.
struct InputLimits {
    std::string task;  // for messages
    index_t categories, longest;
};
// Each input is a sequence; several inputs of one number each form one sequence. Throws UsageError for
// numbers out of range and for too many.
std::vector<Numbers> read_numbers(const PredictRequest& request, const InputLimits& limits);
// A model that answers each sequence independently.
Answerer number_answerer(const InputLimits& limits, const ListParameters& parameters,
                         const std::function<Answer(const Numbers&)>& answer,
                         const std::function<Prediction(const Numbers&)>& in_full);

std::string spaced(const Numbers& numbers);  // "2 5 3"
// A warning line for fewer numbers than the model was trained on; "" for as many.
std::string shorter_than_trained(std::size_t given, index_t trained);

Tensor one_hot_of(const Numbers& numbers, index_t categories);  // (T, categories)
// A predictor's forward pass from these numbers, one-hot, to the logits.
Prediction prediction_of(const std::shared_ptr<Predictor>& model, const Numbers& numbers);

// A task in which an encoder–decoder reads symbols and writes its answer token by token. The caller sets
// summary and order.
Task writing_task(Writing writing);

}  // namespace glassbox
