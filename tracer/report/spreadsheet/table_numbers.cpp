#include "report/spreadsheet/table_numbers.h"

#include <algorithm>
#include <cmath>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox::tracer::spreadsheet {
namespace {

std::vector<double> doubles(const Tensor& tensor) {
    const std::vector<real> values = tensor.to(Device::cpu).values();
    return {values.begin(), values.end()};
}

std::vector<double> values_of(const Plan& plan, const Table& table, const EquationValues& values) {
    const Item& item = table.item;
    if (item.node == Computation::none) return doubles(table.tensor);
    if (!item.is_gradient) return values.value(item.node);
    if (plan.knows_gradient(item.node)) return values.gradient(item.node);
    const Tensor known = table.parameter ? table.parameter->gradient
                         : table.step    ? table.step->gradient
                                         : Tensor();
    if (known.defined()) return doubles(known);
    return std::vector<double>(static_cast<std::size_t>(table.tensor.numel()), NAN);
}

std::vector<bool> hidden_of(const Table& table) {
    const bool is_step = !table.item.is_gradient && table.kind != Table::Kind::right && table.step;
    if (!is_step || !table.step->seen.defined()) return {};
    const NoRecording silence;
    std::vector<bool> hidden;
    for (const real each : broadcast_to(table.step->seen, table.tensor.shape()).to(Device::cpu).values())
        hidden.push_back(each == 0);
    return hidden;
}

double largest_of(const std::vector<double>& values) {
    double largest = 0;
    for (const double each : values) largest = std::max(largest, std::abs(each));
    return largest;
}

bool are_whole(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return x == std::floor(x); });
}

bool is_whole(const Table& table, const std::vector<double>& values) {
    if (table.kind == Table::Kind::input && !table.step) return are_whole(values);
    return !table.item.is_gradient && table.step && table.step->kind == Report::Kind::word;
}

}  // namespace

bool is_large(double x) {
    constexpr double large = 1e6;
    return std::abs(x) >= large;
}

TableNumbers numbers_of(const Plan& plan, std::size_t n, const FormulaWriter& formulas,
                        const EquationValues& values) {
    const Table& table = plan.tables()[n];
    TableNumbers numbers{.values = values_of(plan, table, values)};
    for (index_t i = 0; i < table.tensor.numel(); ++i) numbers.formulas.push_back(formulas.of(n, i));
    numbers.hidden = hidden_of(table);
    numbers.is_whole = is_whole(table, numbers.values);
    constexpr double small = 1e-2, tiny = 1e-6;  // hardly a digit of these is among the decimals
    const double largest = largest_of(numbers.values);
    numbers.is_small = largest < small && largest >= tiny;
    numbers.is_general = (largest < tiny && largest > 0) || (numbers.is_given() && are_whole(numbers.values));
    return numbers;
}

}  // namespace glassbox::tracer::spreadsheet
