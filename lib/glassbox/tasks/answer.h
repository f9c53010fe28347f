#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <glassbox/io/named_tensors.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/models/transformer.h>

namespace glassbox {

// A question to a trained model, as it was typed.
struct Asked {
    std::vector<std::string> inputs;             // "2 5 3 7 1"
    std::map<std::string, std::string> options;  // of the task's own, those that were typed: "set" → "3"
    std::string in_full;  // the option that shows one prediction in full, "--map"; empty: answers are wanted
    std::string model;    // who is asked: the file, as messages name it

    bool has(const std::string& option) const { return options.count(option) > 0; }
    std::string text(const std::string& option, const std::string& otherwise = "") const;
};

// What a model answers, as data: whoever shows it decides on colour, digits and format.
struct Answer {
    enum class Kind { plain, right, wrong, probability };
    struct Piece {
        Kind kind = Kind::plain;
        std::string text;
        double probability = 0;
        int width = 0;  // of a probability: filled up with spaces before it; negative: behind it
    };
    std::string about;                                        // beside the model's name; empty: nothing
    std::vector<Piece> text;                                  // lines end in \n
    std::vector<std::pair<std::string, std::string>> fields;  // the same by name, each value as JSON
    bool holds = true;                                        // false: a check has failed

    Answer& say(const std::string& words);
    Answer& judge(bool right, const std::string& otherwise, const std::string& praise = "right");
    Answer& probability(double p, int width = 0);
    Answer& field(const std::string& name, const std::string& json);
    Answer& field(const std::string& name, const char* json) { return field(name, std::string(json)); }
    Answer& field(const std::string& name, index_t number) { return field(name, std::to_string(number)); }
    Answer& field(const std::string& name, bool truth) { return field(name, truth ? "true" : "false"); }
};

// The answer's lines, probabilities with so many digits; `paint` may colour what is right or wrong.
using Paint = std::function<std::string(Answer::Kind, const std::string&)>;
std::string text_of(const Answer& answer, int precision = 8, const Paint& paint = {});

// One prediction, to be looked at step by step: run as often as one likes, on the arrays or on others like
// them.
struct Prediction {
    NamedTensors arrays;                           // what the model reads: x, or source and target
    std::vector<std::string> words, target_words;  // along the axis of x or source, and of target
    std::function<void(const NamedTensors&)> run;  // whoever listens sees every step
    ListParameters parameters = [] { return Parameters(); };
    std::string result;                                                      // the last step: "logits"
    std::variant<std::monostate, PredictorConfig, TransformerConfig> model;  // whose formula it is
    std::vector<std::string> notes;                                          // a line each, on what is read
    std::vector<std::string> choices;  // the words that logits choose from; empty: they have no names
    // What is worth a map: every attention, beside it the row of [CLS], or what each written word reads.
    enum class Map { every, cls, cross } map = Map::every;
    std::vector<std::string> written;  // with Map::cross
};

// A model with the parameters that it was trained to have, once these are loaded.
struct Answerer {
    ListParameters parameters = [] { return Parameters(); };
    std::function<std::vector<Answer>(const Asked&)> answers;
    std::function<Prediction(const Asked&)> in_full;
};

}  // namespace glassbox
