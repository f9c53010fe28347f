#include <glassbox/layers/parameters.h>

#include <algorithm>
#include <map>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/safetensors.h>
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

// What a file holds, by its names; with a prefix what has it.
std::map<std::string, Tensor> held(const NamedTensors& file, const std::string& prefix) {
    std::map<std::string, Tensor> there;
    for (const auto& each : file)
        if (each.first.starts_with(prefix)) there.insert(each);
    return there;
}

bool has_all(const std::map<std::string, Tensor>& there, const std::vector<std::string>& names,
             const std::string& prefix) {
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& name) { return there.contains(prefix + name); });
}

// What all of these have before them in the file: "encoder.", empty when they are not there so.
std::string prefix_of(const std::vector<std::string>& names, const std::map<std::string, Tensor>& there) {
    for (const auto& [name, value] : there) {
        if (!name.ends_with("." + names[0])) continue;
        const std::string prefix = name.substr(0, name.size() - names[0].size());
        if (has_all(there, names, prefix)) return prefix;
    }
    return "";
}

// Why the file may lack names: they stand behind a prefix, or are another source's.
std::string advice(const std::vector<std::string>& missing, const std::vector<Parameters::Entry>& entries,
                   const NamedTensors& file, const FileNames& names) {
    if (missing.empty()) return "";
    const std::map<std::string, Tensor> there = held(file, "");
    if (const std::string prefix = prefix_of(missing, there); !prefix.empty())
        return fmt::format("\n  what is missing is there behind '{}': FileNames::prefix takes it off",
                           prefix);
    if (!names.others) return "";
    for (const FileNames& other : names.others()) {
        std::vector<std::string> theirs;
        for (const Parameters::Entry& entry : entries) theirs.push_back(other.of(entry.name));
        if (has_all(there, theirs, "")) return fmt::format("\n  the file has the names of {}", other.whose);
    }
    return "";
}

bool same_numbers(const Tensor& a, const Tensor& b) {
    return a.id() == b.id() || (a.shape() == b.shape() && a.values() == b.values());
}

// The first entry with the tensor of entry i: of tied weights there are several.
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
        const Scope& within = scopes_[static_cast<std::size_t>(scope)];
        name = within.name + "." + name;
        scope = within.outer;
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
        *entries[i].tensor = entries[firsts[i]].tensor->to(device);  // the first is there already
}

NamedTensors Parameters::to_file(const FileNames& names) && {
    NamedTensors values;
    for (const Listed& each : listed_) values.emplace_back(names.of(name_of(each)), *each.tensor);
    return values;
}

// Of tied weights the file may have any, or all if they are alike.
void Parameters::load(const NamedTensors& file, const FileNames& names) && {
    const std::vector<Entry> entries = std::move(*this).entries();
    std::map<std::string, Tensor> there = held(file, names.prefix);
    std::vector<std::string> missing, reshaped, unexpected, untied;
    std::vector<Tensor> values(entries.size());
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const std::size_t first = first_of(entries, i);
        firsts.push_back(first);
        const std::string name = names.of(entry.name);
        const auto found = there.find(name);
        if (found == there.end()) continue;
        const Tensor& value = found->second;
        if (value.shape() != entry.tensor->shape())
            reshaped.push_back(
                fmt::format("{} {} instead of {}", name, value.shape(), entry.tensor->shape()));
        if (!values[first].defined()) values[first] = value;
        else if (!same_numbers(values[first], value))
            untied.push_back(fmt::format("{} and {}", names.of(entries[first].name), name));
        there.erase(found);
    }
    std::vector<std::string> missing_names;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (values[firsts[i]].defined()) continue;
        missing_names.push_back(names.of(entries[i].name));
        missing.push_back(fmt::format("{} {}", missing_names.back(), entries[i].tensor->shape()));
    }
    for (const auto& [name, value] : there) unexpected.push_back(fmt::format("{} {}", name, value.shape()));
    if (!missing.empty() || !reshaped.empty() || !unexpected.empty() || !untied.empty())
        fail("weights: the file does not fit this model{}{}{}{}{}{}{}", names.whose.empty() ? "" : ", ",
             names.whose, listed("missing", missing), listed("unexpected", unexpected),
             listed("of another shape", reshaped),
             listed("one tensor in the model, not of the same numbers in the file", untied),
             advice(missing_names, entries, file, names));
    // A tensor of its own for all that are tied, and only now: firsts were found by what the model had.
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
        fail<FileError>("{}: {}", shown_name(path), error.what());
    }
}

}  // namespace glassbox
