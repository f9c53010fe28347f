#pragma once
#include <string>
#include <vector>

#include "model.h"
#include "train/trained_run.h"

// What tracer predict's tasks share: the question as it was typed, and answers as text or JSON.
namespace tracer {

struct PredictTyped {
    std::string task, folder, weights, pooling, set, permute, mistakes;
    std::vector<std::string> inputs;
    bool steps = false;
    ModelTyped show;  // --map, --explain, --precision, -o …

    RunPlace place() const { return {task, folder, weights, pooling}; }
    // Whether one prediction is shown in full, instead of answers.
    bool shows() const;
    int precision() const;
    const char* shown_by() const;  // "--map", the first option that asks for it
};

// Answers to several questions, gathered and then written as --format asks.
class Answers {
  public:
    explicit Answers(const PredictTyped& typed) : typed_(typed) {}
    // `title` is written once, however many answers it has.
    void add(const std::string& title, const std::string& text, const std::string& json);
    void deliver() const;

  private:
    const PredictTyped& typed_;
    std::string title_, text_, json_;
};

// A right answer in green, a wrong one in red, where there is colour.
std::string verdict(const PredictTyped& typed, bool right, const std::string& otherwise,
                    const char* praise = "right");
// "0.99997032", of as many digits as --precision says.
std::string shown_probability(const PredictTyped& typed, double p);
std::string json_list(const std::vector<index_t>& numbers);
std::string json_list(const std::vector<double>& numbers);
// Fields that every answer begins with: weights, convention.
std::string json_origin(const TrainedRun& run);

// The questions: each input is a sequence; several words of one number each are one together. UsageError for
// numbers outside 0 … categories − 1 and for more than `longest` of them.
std::vector<std::vector<index_t>> read_questions(const PredictTyped& typed, const TrainedRun& run,
                                                 index_t categories, index_t longest);
std::string spaced(const std::vector<index_t>& numbers);  // "2 5 3"

// --map, --steps and the like of one prediction.
void show_prediction(const PredictTyped& typed, const TrainedRun& run, Subject subject, ModelInput& input);

// The tasks.
void predict_numbers(const PredictTyped& typed);  // reverse, sequence
void predict_anomaly(const PredictTyped& typed);
void predict_writing(const PredictTyped& typed);  // copy, sort

}  // namespace tracer
