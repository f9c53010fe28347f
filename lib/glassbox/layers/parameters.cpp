#include <glassbox/layers/parameters.h>

#include <map>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

struct Rename {
    const char *ours, *report, *torch_nn;
};

// Whole parts of a name, between points or at its ends.
constexpr Rename renames[] = {
    {"qkv_proj.weight", "qkv_proj.weight", "in_proj_weight"},
    {"qkv_proj.bias", "qkv_proj.bias", "in_proj_bias"},
    {"o_proj", "o_proj", "out_proj"},
    {"cross_attn", "cross_attn", "multihead_attn"},
    {"linear_net.0", "mlp.0", "linear1"},
    {"linear_net.3", "mlp.3", "linear2"},
    {"norm1", "norm.0", "norm1"},
    {"input_net.1", "input_net.0", "input_net"},
    {"transformer", "transformer", "encoder"},
};

// `from` replaced by `to` where it stands between points or at an end.
std::string replaced(std::string name, const std::string& from, const std::string& to) {
    const std::size_t at = ("." + name + ".").find("." + from + ".");
    return at == std::string::npos ? name : name.replace(at, from.size(), to);
}

std::string listed(const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return "";
    const std::size_t most = 12;
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
    return fmt::format("\n  {}: {}{}", what, fmt::join(first, ", "),
                       names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

}  // namespace

std::string in_file(const std::string& name, const Convention& convention) {
    std::string result = name;
    for (const Rename& rename : renames) {
        switch (convention.parameter_names) {
            case ParameterNames::tutorial:
                break;
            case ParameterNames::report:
                result = replaced(result, rename.ours, rename.report);
                break;
            case ParameterNames::torch_nn:
                result = replaced(result, rename.ours, rename.torch_nn);
                break;
        }
    }
    return result;
}

index_t Parameters::count() const {
    index_t count = 0;
    for (const Entry& entry : entries_) count += entry.tensor->numel();
    return count;
}

NamedTensors Parameters::values() const {
    NamedTensors values;
    for (const Entry& entry : entries_) values.emplace_back(entry.name, *entry.tensor);
    return values;
}

void Parameters::move_to(Device device) {
    for (const Entry& entry : entries_) *entry.tensor = entry.tensor->to(device);
}

NamedTensors Parameters::to_file(const Convention& convention) const {
    NamedTensors values;
    for (const Entry& entry : entries_) values.emplace_back(in_file(entry.name, convention), *entry.tensor);
    return values;
}

void Parameters::load(const NamedTensors& file, const Convention& convention) {
    std::map<std::string, Tensor> there(file.begin(), file.end());
    std::vector<std::string> missing, reshaped, unexpected;
    std::vector<Tensor> values;
    for (const Entry& entry : entries_) {
        const std::string name = in_file(entry.name, convention);
        const auto found = there.find(name);
        if (found == there.end()) {
            missing.push_back(fmt::format("{} {}", name, entry.tensor->shape()));
            continue;
        }
        if (found->second.shape() != entry.tensor->shape())
            reshaped.push_back(
                fmt::format("{} {} instead of {}", name, found->second.shape(), entry.tensor->shape()));
        values.push_back(found->second);
        there.erase(found);
    }
    for (const auto& [name, value] : there) unexpected.push_back(fmt::format("{} {}", name, value.shape()));
    if (!missing.empty() || !reshaped.empty() || !unexpected.empty())
        fail("weights: the file does not fit this model, convention {}{}{}{}", convention.name,
             listed("missing", missing), listed("unexpected", unexpected),
             listed("of another shape", reshaped));
    for (std::size_t i = 0; i < entries_.size(); ++i)
        *entries_[i].tensor = values[i].to(entries_[i].tensor->device());
}

}  // namespace glassbox
