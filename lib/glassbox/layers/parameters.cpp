#include <glassbox/layers/parameters.h>

#include <algorithm>
#include <map>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/detail/text.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// `from` replaced by `to` where it is one or more complete components of the dotted name.
std::string replaced(std::string name, const std::string& from, const std::string& to) {
    const std::size_t at = ("." + name + ".").find("." + from + ".");
    return at == std::string::npos ? name : name.replace(at, from.size(), to);
}

std::string listed(const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return "";
    const std::size_t max_names = 12;
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(max_names, names.size())));
    return fmt::format("\n  {}: {}{}", what, fmt::join(first, ", "),
                       names.size() > max_names ? fmt::format(" and {} more", names.size() - max_names) : "");
}

// The tensors of a file with this prefix, by name.
std::map<std::string, Tensor> with_prefix(const NamedTensors& file, const std::string& prefix) {
    std::map<std::string, Tensor> found;
    for (const auto& each : file)
        if (each.first.starts_with(prefix)) found.insert(each);
    return found;
}

bool has_all(const std::map<std::string, Tensor>& tensors, const std::vector<std::string>& names,
             const std::string& prefix) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return tensors.contains(prefix + name); });
}

// The prefix under which the file has all of these names, like "encoder."; empty if there is none.
std::string common_prefix(const std::vector<std::string>& names,
                          const std::map<std::string, Tensor>& tensors) {
    for (const auto& [name, value] : tensors) {
        if (!name.ends_with("." + names[0])) continue;
        const std::string prefix = name.substr(0, name.size() - names[0].size());
        if (has_all(tensors, names, prefix)) return prefix;
    }
    return "";
}

// A hint why names are missing: the file has a prefix, or another source's names.
std::string advice(const std::vector<std::string>& missing, const std::vector<Parameters::Entry>& entries,
                   const NamedTensors& file, const FileNames& names) {
    if (missing.empty()) return "";
    const std::map<std::string, Tensor> tensors = with_prefix(file, "");
    if (const std::string prefix = common_prefix(missing, tensors); !prefix.empty())
        return fmt::format("\n  the missing ones are in the file with the prefix '{}': set FileNames::prefix",
                           printable(prefix));
    if (!names.others) return "";
    for (const FileNames& other : names.others()) {
        std::vector<std::string> theirs;
        for (const Parameters::Entry& entry : entries) theirs.push_back(other.of(entry.name));
        if (has_all(tensors, theirs, "")) return fmt::format("\n  the file has the names of {}", other.whose);
    }
    return "";
}

bool same_numbers(const Tensor& a, const Tensor& b) {
    return a.id() == b.id() || (a.shape() == b.shape() && a.values() == b.values());
}

// The first entry with the tensor of entry i: tied weights have several.
std::size_t first_of(const std::vector<Parameters::Entry>& entries, std::size_t i) {
    std::size_t first = 0;
    while (entries[first].tensor->id() != entries[i].tensor->id()) ++first;
    return first;
}

}  // namespace

std::string FileNames::of(std::string name) const {
    for (const Rename& rename : renames) name = replaced(name, rename.ours, rename.theirs);
    return prefix + name;
}

std::string Parameters::name_of(const Listed& listed) const {
    std::string name = listed.name;
    for (int scope = listed.scope; scope >= 0;) {
        const Scope& parent = scopes_[static_cast<std::size_t>(scope)];
        name = parent.name + "." + name;
        scope = parent.outer;
    }
    return name;
}

std::vector<Parameters::Entry> Parameters::entries() && {
    std::vector<Entry> entries;
    for (const Listed& each : listed_) entries.push_back({name_of(each), each.tensor});
    return entries;
}

index_t Parameters::count() && {
    const std::vector<Entry> entries = std::move(*this).entries();
    index_t count = 0;
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (first_of(entries, i) == i) count += entries[i].tensor->numel();
    return count;
}

NamedTensors Parameters::values() && { return std::move(*this).to_file(); }

void Parameters::move_to(Device device) && {
    const std::vector<Entry> entries = std::move(*this).entries();
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < entries.size(); ++i) firsts.push_back(first_of(entries, i));
    for (std::size_t i = 0; i < entries.size(); ++i)
        *entries[i].tensor = entries[firsts[i]].tensor->to(device);  // the first has been moved already
}

NamedTensors Parameters::to_file(const FileNames& names) && {
    NamedTensors values;
    for (const Listed& each : listed_) values.emplace_back(names.of(name_of(each)), *each.tensor);
    return values;
}

// For tied weights the file may have any one of the names, or several with equal values.
void Parameters::load(const NamedTensors& file, const FileNames& names) && {
    const std::vector<Entry> entries = std::move(*this).entries();
    std::map<std::string, Tensor> tensors = with_prefix(file, names.prefix);
    std::vector<std::string> missing, reshaped, unexpected, untied;
    std::vector<Tensor> values(entries.size());
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const std::size_t first = first_of(entries, i);
        firsts.push_back(first);
        const std::string name = names.of(entry.name);
        const auto found = tensors.find(name);
        if (found == tensors.end()) continue;
        const Tensor& value = found->second;
        if (value.shape() != entry.tensor->shape())
            reshaped.push_back(
                fmt::format("{} {} instead of {}", name, value.shape(), entry.tensor->shape()));
        if (!values[first].defined()) values[first] = value;
        else if (!same_numbers(values[first], value))
            untied.push_back(fmt::format("{} and {}", names.of(entries[first].name), name));
        tensors.erase(found);
    }
    std::vector<std::string> missing_names;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (values[firsts[i]].defined()) continue;
        missing_names.push_back(names.of(entries[i].name));
        missing.push_back(fmt::format("{} {}", missing_names.back(), entries[i].tensor->shape()));
    }
    for (const auto& [name, value] : tensors)
        unexpected.push_back(fmt::format("{} {}", printable(name), value.shape()));
    if (!missing.empty() || !reshaped.empty() || !unexpected.empty() || !untied.empty())
        fail("weights: the file does not fit this model{}{}{}{}{}{}{}", names.whose.empty() ? "" : ", ",
             names.whose, listed("missing", missing), listed("unexpected", unexpected),
             listed("of another shape", reshaped),
             listed("one tensor in the model, but different numbers in the file", untied),
             advice(missing_names, entries, file, names));
    // Assigned only now, because `firsts` depends on the model's old tensors. Tied weights share one tensor.
    for (std::size_t i = 0; i < entries.size(); ++i)
        *entries[i].tensor =
            i == firsts[i] ? values[i].to(entries[i].tensor->device()) : *entries[firsts[i]].tensor;
}

void save(Parameters&& parameters, const std::filesystem::path& path, const FileNames& names) {
    write_safetensors(path, std::move(parameters).to_file(names));
}

void load(Parameters&& parameters, const std::filesystem::path& path, const FileNames& names) {
    const Safetensors file = read_safetensors(path);
    try {
        std::move(parameters).load(file.tensors, names);
    } catch (const Error& error) {
        fail<FileError>("{}: {}", display_name(path), error.what());
    }
}

}  // namespace glassbox
