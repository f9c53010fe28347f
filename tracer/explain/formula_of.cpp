// An equation at one place, in words, symbols and numbers.
#include "explain/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "cli/number.h"
#include "explain/equation.h"
#include "explain/equations.h"
#include "explain/formula.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer {
namespace {

using Kind = Expression::Kind;

constexpr int max_nested = 3;  // unnamed values that one formula may nest

double apply(const std::string& f, double x, double setting) {
    using Function = double (*)(double);
    static constexpr std::pair<std::string_view, Function> functions[] = {
        {"exp", [](double a) { return std::exp(a); }},
        {"ln", [](double a) { return std::log(a); }},
        {"sqrt", [](double a) { return std::sqrt(a); }},
        {"sin", [](double a) { return std::sin(a); }},
        {"cos", [](double a) { return std::cos(a); }},
        {"tanh", [](double a) { return std::tanh(a); }},
        {"erf", [](double a) { return std::erf(a); }},
        {"abs", [](double a) { return std::abs(a); }},
        {"floor", [](double a) { return std::floor(a); }},
        {"square", [](double a) { return a * a; }},
        {"relu", [](double a) { return a > 0 || std::isnan(a) ? a : 0; }},
        {"sigmoid", [](double a) { return 1 / (1 + std::exp(-a)); }}};
    for (const auto& [name, function] : functions)
        if (f == name) return function(x);
    if (f == "pow") return std::pow(x, setting);
    if (f == "max") return std::isnan(x) ? x : std::max(x, setting);
    if (f == "min") return std::isnan(x) ? x : std::min(x, setting);
    throw std::logic_error("an equation has the unknown function " + f);
}

std::size_t uses(const Expression& e, int read) {
    std::size_t count = e.kind == Kind::read && e.index == read;
    for (const Expression& each : e.of) count += uses(each, read);
    return count;
}

bool is_constant(const Expression& e) { return e.kind == Kind::number || e.kind == Kind::constant; }

// Whether few enough unnamed values are nested in it.
bool is_short(const Element& element, int levels, const Labels& labels) {
    const Element e = labels.resolve(element);
    const Operation* op = labels.is_named(e.tensor) || labels.is_parameter(e.tensor)
                              ? nullptr
                              : labels.trace().operation_of(e.tensor);
    if (!op) return true;
    return levels > 0 && std::all_of(op->inputs.begin(), op->inputs.end(), [&](const Tensor& x) {
               return is_short({x, std::vector<index_t>(static_cast<std::size_t>(x.rank()))}, levels - 1,
                               labels);
           });
}

// The label of a sum's first term, with a letter for each index that a loop changes: Q[0,c].
std::string running_label(const Element& first, const std::vector<Element>& next,
                          const std::vector<std::string>& letters, const Labels& labels) {
    const std::string text = labels.label(first);
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos) return text;
    std::vector<std::string> words;
    for (const index_t i : first.at) words.push_back(std::to_string(i));
    for (std::size_t n = 0; n < next.size(); ++n) {
        if (next[n].tensor.id() != first.tensor.id()) return text + " …";
        for (std::size_t i = 0; i < words.size(); ++i)
            if (first.at[i] != next[n].at[i]) words[i] = letters[n];
    }
    return fmt::format("{}[{}]", text.substr(0, open), fmt::join(words, ","));
}

}  // namespace

// Builds an equation's formula at one place, and collects its notes.
class FormulaBuilder {
  public:
    FormulaBuilder(const Equation& equation, const Element& y, const Labels& labels)
        : equation_(equation), labels_(labels), place_(y.at), letters_(equation.loops.size()) {}

    Formula build(const Expression& e) {
        Formula f;
        switch (e.kind) {
            case Kind::number:
                return Formula::leaf(e.value, is_silent() ? "" : labels_.shown(e.value));
            case Kind::constant:
                return constant(e);
            case Kind::read:
                return read(e);
            case Kind::place:
                return Formula::leaf(static_cast<double>(place_[static_cast<std::size_t>(e.index)]));
            case Kind::terms:
                return Formula::leaf(static_cast<double>(terms()));
            case Kind::plus:
                f = made(Formula::Kind::plus, e);
                f.value = f.of[0].value + f.of[1].value;
                return f;
            case Kind::minus:
                f = made(Formula::Kind::minus, e);
                f.value = f.of[0].value - f.of[1].value;
                return f;
            case Kind::times:
                return times(e);
            case Kind::over:
                f = made(Formula::Kind::over, e);
                f.value = f.of[0].value / f.of[1].value;
                f.is_tight = in_exponent_;
                return f;
            case Kind::negative:
                f = made(Formula::Kind::negative, e);
                f.value = -f.of[0].value;
                f.is_tight = in_exponent_;
                return f;
            case Kind::function:
                return function(e);
            case Kind::sum:
            case Kind::max:
            case Kind::min:
                return reduction(e);
            case Kind::choice:
                return choice(e);
            case Kind::let:
                return let(e);
            case Kind::letter:
                return names_.at(e.name);
            case Kind::equal:
            case Kind::greater:
                break;
        }
        throw std::logic_error("a condition is not a number");
    }

    Arithmetic arithmetic() {
        const Formula formula = build(*equation_.is);
        Arithmetic result;
        if (is_stated_) {
            result.symbols = number(static_cast<real>(formula.value), labels_.precision()) + ": " + words_[0];
            return result;
        }
        result.symbols = compared_.empty() ? symbols_of(formula) : compared_[0];
        if (compared_.empty()) {
            if (!is_given_) result.lines = lines_of(formula, labels_);
        } else {
            result.lines = {compared_[1]};
        }
        result.where = where_;
        for (const std::string& each : constants_) (reads_nothing() ? words_ : result.where).push_back(each);
        for (const std::string& each : words_) result.symbols += ", " + each;
        result.parts = std::move(terms_);
        result.parts.insert(result.parts.end(), parts_.begin(), parts_.end());
        return result;
    }

    // May appear inside another formula.
    std::optional<Formula> inner(Arithmetic& arithmetic) {
        Formula formula = build(*equation_.is);
        if (is_stated_ || is_given_ || !compared_.empty() || !where_.empty() || !words_.empty() ||
            !constants_.empty())
            return std::nullopt;
        arithmetic.parts = std::move(terms_);
        arithmetic.parts.insert(arithmetic.parts.end(), parts_.begin(), parts_.end());
        return formula;
    }

  private:
    bool reads_nothing() const { return equation_.reads.empty(); }
    bool is_silent() const { return silent_ > 0; }
    Formula made(Formula::Kind kind, const Expression& e) {
        Formula f;
        f.kind = kind;
        for (const Expression& each : e.of) f.of.push_back(build(each));
        return f;
    }

    double value_of(const Expression& e) {
        ++silent_;
        const double value = build(e).value;
        --silent_;
        return value;
    }

    // ε, which is defined beside the formula; or √2
    Formula constant(const Expression& e) {
        if (is_silent()) return Formula::leaf(e.value);
        const real value = static_cast<real>(e.value);
        if (e.name.find("√") == std::string::npos)
            define(constants_, e.name + " = " + labels_.shown(e.value));
        return Formula::leaf(e.value, e.name, root_or_number(value));
    }

    static void define(std::vector<std::string>& list, const std::string& text) {
        if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
    }

    Element element_of(int n) {
        const Read& read = equation_.reads[static_cast<std::size_t>(n)];
        index_t at = read.base;
        for (std::size_t axis = 0; axis < place_.size(); ++axis) at += place_[axis] * read.strides[axis];
        for (std::size_t l = 0; l < letters_.size(); ++l) at += letters_[l] * read.loop_strides[l];
        for (const auto& [other, stride] : read.by)
            at += static_cast<index_t>(element_of(other).value()) * stride;
        return {read.tensor, place_of(read.tensor.shape(), at)};
    }

    Formula read(const Expression& e) {
        const Element here = element_of(e.index);
        if (is_silent()) return Formula::leaf(static_cast<double>(here.value()));
        const Element element = labels_.resolve(here);
        const double value = static_cast<double>(element.value());
        if (is_pattern_) return Formula::leaf(value, running(e.index, element));
        for (const Expression::Note& note : e.notes) {
            say(note);
            is_given_ = true;
        }
        if (equation_.loops.empty() && e.notes.empty())
            if (auto f = unnamed(element, uses(*equation_.is, e.index) > 1)) return *f;
        if (labels_.is_number(element)) {
            const std::string root = root_or_number(element.value());
            return Formula::leaf(value, root, root);
        }
        (in_sum_ ? terms_ : parts_).push_back(element);
        for (const Expression::Note& note : e.notes)
            if (note.of >= 0) parts_.push_back(labels_.resolve(element_of(note.of)));
        Formula leaf = Formula::leaf(value, labels_.label(element));
        leaf.digits = labels_.digits(element);
        return leaf;
    }

    std::string running(int n, const Element& first) {
        std::vector<Element> next;
        for (std::size_t l = 0; l < letters_.size(); ++l) {
            if (equation_.loops[l] > 1) letters_[l] = 1;
            next.push_back(labels_.resolve(element_of(n)));
            letters_[l] = 0;
        }
        return running_label(first, next, equation_.letters, labels_);
    }

    // The formula of a value that has no name; without one that repeats a sum.
    std::optional<Formula> unnamed(const Element& e, bool is_repeated) {
        if (labels_.is_named(e.tensor) || labels_.is_parameter(e.tensor)) return std::nullopt;
        const Operation* op = labels_.trace().operation_of(e.tensor);
        if (!op || !is_short(e, max_nested, labels_)) return std::nullopt;
        const Equation equation = equation_of(*op, labels_.trace(), e.at);
        if (!equation.is || (is_repeated && !equation.loops.empty())) return std::nullopt;
        Arithmetic arithmetic;
        const auto inside = FormulaBuilder(equation, e, labels_).inner(arithmetic);
        if (!inside) return std::nullopt;
        parts_.insert(parts_.end(), arithmetic.parts.begin(), arithmetic.parts.end());
        Formula f = Formula::leaf(static_cast<double>(e.value()));
        f.kind = Formula::Kind::inner;
        f.of = {*inside};
        return f;
    }

    // Of a tensor of ones without a name, with which a product begins: 1 · causal[0,0] is causal[0,0].
    bool is_only_a_start(const Expression& e) {
        if (is_silent() || in_sum_ || e.kind != Kind::read || !e.notes.empty()) return false;
        const Element element = labels_.resolve(element_of(e.index));
        const Tensor& x = element.tensor;
        if (x.rank() == 0 || labels_.is_named(x) || labels_.is_parameter(x) ||
            labels_.trace().operation_of(x) || !labels_.input_step(x).empty())
            return false;
        const std::vector<real> all = x.values();
        return std::all_of(all.begin(), all.end(), [](real each) { return each == 1; });
    }

    // 2i, of the numbers before it a letter; a·b in sums and after a number
    Formula times(const Expression& e) {
        if (is_only_a_start(e.of[0])) return build(e.of[1]);
        Formula f = made(Formula::Kind::times, e);
        f.value = f.of[0].value * f.of[1].value;
        const bool is_multiple = e.of[0].kind == Kind::number;
        if (is_multiple && f.of[1].is_letter && reads_nothing())
            return Formula::leaf(f.value, f.of[0].symbols + f.of[1].symbols);
        f.is_tight = in_sum_ || is_pattern_ || in_exponent_ || is_multiple;
        return f;
    }

    Formula function(const Expression& e) {
        Formula f;
        f.kind = Formula::Kind::function;
        f.name = e.name;
        f.of.push_back(build(e.of[0]));
        in_exponent_ = e.name == "pow";
        if (e.of.size() > 1) f.of.push_back(build(e.of[1]));
        in_exponent_ = false;
        f.value = apply(e.name, f.of[0].value, e.of.size() > 1 ? f.of[1].value : 0);
        // Squares of a sum are written of numbers: (-2)² + 1²
        if (e.name == "square" && in_sum_ && !f.of[0].is_leaf()) f.of[0] = Formula::leaf(f.of[0].value);
        return f;
    }

    index_t terms() const {
        index_t count = 1;
        for (const index_t n : equation_.loops) count *= n;
        return count;
    }

    void go_to(index_t term) {
        for (std::size_t l = letters_.size(); l-- > 0; term /= equation_.loops[l])
            letters_[l] = term % equation_.loops[l];
    }

    Formula reduction(const Expression& e) {
        const auto count = static_cast<std::size_t>(terms());
        Formula f;
        f.kind = e.kind == Kind::sum   ? Formula::Kind::sum
                 : e.kind == Kind::max ? Formula::Kind::max
                                       : Formula::Kind::min;
        f.value = e.kind == Kind::sum ? 0 : e.kind == Kind::max ? -INFINITY : INFINITY;
        f.terms = count;
        in_sum_ = true;
        for (std::size_t n = 0; n < count; ++n) {
            go_to(static_cast<index_t>(n));
            const bool is_shown = !is_silent() && is_written(n, count);
            double value = 0;
            if (is_shown) {
                f.of.push_back(build(e.of[0]));
                value = f.of.back().value;
            } else {
                value = value_of(e.of[0]);
            }
            if (e.kind == Kind::sum) f.value += value;
            else if (std::isnan(value) || (e.kind == Kind::max ? value > f.value : value < f.value))
                f.value = value;
        }
        std::fill(letters_.begin(), letters_.end(), 0);
        in_sum_ = false;
        if (!is_silent()) f.symbols = pattern(e, count);
        return f;
    }

    std::string pattern(const Expression& e, std::size_t count) {
        if (count == 0) return "an empty sum";
        is_pattern_ = true;
        const std::string term = symbols_of(build(e.of[0]));
        is_pattern_ = false;
        const char* word = e.kind == Kind::sum ? "Σ" : e.kind == Kind::max ? "max" : "min";
        if (count == 1) return e.kind == Kind::sum ? term : fmt::format("{}({})", word, term);
        std::string letters;
        for (std::size_t l = 0; l < equation_.loops.size(); ++l)
            if (equation_.loops[l] > 1) letters += equation_.letters[l];
        return fmt::format("{}_{} {}", word, letters, term);
    }

    bool holds(const Expression& e) {
        const double a = value_of(e.of[0]), b = value_of(e.of[1]);
        return e.kind == Kind::equal ? a == b : a > b;
    }

    Formula choice(const Expression& e) {
        const bool is_first = holds(e.of[0]);
        const Expression& taken = e.of[is_first ? 1 : 2];
        if (is_silent()) return build(taken);
        if (e.notes.empty() && is_constant(e.of[1]) && is_constant(e.of[2])) {
            const Formula a = build(e.of[0].of[0]), b = build(e.of[0].of[1]);
            const char* sign = e.of[0].kind == Kind::equal ? " = " : " > ";
            compared_ = {symbols_of(a) + sign + symbols_of(b),
                         numbers_of(a, labels_) + sign + numbers_of(b, labels_)};
            return Formula::leaf(taken.value);
        }
        if (!e.notes.empty()) {
            say(e.notes[is_first ? 0 : 1]);
            is_given_ = taken.kind == Kind::read;
            is_stated_ = is_constant(taken);
        }
        return build(taken);
    }

    void say(const Expression::Note& note) {
        std::string words = note.words;
        const auto put = [&](std::string_view field, const std::string& text) {
            for (std::size_t at = 0; (at = words.find(field, at)) != std::string::npos; at += text.size())
                words.replace(at, field.size(), text);
        };
        if (note.of >= 0) {
            const Element e = labels_.resolve(element_of(note.of));
            put("{label}", labels_.label(e));
            put("{value}", labels_.shown(static_cast<double>(e.value())));
        }
        words_.push_back(words);
    }

    // A letter is defined on a line with its numbers; by a note; or, if it follows only from the place,
    // beside the formula.
    Formula let(const Expression& e) {
        if (!is_silent() && e.notes.empty() && !reads_nothing()) {
            const Formula f = build(e.of[0]);
            where_.push_back(fmt::format("{} = {} = {} = {}", e.name, symbols_of(f), numbers_of(f, labels_),
                                         labels_.shown(f.value)));
            return with_letter(e, Formula::leaf(f.value, e.name));
        }
        if (is_silent() || !e.notes.empty()) {
            if (!is_silent()) words_.push_back(e.name + " " + e.notes[0].words);
            return with_letter(e, Formula::leaf(value_of(e.of[0]), e.name));
        }
        Formula f = build(e.of[0]);
        const bool is_plain = f.kind != Formula::Kind::function || f.name != "pow";
        words_.push_back(e.name + " = " + (is_plain ? labels_.shown(f.value) : symbols_of(f)));
        Formula named = Formula::leaf(f.value, e.name);
        if (!is_plain) {
            named.kind = Formula::Kind::inner;
            named.of = {std::move(f)};
        }
        return with_letter(e, std::move(named));
    }

    Formula with_letter(const Expression& e, Formula named) {
        named.is_letter = true;
        names_[e.name] = std::move(named);
        return build(e.of[1]);
    }

    const Equation& equation_;
    const Labels& labels_;
    std::vector<index_t> place_, letters_;
    std::map<std::string, Formula> names_;
    int silent_ = 0;  // only values count
    bool in_sum_ = false, is_pattern_ = false, in_exponent_ = false;

    std::vector<Element> terms_, parts_;                  // of sums, others
    std::vector<std::string> where_, words_, constants_;  // beside the formula
    std::vector<std::string> compared_;                   // a > b, in symbols and in numbers
    bool is_given_ = false, is_stated_ = false;           // another number as it is; a constant, and why
};

Arithmetic arithmetic_by(const Equation& equation, const Element& y, const Labels& labels) {
    return FormulaBuilder(equation, y, labels).arithmetic();
}

}  // namespace glassbox::tracer
