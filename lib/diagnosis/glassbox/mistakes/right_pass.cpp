#include <glassbox/mistakes/right_pass.h>

#include <algorithm>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

RightPass::RightPass(const Computation& computation) : trace_(std::make_unique<Trace>()) {
    computation.forward();
    for (const Trace::Step& step : trace_->steps())
        if (step.info) {
            const Trace::Step* first_name = trace_->step_of(step.made);
            const bool is_first = !first_name || first_name->path == step.path;
            const Operation* const operation = trace_->operation_of(step.made);
            steps_.push_back(
                {step.path, step.info, step.made, is_first ? operation : nullptr,
                 !operation && step.info->formula[0] == '\0' && step.path != computation.result});
        }
}

const RightPass::Step* RightPass::find(std::string_view path) const {
    const auto found =
        std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.path == path; });
    return found == steps_.end() ? nullptr : &*found;
}

std::vector<Tensor> RightPass::unnamed_inputs() const {
    std::vector<Tensor> inputs;
    for (const Step& step : steps_) {
        if (!step.operation) continue;
        for (const Tensor& input : step.operation->inputs)
            if (input.defined() && !trace_->operation_of(input) && !trace_->step_of(input))
                inputs.push_back(input);
    }
    return inputs;
}

bool RightPass::Step::can_have(const Mistake& mistake) const {
    return std::any_of(mistake.lines.begin(), mistake.lines.end(),
                       [&](const Mistake::Line& line) { return line.at.is(*info, operation); });
}

bool RightPass::has_place_for(const Mistake& mistake) const {
    return std::any_of(steps_.begin(), steps_.end(),
                       [&](const Step& step) { return step.can_have(mistake); });
}

std::vector<std::size_t> RightPass::leading_to(const std::string& path, const StepValues& given) const {
    std::map<std::string_view, std::size_t> positions;
    for (std::size_t i = 0; i < steps_.size(); ++i) positions[steps_[i].path] = i;
    std::vector<bool> leads(steps_.size());
    std::set<Tensor::Id> seen;
    std::vector<Tensor> open;
    const auto follow = [&](const Operation* operation) {
        if (operation)
            for (const Tensor& input : operation->inputs) open.push_back(input);
    };
    const std::size_t last = positions.at(path);
    leads[last] = true;
    if (steps_[last].operation) follow(steps_[last].operation);
    else open.push_back(steps_[last].made);
    while (!open.empty()) {
        const Tensor tensor = open.back();
        open.pop_back();
        if (!tensor.defined() || !seen.insert(tensor.id()).second) continue;
        if (const Trace::Step* step = trace_->step_of(tensor)) {
            if (given.count(step->path)) continue;
            if (const auto at = positions.find(step->path); at != positions.end()) leads[at->second] = true;
        }
        follow(trace_->operation_of(tensor));
    }
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < leads.size(); ++i)
        if (leads[i]) found.push_back(i);
    return found;
}

std::vector<StepPart> RightPass::parts_of(const Step& step) const {
    using PartAxis = StepPart::Axis;
    const int rank = step.made.rank();
    std::vector<StepPart> parts;
    const auto add = [&](PartAxis axis, index_t size) {
        constexpr index_t max_parts = 16;  // of many, the first and the last are tried
        for (index_t i = 0; i < size; ++i)
            if (size <= max_parts || i == 0 || i == size - 1) parts.push_back({axis, i, i + 1});
        if (size > 2) parts.push_back({axis, 0, size / 2}), parts.push_back({axis, size / 2, size});
        if (size > 3) parts.push_back({axis, 1, size});
    };
    const Step* concat = find(step.path.substr(0, step.path.rfind('/') + 1) + "concat");
    const bool has_heads = concat && rank > concat->made.rank();
    if (has_heads) add(PartAxis::head, step.made.size(-3));
    if (rank >= (has_heads ? 4 : 3)) add(PartAxis::entry, step.made.size(0));
    if (rank >= 2) add(PartAxis::row, step.made.size(-2));
    if (rank >= 1 && step.made.size(-1) > 1) {
        const index_t width = step.made.size(-1);
        parts.push_back({PartAxis::column, 0, (width + 1) / 2}),
            parts.push_back({PartAxis::column, (width + 1) / 2, width});
    }
    return parts;
}

Tensor RightPass::mask_of(const Step& masked) {
    return broadcast_to(masked.operation->inputs[1], masked.made.shape());
}

}  // namespace glassbox
