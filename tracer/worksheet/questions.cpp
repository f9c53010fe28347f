#include "worksheet/questions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

#include "cli/number.h"
#include "explain/tensor_element.h"
#include "report/report.h"
#include "subject/axis_words.h"
#include "subject/model_report.h"

namespace glassbox::tracer {
namespace {

using Question = std::optional<SheetQuestion>;
using Numbers = std::vector<double>;

// "logits" of "softmax(logits)".
std::string argument_of(const std::string& formula, std::string_view function) {
    if (!formula.starts_with(function)) return "";
    const std::size_t close = formula.find(')');
    return close == formula.npos ? "" : formula.substr(function.size(), close - function.size());
}

Numbers softmax_of(const Numbers& scores) {
    const double most = *std::max_element(scores.begin(), scores.end());
    Numbers weights;
    double sum = 0;
    for (const double score : scores) sum += weights.emplace_back(std::exp(score - most));
    for (double& weight : weights) weight /= sum;
    return weights;
}

// Its first matrix, with its numbers as they are printed.
class StepNumbers {
  public:
    StepNumbers(const Trace::Step& step, int decimals)
        : step_(step),
          values_(step.value.to(Device::cpu).values()),
          decimals_(decimals_of(step.made, decimals)) {}

    index_t columns() const { return step_.value.rank() > 0 ? step_.value.size(-1) : 1; }
    index_t rows() const { return step_.value.rank() > 1 ? step_.value.size(-2) : 1; }
    double at(index_t row, index_t column) const {
        return values_[static_cast<std::size_t>(row * columns() + column)];
    }
    Numbers row(index_t i) const {
        Numbers row;
        for (index_t j = 0; j < columns(); ++j) row.push_back(at(i, j));
        return row;
    }
    std::string text(double value) const { return sheet_number(static_cast<real>(value), decimals_); }
    std::string text(index_t row, index_t column) const { return text(at(row, column)); }
    std::string text(const Numbers& row) const {
        std::vector<std::string> all;
        for (const double value : row) all.push_back(text(value));
        return fmt::format("{}", fmt::join(all, ", "));
    }
    double printed(double value) const { return std::strtod(text(value).c_str(), nullptr); }
    double unit() const { return std::pow(10.0, -decimals_); }
    // "attention[0,1,2]", in the first matrix.
    std::string address(index_t row, index_t column) const {
        std::vector<index_t> at(static_cast<std::size_t>(step_.value.rank()));
        if (!at.empty()) at.back() = column;
        if (at.size() > 1) at.end()[-2] = row;
        return last_part(step_.path) + (at.empty() ? "" : shown_place(at));
    }
    // The column of the largest number of a row; nullopt where two are printed alike.
    std::optional<index_t> largest(const Numbers& row) const {
        const auto most = std::max_element(row.begin(), row.end());
        const auto same =
            std::count_if(row.begin(), row.end(), [&](double value) { return text(value) == text(*most); });
        return same == 1 ? std::optional<index_t>(most - row.begin()) : std::nullopt;
    }

  private:
    const Trace::Step& step_;
    std::vector<real> values_;
    int decimals_;
};

class Questions {
  public:
    Questions(const Subject& subject, ModelInput& input, const Trace& trace, const QuestionRequest& request)
        : subject_(subject), input_(input), trace_(trace), request_(request) {
        for (const Trace::Step& step : trace.steps())
            if (is_in_scope(step.path, request.scope) && step.value.numel() > 0) steps_.push_back(&step);
    }

    // Those that only some passes give rise to come first.
    std::vector<SheetQuestion> all() {
        using Of = Question (Questions::*)(const Trace::Step&) const;
        ask(&Questions::most_attended);
        if (!ask(&Questions::without_mask)) ask(&Questions::under_a_mask);
        for (const Of of : {&Questions::mean_of_norm, &Questions::zeros_of_relu, &Questions::first_position,
                            &Questions::equal_classes, &Questions::sum_of_weights,
                            &Questions::without_scaling, &Questions::between_values})
            ask(of);
        constexpr index_t few = 2;
        if (asked_.size() < few)
            add(with_other_input("Every number of `{}` is doubled. What does `{}` become?", 2));
        if (asked_.size() < few)
            add(with_other_input("If every number of `{}` were 0, what would `{}` be?", 0));
        return std::move(asked_);
    }

  private:
    bool add(Question question) {
        if (!question || static_cast<index_t>(asked_.size()) >= request_.most) return false;
        asked_.push_back(std::move(*question));
        return true;
    }
    // About the first step that gives an answer.
    bool ask(Question (Questions::*of)(const Trace::Step&) const) {
        for (const Trace::Step* step : steps_)
            if (Question question = (this->*of)(*step)) return add(std::move(question));
        return false;
    }

    StepNumbers numbers(const Trace::Step& step) const { return {step, request_.decimals}; }
    // The step of the same part with this name; null if there is none.
    const Trace::Step* beside(const Trace::Step& step, const std::string& name) const {
        const index_t at = trace_.position_of(part_of(step) + name);
        return at < 0 ? nullptr : &trace_.steps()[static_cast<std::size_t>(at)];
    }
    static std::string part_of(const Trace::Step& step) {
        return step.path.substr(0, step.path.rfind('/') + 1);
    }
    std::string formula(const Trace::Step& step) const { return formula_of(trace_, step); }

    // "In `encoder/0/self_attn`, head 0: "
    std::string where(const Trace::Step& step) const {
        std::string text;
        const std::string part = part_of(step);
        if (!part.empty()) text = fmt::format("In `{}`", part.substr(0, part.size() - 1));
        const int rank = step.value.rank();
        const bool has_head = request_.has_head_axis && rank > 2 && is_in_attention(step.path, trace_);
        for (int axis = 0; axis < rank - 2; ++axis)
            if (const bool is_head = has_head && axis == rank - 3; is_head || step.value.size(axis) > 1)
                text += fmt::format("{}{} 0", text.empty() ? "In " : ", ", is_head ? "head" : "entry");
        return text.empty() ? "" : text + ": ";
    }
    static std::string begun(const std::string& where, std::string sentence) {
        if (where.empty())
            sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
        return where + sentence;
    }
    // "query 1 (cat)"
    static std::string named(const char* what, index_t i, const std::vector<std::string>& words) {
        const std::string word = words.empty() ? "" : words[static_cast<std::size_t>(i)];
        const bool is_plain = !word.empty() && word.find('`') == word.npos;
        return fmt::format("{} {}{}", what, i, is_plain ? " (" + word + ")" : "");
    }
    std::string query(const Trace::Step& attention, index_t i) const {
        const auto& words = query_words(attention.path, input_);
        const bool fit = static_cast<index_t>(words.size()) == attention.value.size(-2);
        return named("query", i, fit ? words : std::vector<std::string>());
    }
    std::string key(const Trace::Step& attention, index_t i) const {
        const auto& words = key_words(attention.path, input_);
        const bool fit = static_cast<index_t>(words.size()) == attention.value.size(-1);
        return named("key", i, fit ? words : std::vector<std::string>());
    }

    // What the softmax of attention was taken of, if the softmax of that is what stands there.
    const Trace::Step* scores_of(const Trace::Step& attention) const {
        if (last_part(attention.path) != "attention" || attention.value.rank() < 2) return nullptr;
        const Trace::Step* scores = beside(attention, argument_of(formula(attention), "softmax("));
        if (!scores || scores->value.shape() != attention.value.shape()) return nullptr;
        const StepNumbers weights = numbers(attention), of = numbers(*scores);
        for (index_t i = 0; i < weights.rows(); ++i) {
            const Numbers expected = softmax_of(of.row(i));
            for (index_t j = 0; j < weights.columns(); ++j)
                if (!(std::abs(expected[static_cast<std::size_t>(j)] - weights.at(i, j)) <= weights.unit()))
                    return nullptr;
        }
        return scores;
    }

    Question most_attended(const Trace::Step& attention) const {
        const Trace::Step* scores = scores_of(attention);
        if (!scores || attention.value.size(-1) < 2) return std::nullopt;
        const StepNumbers weights = numbers(attention), of = numbers(*scores);
        for (index_t n = 1; n <= weights.rows(); ++n) {  // the first query last: a mask leaves it one key
            const index_t i = n % weights.rows();
            const Numbers row = weights.row(i), score = of.row(i);
            const auto largest = weights.largest(row);
            const auto hidden = std::count_if(score.begin(), score.end(), [](double x) {
                return is_hidden_score(static_cast<real>(x)) || std::isinf(x);
            });
            if (!largest || of.largest(score) != largest || hidden + 2 > weights.columns()) continue;
            return SheetQuestion{
                begun(where(attention),
                      fmt::format("to which key does {} attend most, and which score makes it so?",
                                  query(attention, i))),
                fmt::format(
                    "To {}. Its score `{} = {}` is the largest of the row, and so is its weight, `{} = {}`: "
                    "exp grows with the score, and all weights of a row share the same denominator.",
                    key(attention, *largest), of.address(i, *largest), of.text(i, *largest),
                    weights.address(i, *largest), weights.text(i, *largest))};
        }
        return std::nullopt;
    }

    Question without_mask(const Trace::Step& attention) const {
        const Trace::Step *masked = scores_of(attention), *scaled = beside(attention, "scaled");
        if (!masked || !scaled || last_part(masked->path) != "masked") return std::nullopt;
        const StepNumbers weights = numbers(attention), hidden = numbers(*masked), scores = numbers(*scaled);
        for (index_t i = 0; i < weights.rows(); ++i) {
            if (hidden.text(hidden.row(i)) == scores.text(scores.row(i))) continue;
            return SheetQuestion{
                begun(where(attention),
                      fmt::format("what would row {} of `attention` be if the mask hid nothing from {}?", i,
                                  query(attention, i))),
                fmt::format("softmax of row {} of `scaled`: {}, in place of {}.", i,
                            weights.text(softmax_of(scores.row(i))), weights.text(weights.row(i)))};
        }
        return std::nullopt;
    }

    Question under_a_mask(const Trace::Step& attention) const {
        const Trace::Step* scores = scores_of(attention);
        const bool crosses = input_.has("memory") || attention.path.find("cross_attn") != std::string::npos;
        if (!scores || crosses || beside(attention, "masked")) return std::nullopt;
        const StepNumbers weights = numbers(attention), of = numbers(*scores);
        const index_t n = weights.rows(), i = n > 2 ? 1 : 0;
        if (n < 2 || weights.columns() != n) return std::nullopt;
        Numbers seen = of.row(i);
        seen.resize(static_cast<std::size_t>(i + 1));
        Numbers row = softmax_of(seen);
        row.resize(static_cast<std::size_t>(n));
        if (weights.text(row) == weights.text(weights.row(i))) return std::nullopt;
        return SheetQuestion{
            begun(where(attention),
                  fmt::format(
                      "under a causal mask no query sees a later key. What would row {} of `attention` be?",
                      i)),
            i == 0 ? fmt::format("{}, in place of {}: only key 0 is left.", weights.text(row),
                                 weights.text(weights.row(i)))
                   : fmt::format("softmax of its scores to keys 0 to {} alone: {}, in place of {}.", i,
                                 weights.text(row), weights.text(weights.row(i)))};
    }

    Question without_scaling(const Trace::Step& attention) const {
        const Trace::Step *scaled = scores_of(attention), *logits = beside(attention, "logits");
        if (!scaled || !logits || last_part(scaled->path) != "scaled" || formula(*scaled) != "logits / √d_k")
            return std::nullopt;
        const StepNumbers weights = numbers(attention), of = numbers(*logits);
        for (index_t i = 0; i < weights.rows(); ++i) {
            const Numbers row = softmax_of(of.row(i));
            const auto largest = weights.largest(row);
            if (!largest || !(weights.printed(row[static_cast<std::size_t>(*largest)]) >
                              weights.printed(weights.at(i, *largest))))
                continue;
            return SheetQuestion{
                begun(where(attention), fmt::format("without the division by √d_k, would row {} of "
                                                    "`attention` be flatter or sharper, and "
                                                    "what would it be?",
                                                    i)),
                fmt::format(
                    "Sharper: softmax of row {} of `logits` is {}, in place of {}. Its scores lie further "
                    "apart.",
                    i, weights.text(row), weights.text(weights.row(i)))};
        }
        return std::nullopt;
    }

    Question sum_of_weights(const Trace::Step& step) const {
        const std::string of = argument_of(formula(step), "softmax(");
        const StepNumbers weights = numbers(step);
        if (of.empty() || weights.columns() < 2) return std::nullopt;
        std::vector<std::string> terms;
        double exact = 0, printed = 0;
        const index_t last = weights.rows() - 1;  // of which a causal mask hides nothing
        for (const double weight : weights.row(last)) {
            terms.push_back(weights.text(weight));
            exact += weight;
            printed += weights.printed(weight);
        }
        if (std::abs(exact - 1) > weights.unit()) return std::nullopt;
        const std::string sum = weights.text(printed), one = weights.text(1.0);
        return SheetQuestion{
            begun(where(step),
                  fmt::format("why do the numbers of each row of `{}` sum to 1?", last_part(step.path))),
            fmt::format("Each is its own exp divided by the sum of all exp of the row, so that together they "
                        "are this sum "
                        "divided by itself. Row {}: {} = {}{}.",
                        last, fmt::join(terms, " + "), sum,
                        sum == one ? "" : "; what it lacks or has too much is the rounding of the terms")};
    }

    Question between_values(const Trace::Step& values) const {
        const Trace::Step *V = beside(values, "V"), *attention = beside(values, "attention");
        if (last_part(values.path) != "values" || !V || !attention || !scores_of(*attention))
            return std::nullopt;
        const StepNumbers of = numbers(*V), results = numbers(values);
        double least = of.at(0, 0), most = least;
        for (index_t i = 0; i < of.rows(); ++i)
            least = std::min(least, of.at(i, 0)), most = std::max(most, of.at(i, 0));
        for (index_t i = 0; i < results.rows(); ++i)
            if (results.at(i, 0) < least - of.unit() || results.at(i, 0) > most + of.unit())
                return std::nullopt;
        return SheetQuestion{
            begun(where(values),
                  "can a number in column 0 of `values` be larger than every number in column 0 of `V`?"),
            fmt::format(
                "No: it is an average of them, with weights that are not negative and sum to 1. All lie "
                "between {} and {}.",
                of.text(least), of.text(most))};
    }

    Question mean_of_norm(const Trace::Step& step) const {
        const Operation* made = trace_.operation_of(step.made);
        if (!made || std::string_view(made->op) != "layer_norm" || made->inputs.size() < 3)
            return std::nullopt;
        const auto all_are = [](const Tensor& x, real value) {
            const std::vector<real> values = x.values();
            return std::all_of(values.begin(), values.end(), [&](real each) { return each == value; });
        };
        if (!all_are(made->inputs[1], 1) || !all_are(made->inputs[2], 0)) return std::nullopt;
        const StepNumbers normed = numbers(step);
        std::vector<std::string> terms;
        double sum = 0;
        for (const double value : normed.row(0)) {
            const std::string term = normed.text(value);
            terms.push_back(terms.empty() || term[0] != '-' ? term : "(" + term + ")");
            sum += normed.printed(value);
        }
        if (std::abs(sum) > normed.unit() * static_cast<double>(terms.size())) return std::nullopt;
        return SheetQuestion{
            begun(where(step), fmt::format("what do the numbers of each row of `{}` sum to, and why?",
                                           last_part(step.path))),
            fmt::format("To 0: each had the mean of its row subtracted; dividing by one number, γ = 1 and β "
                        "= 0 leave the "
                        "sum at 0. Row 0: {} = {}{}.",
                        fmt::join(terms, " + "), normed.text(sum),
                        normed.text(sum) == normed.text(0.0) ? "" : ", by the rounding of the terms")};
    }

    Question zeros_of_relu(const Trace::Step& step) const {
        const std::string of = argument_of(formula(step), "max(0, ");
        const Trace::Step* before = of.empty() ? nullptr : beside(step, of);
        if (!before || before->value.shape() != step.value.shape()) return std::nullopt;
        const std::vector<real> in = before->value.values(), out = step.value.values();
        index_t zeros = 0;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (in[i] == 0 || (out[i] == 0) != (in[i] < 0)) return std::nullopt;
            zeros += out[i] == 0;
        }
        if (zeros == 0) return std::nullopt;
        const std::string name = last_part(step.path);
        const std::string part = part_of(step);
        return SheetQuestion{
            begun(part.empty() ? "" : fmt::format("In `{}`: ", part.substr(0, part.size() - 1)),
                  fmt::format(
                      "how many of the {} numbers of `{}` are exactly 0, and how can you tell from `{}`?",
                      in.size(), name, of)),
            fmt::format("{}: those whose number in `{}` is negative.", zeros, of)};
    }

    Question first_position(const Trace::Step& step) const {
        if (last_part(step.path) != "encoding" || step.value.rank() < 2) return std::nullopt;
        const StepNumbers encoding = numbers(step);
        const Numbers row = encoding.row(0);
        bool alternates = row.size() > 1;
        for (std::size_t i = 0; i < row.size(); ++i)
            alternates = alternates && row[i] == static_cast<double>(i % 2);
        if (!alternates) return std::nullopt;
        return SheetQuestion{
            begun(where(step),
                  fmt::format("which row of `{}` could you write down without a calculator, and why?",
                              last_part(step.path))),
            fmt::format("Row 0: {}. At position 0 every angle is 0, sin 0 = 0 and cos 0 = 1.",
                        encoding.text(row))};
    }

    Question equal_classes(const Trace::Step& step) const {
        const Trace::Step *q = beside(step, "q"), *probabilities = beside(step, "probabilities");
        if (last_part(step.path) != "losses" || !q || !probabilities || q->value.rank() < 2)
            return std::nullopt;
        for (const real value : q->value.values())
            if (value != 0 && value != 1) return std::nullopt;
        const index_t classes = q->value.size(-1);
        return SheetQuestion{
            begun(
                where(step),
                fmt::format("if all {} classes were equally likely, what would the loss of a position with a "
                            "label be?",
                            classes)),
            fmt::format("−ln(1/{}) = ln {} = {}, whatever its label.", classes, classes,
                        sheet_number(static_cast<real>(std::log(static_cast<double>(classes))),
                                     std::max(request_.decimals, 1)))};
    }

    // The first array of numbers that are not all whole; of an update's the gradient.
    std::pair<std::string, Tensor>* inexact_input() {
        std::pair<std::string, Tensor>* found = nullptr;
        for (auto& each : input_.arrays) {
            const std::vector<real> values = each.second.values();
            const bool is_whole =
                std::all_of(values.begin(), values.end(), [](real x) { return x == std::round(x); });
            if (!is_whole && (!found || each.first == "gradient")) found = &each;
        }
        return found;
    }
    std::vector<real> result_of_pass() const {
        const Trace again;
        subject_.forward();
        return again.contains(subject_.result) ? again[subject_.result].values() : std::vector<real>();
    }
    // What becomes of a number of the result, with the whole pass computed again. `question` names both.
    Question with_other_input(const char* question, real factor) {
        const index_t at = trace_.position_of(subject_.result);
        auto* array = at < 0 ? nullptr : inexact_input();
        if (!array || !is_in_scope(subject_.result, request_.scope)) return std::nullopt;
        const Trace::Step& step = trace_.steps()[static_cast<std::size_t>(at)];
        const StepNumbers printed = numbers(step);
        const std::vector<real> before = result_of_pass();
        const Tensor kept = array->second;
        std::vector<real> values = kept.values();
        for (real& value : values) value *= factor;
        array->second = Tensor(kept.shape(), values).to(kept.device());
        const std::vector<real> after = result_of_pass();
        array->second = kept;
        if (before.empty() || after.size() != before.size()) return std::nullopt;
        const real was = before[0], is = after[0];
        if (!std::isfinite(is) || printed.text(was) != printed.text(0, 0)) return std::nullopt;
        const std::string now = printed.text(is), then = printed.text(was);
        const bool doubles = std::abs(is - 2 * was) <= 1e-4 * std::abs(was);
        const char* verdict = factor != 2                    ? ""
                              : doubles                      ? ": it doubles, too"
                              : printed.text(2 * was) == now ? ": it nearly doubles"
                                                             : ": it does not double";
        return SheetQuestion{fmt::format(fmt::runtime(question), array->first, printed.address(0, 0)),
                             now == then ? fmt::format("{}, as before.", now)
                                         : fmt::format("{}, in place of {}{}.", now, then, verdict)};
    }

    const Subject& subject_;
    ModelInput& input_;
    const Trace& trace_;
    const QuestionRequest& request_;
    std::vector<const Trace::Step*> steps_;
    std::vector<SheetQuestion> asked_;
};

}  // namespace

std::vector<SheetQuestion> questions_of(const Subject& subject, ModelInput& input, const Trace& trace,
                                        const QuestionRequest& request) {
    if (request.most == 0) return {};
    return Questions(subject, input, trace, request).all();
}

}  // namespace glassbox::tracer
