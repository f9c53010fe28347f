#include "subject/show_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/report.h"

// `--summary`: the parameters and multiply–adds of each layer, collected from the operations of one forward
// pass.
namespace glassbox::tracer {
namespace {

struct Cost {
    index_t parameters = 0, multiply_adds = 0;
    void add(const Cost& other) {
        parameters += other.parameters;
        multiply_adds += other.multiply_adds;
    }
};

struct SummaryRow {
    std::string path;
    std::string shape;
    Cost cost;
    std::vector<std::string> names;  // of its parameters
};

index_t multiply_adds(const Operation& op) {
    const std::string name = op.op;
    const bool product = name == "matmul" || name == "linear";
    return product ? op.output.numel() * op.inputs[0].size(-1) : 0;
}

// The name of each parameter by its tensor's id.
using Owners = std::map<Tensor::Id, std::string>;

// The parameter that this operation slices, as cross-attention does with the stacked weights; "" if none.
std::string sliced_from(const Trace& trace, const Operation& op, const Owners& owners) {
    if (op.op != std::string("slice")) return "";
    Tensor whole = op.inputs[0];
    while (const Operation* view = trace.operation_of(whole)) {
        if (view->op != std::string("reshape")) return "";
        whole = view->inputs[0];
    }
    const auto owner = owners.find(whole.id());
    return owner == owners.end() ? "" : owner->second;
}

// Walks the operations back from a step to the earlier steps, adding up products and parameters.
void collect(const Trace& trace, const Tensor& value, const Owners& owners, std::set<Tensor::Id>& visited,
             SummaryRow& row) {
    const bool is_new = visited.insert(value.id()).second;
    if (const auto owner = owners.find(value.id()); owner != owners.end()) {
        if (is_new) row.cost.parameters += value.numel();  // a shared parameter counts once
        row.names.push_back(owner->second);
        return;
    }
    if (!is_new) return;
    const Operation* op = trace.operation_of(value);
    if (!op) return;
    if (const std::string owner = sliced_from(trace, *op, owners); !owner.empty()) {
        row.cost.parameters += value.numel();
        row.names.push_back(owner);
        return;
    }
    row.cost.multiply_adds += multiply_adds(*op);
    for (const Tensor& input : op->inputs)
        if (!trace.step_of(input) || owners.contains(input.id())) collect(trace, input, owners, visited, row);
}

std::string thousands(index_t n) {
    std::string text = std::to_string(n);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), ",");
    return text;
}

std::string line(const std::string& left, const std::string& shape, const Cost& cost,
                 const std::string& names) {
    const auto shown = [](index_t n) { return n ? thousands(n) : std::string("·"); };
    std::string text = fmt::format("{:<34} {:<16} {:>12} {:>16}  {}", left, shape, shown(cost.parameters),
                                   shown(cost.multiply_adds), names);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

// The layers of these parameters, separated by commas: "self_attn.qkv_proj" for its weight and bias.
std::string layers_of(const std::vector<std::string>& names) {
    std::vector<std::string> layers;
    for (const std::string& name : names) {
        const std::string layer = name.substr(0, name.rfind('.'));
        if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(layer);
    }
    return fmt::format("{}", fmt::join(layers, ", "));
}

// Lines for the scopes that begin between two paths, with their total cost.
std::string scope_lines(const std::string& before, const std::string& path,
                        const std::map<std::string, Cost>& scopes) {
    std::string text;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string scope = path.substr(0, slash + 1);
        if (before.starts_with(scope)) continue;
        const std::size_t depth = static_cast<std::size_t>(std::count(scope.begin(), scope.end(), '/')) - 1;
        const std::string name = scope.substr(scope.rfind('/', scope.size() - 2) + 1);
        text += line(std::string(2 * depth, ' ') + name, "", scopes.at(scope), "");
    }
    return text;
}

}  // namespace

std::string summary_text(const Trace& trace, const Subject& subject) {
    Owners owners;
    for (const auto& entry : subject.parameters().entries()) owners[entry.tensor->id()] = entry.name;
    std::set<Tensor::Id> visited;
    std::vector<SummaryRow> rows;
    std::map<std::string, Cost> scopes;
    for (const Trace::Step& step : trace.steps()) {
        SummaryRow row{step.path, step.value.shape().str(), {}, {}};
        collect(trace, step.value, owners, visited, row);
        for (std::size_t slash = step.path.find('/'); slash != std::string::npos;
             slash = step.path.find('/', slash + 1))
            scopes[step.path.substr(0, slash + 1)].add(row.cost);
        scopes[""].add(row.cost);
        rows.push_back(row);
    }
    std::string text = subject.title + "\n";
    for (const std::string& each : subject.header) text += each + "\n";
    text += fmt::format("\n{:<34} {:<16} {:>12} {:>16}  {}\n", "step", "shape", "parameters", "multiply-adds",
                        "from");
    std::string before;
    for (const SummaryRow& row : rows) {
        text += scope_lines(before, row.path, scopes);
        const std::size_t depth = static_cast<std::size_t>(std::count(row.path.begin(), row.path.end(), '/'));
        text += line(std::string(2 * depth, ' ') + row.path.substr(row.path.rfind('/') + 1), row.shape,
                     row.cost, layers_of(row.names));
        before = row.path;
    }
    return text + line("total", "", scopes[""], "");
}

}  // namespace glassbox::tracer
