#include "worksheet/make_sheet.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

#include "cli/number.h"
#include "explain/explainer.h"
#include "explain/tensor_element.h"
#include "report/report.h"
#include "subject/axis_words.h"
#include "subject/model_report.h"
#include "worksheet/column_parts.h"
#include "worksheet/questions.h"
#include "worksheet/sheet.h"

namespace glassbox::tracer {

namespace {

constexpr index_t max_numbers = 20000;  // some hundred pages
constexpr index_t some_numbers = 30;    // to be computed, where nobody says which: a lesson's work

bool is_blank(const Places& blanks, const std::string& path, std::size_t i) {
    const auto found = blanks.find(path);
    return found != blanks.end() && found->second[i];
}

// Tied weights stay tied.
void round_inputs(const Subject& subject, ModelInput& input, int decimals) {
    std::map<Tensor::Id, Tensor> of;
    const auto round = [&](Tensor& x) {
        const auto [known, is_new] = of.try_emplace(x.id());
        if (is_new) known->second = rounded(x, decimals_of(x, decimals));
        x = known->second;
    };
    for (auto& [name, value] : input.arrays) round(value);
    for (const auto& each : subject.parameters().entries()) round(*each.tensor);
}

// The step with the numbers that are given rounded, or with all of them.
Tensor as_printed(const std::string& path, const Tensor& made, const Places* blanks, int decimals) {
    const Tensor all = rounded(made, decimals_of(made, decimals));
    const auto found = blanks ? blanks->find(path) : Places::const_iterator();
    if (!blanks || found == blanks->end()) return all;
    const bool is_exact = all.id() == made.id();
    if (is_exact || std::count(found->second.begin(), found->second.end(), false) == 0) return made;
    const std::vector<real> exact = made.values();
    std::vector<real> values = all.values();
    for (std::size_t i = 0; i < values.size(); ++i)
        if (found->second[i]) values[i] = exact[i];
    return Tensor(made.shape(), values).to(made.device());
}

// What is printed as a computation: whatever a step needs that is not a step itself.
class Needs {
  public:
    Needs(const Trace& trace, const NamedTensors& parameters, const ModelInput& input)
        : trace_(trace), labels_(trace, 8, parameters) {
        for (const auto& [name, value] : parameters) names_.emplace(value.id(), name);
        for (const auto& [name, value] : input.arrays) names_.emplace(value.id(), name);
    }

    struct Found {
        std::vector<std::pair<Tensor, SheetStep::Needed>> tensors;
        std::set<std::string> steps;
    };
    Found of(const Trace::Step& step, const std::string& formula) const {
        Found found;
        std::set<Tensor::Id> seen;
        if (const Operation* made = trace_.operation_of(step.made)) walk(*made, formula, found, seen);
        return found;
    }

  private:
    void walk(const Operation& made, const std::string& formula, Found& found,
              std::set<Tensor::Id>& seen) const {
        for (std::size_t i = 0; i < made.inputs.size(); ++i) {
            const Tensor& x = made.inputs[i];
            if (!seen.insert(x.id()).second) continue;
            if (const auto* step = trace_.step_of(x)) {
                found.steps.insert(step->path);
            } else if (std::string_view(made.op) == "masked_fill" && i == 1) {
                if (formula.find("mask") != formula.npos) add_mask(x, made.output.shape(), found);
            } else if (const auto name = names_.find(x.id());
                       name != names_.end() && labels_.input_step(x).empty()) {
                found.tensors.push_back({x, {name->second, meaning(made, i, formula), {}}});
            } else if (const std::string input = labels_.input_step(x); !input.empty()) {
                found.steps.insert(input);
            } else if (const Operation* below = trace_.operation_of(x)) {
                walk(*below, formula, found, seen);
            } else if (x.rank() > 0 && x.numel() > 1) {
                found.tensors.push_back({x, {"constants", "", {}}});
            }
        }
    }
    static void add_mask(const Tensor& mask, const Shape& scores, Found& found) {
        if (mask.numel() == 1) return;
        const NoRecording silence;
        Tensor whole = broadcast_to(mask, scores).to(Device::cpu);
        bool varies = false;  // from head to head, or in a batch
        const std::vector<real> values = whole.values();
        const auto matrix = static_cast<std::size_t>(scores[-1] * (scores.rank() > 1 ? scores[-2] : 1));
        for (std::size_t i = 0; i < values.size(); ++i) varies = varies || values[i] != values[i % matrix];
        if (!varies && scores.rank() > 2)
            whole = Tensor(
                Shape{scores[-2], scores[-1]},
                std::vector<real>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(matrix)));
        found.tensors.push_back({whole, {"mask", "0 hides a score, 1 does not", {}}});
    }
    // The letter in the formula: "W_qkv" of "x W_qkvᵀ + b".
    static std::string meaning(const Operation& made, std::size_t i, const std::string& formula) {
        const std::string_view op = made.op;
        if (op == "layer_norm") return i == 1 ? "γ" : "β";
        if (op == "embedding") return "table";
        if (op != "linear") return "";
        const std::size_t begin = i == 1 ? formula.find(" W") : formula.rfind(" b");
        if (begin == formula.npos) return i == 1 ? "W" : "b";
        const std::size_t end = formula.find_first_not_of(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_", begin + 1);
        return formula.substr(begin + 1, end == formula.npos ? end : end - begin - 1);
    }

    const Trace& trace_;
    Labels labels_;
    std::map<Tensor::Id, std::string> names_;
};

// The matrices of a tensor, with the words for their places.
class Matrices {
  public:
    Matrices(const Trace& trace, const ModelInput& input, const Places& blanks, bool has_head_axis)
        : trace_(trace), input_(input), blanks_(blanks), has_head_axis_(has_head_axis) {}

    std::vector<SheetMatrix> of_step(const std::string& path, int decimals) const {
        static const std::set<std::string> per_head = {"Q",      "K",      "V",         "logits",
                                                       "scaled", "masked", "attention", "values"};
        const bool has_heads = per_head.contains(last_part(path)) && is_in_attention(path, trace_);
        std::vector<SheetMatrix> all = cut(trace_[path], path, decimals, has_head_axis_ && has_heads);
        const auto parts = column_parts(trace_, path, has_head_axis_);
        const std::vector<Report::Axis> axes = axes_of({.path = path, .value = trace_[path]}, trace_, input_);
        const bool has_batch = axes.size() > 2 && axes[0].name == "batch";
        const std::size_t per_entry =
            has_batch ? all.size() / static_cast<std::size_t>(trace_[path].size(0)) : 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].parts = parts;
            if (axes.size() < 2 || (has_batch && i >= per_entry))
                continue;  // the words are of the first entry
            all[i].row_words = axes.end()[-2].words;
            all[i].column_words = axes.back().words;
        }
        return all;
    }
    std::vector<SheetMatrix> of_needed(const Tensor& x, int decimals) const {
        return cut(x, "", decimals, false);
    }

  private:
    std::vector<SheetMatrix> cut(const Tensor& x, const std::string& path, int decimals,
                                 bool has_heads) const {
        const int rank = x.rank();
        const index_t columns = rank > 0 ? x.size(-1) : 1, rows = rank > 1 ? x.size(-2) : 1;
        const std::vector<real> values = x.to(Device::cpu).values();
        const auto size = static_cast<std::size_t>(rows * columns);
        std::vector<SheetMatrix> all;
        for (std::size_t begin = 0; size > 0 && begin < values.size(); begin += size) {
            SheetMatrix matrix{.rows = rows, .columns = columns};
            if (rank > 2) {
                const auto at = place_of(x.shape().leading(rank - 2), static_cast<index_t>(begin / size));
                matrix.place = shown_place(at);
                matrix.words = path.empty() ? "" : words(at, x.shape(), has_heads);
            }
            for (std::size_t i = begin; i < begin + size; ++i)
                matrix.cells.push_back({sheet_number(values[i], decimals), is_blank(blanks_, path, i)});
            all.push_back(std::move(matrix));
        }
        return all;
    }
    // "entry 1, head 0"; "head 0" of a single entry
    static std::string words(const std::vector<index_t>& at, const Shape& shape, bool has_heads) {
        std::string text;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const bool is_head = has_heads && axis + 1 == at.size();
            if (!is_head && shape[static_cast<int>(axis)] == 1) continue;
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", is_head ? "head" : "entry", at[axis]);
        }
        return text;
    }

    const Trace& trace_;
    const ModelInput& input_;
    const Places& blanks_;
    bool has_head_axis_;
};

constexpr int more_digits = 2;  // of arithmetic, so that the rounding of the answer can be followed

// What is printed on the sheet is written as it is there: 0.70, not 0.7.
std::string digits_of_sheet(const Element& element, int decimals) {
    const int d = decimals_of(element.tensor, decimals);
    const std::string text = sheet_number(element.value(), d);
    return static_cast<real>(std::strtod(text.c_str(), nullptr)) == element.value()
               ? text
               : aligned_number(element.value(), d + more_digits);
}

// Adds "scaled[0,0] = -0.89 / √2 = -0.629" for the step's first blank. Of a softmax and a norm every line,
// and their letters: the exponentials, μ and σ².
void add_worked(SheetStep& shown, const Trace& trace, const Trace::Step& step,
                const std::vector<bool>& blanks, int decimals, const NamedTensors& parameters) {
    const auto first = std::find(blanks.begin(), blanks.end(), true) - blanks.begin();
    const Element number{step.made, place_of(step.made.shape(), first)};
    Explainer explainer(trace, shown.decimals + more_digits, parameters);
    explainer.write_with([decimals](const Element& each) { return digits_of_sheet(each, decimals); });
    const std::string text = explainer.worked(number);
    const std::size_t equals = text.find(" = "), result = std::min(text.rfind(" = "), text.rfind(" ≈ "));
    if (equals == text.npos) return;
    shown.worked = step.path + (number.at.empty() ? "" : shown_place(number.at)) + text.substr(equals);
    if (shown.in_full.empty()) return;
    const Arithmetic arithmetic = arithmetic_of(number, explainer.labels());
    for (const std::string& letter : arithmetic.where) {  // their symbols stand above
        const std::size_t is = letter.find(" = "), numbers = letter.find(" = ", is + 1);
        if (numbers != letter.npos) shown.letters.push_back(letter.substr(0, is) + letter.substr(numbers));
    }
    if (arithmetic.lines.size() > 1 && shown.letters.empty())
        shown.worked.insert(shown.worked.size() - (text.size() - result), " ≈ " + arithmetic.lines[1]);
}

// What a name of the formula stands for, softmax or LayerNorm, with the letters of one of its numbers.
std::vector<std::string> in_full(const Trace& trace, const Trace::Step& step, const std::vector<bool>& blanks,
                                 const std::string& formula, const NamedTensors& parameters) {
    constexpr const char* names[] = {"softmax(", "Norm(",
                                     "Var["};  // a variance has two definitions, of n and n − 1
    if (std::none_of(std::begin(names), std::end(names),
                     [&](const char* name) { return formula.find(name) != formula.npos; }))
        return {};
    const auto first = std::find(blanks.begin(), blanks.end(), true) - blanks.begin();
    const Element number{step.made, place_of(step.made.shape(), first)};
    const Explainer explainer = Explainer(trace, 8, parameters).within_scope_of(number);
    const Arithmetic arithmetic = arithmetic_of(number, explainer.labels());
    if (arithmetic.symbols.empty()) return {};
    const std::string name = last_part(step.path) + (number.at.empty() ? "" : shown_place(number.at));
    std::vector<std::string> lines{name + " = " + arithmetic.symbols};
    for (const std::string& letter : arithmetic.where) {
        const std::size_t is = letter.find(" = "), numbers = letter.find(" = ", is + 3);
        lines.push_back(letter.substr(0, numbers));
    }
    return lines;
}

// Whether the formula has the letter x by itself.
bool has_x(const std::string& formula) {
    const std::string spaced = " " + formula + " ";
    return spaced.find(" x ") != spaced.npos || spaced.find("(x ") != spaced.npos ||
           spaced.find("(x)") != spaced.npos;
}

// Which step is its x, if that is only one, with another name.
std::string step_called_x(const std::string& formula, const std::set<std::string>& steps) {
    if (!has_x(formula) || steps.size() != 1) return "";
    const std::string name = last_part(*steps.begin());
    return name == "x" ? "" : name;
}

int decimals_of_step(const Trace& trace, const std::string& path, int wanted) {
    return decimals_of(trace.steps()[static_cast<std::size_t>(trace.position_of(path))].made, wanted);
}

// How far answers are off, in units of the last digit, if each is rounded before the next is computed.
index_t units_off(const Subject& subject, const Trace& exact, const Places& blanks, int decimals) {
    Trace trace;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        return as_printed(frame.path(), made, nullptr, decimals);
    });
    subject.forward();
    double most = 0;
    for (const auto& [path, places] : blanks) {
        const std::vector<real> right = exact[path].values(), carried = trace[path].values();
        const int d = decimals_of_step(exact, path, decimals);
        const double unit = std::pow(10.0, -d);
        for (std::size_t i = 0; i < right.size(); ++i) {
            if (!places[i] || !std::isfinite(right[i]) || is_hidden_score(right[i])) continue;
            const double printed = std::strtod(sheet_number(right[i], d).c_str(), nullptr);
            const double off = std::abs(std::strtod(sheet_number(carried[i], d).c_str(), nullptr) - printed);
            if (std::isfinite(off)) most = std::max(most, off / unit);
        }
    }
    return static_cast<index_t>(std::llround(most));
}

std::string rounding_text(const Trace& trace, const Places& blanks, int decimals, index_t off) {
    std::set<int> asked;
    for (const auto& [path, places] : blanks) asked.insert(decimals_of_step(trace, path, decimals));
    asked.erase(0);
    const bool is_whole = asked.empty();
    std::string text =
        is_whole ? "The answers are whole numbers."
        : asked.size() == 1 && *asked.begin() == decimals
            ? fmt::format("Give your answers to {}.", counted(decimals, "decimal"))
            : fmt::format("Give your answers to {}, those of small numbers to as many as it says there.",
                          counted(decimals, "decimal"));
    text += " Compute with exactly the numbers printed here.";
    text += " Rows, columns, heads and places are counted from 0.";
    if (is_whole) return text;
    if (off == 0) return text + " You may round every answer before using it.";
    return text + fmt::format(
                      " If you round every answer before using it, you may be off by up to {} in the last "
                      "digit.",
                      off);
}

// What letters of the formulas are that the header and the steps call otherwise.
std::vector<std::string> names_of_header(const Trace& trace, const std::vector<std::string>& header) {
    const auto says = [&](const char* words) {
        return std::any_of(header.begin(), header.end(),
                           [&](const std::string& line) { return line.find(words) != line.npos; });
    };
    const Trace::Step *query = nullptr, *stacked = nullptr;
    for (const Trace::Step& step : trace.steps()) {
        if (!query && last_part(step.path) == "Q" && step.value.rank() > 1) query = &step;
        if (!stacked && last_part(step.path) == "qkv") stacked = &step;
    }
    std::vector<std::string> lines;
    if (query && !says("d_k = "))
        lines.push_back(fmt::format("d_k = {}: the columns of one Q", query->value.size(-1)));
    if (stacked && says("W_Q,i"))
        lines.emplace_back(
            "Row j of W_qkv makes column j of qkv: the rows that make Q are W_Q,i, and so on.");
    return lines;
}

}  // namespace

Sheet make_sheet(const Subject& subject, ModelInput& input, const SheetRequest& request) {
    round_inputs(subject, input, request.decimals);
    Places blanks, empty;  // those that are asked, and all that are not printed
    {
        const Trace trace;
        subject.forward();
        blanks = blank_places(request.blanks, trace);
        std::vector<std::string> paths;
        for (const Trace::Step& step : trace.steps()) paths.push_back(step.path);
        check_scope(request.scope, paths);
        std::erase_if(blanks, [&](const auto& each) { return !is_in_scope(each.first, request.scope); });
        if (blanks.empty()) fail<UsageError>("--scope {}: none of the blanks is in this part", request.scope);
        if (request.blanks.wanted.empty() && !request.asks_all) choose_some(blanks, trace, some_numbers);
        empty = with_copies(blanks, trace);
    }
    Trace trace;
    trace.set_hook([&](const Frame& frame, const StepInfo&, const Tensor& made) {
        return as_printed(frame.path(), made, &empty, request.decimals);
    });
    subject.forward();

    Sheet sheet{.title = subject.title, .header = subject.header, .is_key = request.is_key};
    for (std::string& line : sheet.header)
        line = with_short_exponents(line);  // as sheet_number() writes them
    for (std::string& line : names_of_header(trace, sheet.header)) sheet.header.push_back(std::move(line));
    sheet.rounding =
        rounding_text(trace, blanks, request.decimals, units_off(subject, trace, blanks, request.decimals));
    const NamedTensors parameters = subject.parameters().values();
    const Needs needs(trace, parameters, input);
    std::set<std::string> needed_steps;
    for (const Trace::Step& step : trace.steps())
        if (blanks.contains(step.path)) needed_steps.merge(needs.of(step, "").steps);
    const Matrices matrices(trace, input, empty, request.has_head_axis);
    std::set<Tensor::Id> printed;
    index_t numbers = 0;
    const auto count = [&](const Tensor& x) {
        if ((numbers += x.numel()) > max_numbers)
            fail<UsageError>(
                "worksheet: more than {} numbers do not fit on a sheet: choose smaller sizes, or a part by "
                "--scope",
                max_numbers);
    };
    for (const Trace::Step& step : trace.steps()) {
        if (!is_in_scope(step.path, request.scope) && !needed_steps.contains(step.path)) continue;
        count(step.value);
        SheetStep shown;
        shown.path = step.path;
        shown.formula = formula_of(trace, step);
        if (step.info) shown.sentence = step.info->sentence;
        shown.shape = fmt::format("{}{}", step.value.rank() == 1 ? "length " : "",
                                  fmt::join(step.value.shape(), " × "));
        shown.decimals = decimals_of(step.made, request.decimals);
        shown.matrices = matrices.of_step(step.path, shown.decimals);
        const auto copied = empty.find(step.path);
        if (!blanks.contains(step.path) && copied != empty.end()) {  // numbers of blanks
            shown.is_copied_in_part = std::count(copied->second.begin(), copied->second.end(), false) > 0;
            if (!shown.is_copied_in_part) shown.matrices.clear();
            shown.copied = fmt::format("{}", fmt::join(needs.of(step, shown.formula).steps, ", "));
        }
        if (const auto found = blanks.find(step.path); found != blanks.end()) {
            shown.blanks = std::count(found->second.begin(), found->second.end(), true);
            shown.in_full = in_full(trace, step, found->second, shown.formula, parameters);
            add_worked(shown, trace, step, found->second, request.decimals, parameters);
            auto needed_here = needs.of(step, shown.formula);
            shown.x = step_called_x(shown.formula, needed_here.steps);
            for (auto& [x, needed] : needed_here.tensors) {
                if (!printed.insert(x.id()).second) continue;
                count(x);
                needed.matrices = matrices.of_needed(x, decimals_of(x, request.decimals));
                shown.needed.push_back(std::move(needed));
            }
        }
        sheet.steps.push_back(std::move(shown));
    }
    sheet.questions = questions_of(subject, input, trace,
                                   {.scope = request.scope,
                                    .decimals = request.decimals,
                                    .most = request.questions,
                                    .has_head_axis = request.has_head_axis});
    return sheet;
}

}  // namespace glassbox::tracer
