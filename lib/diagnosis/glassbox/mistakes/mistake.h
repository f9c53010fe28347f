#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/observe/trace.h>

namespace glassbox {

// The place of a wrong line: a step, several steps under a common name, or every step that an op computed.
struct WrongAt {
    std::string name;                    // the first part of the mistake's key: "attention", "linear"
    std::vector<const StepInfo*> steps;  // empty: every step computed by the op `name`

    WrongAt(const StepInfo& step) : name(step.name), steps{&step} {}
    WrongAt(const char* common_name, std::vector<const StepInfo*> all) : name(common_name), steps(all) {}

    bool is(const StepInfo& step, const Operation* operation) const;

    // WrongAt::op("linear"): every step that a linear layer computed.
    [[nodiscard]] static WrongAt op(const char* name) { return {name, {}}; }
};

// What is often written instead of a step: one wrong line, from the same operands and earlier steps, written
// as the layers write what is right. `made` is the right value from these operands. The line returns an
// undefined tensor where the mistake cannot be made, such as an exchange of heads when there is one head.
using WrongValue = std::function<Tensor(const Frame& frame, const Tensor& made)>;

// Whether the user's numbers for a step show a mistake that can be made in many ways: a rule that they break.
// `made` is the right value from the same operands, of the same shape.
using ShownBy = std::function<bool(const Frame& frame, const Tensor& made, const Tensor& given)>;

// The kind of a catalogue entry. A choice is legal: another value that gives a correct result.
enum class MistakeKind { mistake, choice };

struct Mistake {
    struct Line {
        WrongAt at;
        WrongValue value;
    };
    std::string key;          // "attention/over-queries", unique in the catalogue
    std::string layer;        // "scaled_dot_product"; of a helper or of several layers its name: "linear"
    std::string formula;      // the wrong line as maths: "softmax(maskedᵀ)ᵀ"
    std::string sentence;     // what is wrong, for the reader
    std::vector<Line> lines;  // usually one; more where it is about order, then in the order of the steps
    std::string source{};     // where it was seen in public: an address
    std::string effect{};     // the declared class of equal or no effect, by name; see effect_classes()
    MistakeKind kind = MistakeKind::mistake;
    bool is_of_last_line = false;  // the others only give the steps before it
    ShownBy shown_by{};            // of a mistake of one line, which is one way of many to make it
    bool is_overflow = false;      // a float has infinities and NaN in it where a double may be right
    bool is_of_made = false;       // its value depends only on what was made: another may have made that

    Mistake(WrongAt at, std::string_view name, std::string what_formula, std::string what_sentence,
            WrongValue value);
    // A second wrong line, at another step.
    Mistake&& and_at(WrongAt at, WrongValue value) &&;
    // Whether the last line alone makes all that follows: then the mistake may be made in one such step
    // alone.
    Mistake&& by_last_line() &&;
    // A mistake with many ways to make it, of which the line is one; a split at random is never the same.
    Mistake&& known_by(ShownBy rule) &&;
    Mistake&& by_overflow() &&;
    // Such as the same numbers in another order: it goes with another mistake of the same step.
    Mistake&& of_made() &&;
    // An address of public work or a discussion in which the mistake occurs.
    Mistake&& seen(std::string address) &&;
    // The class of mistakes that a result cannot distinguish from this one, or from none.
    Mistake&& in_class(std::string name) &&;
    Mistake&& as_choice() &&;
};

// Why the mistakes of a class have the same effect, or none, on a result.
struct EffectClass {
    std::string name, reason;
    bool has_no_effect = false;  // on the result; the step itself differs
    bool is_family = false;      // one mistake with several constants: similar, but not the same numbers
};

// The catalogue: all mistakes, layer by layer, in the order of the steps.
const std::vector<Mistake>& all_mistakes();
const std::vector<EffectClass>& effect_classes();
const EffectClass* effect_class_of(const Mistake& mistake);  // null if in none
// Throws UsageError that names the nearest keys.
const Mistake& mistake(std::string_view key);

// A mistake that is no line of the catalogue, but a change of a part of a step's formula: "w/changed". It is
// kept as long as the process lives.
const Mistake& kept_mistake(const Mistake& mistake);
bool is_change(std::string_view key);

}  // namespace glassbox
