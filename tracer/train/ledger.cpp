#include "train/ledger.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>

#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "cli/number.h"
#include "explain/arithmetic.h"
#include "train/step_page.h"

namespace glassbox::tracer {
namespace {

Tensor copy_of(const Tensor& block) { return Tensor(block.shape(), block.values()); }

// The indices of "[1,2]" within `shape`; "" is the first element.
std::vector<index_t> place_in(const std::string& text, const std::string& given, const Shape& shape) {
    std::vector<index_t> at;
    if (text.empty()) return place_of(shape, 0);
    const char* p = text.data() + 1;
    const char* const end = text.data() + text.size() - 1;
    while (p < end) {
        index_t index = 0;
        const auto [rest, error] = std::from_chars(p, end, index);
        if (error != std::errc() || (rest != end && *rest != ','))
            fail<UsageError>("--number: expected name[row,column], got '{}'", given);
        at.push_back(index);
        p = rest + 1;
    }
    bool fits = static_cast<int>(at.size()) == shape.rank();
    for (int axis = 0; fits && axis < shape.rank(); ++axis) {
        const index_t i = at[static_cast<std::size_t>(axis)];
        fits = i >= 0 && i < shape[axis];
    }
    if (!fits) fail<UsageError>("--number: '{}' is outside the shape {}", given, shape);
    return at;
}

Ledger::Number number_of(const std::vector<ParameterBlock::Part>& parts, const std::string& text) {
    const std::size_t bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    if (bracket != std::string::npos && text.back() != ']')
        fail<UsageError>("--number: expected name[row,column], got '{}'", text);
    std::vector<std::string> names;
    for (const ParameterBlock::Part& part : parts) {
        if (part.name == name)
            return {part,
                    place_in(bracket == std::string::npos ? "" : text.substr(bracket), text, part.shape)};
        names.push_back(part.name);
    }
    fail<UsageError>("--number: no parameter '{}'; there are {}{}", name, fmt::join(names, ", "),
                     did_you_mean(name, names));
}

std::vector<Ledger::Number> numbers_of(const std::vector<ParameterBlock::Part>& parts,
                                       const std::vector<std::string>& texts) {
    std::vector<Ledger::Number> numbers;
    for (const std::string& text : texts) numbers.push_back(number_of(parts, text));
    if (!texts.empty()) return numbers;
    for (const std::size_t i : {std::size_t{0}, parts.size() - 1})
        numbers.push_back({parts[i], place_of(parts[i].shape, 0)});
    return numbers;
}

// losses[0,0] = … for the first element with a label.
std::vector<std::string> arithmetic_of_first_loss(const Trace& trace, int precision) {
    if (!trace.contains("losses")) return {};
    const Tensor& losses = trace["losses"];
    const std::vector<real> values = losses.values();
    const auto counts = std::find_if(values.begin(), values.end(), [](real loss) { return loss != 0; });
    if (counts == values.end()) return {};
    const Element element{losses, place_of(losses.shape(), counts - values.begin())};
    const Arithmetic arithmetic = arithmetic_of(element, Labels(trace, precision, {}));
    std::vector<std::string> lines{fmt::format("losses{} = {}", shown_place(element.at), arithmetic.symbols)};
    for (const std::string& line : arithmetic.lines) lines.push_back("= " + line);
    lines.push_back("= " + number(element.value(), precision));
    return lines;
}

}  // namespace

Ledger open_ledger(Trainer& trainer, index_t step, const std::vector<std::string>& numbers, int precision,
                   const FileNames& names, Learner* on_page) {
    if (step <= trainer.steps_done() || step > trainer.steps())
        fail<UsageError>("--step: expected a step from {} to {}, got {}", trainer.steps_done() + 1,
                         trainer.steps(), step);
    Ledger ledger;
    ledger.parameters = &trainer.parameters();
    ledger.parts = trainer.parameters().parts();
    for (ParameterBlock::Part& part : ledger.parts) part.name = names.of(part.name);
    ledger.numbers = numbers_of(ledger.parts, numbers);
    while (trainer.steps_done() < step - 1) trainer.step();

    ledger.config = trainer.config();
    ledger.steps_in_all = trainer.steps();
    ledger.batch = trainer.next_batch();
    const index_t pieces = trainer.cut(ledger.batch).pieces;
    ledger.pieces.resize(static_cast<std::size_t>(pieces));
    const auto watch = [&](index_t piece, const Trace& trace, const Tape& tape) {
        ledger.pieces[static_cast<std::size_t>(piece)].loss = static_cast<double>(trace["loss"].item());
        if (piece != 0) return;
        for (const Trace::Step& each : trace.steps())
            ledger.steps.push_back({each.path, each.value, tape.gradient(each.value)});
        ledger.loss_arithmetic = arithmetic_of_first_loss(trace, precision);
    };
    for (index_t i = 0; i < pieces; ++i)
        ledger.pieces[static_cast<std::size_t>(i)].examples = piece_of(ledger.batch, i, pieces).size();
    ledger.report = trainer.compute_gradient(watch);

    const bool second = trainer.optimiser().has_second_moment();
    ledger.gradient = copy_of(trainer.gradient());
    ledger.w_before = copy_of(trainer.parameters().values());
    ledger.m_before = copy_of(trainer.optimiser().m);
    if (second) ledger.v_before = copy_of(trainer.optimiser().v);
    if (on_page) ledger.page = step_page(ledger, trainer, *on_page, names);
    trainer.update(ledger.report);
    ledger.w = copy_of(trainer.parameters().values());
    ledger.m = copy_of(trainer.optimiser().m);
    if (second) ledger.v = copy_of(trainer.optimiser().v);
    if (on_page) check_update(ledger.page, ledger);
    return ledger;
}

double update_tolerance(const Ledger& ledger, double weight) {
    return 1e-6 * (std::abs(weight) + ledger.report.learning_rate);
}

}  // namespace glassbox::tracer
