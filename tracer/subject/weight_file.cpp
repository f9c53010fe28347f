#include "subject/weight_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

#include "cli/output.h"
#include "subject/foreign_weights.h"

namespace glassbox::tracer {

namespace {

// The naming schemes a file may use: first this convention's, then the library's, then the others'.
std::vector<FileNames> all_names(const Convention& first) {
    std::vector<FileNames> all{first.file_names(), {}};
    for (const Convention& each : conventions()) all.push_back(each.file_names());
    return all;
}

// An npz may hold a model's input as well.
bool is_input(const std::string& name) {
    for (const char* input : {"x", "memory", "mask", "source", "target", "time", "Q", "K", "V"})
        if (name == input) return true;
    return false;
}

// What wrappers put before the names: DataParallel, torch.compile, DeepSpeed, Lightning. The last is a part's
// name in other models.
constexpr const char* wrappers[] = {"module.", "_orig_mod.", "_forward_module.", "model."};

std::size_t wrapper_length(const std::string& name) {
    for (const char* wrapper : wrappers)
        if (name.starts_with(wrapper) && name != wrapper) return std::string_view(wrapper).size();
    return 0;
}

// Takes them away from every name, in one round; not where two names would be the same.
bool unwrap_once(NamedTensors& tensors, FileFacts& facts, std::set<std::string>& all) {
    std::set<std::string> taken, names;
    for (const auto& [name, value] : tensors) {
        const std::size_t length = wrapper_length(name);
        taken.insert(name.substr(0, length));
        names.insert(name.substr(length));
    }
    const bool some_have_none = taken.erase("") > 0;
    if (taken.empty() || names.size() != tensors.size() || (some_have_none && taken.count("model.") > 0))
        return false;
    for (auto& [name, value] : tensors) name.erase(0, wrapper_length(name));
    for (std::string& name : facts.of_bytes) name.erase(0, wrapper_length(name));
    all.insert(fmt::format("{}", fmt::join(taken, "' or '")));
    return true;
}

// "module._orig_mod.", which all names had, "module.' or 'model.", of which each had one.
std::string unwrap(NamedTensors& tensors, FileFacts& facts) {
    std::string all;
    for (std::set<std::string> taken; unwrap_once(tensors, facts, taken); taken.clear())
        all += *taken.begin();
    return all;
}

// What lies in a folder that was given for a file.
[[noreturn]] void refuse_folder(const std::filesystem::path& folder) {
    const auto has = [&](const char* name) {
        std::error_code error;
        return std::filesystem::exists(folder / name, error);
    };
    const std::string name = display_name(folder);
    if (has("model.safetensors"))
        fail<FileError>("{}: a folder: type --weights {}", name,
                        glassbox::shell_word((folder / "model.safetensors").string()));
    if (has("model.safetensors.index.json"))
        fail<FileError>("{}: a folder of shards: {}", name, joined_shards(folder.string() + "/"));
    fail<IoError>("{}: cannot open: it is a folder", name);
}

// "shard 2 of 4" for model-00002-of-00004.safetensors, which has a part of a model.
std::string shard_of(const std::string& path) {
    const std::size_t of = path.rfind("-of-"), end = path.size() - std::string_view(".safetensors").size();
    if (!path.ends_with(".safetensors") || of == std::string::npos || of < 6 || of + 9 != end) return "";
    const auto number = [&](std::size_t at) {
        const std::string digits = path.substr(at, 5);
        return digits.find_first_not_of("0123456789") == std::string::npos ? std::stoi(digits) : 0;
    };
    const int shard = number(of - 5), shards = number(of + 4);
    if (shard == 0 || shards == 0) return "";
    return fmt::format("\n  it is shard {} of {}: {}", shard, shards,
                       joined_shards(path.substr(0, path.rfind('/') + 1)));  // npos + 1 is 0
}

std::string first_names(const NamedTensors& tensors) {
    std::vector<std::string> names;
    for (const auto& [name, value] : tensors) {
        names.push_back(fmt::format("{} {}", printable(name), value.shape()));
        if (names.size() == 6) break;
    }
    return fmt::format(
        "{}{}", fmt::join(names, ", "),
        tensors.size() > names.size() ? fmt::format(" and {} more", tensors.size() - names.size()) : "");
}

// Whether an untrusted name is safe in a line to be typed: it ends no quotation.
bool is_plain(const std::string& name) {
    return std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == ':';
    });
}

// A line of Python that writes a file again, without what `kept` leaves out of the names k, each as `name`;
// empty if the file's own name is not plain.
std::string rewritten(const std::string& path, const std::string& name, const std::string& kept) {
    if (!is_plain(path)) return "";
    return path.ends_with(".npz")
               ? fmt::format(
                     "python3 -c \"import numpy; a = numpy.load('{}'); numpy.savez('part.npz', **{{{}: a[k] "
                     "for k in a.files{}}})\"",
                     path, name, kept)
               : fmt::format(
                     "python3 -c \"import safetensors.torch as s; a = s.load_file('{}'); s.save_file({{{}: "
                     "a[k] for k in a{}}}, 'part.safetensors')\"",
                     path, name, kept);
}

// A run's file has its model's settings by their options' names; the same as choices.
void add_settings(FileMetadata& metadata) {
    if (!metadata.contains("task")) return;
    for (const char* choice : {"heads", "norm", "activation"}) {
        const auto setting = metadata.find(choice);
        if (setting == metadata.end()) continue;
        std::string value = setting->second;
        if (value == name<Activation>(Activation::gelu))  // in the source's form
            for (const Convention& each : conventions())
                if (each.name == metadata["convention"]) value = name<Activation>(each.gelu);
        metadata.emplace(std::string("glassbox.") + choice, value);
    }
}

// Whether a choice named by a file is valid: a number of heads, a word of an option.
bool is_possible(const Parameters::Difference& difference) {
    const std::string& stated = difference.in_file;
    if (difference.choice == "heads")
        return !stated.empty() && stated.size() < 6 &&
               stated.find_first_not_of("0123456789") == std::string::npos &&
               stated.find_first_not_of('0') != std::string::npos;
    const auto is_word = [&](const std::vector<std::string>& words) {
        return std::find(words.begin(), words.end(), stated) != words.end();
    };
    if (difference.choice == "norm") return is_word(glassbox::words<NormPlacement>());
    if (difference.choice == "activation") return is_word(glassbox::words<Activation>());
    return true;
}

bool is_bias(const std::string& name) { return name.ends_with("bias"); }
bool is_of_norm(const std::string& name) {
    return name.find("norm") != std::string::npos || name.find("Norm") != std::string::npos ||
           name.find("ln_") != std::string::npos;
}

}  // namespace

WeightFile::WeightFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    if (is_folder(path)) refuse_folder(path);
    if (path.ends_with(".npz")) {
        NpzContent content = read_npz(path);
        tensors_ = std::move(content.arrays);
        facts_.of_bytes = std::move(content.of_bytes);
        skipped_ = std::move(content.skipped);
        std::erase_if(tensors_, [](const auto& each) { return is_input(each.first); });
    } else {
        Safetensors content = read_safetensors(path);
        tensors_ = std::move(content.tensors);
        facts_ = {std::move(content.metadata), std::move(content.of_bytes)};
        add_settings(facts_.metadata);
    }
    wrapper_ = unwrap(tensors_, facts_);
}

const Tensor* WeightFile::find(const std::string& name, int axis, const Convention& convention) const {
    for (const FileNames& names : all_names(convention))
        for (const auto& [key, value] : tensors_)
            if (key == part_ + names.of(name) && axis < value.rank()) return &value;
    return nullptr;
}

void WeightFile::find_part(const std::string& name, const Convention& convention) const {
    parts_.clear();
    for (const FileNames& names : all_names(convention))
        for (const auto& [key, value] : tensors_)
            if (const std::string wanted = names.of(name); key.ends_with("." + wanted))
                parts_.insert(key.substr(0, key.size() - wanted.size()));
    if (parts_.size() == 1) part_ = *parts_.begin();
}

index_t WeightFile::size(const std::string& name, int axis, const Convention& convention,
                         index_t fallback) const {
    if (!is_there()) return fallback;
    was_asked_ = true;
    const Tensor* found = find(name, axis, convention);
    if (!found && !is_known_) {
        find_part(name, convention);
        found = find(name, axis, convention);
    }
    is_known_ = is_known_ || found;
    return found ? found->size(axis) : fallback;
}

index_t WeightFile::blocks(const std::string& prefix, index_t fallback) const {
    for (const FileNames& names : all_names(conventions().front())) {
        index_t count = 0;
        const auto is_there = [&](index_t i) {
            const std::string begin = part_ + names.of(prefix) + "." + std::to_string(i) + ".";
            return std::any_of(tensors_.begin(), tensors_.end(),
                               [&](const auto& each) { return each.first.starts_with(begin); });
        };
        while (is_there(count)) ++count;
        if (count == 0) continue;
        constexpr index_t max_blocks = 1000;
        for (index_t behind = count + 1; behind < max_blocks; ++behind)
            if (is_there(behind))
                fail<FileError>("{}: has block {} of {}, and no block {}: their numbers have a gap", path_,
                                behind, names.of(prefix), count);
        return count;
    }
    return fallback;
}

bool WeightFile::has(const std::string& name) const {
    return std::any_of(tensors_.begin(), tensors_.end(),
                       [&](const auto& each) { return each.first == part_ + name; });
}

void WeightFile::check_is_known() const {
    if (!is_there() || !was_asked_ || is_known_) return;
    if (tensors_.empty())
        fail<FileError>("{}: no tensors{}", path_, skipped_.empty() ? "" : "; not read: " + skipped_.front());
    if (const ForeignWeights foreign = foreign_weights(tensors_); !foreign.what.empty())
        fail<FileError>("{}: looks like {}, and has none of this model's names: {}{}", path_, foreign.what,
                        foreign.advice, shard_of(path_));
    if (parts_.size() > 1) {
        const std::string& first = *parts_.begin();
        const std::string line = is_plain(first) ? rewritten(path_, fmt::format("k[{}:]", first.size()),
                                                             fmt::format(" if k.startswith('{}')", first))
                                                 : std::string();
        fail<FileError>("{}: {} parts of it could be this model: {}{}{}", path_, parts_.size(),
                        printable(fmt::format("{}", fmt::join(parts_, ", ")), 400),
                        line.empty() ? "" : fmt::format("\n  {} writes only the first", line),
                        shard_of(path_));
    }
    fail<FileError>("{}: has none of this model's names (docs/weights.md lists them), but {}{}", path_,
                    first_names(tensors_), shard_of(path_));
}

// The file's tensors, and biases of 0 if it has none, or only those of norms: a model of bias=False equals
// one of biases 0.
NamedTensors WeightFile::with_biases(const std::vector<Parameters::Entry>& entries,
                                     const FileNames& names) const {
    NamedTensors tensors = tensors_;
    const bool has_bias = std::any_of(tensors_.begin(), tensors_.end(), [&](const auto& each) {
        return each.first.starts_with(part_) && is_bias(each.first) && !is_of_norm(each.first);
    });
    if (has_bias) return tensors;
    NamedTensors added;
    for (const Parameters::Entry& entry : entries) {
        const std::string name = names.of(entry.name);
        const bool is_there = std::any_of(tensors_.begin(), tensors_.end(),
                                          [&](const auto& each) { return each.first == name; });
        if (is_there) continue;
        const bool has_norm_bias = std::any_of(tensors_.begin(), tensors_.end(), [](const auto& each) {
            return is_bias(each.first) && is_of_norm(each.first);
        });
        // More than the biases is missing, or one of several.
        if (!is_bias(name) || (has_norm_bias && is_of_norm(name))) return tensors;
        added.emplace_back(name, Tensor::zeros(entry.tensor->shape()));
    }
    if (!added.empty()) say(fmt::format("note: {}: without biases, which are taken as 0\n", path_));
    tensors.insert(tensors.end(), added.begin(), added.end());
    return tensors;
}

// What to type for a file that a model with other choices wrote.
std::string WeightFile::way_out(const std::vector<Parameters::Difference>& differences) const {
    std::string typed;
    for (const Parameters::Difference& each : differences) {
        if (!is_possible(each))
            return fmt::format("\n  no model has {} '{}': the file's metadata is damaged", each.choice,
                               each.in_file);
        if (each.choice != "qkv_layout") typed += fmt::format(" --{} {}", each.choice, each.in_file);
        else if (const auto source = facts_.metadata.find("convention"); source != facts_.metadata.end())
            typed += " --convention " + printable(source->second, 40);
        else typed += each.in_file == "stacked" ? " --convention paper" : " --convention uva-torch";
    }
    return typed.empty() ? "" : "\n  for the file's model type" + typed;
}

// The file's entries beyond the model's parameters, and how they are left out.
std::string WeightFile::without_more(const std::vector<Parameters::Entry>& entries,
                                     const FileNames& names) const {
    std::vector<std::string> more;
    for (const auto& [key, value] : tensors_)
        if (key.starts_with(part_) &&
            std::none_of(entries.begin(), entries.end(), [&, &key = key](const Parameters::Entry& entry) {
                return names.of(entry.name) == key;
            }))
            more.push_back(key);
    const std::string list = fmt::format("{}", fmt::join(more, "', '"));
    const bool can_be_typed = list.size() < 300 && std::all_of(more.begin(), more.end(), is_plain);
    const std::string line =
        can_be_typed ? rewritten(path_, "k", fmt::format(" if k not in ['{}']", list)) : std::string();
    return "\n  the file has more than this model: its own may compute something else" +
           (line.empty() ? "" : fmt::format("; where it does not,\n  {} leaves it out", line));
}

void WeightFile::load_into(Parameters&& parameters, const Convention& convention) const {
    if (!is_there()) return;
    const std::vector<Parameters::Entry> entries =
        std::move(parameters).entries();  // the list stays as it is
    check_is_known(entries, convention);
    FileNames names = convention.file_names();
    names.prefix = part_;
    const std::string typed = way_out(std::move(parameters).differences(facts_.metadata));
    try {
        std::move(parameters).load(with_biases(entries, names), names, facts_);
    } catch (const Error& error) {
        std::string reason = error.what();
        reason.erase(std::min(reason.find(": set FileNames::prefix"), reason.size()));  // that is for C++
        const bool misses = reason.find("\n  missing: ") != std::string::npos;
        const bool has_more = reason.find("\n  unexpected: ") != std::string::npos;
        std::string hint = typed;
        if (const ForeignWeights foreign = foreign_weights(tensors_); misses && !foreign.what.empty())
            hint = fmt::format("\n  the file looks like {}: {}", foreign.what, foreign.advice);
        else if (misses || has_more) hint = misses ? "" : without_more(entries, names);
        if (misses && !skipped_.empty()) hint = "\n  not read: " + skipped_.front();
        fail<FileError>("{}: {}{}{}", path_, reason, hint, misses ? shard_of(path_) : "");
    }
    check_numbers(entries, names);
    const auto stated = facts_.metadata.find("convention");
    const auto is_known = [&](const Convention& each) { return each.name == stated->second; };
    if (stated != facts_.metadata.end() && stated->second != convention.name &&
        std::any_of(conventions().begin(), conventions().end(), is_known))
        say(fmt::format("note: {}: written for --convention {}, and {} is taken\n", path_, stated->second,
                        convention.name));
    say_what_was_read();
}

// Of the tensors that the model has by these names.
void WeightFile::check_numbers(const std::vector<Parameters::Entry>& entries, const FileNames& names) const {
    std::vector<NamedWeights> weights;
    for (const Parameters::Entry& entry : entries)
        for (const auto& [key, value] : tensors_)
            if (key == names.of(entry.name)) weights.push_back({key, &value});
    if (const std::string why = why_no_weights(weights); !why.empty()) fail<FileError>("{}: {}", path_, why);
    if (are_true_and_false(weights))
        say(fmt::format("note: {}: all numbers are 0 and 1, as those of masks are\n", path_));
}

void WeightFile::say_what_was_read() const {
    std::vector<std::string> broken;
    for (const auto& [name, value] : tensors_) {
        const real* const numbers = value.data();
        if (std::any_of(numbers, numbers + value.numel(), [](auto x) { return !std::isfinite(x); }))
            broken.push_back(printable(name));
    }
    if (!broken.empty())
        say(fmt::format("note: {}: NaN or infinity in {} of its tensors, {} the first\n", path_,
                        broken.size(), broken[0]));
    if (!wrapper_.empty()) say(fmt::format("note: {}: the names are read without '{}'\n", path_, wrapper_));
    if (!part_.empty())
        say(fmt::format("note: {}: only the names that begin with '{}' are read\n", path_, printable(part_)));
}

void WeightFile::check_is_known(const std::vector<Parameters::Entry>& entries,
                                const Convention& convention) const {
    if (!is_known_ && !entries.empty()) (void)size(entries[0].name, 0, convention, 0);
    check_is_known();
}

bool WeightFile::load_by_any_name(const ListParameters& parameters, const Convention& convention) const {
    check_is_known(parameters().entries(), convention);
    FileFacts facts = facts_;  // the order of rows is what may differ
    std::erase_if(facts.metadata, [](const auto& each) {
        return !each.first.starts_with("glassbox.heads") && !each.first.starts_with("glassbox.norm");
    });
    for (FileNames& names : all_names(convention)) {
        names.prefix = part_;
        try {
            parameters().load(tensors_, names, facts);
        } catch (const Error&) {  // the file uses other names
            continue;
        }
        check_numbers(parameters().entries(), names);
        say_what_was_read();
        return true;
    }
    return false;
}

}  // namespace glassbox::tracer
