#include <glassbox/train/parameter_block.h>

#include <algorithm>
#include <map>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

using namespace detail;

namespace {

constexpr index_t alignment = 16;  // in numbers: parts begin on cache lines

index_t rounded_up(index_t count) { return (count + alignment - 1) / alignment * alignment; }

}  // namespace

void copy_into(Tensor& target, const Tensor& source) {
    const Tensor on_device = source.to(target.device());
    backend(target.device()).copy(on_device.view(), mutable_view(target));
}

ParameterBlock::ParameterBlock(ListParameters list) : list_(std::move(list)) {
    const std::vector<Parameters::Entry> entries = list_().entries();
    std::map<Tensor::Id, std::size_t> parts;
    std::vector<Tensor> before;
    index_t offset = 0;
    for (const auto& [entry_name, tensor] : entries) {
        if (tensor->device() != entries[0].tensor->device())
            fail("training: parameter {} is on device {}, and {} on {}", entry_name, name(tensor->device()),
                 entries[0].name, name(entries[0].tensor->device()));
        const auto [known, is_new] = parts.try_emplace(tensor->id(), parts_.size());
        part_of_.push_back(known->second);
        if (!is_new) {
            parts_[known->second].tied.push_back(entry_name);
            continue;
        }
        parts_.push_back({entry_name, tensor->shape(), offset, tensor->numel()});
        before.push_back(*tensor);
        offset += rounded_up(tensor->numel());
    }
    values_ = Tensor::zeros({offset}, entries.empty() ? Device::cpu : entries[0].tensor->device());
    fill_model();
    for (std::size_t i = 0; i < parts_.size(); ++i) copy_into(tensors_[i], before[i]);
}

// The model's tensors become views of values_.
void ParameterBlock::fill_model() {
    tensors_.clear();
    for (const Part& part : parts_) tensors_.push_back(view(values_, part));
    std::size_t i = 0;
    list_().for_each([&](Tensor& parameter) { parameter = tensors_[part_of_[i++]]; });
}

void ParameterBlock::check_model() const {
    std::size_t count = 0, other = part_of_.size();
    list_().for_each([&](const Tensor& parameter) {
        const std::size_t i = count++;
        if (i < other && parameter.id() != tensors_[part_of_[i]].id()) other = i;
    });
    if (count != part_of_.size())
        fail(
            "trainer: the model has {} parameters, and had {} when this trainer was made; make a new Trainer",
            count, part_of_.size());
    if (other < count)
        fail(
            "trainer: parameter {} is no longer the one this trainer trains: the model was given other "
            "values after the trainer was made; make a new Trainer",
            list_().entries()[other].name);
}

// Expected references: to the storage, values_ and one view per part; to each view, tensors_ and the model's
// tensors (several if they are tied).
bool ParameterBlock::is_shared() const {
    if (values_.holders() != 1 + parts_.size()) return true;
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (copies_of(tensors_[i], values_) != 2 + parts_[i].tied.size()) return true;
    return false;
}

Tensor& ParameterBlock::writable() {
    check_model();
    if (is_shared()) {
        ensure_unique(values_);
        fill_model();
    }
    return values_;
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
        fail("parameters: needs a block of {}, got {}", values_.shape(), values.shape());
    copy_into(writable(), values);
}

NamedTensors ParameterBlock::named(const Tensor& block, const std::string& prefix) const {
    NamedTensors result;
    for (const Part& part : parts_) result.emplace_back(prefix + part.name, view(block, part));
    return result;
}

NamedTensors ParameterBlock::to_file(const Tensor& block, const FileNames& names) const {
    NamedTensors file;
    for (const Part& part : parts_) {
        file.emplace_back(names.of(part.name), view(block, part));
        for (const std::string& tied : part.tied) file.emplace_back(names.of(tied), view(block, part));
    }
    return file;
}

void ParameterBlock::fill(Tensor& block, const NamedTensors& arrays, const std::string& prefix) const {
    std::map<std::string, Tensor> by_name(arrays.begin(), arrays.end());
    std::string wrong;
    for (const Part& part : parts_) {
        const auto found = by_name.find(prefix + part.name);
        if (found == by_name.end())
            wrong += fmt::format("\n  {} {} is missing", prefix + part.name, part.shape);
        else if (found->second.shape() != part.shape)
            wrong += fmt::format("\n  {} has shape {}, the model's is {}", prefix + part.name,
                                 found->second.shape(), part.shape);
    }
    for (const auto& [name, array] : by_name)
        if (name.starts_with(prefix) &&
            std::none_of(parts_.begin(), parts_.end(),
                         [&, &key = name](const Part& part) { return prefix + part.name == key; }))
            wrong += fmt::format("\n  {} {} is not the model's", name, array.shape());
    if (!wrong.empty()) fail("parameters: these do not fit the model:{}", wrong);
    for (const Part& part : parts_) {
        Tensor target = view(block, part);
        copy_into(target, by_name.at(prefix + part.name));
    }
}

void ensure_unique(Tensor& x) {
    if (x.holders() <= 1) return;
    Tensor copy = Tensor::empty(x.shape(), x.device());
    backend(x.device()).copy(x.view(), copy.writable());
    x = std::move(copy);
}

}  // namespace glassbox
