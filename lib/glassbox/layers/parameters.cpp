#include <glassbox/layers/parameters.h>

#include <map>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

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

std::string FileNames::of(std::string name) const {
    for (const Rename& rename : renames) name = replaced(name, rename.ours, rename.theirs);
    return name;
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

NamedTensors Parameters::to_file(const FileNames& names) const {
    NamedTensors values;
    for (const Entry& entry : entries_) values.emplace_back(names.of(entry.name), *entry.tensor);
    return values;
}

void Parameters::load(const NamedTensors& file, const FileNames& names) {
    std::map<std::string, Tensor> there(file.begin(), file.end());
    std::vector<std::string> missing, reshaped, unexpected;
    std::vector<Tensor> values;
    for (const Entry& entry : entries_) {
        const std::string name = names.of(entry.name);
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
        fail("weights: the file does not fit this model{}{}{}{}{}", names.whose.empty() ? "" : ", ",
             names.whose, listed("missing", missing), listed("unexpected", unexpected),
             listed("of another shape", reshaped));
    for (std::size_t i = 0; i < entries_.size(); ++i)
        *entries_[i].tensor = values[i].to(entries_[i].tensor->device());
}

}  // namespace glassbox
