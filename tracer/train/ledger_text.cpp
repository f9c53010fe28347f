#include "train/ledger.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <glassbox/distributed/communicator.h>
#include <glassbox/io/json.h>
#include <glassbox/observe/trace.h>
#include <glassbox/tensor/format.h>
#include <glassbox/train/loss.h>
#include <glassbox/train/optimiser.h>

#include "cli/number.h"
#include "cli/output.h"
#include "cli/text_width.h"
#include "report/text_style.h"

namespace glassbox::tracer {
namespace {

double at(const Tensor& block, const Ledger::Number& number) {
    return static_cast<double>(ParameterBlock::view(block, number.parameter).at(number.at));
}

double norm_of(const Tensor& block, const ParameterBlock::Part& part) {
    return glassbox::norm(ParameterBlock::view(block, part));
}

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

// ---- the arithmetic of one number ------------------------------------------------------------------------

// The update of one element, step by step: runs the library's traced form of the optimiser on the numbers
// that the optimiser read, and prints its formulas with these numbers.
class NumberLedger {
  public:
    NumberLedger(const Ledger& ledger, const Ledger::Number& number, int precision)
        : ledger_(ledger), config_(ledger.config.optimiser), precision_(precision), number_(number) {}

    LedgerText write() {
        line(fmt::format("   {}{}", number_.parameter.name, shown_place(number_.at)));
        const bool is_descent = config_.kind == OptimiserKind::sgd;
        compute(is_descent);
        write_gradient();
        if (is_descent) write_descent();
        else write_adam();
        const double written = at(ledger_.w, number_), error = std::abs(value("w") - written);
        result_.agrees =
            error <= update_tolerance(ledger_, written) || (std::isnan(value("w")) && std::isnan(written));
        line(fmt::format("     {} the optimiser's result: {} (off by {:.1e})", result_.agrees ? "✓" : "✗",
                         shown(written), error));
        return std::move(result_);
    }

  private:
    void compute(bool is_descent) {
        const auto scalar = [this](const Tensor& block) {
            return Tensor({1}, {static_cast<real>(at(block, number_))});
        };
        const Tensor w = scalar(ledger_.w_before), gradient = scalar(ledger_.gradient);
        const StepReport& r = ledger_.report;
        if (is_descent) descent({w, scalar(ledger_.m_before)}, gradient, config_, r.learning_rate, r.clip);
        else
            glassbox::adam({w, scalar(ledger_.m_before), scalar(ledger_.v_before)}, gradient, config_, r.step,
                           r.learning_rate, r.clip);
    }

    double value(const char* step) const { return static_cast<double>(trace_[step].at({0})); }
    const char* formula(const char* step) const {
        return trace_.steps()[static_cast<std::size_t>(trace_.position_of(step))].info->formula;
    }
    std::string shown(double x) const {
        return glassbox::tracer::number(static_cast<real>(x), precision_ + 2);
    }
    std::string operand_of(double x) const { return operand(static_cast<real>(x), precision_ + 2); }
    void line(const std::string& text) { result_.text += text + "\n"; }
    // "     m̂  = m / (1 − β₁ᵗ) = 0.1 / (1 − 0.9^1) = 1"
    void line(const char* name, const char* step, const std::string& numbers) {
        line(fmt::format("     {}  = {} = {} = {}", name, formula(step), numbers, shown(value(step))));
    }

    void write_gradient() {
        const bool coupled = config_.weight_decay > 0 && config_.kind != OptimiserKind::adamw;
        std::string numbers =
            fmt::format("{} · {}", shown(ledger_.report.clip), operand_of(at(ledger_.gradient, number_)));
        if (coupled)
            numbers += fmt::format(" + {} · {}", shown(config_.weight_decay), operand_of(value("before")));
        line("g", "g", numbers);
    }

    void write_adam() {
        const double t = static_cast<double>(ledger_.report.step), b1 = config_.beta1, b2 = config_.beta2;
        const double m = at(ledger_.m_before, number_), v = at(ledger_.v_before, number_),
                     w = value("before");
        line("m", "m",
             fmt::format("{:g} · {} + {:g} · {}", b1, operand_of(m), 1 - b1, operand_of(value("g"))));
        line("v", "v",
             fmt::format("{:g} · {} + {:g} · {}²", b2, operand_of(v), 1 - b2, operand_of(value("g"))));
        line("m̂", "m_hat", fmt::format("{} / (1 − {:g}^{:g})", operand_of(value("m")), b1, t));
        line("v̂", "v_hat", fmt::format("{} / (1 − {:g}^{:g})", operand_of(value("v")), b2, t));
        const bool decays = config_.weight_decay > 0 && config_.kind == OptimiserKind::adamw;
        std::string direction = fmt::format("{} / (√{} + {:g})", operand_of(value("m_hat")),
                                            operand_of(value("v_hat")), config_.epsilon);
        if (decays)
            direction = fmt::format("({} + {:g} · {})", direction, config_.weight_decay, operand_of(w));
        line("w", "w",
             fmt::format("{} − {} · {}", shown(w), short_number(ledger_.report.learning_rate), direction));
    }

    void write_descent() {
        line("m", "m",
             fmt::format("{:g} · {} + {}", config_.momentum, operand_of(at(ledger_.m_before, number_)),
                         operand_of(value("g"))));
        line("w", "w",
             fmt::format("{} − {} · {}", shown(value("before")), short_number(ledger_.report.learning_rate),
                         operand_of(value("m"))));
    }

    const Ledger& ledger_;
    const OptimiserConfig& config_;
    int precision_;
    const Ledger::Number& number_;
    Trace trace_;
    LedgerText result_;
};

// ---- the sections ----------------------------------------------------------------------------------------

std::string batch_section(const Ledger& ledger) {
    std::string text = fmt::format("1  batch: {}\n", counted(ledger.batch.size(), "example"));
    for (const auto& [name, array] : ledger.batch.arrays)
        text += fmt::format("   {} {}\n", name, array.shape());
    const auto pieces = static_cast<index_t>(ledger.pieces.size());
    if (pieces == 1) return text + "   in one piece\n";
    return text +
           fmt::format("   split into {} pieces, whose losses and gradients are summed in this order\n",
                       pieces);
}

// "Σ losses / counted" with the number in place of `word`.
std::string with_number(std::string formula, const std::string& word, index_t number) {
    const std::size_t at = formula.find(word);
    return at == std::string::npos ? formula : formula.replace(at, word.size(), std::to_string(number));
}

std::string loss_section(const Ledger& ledger) {
    const Scored& score = ledger.report.score;
    std::string sum;
    double total = 0;
    for (const Ledger::Piece& piece : ledger.pieces) {
        total += piece.loss;
        if (ledger.pieces.size() <= 8) sum += (sum.empty() ? "" : " + ") + fmt::format("{:.4f}", piece.loss);
    }
    if (sum.empty()) sum = fmt::format("total of the pieces {:.4f}", total);
    std::string text = fmt::format("2  loss = {} = ({}) / {} = {:.6f}\n",
                                   with_number(glassbox::steps::loss::loss.formula, "counted", score.counted),
                                   sum, score.counted, score.loss);
    for (std::size_t i = 0; i < ledger.loss_arithmetic.size(); ++i)
        text += (i == 0 ? "   " : "     ") + ledger.loss_arithmetic[i] + "\n";
    if (!score.has_correct) return text;
    return text + fmt::format("   {} of {} correct: {:.2f} %\n", score.correct, score.counted,
                              100 * score.accuracy());
}

std::string padded(const std::string& text, std::size_t width) {
    const std::size_t have = static_cast<std::size_t>(width_of(text));
    return text + std::string(width > have ? width - have : 0, ' ');
}

// Four significant digits in 8 columns, three of a number with an exponent.
std::string in_column(double value) {
    const std::string text = fmt::format("{:8.4g}", value);
    return text.find('e') == text.npos ? text : fmt::format("{:8.2e}", value);
}

// The width of the column of parameter names.
std::size_t name_width(const Ledger& ledger) {
    std::size_t longest = 0;
    for (const ParameterBlock::Part& part : ledger.parts) longest = std::max(longest, part.name.size());
    return longest + 2;
}

// A line of a table; breaks after the name if it is wider than `max_width`.
std::string table_line(const std::string& name, std::size_t name_width, const std::string& rest,
                       int max_width) {
    const int width = 3 + static_cast<int>(name_width) + width_of(rest);
    const bool breaks = max_width > 0 && width > max_width;
    return "   " + (breaks ? name + "\n     " : padded(name, name_width)) + rest + "\n";
}

std::string gradient_section(const Ledger& ledger, int max_width) {
    const double norm = ledger.report.gradient_norm;
    std::string text = fmt::format("3  gradient: ‖g‖ = {} = {:.6g} over {} numbers\n",
                                   glassbox::steps::clip::norm.formula, norm, ledger.parameters->count());
    const std::size_t width = name_width(ledger);
    text += table_line("parameter", width, padded("shape", 12) + "     ‖g‖  of ‖g‖²", max_width);
    for (const ParameterBlock::Part& part : ledger.parts) {
        const double own = norm_of(ledger.gradient, part);
        const double share = norm > 0 ? 100 * own * own / (norm * norm) : 0;
        text += table_line(part.name, width,
                           padded(part.shape.str(), 12) + fmt::format("{}  {:5.1f} %", in_column(own), share),
                           max_width);
    }
    return text;
}

std::string clip_section(const Ledger& ledger) {
    const Clipping& clipping = ledger.config.clipping;
    const double norm = ledger.report.gradient_norm;
    if (clipping.max_norm <= 0) return "4  clipping: none\n";
    if (ledger.report.clip == 1)
        return fmt::format("4  clipping: ‖g‖ = {:.6g} does not exceed {:g}: no change\n", norm,
                           clipping.max_norm);
    return fmt::format(
        "4  clipping: ‖g‖ = {:.6g} exceeds {:g}: the gradient is multiplied by clip = {:g} / {:.6g}{} = "
        "{:.6g}; ‖g‖ is then {:.6g}\n",
        norm, clipping.max_norm, clipping.max_norm, norm,
        clipping.epsilon > 0 ? fmt::format(" (+ {:g})", clipping.epsilon) : "", ledger.report.clip,
        norm * ledger.report.clip);
}

std::string rate_section(const Ledger& ledger) {
    const ScheduleConfig& schedule = ledger.config.schedule;
    const LearningRate rate = explained_learning_rate(schedule, ledger.report.step - 1);
    std::string product, names;
    for (const LearningRate::Factor& factor : rate.factors) {
        product += (product.empty() ? "" : " · ") + fmt::format("{:.6g}", factor.value);
        names += (names.empty() ? "" : " · ") + factor.name;
    }
    std::string text = fmt::format("5  learning rate: η = {} = {} = {:.6g}\n", names, product, rate.value);
    if (rate.factors.size() > 1)
        text += fmt::format("   t = {}: n = {} before, W = {}, N = {}; schedule {}\n", ledger.report.step,
                            counted(ledger.report.step - 1, "update"), schedule.warmup, schedule.steps,
                            name(schedule.kind));
    return text;
}

std::string update_section(const Ledger& ledger, int max_width) {
    const std::size_t width = name_width(ledger);
    std::string text = "7  change: Δw = w after − w before\n" +
                       table_line("parameter", width, "     ‖w‖      ‖Δw‖   ‖Δw‖/‖w‖", max_width);
    for (const ParameterBlock::Part& part : ledger.parts) {
        const std::vector<real> before = ParameterBlock::view(ledger.w_before, part).values(),
                                after = ParameterBlock::view(ledger.w, part).values();
        double change = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            const double difference = static_cast<double>(after[i]) - static_cast<double>(before[i]);
            change += difference * difference;
        }
        const double own = norm_of(ledger.w_before, part);
        const std::string share = own > 0 ? fmt::format("{:8.2e}", std::sqrt(change) / own) : "       –";
        text +=
            table_line(part.name, width,
                       fmt::format("{}  {:8.3g}   {}", in_column(own), std::sqrt(change), share), max_width);
    }
    return text;
}

void replace(std::string& line, const char* part, const std::string& by) {
    const std::size_t at = line.find(part);
    if (at != std::string::npos) line.replace(at, std::string(part).size(), by);
}

// Wraps the text; with colours, makes headings bold and colours the check marks.
std::string formatted(const std::string& text, const TextStyle& style) {
    std::istringstream lines(wrapped_lines(text, style.width));
    std::string result;
    for (std::string line; std::getline(lines, line); result += line + "\n") {
        if (!style.has_color()) continue;
        const bool is_heading = !line.empty() && line[0] != ' ';
        if (is_heading) {
            const std::size_t end = std::min(line.find_first_of(":="), line.size());
            line = styled(line.substr(0, end), "1", true) + line.substr(end);
        }
        replace(line, "✓", styled("✓", green_text, true));
        replace(line, "✗", styled("✗", red_text, true));
    }
    return result;
}

}  // namespace

LedgerText update_text(const Ledger& ledger, const TextStyle& style) {
    LedgerText result;
    for (const std::string& section :
         {gradient_section(ledger, style.width), clip_section(ledger), rate_section(ledger)})
        result.text += section + "\n";
    result.text += fmt::format("6  {}: the update of single elements\n", name(ledger.config.optimiser.kind));
    for (const Ledger::Number& number : ledger.numbers) {
        const LedgerText update = NumberLedger(ledger, number, style.numbers.precision).write();
        result.text += update.text;
        result.agrees = result.agrees && update.agrees;
    }
    result.text = formatted(result.text + "\n" + update_section(ledger, style.width), style);
    return result;
}

LedgerText ledger_text(const Ledger& ledger, const TextStyle& style) {
    LedgerText result = update_text(ledger, style);
    const std::string head = fmt::format("Step {} of {}, epoch {}\n\n", ledger.report.step,
                                         ledger.steps_in_all, ledger.report.epoch);
    result.text =
        formatted(head + batch_section(ledger) + "\n" + loss_section(ledger) + "\n", style) + result.text;
    return result;
}

}  // namespace glassbox::tracer
