#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <glassbox/observe/trace.h>
#include <glassbox/tensor/words.h>

#include "explain/computation.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer {

// A command's result, to be rendered as text, json or npz.
struct Report {
    struct Check {
        bool holds;
        std::string text;  // "every row sums to 1 (off by at most 6e-08)"
    };
    // The kind of a step's numbers, for colouring: signed numbers; weights, whose rows sum to 1; scores, some
    // of them hidden by a mask; token ids.
    enum class Kind { number, weight, masked, word };
    // An axis of a step, if known: its name, "query", and a word for each place.
    struct Axis {
        std::string name;
        std::vector<std::string> words;
        std::vector<std::string> answers{};  // what a trained model answers at each place, where it does
    };
    struct Step {
        std::string path;  // "logits"
        Tensor value;
        std::string formula;   // "Q Kᵀ", "" for an input
        std::string worked;    // "logits[0,0] = -0.66·1.73 + … = -0.89", "" for an input
        std::string sentence;  // what it means
        // The steps its first element is computed from; nullopt where it needs others, such as a weight.
        std::optional<std::set<std::string>> needs{};
        std::vector<Check> checks;
        std::string answer{};  // "most likely after <start>: i (0.4)"; empty where nothing is predicted
        Tensor gradient,
            difference;     // ∂scalar/∂step by the tape, and by finite differences; may be undefined
        Check agreement{};  // of the two: "agree within 2.8e-06"
        Tensor right{};     // with --mistake: what the step would be without it, if different
        Kind kind = Kind::number;
        // The meaning of each number, in the order of the numbers: tokens beside their ids. Empty: nothing.
        std::vector<std::string> words;
        bool shows_positions = false;  // in the table of these words
        std::vector<Axis> axes;        // one per axis; empty: nothing is known
        Tensor seen{};                 // 0 where a mask hides the score, else 1; undefined without a mask
        std::string drawing;           // further lines of text below
        std::string reason{};          // with --diff: in which choices the two sides differ here, and why
    };
    struct Parameter {
        std::string name;         // "self_attn.o_proj.weight"
        std::string traced_name;  // as the computation names it
        Tensor value, gradient;
        Check agreement{};
    };
    // Steps of a part that are left out, in their place: before the step with this index.
    struct Fold {
        std::size_t before;
        std::string part;  // "encoder/0"
        index_t steps;
        Shape result;  // of the last
    };
    std::string command;                 // "attention"
    std::string title;                   // first line: layer, convention, source of the numbers
    std::vector<std::string> header;     // further lines before the steps
    std::string convention, rng, score;  // rng is empty for the user's own input
    std::uint64_t seed = 0;
    std::string scalar;  // with gradients: "sum(values)"
    double scalar_value = 0;
    double scalar_gradient = 1;  // where the way back begins: a training step divides by the batch
    std::vector<Step> steps;
    std::vector<Fold> folds;            // in order
    std::vector<Parameter> parameters;  // with gradients: the weights of a model
    std::vector<Parameter> inputs;      // with gradients: those that are not steps, as the x of a block
    // The operations behind the steps, for formats that show the arithmetic of every number.
    std::shared_ptr<const Computation> computation;
    // The arithmetic of one number on a line, after a line for each of its letters, for those that write it
    // beside the numbers.
    std::function<std::string(const Element&)> arithmetic;
    // One number and what it was computed from, inputs first; empty: every step is shown.
    struct Explained {
        Element number;
        std::string arithmetic;  // lines as above; empty for an input
        std::vector<Element> parts;
    };
    std::vector<Explained> explained;
    bool plays = false;      // formats that move show the steps one after the other
    std::string comparison;  // what the numbers are where Step::right is beside them: "with a mistake, …"
    std::shared_ptr<Report> other;  // the same steps computed in another way
    std::string label;              // of this report beside the other: "jax"
    std::string untrained;          // why its patterns mean nothing; empty with weights from a file
    std::string advice;             // for a terminal, a last line: what to ask instead
    std::string footer;             // last line of text: what was left out, and how to see it
    // For pages: what a comparison shows, the beginning of the title; the number that it opens at, by its
    // address, "softmax[11,1]", empty: the result; what a model answered.
    std::string shows, opens, answer;
    double tolerance = 1e-6;  // of two sides: what rounding may do, relative to the number if it is above 1

    const Step* find(const std::string& path) const;
};

// "masked" of "encoder/0/masked" and of "encoder/0/masked#2"
std::string last_part(const std::string& path);

// Adds the checks of a step: no NaN or infinity; rows of weights sum to 1; hidden weights are 0.
// `visible` (undefined without a mask) is 0 where a key is hidden; it broadcasts to the step's shape.
void add_checks(Report::Step& step, const Tensor& visible);

}  // namespace glassbox::tracer

template <>
struct glassbox::EnumWords<glassbox::tracer::Report::Kind> {
    static constexpr const char* what = "kind";
    static constexpr Word<glassbox::tracer::Report::Kind> all[] = {
        {glassbox::tracer::Report::Kind::number, "number"},
        {glassbox::tracer::Report::Kind::weight, "weight"},
        {glassbox::tracer::Report::Kind::masked, "masked"},
        {glassbox::tracer::Report::Kind::word, "word"}};
};
