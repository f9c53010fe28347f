#include <glassbox/layers/parameters.h>

#include <algorithm>
#include <map>

#include <glassbox/io/file.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>
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

// The prefix under which the file has all of these names, like "encoder."; empty without one.
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

// Matrices with as many columns as they have biases: of another program, which multiplies from the left.
std::string looks_transposed(const std::map<std::string, Tensor>& tensors) {
    const std::string weight = "weight";
    std::vector<std::string> found;
    for (const auto& [name, value] : tensors) {
        if (!name.ends_with(weight) || value.rank() != 2 || value.size(0) == value.size(1)) continue;
        if (value.size(0) == 1 || value.size(1) == 1) continue;  // of a norm, with an axis of 1
        const auto bias = tensors.find(name.substr(0, name.size() - weight.size()) + "bias");
        if (bias != tensors.end() && bias->second.shape() == Shape{value.size(1)})
            found.push_back(fmt::format("{} {}", printable(name), value.shape()));
    }
    if (found.empty()) return "";
    return listed("transposed, as their biases show", found) + ": save the transpose, x.T, of each";
}

std::string reshape_advice(const Shape& from, const Shape& to) {
    std::vector<index_t> given = from.to_vector(), wanted = to.to_vector();
    std::erase(given, 1), std::erase(wanted, 1);
    if (given != wanted) return "";
    return fmt::format(", an axis of 1 apart: save x.reshape({})", fmt::join(to.begin(), to.end(), ", "));
}

// For a model whose layers have no biases, but whose norms do.
std::string without_biases(const std::vector<std::string>& missing) {
    const bool are_biases =
        !missing.empty() &&
        std::all_of(missing.begin(), missing.end(), [](const auto& name) { return name.ends_with("bias"); });
    return are_biases ? "\n  only biases are missing: where the model has none, zeros in their place compute "
                        "the same"
                      : "";
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

std::string Parameters::path_of(int scope) const {
    std::string path;
    while (scope >= 0) {
        const Scope& parent = scopes_[static_cast<std::size_t>(scope)];
        path.insert(0, parent.name + ".");
        scope = parent.outer;
    }
    return path;
}

std::string Parameters::name_of(const Listed& listed) const { return path_of(listed.scope) + listed.name; }

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

namespace {

// The metadata's key of a choice that all layers share, or of the layer at `path`, "layers.0.self_attn.".
std::string key_of(const std::string& choice, const std::string& path = "") {
    return "glassbox." + choice + (path.empty() ? "" : ":" + path.substr(0, path.size() - 1));
}

void check_choices(const std::vector<Parameters::Difference>& differences) {
    if (differences.empty()) return;
    std::string others;
    for (const Parameters::Difference& each : differences)
        others +=
            fmt::format("\n  {}: {} in the file, {} in this model", each.choice, each.in_file, each.in_model);
    fail("weights: the file is of another model, and its numbers mean something else in this one{}", others);
}

void check_are_real(const std::vector<Parameters::Entry>& entries, const FileNames& names,
                    const std::vector<std::string>& of_bytes) {
    for (const Parameters::Entry& entry : entries)
        if (const std::string name = names.of(entry.name);
            std::find(of_bytes.begin(), of_bytes.end(), name) != of_bytes.end())
            fail(
                "weights: {} is of whole numbers of 8 bits, as quantised weights are, which need their "
                "scales: "
                "save the model in float32 (numbers that are the weights as they are by astype('float32'))",
                printable(name));
}

}  // namespace

std::vector<Parameters::Choice> Parameters::choices() const {
    std::vector<Choice> choices;
    for (const Scope& each : scopes_)
        if (const std::size_t end = each.name.find('='); end != std::string::npos)
            choices.push_back({path_of(each.outer), each.name.substr(0, end), each.name.substr(end + 1)});
    return choices;
}

FileMetadata Parameters::metadata() && {
    std::map<std::string, std::vector<Choice>> by_name;
    for (const Choice& each : choices()) by_name[each.name].push_back(each);
    FileMetadata metadata;
    for (const auto& [name, all] : by_name) {
        const bool is_one = std::all_of(all.begin(), all.end(), [&first = all[0]](const Choice& each) {
            return each.value == first.value;
        });
        if (is_one) metadata[key_of(name)] = all[0].value;
        else
            for (const Choice& each : all) metadata[key_of(name, each.path)] = each.value;
    }
    return metadata;
}

std::vector<Parameters::Difference> Parameters::differences(const FileMetadata& metadata) && {
    std::vector<Difference> differences;
    for (const Choice& each : choices()) {
        auto found = metadata.find(key_of(each.name, each.path));
        if (found == metadata.end()) found = metadata.find(key_of(each.name));
        if (found == metadata.end() || found->second == each.value) continue;
        const bool is_reported =
            std::any_of(differences.begin(), differences.end(), [&](const Difference& difference) {
                return difference.choice == each.name && difference.in_file == found->second;
            });
        if (!is_reported) differences.push_back({each.name, printable(found->second, 40), each.value});
    }
    return differences;
}

// For tied weights the file may have any one of the names, or several with equal values.
void Parameters::load(const NamedTensors& file, const FileNames& names, const FileFacts& facts) && {
    const std::vector<Difference> differences = std::move(*this).differences(facts.metadata);
    const std::vector<Entry> entries = std::move(*this).entries();
    check_are_real(entries, names, facts.of_bytes);
    std::map<std::string, Tensor> tensors = with_prefix(file, names.prefix);
    const std::map<std::string, Tensor> all = tensors;
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
            reshaped.push_back(fmt::format("{} {} instead of {}{}", name, value.shape(),
                                           entry.tensor->shape(),
                                           reshape_advice(value.shape(), entry.tensor->shape())));
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
        fail("weights: the file does not fit this model{}{}{}{}{}{}{}{}{}", names.whose.empty() ? "" : ", ",
             names.whose, listed("missing", missing), listed("unexpected", unexpected),
             listed("of another shape", reshaped),
             listed("one tensor in the model, but different numbers in the file", untied),
             reshaped.empty() ? "" : looks_transposed(all),
             reshaped.empty() && unexpected.empty() ? without_biases(missing_names) : "",
             advice(missing_names, entries, file, names));
    check_choices(differences);
    // Assigned only now, because `firsts` depends on the model's old tensors. Tied weights share one tensor.
    for (std::size_t i = 0; i < entries.size(); ++i)
        *entries[i].tensor =
            i == firsts[i] ? values[i].to(entries[i].tensor->device()) : *entries[firsts[i]].tensor;
}

void save(Parameters&& parameters, const std::filesystem::path& path, const FileNames& names) {
    const FileMetadata metadata = std::move(parameters).metadata();  // which leaves the list as it is
    write_safetensors(path, std::move(parameters).to_file(names), metadata);
}

void load(Parameters&& parameters, const std::filesystem::path& path, const FileNames& names) {
    const Safetensors file = read_safetensors(path);
    try {
        std::move(parameters).load(file.tensors, names, {file.metadata, file.of_bytes});
    } catch (const Error& error) {
        fail<FileError>("{}: {}", display_name(path), error.what());
    }
}

}  // namespace glassbox
