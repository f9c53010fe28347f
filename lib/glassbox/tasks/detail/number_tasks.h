#pragma once
#include <string>
#include <vector>

#include <glassbox/tasks/answer.h>
#include <glassbox/tasks/digits.h>
#include <glassbox/tasks/settings.h>

namespace glassbox {

// What tasks about sequences of numbers have in common.
using Numbers = std::vector<index_t>;

index_t categories_of(const Settings& settings);                      // --categories, numbers from 0 up
DigitsConfig digits_of(const Settings& settings, const char* count);  // `count` names the setting: "examples"

// What may be asked of a model: sequences of at most `longest` numbers from 0 to categories − 1.
struct NumberQuestions {
    std::string task;  // named in messages
    index_t categories, longest;
};
// Each input is a sequence; several words of one number each are one together. UsageError for other numbers
// and for too many.
std::vector<Numbers> read_numbers(const Asked& asked, const NumberQuestions& may);
// A model that answers each sequence by itself.
Answerer number_answerer(const NumberQuestions& may, const ListParameters& parameters,
                         const std::function<Answer(const Numbers&)>& answer,
                         const std::function<Prediction(const Numbers&)>& in_full);

std::string spaced(const Numbers& numbers);  // "2 5 3"
// A line for fewer numbers than the model was trained on, where it takes them as they are; "" for as many.
std::string shorter_than_trained(std::size_t given, index_t trained);

Tensor one_hot_of(const Numbers& numbers, index_t categories);  // (T, categories)
// A predictor's way from these numbers, one-hot, to its logits.
Prediction prediction_of(const std::shared_ptr<Predictor>& model, const Numbers& numbers);

}  // namespace glassbox
