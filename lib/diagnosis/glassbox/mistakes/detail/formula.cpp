#include <glassbox/mistakes/detail/formula.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) {
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}
bool is_binary(std::string_view op) { return is_one_of(op, {"add", "sub", "mul", "div", "matmul"}); }
bool is_reduction(std::string_view op) { return is_one_of(op, {"sum", "mean", "max", "min"}); }
bool is_view(std::string_view op) { return is_one_of(op, {"reshape", "broadcast_to", "contiguous"}); }

// The ops whose parts are seen; any other's result is a value.
bool is_known(const Operation& operation) {
    const std::string_view op = operation.op;
    if (is_one_of(op, {"linear", "layer_norm", "softmax", "log_softmax", "masked_fill", "where"}))
        return true;
    if (is_binary(op) || is_reduction(op) || is_view(op)) return true;
    return is_one_of(op, {"exp", "log", "sqrt", "tanh", "sin", "cos", "erf", "relu", "negate", "sigmoid",
                          "silu", "abs", "gelu", "pow"});
}

Tensor reduced(std::string_view op, const Tensor& x, int axis, bool keeps) {
    if (axis == all_axes) {
        const Tensor flat = reshape(x, {x.numel()});
        return reduced(op, flat, -1, false);
    }
    if (op == "sum") return sum(x, axis, Keep(keeps));
    if (op == "mean") return mean(x, axis, Keep(keeps));
    return op == "max" ? max(x, axis, Keep(keeps)) : min(x, axis, Keep(keeps));
}

Tensor binary(std::string_view op, const Tensor& a, const Tensor& b) {
    if (op == "matmul") return matmul(a, b);
    if (op == "add") return a + b;
    if (op == "sub") return a - b;
    return op == "mul" ? a * b : a / b;
}

Tensor unary(std::string_view op, const Tensor& x) {
    constexpr std::pair<std::string_view, Tensor (*)(const Tensor&)> all[] = {
        {"exp", exp},   {"log", log}, {"sqrt", sqrt},           {"tanh", tanh},      {"sin", sin},
        {"cos", cos},   {"erf", erf}, {"relu", relu},           {"negate", negate},  {"sigmoid", sigmoid},
        {"silu", silu}, {"abs", abs}, {"transpose", transpose}, {"softmax", softmax}};
    for (const auto& [name, function] : all)
        if (op == name) return function(x);
    if (op == "square") return x * x;
    if (op == "reciprocal") return 1.0 / x;
    if (op == "gelu") return gelu(x);
    fail("formula: no op '{}'", op);
}

std::string_view sign_of(std::string_view op) {
    return op == "add" ? " + " : op == "sub" ? " − " : op == "mul" ? " · " : op == "div" ? " / " : " ";
}
constexpr int max_depth = 60;  // an edit may make a part of itself
int strength_of(std::string_view op) {
    return is_one_of(op, {"add", "sub"}) ? 1 : is_one_of(op, {"mul", "div", "matmul", "negate"}) ? 2 : 3;
}

std::string number_name(double number) {
    std::string text = fmt::format("{:.4g}", number);
    return text[0] == '-' ? "−" + text.substr(1) : text;
}

}  // namespace

Formula::Formula(const Frame& frame, const Tensor& made, bool has_names) : has_names_(has_names) {
    const Operation* operation = frame.trace().operation_of(made);
    if (!operation || frame.trace().step_of(made) || !is_known(*operation)) {
        whole_ = add_value(frame, made, "x");
        return;
    }
    whole_ = add_computed(frame, made, "x");
    const std::string scope = frame.path().substr(0, frame.path().rfind('/') + 1);
    for (const Trace::Step& step : frame.trace().steps()) {
        if (!step.path.starts_with(scope) || step.path.find('/', scope.size()) != step.path.npos) continue;
        const std::string name = step.path.substr(scope.size());
        const auto is_it = [&](const Part& part) {
            return part.is_value() && part.value.id() == step.value.id();
        };
        if (std::none_of(parts_.begin(), parts_.end(), is_it)) add_value(frame, step.value, name);
    }
}

std::size_t Formula::add(Part part) {
    parts_.push_back(std::move(part));
    return parts_.size() - 1;
}

std::size_t Formula::add_op(const char* op, std::vector<std::size_t> of, double setting) {
    return add({op, {of.begin(), of.end()}, setting});
}

std::size_t Formula::add_number(double number, const std::string& name) {
    return add({"", {}, 0, Tensor(static_cast<real>(number)), name.empty() ? number_name(number) : name});
}

std::size_t Formula::add_value(const Frame& frame, const Tensor& value, std::string name) {
    if (!has_names_) return add({"", {}, 0, value});
    const std::string scope = frame.path().substr(0, frame.path().rfind('/') + 1);
    std::string views;
    for (Tensor at = value; const Operation* operation = frame.trace().operation_of(at);) {
        if (frame.trace().step_of(at) || operation->inputs.size() != 1) break;
        views += operation->op == std::string_view("permute") ? "ᵀ" : "";
        at = operation->inputs[0];
        if (const Trace::Step* step = frame.trace().step_of(at))
            name = step->path.substr(step->path.starts_with(scope) ? scope.size() : 0) +
                   (views.empty() ? "" : "ᵀ");
    }
    if (const Trace::Step* step = frame.trace().step_of(value))
        name = step->path.substr(step->path.starts_with(scope) ? scope.size() : 0);
    else if (value.numel() == 1 && !frame.trace().operation_of(value))
        name = number_name(static_cast<double>(value.values()[0]));
    else if (name == "x") name = unnamed(value);
    return add({"", {}, 0, value, std::move(name)});
}

// Of what is neither a step nor a layer's parameter.
std::string Formula::unnamed(const Tensor& value) const {
    const std::vector<real> numbers = value.values();
    if (std::all_of(numbers.begin(), numbers.end(), [](real each) { return each == 0 || each == 1; }))
        return "mask";
    const auto is_x = [&](const Part& part) { return part.name == "x"; };
    const auto found = std::find_if(parts_.begin(), parts_.end(), is_x);
    return found == parts_.end() || found->value.id() == value.id() ? "x" : "y";
}

// What no step is, by the op that computed it; with a name for what has none.
std::size_t Formula::add_computed(const Frame& frame, const Tensor& value, const char* unnamed) {
    const Operation* operation = frame.trace().operation_of(value);
    const bool is_whole = std::exchange(is_whole_next_, false);
    constexpr std::size_t max_parts = 40;
    if (!operation || (!is_whole && frame.trace().step_of(value)) || !is_known(*operation) ||
        parts_.size() > max_parts)
        return add_value(frame, value, unnamed);
    const std::string_view op = operation->op;
    const bool is_linear = op == "linear", is_norm = op == "layer_norm";
    constexpr std::array of_linear{"x", "W", "b"}, of_norm{"x", "γ", "β"};
    std::vector<std::size_t> of;
    for (std::size_t i = 0; i < operation->inputs.size(); ++i)
        of.push_back(add_computed(frame, operation->inputs[i],
                                  i < 3 && is_linear ? of_linear[i]
                                  : i < 3 && is_norm ? of_norm[i]
                                                     : "x"));
    if (is_linear || is_norm || is_one_of(op, {"softmax", "log_softmax", "masked_fill"}))
        return add_fused(*operation, of);
    Part part{std::string(op), {of.begin(), of.end()}, 0, value};
    if (is_reduction(op))
        part.setting = operation->has("axis") ? operation->axis() - operation->inputs[0].rank() : all_axes;
    if (op == "pow") part.setting = (*operation)["exponent"];
    return add(std::move(part));
}

// What fused ops compute, operation by operation.
std::size_t Formula::add_fused(const Operation& operation, const std::vector<std::size_t>& of) {
    const std::string_view op = operation.op;
    if (op == "masked_fill") return add_op("where", {of[1], of[0], add_number(operation["fill"])});
    if (op == "linear") {
        const std::size_t product = add_op("matmul", {of[0], add_op("transpose", {of[1]})});
        return of.size() > 2 ? add_op("add", {product, of[2]}) : product;
    }
    // A part that is used twice has a place of its own in each use, which may be changed alone.
    const auto use = [&](std::size_t part) { return add_op("is", {part}); };
    if (op == "layer_norm") {
        const std::size_t centred = add_op("sub", {of[0], add_op("mean", {use(of[0])}, -1)});
        const std::size_t variance = add_op("mean", {add_op("square", {use(centred)})}, -1);
        const std::size_t root =
            add_op("sqrt", {add_op("add", {variance, add_number(operation["epsilon"], "ε")})});
        return add_op("add", {add_op("mul", {add_op("div", {use(centred), root}), of[1]}), of[2]});
    }
    const std::size_t centred = add_op("sub", {of[0], add_op("max", {use(of[0])}, -1)}),
                      power = add_op("exp", {centred});
    if (op == "softmax") return add_op("div", {use(power), add_op("sum", {use(power)}, -1)});
    return add_op("sub", {use(centred), add_op("log", {add_op("sum", {power}, -1)})});
}

Formula Formula::changed(const Edit& edit) const {
    Formula other = *this;
    const int was = static_cast<int>(other.add(parts_[edit.at])),
              more = static_cast<int>(other.add(edit.other));
    Part& part = other.parts_[edit.at] = edit.becomes;
    std::replace(part.of.begin(), part.of.end(), what_was_there, was);
    std::replace(part.of.begin(), part.of.end(), the_other, more);
    return other;
}

bool Formula::is_within(std::size_t part, std::size_t whole) const {
    const Part& outer = parts_[whole];
    return part == whole || std::any_of(outer.of.begin(), outer.of.end(), [&](int each) {
               return is_within(part, static_cast<std::size_t>(each));
           });
}

Tensor Formula::value() const {
    std::vector<Tensor> known(parts_.size());
    return value_of(whole_, known, 0);
}

Tensor Formula::value_of(std::size_t at, std::vector<Tensor>& known, int depth) const {
    if (depth > max_depth) fail("formula: a part is of itself");
    if (known[at].defined()) return known[at];
    const Part& part = parts_[at];
    if (part.is_value()) return part.value;
    std::vector<Tensor> of;
    for (const int each : part.of) of.push_back(value_of(static_cast<std::size_t>(each), known, depth + 1));
    Tensor& made = known[at];
    if (is_binary(part.op)) made = binary(part.op, of[0], of[1]);
    else if (is_reduction(part.op)) {
        // Of a fused op it keeps its axis; one that was recorded has its own shape.
        const bool keeps = !part.value.defined() || part.value.rank() == of[0].rank();
        made = reduced(part.op, of[0], static_cast<int>(part.setting), keeps);
    } else if (part.op == "pow") made = pow(of[0], part.setting);
    else if (part.op == "reshape") made = reshape(of[0], part.value.shape());
    else if (part.op == "broadcast_to") made = broadcast_to(of[0], part.value.shape());
    else if (part.op == "where") made = where(of[0], of[1], of[2]);
    else if (part.op == "contiguous" || part.op == "is") made = of[0];
    else made = unary(part.op, of[0]);
    return made;
}

std::string Formula::text(std::size_t at, int inside, int depth) const {
    const Part& part = parts_[at];
    if (part.is_value()) return part.name;
    if (depth > max_depth) return "…";
    const auto of = [&](std::size_t i, int strength) {
        return text(static_cast<std::size_t>(part.of[i]), strength, depth + 1);
    };
    if (is_view(part.op) || part.op == "is") return of(0, inside);
    if (part.op == "where") return fmt::format("where({}, {}, {})", of(0, 0), of(1, 0), of(2, 0));
    const int strength = strength_of(part.op);
    std::string made;
    if (is_binary(part.op)) {
        const bool is_one_way = part.op == "sub" || part.op == "div";
        made = of(0, strength) + std::string(sign_of(part.op)) + of(1, strength + is_one_way);
    } else if (is_reduction(part.op)) {
        const std::string name = part.op == "sum" ? "Σ" : part.op;
        const std::string over = !part.has_other_axis       ? ""
                                 : part.setting == all_axes ? " over all"
                                                            : fmt::format(" over axis {}", part.setting);
        made = fmt::format("{}{}({})", name, over, of(0, 0));
    } else if (part.op == "negate") made = "−" + of(0, strength);
    else if (part.op == "sqrt") made = fmt::format("√({})", of(0, 0));
    else if (part.op == "square") made = of(0, 3) + "²";
    else if (part.op == "transpose") made = of(0, 3) + "ᵀ";
    else if (part.op == "reciprocal") made = fmt::format("1 / ({})", of(0, 0));
    else if (part.op == "pow") made = fmt::format("{}^{}", of(0, 3), number_name(part.setting));
    else made = fmt::format("{}({})", part.op == "log" ? "ln" : part.op, of(0, 0));
    return strength < inside ? "(" + made + ")" : made;
}

}  // namespace glassbox::detail
