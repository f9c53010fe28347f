#include <glassbox/runs/run_folder.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include <glassbox/io/detail/file.h>
#include <glassbox/io/detail/text.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* format_key = "glassbox.checkpoint";
constexpr const char* format_version = "1";
constexpr const char* real_key = "glassbox.real";
constexpr const char* name_of_real = sizeof(real) == sizeof(double) ? "double" : "float";
const std::string own_prefix = "glassbox.";

std::string exact(double value) { return fmt::format("{:.17g}", value); }

// What the metadata say under `key`, which must be a number.
template <class Number>
Number number(const std::map<std::string, std::string>& metadata, const std::string& key,
              const std::string& file) {
    const auto found = metadata.find(own_prefix + key);
    Number value{};
    if (found != metadata.end()) {
        const std::string& text = found->second;
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && rest == text.data() + text.size()) return value;
    }
    fail<FileError>("{}: a damaged checkpoint: its {} is {}", file, key,
                    found == metadata.end() ? "missing" : "'" + printable(found->second) + "'");
}

}  // namespace

void write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
    std::map<std::string, std::string> metadata = checkpoint.config;
    metadata[format_key] = format_version;
    metadata[real_key] = name_of_real;
    metadata[own_prefix + "step"] = std::to_string(checkpoint.step);
    metadata[own_prefix + "best_epoch"] = std::to_string(checkpoint.best.epoch);
    metadata[own_prefix + "best_accuracy"] = exact(checkpoint.best.accuracy);
    metadata[own_prefix + "best_loss"] = exact(checkpoint.best.loss);
    metadata[own_prefix + "seconds"] = exact(checkpoint.seconds);
    if (!checkpoint.best.checksum.empty()) metadata[own_prefix + "best_checksum"] = checkpoint.best.checksum;
    if (checkpoint.validation_is_due) metadata[own_prefix + "validation"] = "due";
    write_safetensors(path, checkpoint.tensors, metadata);
}

Checkpoint read_checkpoint(const fs::path& path) {
    Safetensors file = read_safetensors(path);
    const std::string name = shown_name(path);
    const auto version = file.metadata.find(format_key);
    if (version == file.metadata.end())
        fail<FileError>("{}: no checkpoint of a training run: its metadata have no '{}'", name, format_key);
    if (version->second != format_version)
        fail<FileError>("{}: a checkpoint of version '{}'; this program reads version {}", name,
                        printable(version->second), format_version);
    // In the other one it would go on, but not in the same bits.
    if (const auto told = file.metadata.find(real_key);
        told != file.metadata.end() && told->second != name_of_real)
        fail<FileError>("{}: a checkpoint of a build that computes in {}; this one computes in {}", name,
                        printable(told->second), name_of_real);
    Checkpoint checkpoint;
    checkpoint.tensors = std::move(file.tensors);
    checkpoint.step = number<index_t>(file.metadata, "step", name);
    checkpoint.best = {number<index_t>(file.metadata, "best_epoch", name),
                       number<double>(file.metadata, "best_accuracy", name),
                       number<double>(file.metadata, "best_loss", name),
                       {}};
    checkpoint.seconds = number<double>(file.metadata, "seconds", name);
    if (const auto best = file.metadata.find(own_prefix + "best_checksum"); best != file.metadata.end())
        checkpoint.best.checksum = best->second;
    checkpoint.validation_is_due = file.metadata.count(own_prefix + "validation") > 0;
    for (const auto& [key, value] : file.metadata)
        if (!key.starts_with(own_prefix)) checkpoint.config[key] = value;
    return checkpoint;
}

namespace {

// Another name for a file, in place of what had that name; never a moment without a file under it.
void give_second_name(const fs::path& from, const fs::path& to) {
    const fs::path temporary = to.parent_path() / temporary_name();
    std::error_code error;
    if (fs::equivalent(from, to, error))
        return;  // it was, when a save was killed; a rename would do nothing then
    fs::create_hard_link(from, temporary, error);
    if (error) fs::copy_file(from, temporary, error);  // a file system without hard links
    if (!error) fs::rename(temporary, to, error);
    if (error)
        fail<IoError>("{}: cannot keep it as {}: {}", shown_name(from), shown_name(to), error.message());
}

}  // namespace

namespace {

bool is_whole(const fs::path& file) {
    try {
        read_checkpoint(file);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

// The new file is whole before an old one changes its name; a damaged one takes no good one's place.
void RunFolder::save(const Checkpoint& checkpoint) const {
    write_checkpoint(next(), checkpoint);
    if (is_whole(last())) give_second_name(last(), previous());
    std::error_code error;
    fs::rename(next(), last(), error);
    if (error)
        fail<IoError>("{}: cannot be renamed to {}: {}", shown_name(next()), shown_name(last()),
                      error.message());
}

void RunFolder::remove_left_overs() const {
    std::error_code ignored;
    fs::remove(next(), ignored);
    for (const auto& entry : fs::directory_iterator(path, ignored))
        if (is_temporary_name(entry.path().filename().string())) fs::remove(entry.path(), ignored);
}

Checkpoint RunFolder::load() const {
    std::string also;
    const auto look_at_previous = [&] {
        try {
            also = fmt::format("\n  The checkpoint before it is whole, of step {}: {}",
                               read_checkpoint(previous()).step, shown_name(previous()));
        } catch (const Error&) {
        }
    };
    try {
        return read_checkpoint(last());
    } catch (const FileError& error) {
        look_at_previous();
        fail<FileError>("{}{}", error.what(), also);
    } catch (const IoError& error) {
        look_at_previous();
        fail<IoError>("{}{}", error.what(), also);
    }
}

bool RunFolder::holds_a_run() const {
    std::error_code ignored;
    return fs::exists(last(), ignored) || fs::exists(best(), ignored) || fs::exists(log(), ignored);
}

fs::path RunFolder::make_new() const {
    std::error_code error;
    fs::path old;
    if (holds_a_run()) {
        const fs::path folder = path.lexically_normal();  // keeps the slash of "runs/reverse/"
        const std::string base = (folder.has_filename() ? folder : folder.parent_path()).string();
        for (int i = 1; old.empty() || fs::exists(old); ++i) old = fmt::format("{}.{}", base, i);
        fs::rename(path, old, error);
        if (error)
            fail<IoError>("{}: holds a run, and cannot be renamed to {}: {}", shown_name(path),
                          shown_name(old), error.message());
    }
    fs::create_directories(path, error);
    if (error) fail<IoError>("{}: cannot make the folder: {}", shown_name(path), error.message());
    return old;
}

}  // namespace glassbox
