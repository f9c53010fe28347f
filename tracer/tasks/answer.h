#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <glassbox/io/json.h>
#include <glassbox/io/named_tensors.h>
#include <glassbox/layers/parameters.h>
#include <glassbox/models/transformer.h>

namespace glassbox {

// A question to a trained model, as typed.
struct PredictRequest {
    std::vector<std::string> inputs;             // "2 5 3 7 1"
    std::map<std::string, std::string> options;  // the task's own options that were given: "set" → "3"
    std::string in_full;  // the option that shows one prediction in full, "--map"; empty: plain answers
    std::string model;    // the model's file, as messages name it

    bool has(const std::string& option) const { return options.count(option) > 0; }
    std::string text(const std::string& option, const std::string& otherwise = "") const;
};

// A model's answer as data. Colour, digits and format are chosen where it is shown.
struct Answer {
    enum class Kind { plain, right, wrong, probability };
    struct Piece {
        Kind kind = Kind::plain;
        std::string text;
        double probability = 0;
        int width = 0;  // a probability is padded to it: aligned right, or left when it is negative
    };
    std::string about;                                        // shown after the model's name; may be empty
    std::vector<Piece> text;                                  // lines end in \n
    std::vector<std::pair<std::string, std::string>> fields;  // the same as name and JSON
    bool holds = true;                                        // false: a check has failed

    // Curves over one axis, for `tracer plot`; empty if there is nothing to draw.
    struct Curve {
        std::string name;
        std::vector<double> values;  // one for each of `places`; NaN: none there
    };
    struct Chart {
        std::string title;
        std::vector<std::string> places;  // names along the axis
        std::vector<Curve> curves;
    };
    std::vector<Chart> charts{};

    Answer& say(const std::string& words);
    Answer& judge(bool right, const std::string& if_wrong, const std::string& if_right = "right");
    Answer& probability(double p, int width = 0);
    Answer& field(const std::string& name, const JsonValue& value);
};

// The answer's lines, with `precision` digits of each probability; `paint` may colour right and wrong pieces.
using Paint = std::function<std::string(Answer::Kind, const std::string&)>;
std::string text_of(const Answer& answer, int precision = 8, const Paint& paint = {});

// One prediction to be shown step by step. `run` may be called repeatedly, with `arrays` or with others of
// the same shapes.
struct Prediction {
    static constexpr const char* padding = "∅";    // the word of a place that is filled up
    NamedTensors arrays;                           // the model's input: x, or source and target
    std::vector<std::string> words, target_words;  // labels along the axis of x or source, and of target
    std::function<void(const NamedTensors&)> run;  // an active Trace records every step
    ListParameters parameters = [] { return Parameters(); };
    std::string result;  // the last step: "logits"
    index_t first = 0;   // the row of the result that has the first prediction
    std::variant<std::monostate, PredictorConfig, TransformerConfig> model;  // for the formula in the heading
    std::vector<std::string> notes;                                          // lines about the input
    std::vector<std::string> choices;  // the classes of the logits by name; empty: unnamed
    std::vector<std::string> classes;  // the same where they are no tokens: digits, even and odd
    // Which maps to draw: all attention weights; these with each row named by what the result says there;
    // these and the row of [CLS]; or cross-attention for each token written.
    enum class Map { every, answers, cls, cross } map = Map::every;
    std::vector<std::string> written;  // with Map::cross
    // The title of its maps, and the names of their rows and columns.
    std::string map_title = "What each written token attends to", rows = "written", columns = "read";
};

// A model that answers questions once its trained parameters have been loaded.
struct Answerer {
    ListParameters parameters = [] { return Parameters(); };
    std::function<std::vector<Answer>(const PredictRequest&)> answers;
    std::function<Prediction(const PredictRequest&)> in_full;
};

}  // namespace glassbox
