#include "subject/show_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/text_width.h"
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

// The layers of these parameters, separated by commas: "self_attn.qkv_proj" for its weight and bias.
std::string layers_of(const std::vector<std::string>& names) {
    std::vector<std::string> layers;
    for (const std::string& name : names) {
        const std::string layer = name.substr(0, name.rfind('.'));
        if (std::find(layers.begin(), layers.end(), layer) == layers.end()) layers.push_back(layer);
    }
    return fmt::format("{}", fmt::join(layers, ", "));
}

// A line of the table.
struct TableRow {
    std::string step, shape, parameters, multiply_adds, from;
};

TableRow table_row(const std::string& step, const std::string& shape, const Cost& cost,
                   const std::string& from) {
    const auto shown = [](index_t n) { return n ? thousands(n) : std::string("·"); };
    return {step, shape, shown(cost.parameters), shown(cost.multiply_adds), from};
}

// Rows for the scopes that begin between two paths, with their total cost.
void add_scopes(std::vector<TableRow>& rows, const std::string& before, const std::string& path,
                const std::map<std::string, Cost>& scopes) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string scope = path.substr(0, slash + 1);
        if (before.starts_with(scope)) continue;
        const std::size_t depth = static_cast<std::size_t>(std::count(scope.begin(), scope.end(), '/')) - 1;
        const std::string name = scope.substr(scope.rfind('/', scope.size() - 2) + 1);
        rows.push_back(table_row(std::string(2 * depth, ' ') + name, "", scopes.at(scope), ""));
    }
}

// Columns as wide as what they hold; parameters that do not fit into the line stand below it.
std::string table_text(const std::vector<TableRow>& rows, int width) {
    int step = 0, shape = 0, parameters = 0, multiply_adds = 0;
    for (const TableRow& row : rows) {
        step = std::max(step, width_of(row.step)), shape = std::max(shape, width_of(row.shape));
        parameters = std::max(parameters, width_of(row.parameters));
        multiply_adds = std::max(multiply_adds, width_of(row.multiply_adds));
    }
    std::string text;
    for (const TableRow& row : rows) {
        std::string line = fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}", row.step, step, row.shape, shape,
                                       row.parameters, parameters, row.multiply_adds, multiply_adds);
        if (!row.from.empty()) {
            const bool fits = width == 0 || width_of(line) + 2 + width_of(row.from) <= width;
            const std::string below = std::string(row.step.find_first_not_of(' ') + 2, ' ');
            line += fits ? "  " + row.from : "\n" + wrapped(below + row.from, width, below);
        }
        text += line + "\n";
    }
    return text;
}

}  // namespace

std::string summary_text(const Trace& trace, const Subject& subject, int width) {
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
    std::vector<TableRow> table{{"step", "shape", "parameters", "multiply-adds", "from"}};
    std::string before;
    for (const SummaryRow& row : rows) {
        add_scopes(table, before, row.path, scopes);
        const std::size_t depth = static_cast<std::size_t>(std::count(row.path.begin(), row.path.end(), '/'));
        table.push_back(table_row(std::string(2 * depth, ' ') + row.path.substr(row.path.rfind('/') + 1),
                                  row.shape, row.cost, layers_of(row.names)));
        before = row.path;
    }
    table.push_back(table_row("total", "", scopes[""], ""));
    return wrapped(text, width) + "\n" + table_text(table, width);
}

}  // namespace glassbox::tracer
