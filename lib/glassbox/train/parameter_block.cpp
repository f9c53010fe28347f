#include <glassbox/train/parameter_block.h>

#include <algorithm>
#include <map>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/detail/overwritable.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

constexpr index_t gap_free = 16;  // parts begin on cache lines: at multiples of so many numbers

index_t rounded_up(index_t count) { return (count + gap_free - 1) / gap_free * gap_free; }

}  // namespace

void copy_into(Tensor& there, const Tensor& from) {
    const Tensor here = from.to(there.device());
    backend(there.device()).copy(here.view(), overwritable(there));
}

ParameterBlock::ParameterBlock(const Parameters& parameters) {
    index_t offset = 0;
    for (const Parameters::Entry& entry : parameters.entries()) {
        const Tensor& parameter = *entry.tensor;
        if (parameter.device() != parameters.entries().front().tensor->device())
            fail("training: parameter {} is on device {}, and {} on {}", entry.name, name(parameter.device()),
                 parameters.entries().front().name, name(parameters.entries().front().tensor->device()));
        parts_.push_back({entry.name, parameter.shape(), offset, parameter.numel()});
        offset += rounded_up(parameter.numel());
    }
    values_ =
        Tensor::zeros({offset}, parts_.empty() ? Device::cpu : parameters.entries().front().tensor->device());
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        Tensor& parameter = *parameters.entries()[i].tensor;
        tensors_.push_back(view(values_, parts_[i]));
        copy_into(tensors_[i], parameter);
        parameter = tensors_[i];
    }
}

index_t ParameterBlock::count() const {
    index_t total = 0;
    for (const Part& part : parts_) total += part.count;
    return total;
}

const ParameterBlock::Part& ParameterBlock::part(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const Part& part : parts_) {
        if (part.name == name) return part;
        names.push_back(part.name);
    }
    fail("parameters: no parameter '{}'; there are {}", name, fmt::join(names, ", "));
}

Tensor ParameterBlock::view(const Tensor& block, const Part& part) {
    return block.alias(part.shape, contiguous_strides(part.shape), part.offset);
}

void ParameterBlock::overwrite(const Tensor& values) {
    if (values.shape() != values_.shape())
        fail("parameters: a block of {} needed, got {}", values_.shape(), values.shape());
    copy_into(values_, values);
}

NamedTensors ParameterBlock::named(const Tensor& block, const std::string& prefix) const {
    NamedTensors result;
    for (const Part& part : parts_) result.emplace_back(prefix + part.name, view(block, part));
    return result;
}

void ParameterBlock::fill(Tensor& block, const NamedTensors& arrays, const std::string& prefix) const {
    std::map<std::string, Tensor> there(arrays.begin(), arrays.end());
    std::string wrong;
    for (const Part& part : parts_) {
        const auto found = there.find(prefix + part.name);
        if (found == there.end())
            wrong += fmt::format("\n  {} {} is missing", prefix + part.name, part.shape);
        else if (found->second.shape() != part.shape)
            wrong += fmt::format("\n  {} has shape {}, the model's is {}", prefix + part.name,
                                 found->second.shape(), part.shape);
    }
    for (const auto& [name, array] : there)
        if (name.starts_with(prefix) &&
            std::none_of(parts_.begin(), parts_.end(),
                         [&, &key = name](const Part& part) { return prefix + part.name == key; }))
            wrong += fmt::format("\n  {} {} is not the model's", name, array.shape());
    if (!wrong.empty()) fail("parameters: these do not fit the model:{}", wrong);
    for (const Part& part : parts_) {
        Tensor room = view(block, part);
        copy_into(room, there.at(prefix + part.name));
    }
}

}  // namespace glassbox
