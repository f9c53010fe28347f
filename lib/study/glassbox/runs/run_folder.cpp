#include <glassbox/runs/run_folder.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include <glassbox/io/file.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>
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

// The number in the metadata under `key`. Throws FileError if it is missing or not a number.
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
    if (!checkpoint.has_accuracy) metadata[own_prefix + "accuracy"] = "none";
    if (checkpoint.validate_every)
        metadata[own_prefix + "validate_every"] = std::to_string(checkpoint.validate_every);
    if (checkpoint.validation_is_due) metadata[own_prefix + "validation"] = "due";
    for (const auto& [name, what] : checkpoint.made_on) metadata[own_prefix + name] = what;
    write_safetensors(path, checkpoint.tensors, metadata);
}

Checkpoint read_checkpoint(const fs::path& path) {
    Safetensors file = read_safetensors(path);
    const std::string name = display_name(path);
    const auto version = file.metadata.find(format_key);
    if (version == file.metadata.end())
        fail<FileError>("{}: not a checkpoint of a training run: its metadata have no '{}'", name,
                        format_key);
    if (version->second != format_version)
        fail<FileError>("{}: a checkpoint of version '{}'; this program reads version {}", name,
                        printable(version->second), format_version);
    // Resuming in the other precision would work, but not give the same bits.
    if (const auto saved = file.metadata.find(real_key);
        saved != file.metadata.end() && saved->second != name_of_real)
        fail<FileError>("{}: a checkpoint of a build that computes in {}; this one computes in {}", name,
                        printable(saved->second), name_of_real);
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
    checkpoint.has_accuracy = file.metadata.count(own_prefix + "accuracy") == 0;
    if (file.metadata.count(own_prefix + "validate_every") &&
        (checkpoint.validate_every = number<index_t>(file.metadata, "validate_every", name)) < 1)
        fail<FileError>("{}: a damaged checkpoint: its validate_every is {}", name,
                        checkpoint.validate_every);
    checkpoint.validation_is_due = file.metadata.count(own_prefix + "validation") > 0;
    for (const char* what : made_on_names)
        if (const auto found = file.metadata.find(own_prefix + what); found != file.metadata.end())
            checkpoint.made_on[what] = found->second;
    for (const auto& [key, value] : file.metadata)
        if (!key.starts_with(own_prefix)) checkpoint.config[key] = value;
    return checkpoint;
}

namespace {

// A file that is removed at the end, unless it has been renamed by then.
class Unfinished {
  public:
    explicit Unfinished(fs::path path) : path_(std::move(path)) {}
    ~Unfinished() {
        std::error_code ignored;
        fs::remove(path_, ignored);
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

// Makes `to` a hard link to `from`, atomically replacing what was there: `to` exists at all times.
void hard_link(const fs::path& from, const fs::path& to) {
    const Unfinished temporary(to.parent_path() / temporary_name());
    std::error_code error;
    if (fs::equivalent(from, to, error))
        return;  // after a killed save; rename() is a no-op for links to the same file
    fs::create_hard_link(from, temporary.path(), error);
    if (error) fs::copy_file(from, temporary.path(), error);  // on a file system without hard links
    if (!error) fs::rename(temporary.path(), to, error);
    if (error)
        fail<IoError>("{}: cannot be linked to {}: {}", display_name(from), display_name(to),
                      error.message());
}

}  // namespace

namespace {

bool is_intact(const fs::path& file) {
    try {
        read_checkpoint(file);
        return true;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

// The new file is complete before an old one is renamed, and a damaged file never replaces an intact one.
void RunFolder::save(const Checkpoint& checkpoint) const {
    const Unfinished written(next());
    write_checkpoint(written.path(), checkpoint);
    if (is_intact(last())) hard_link(last(), previous());
    std::error_code error;
    fs::rename(written.path(), last(), error);
    if (error)
        fail<IoError>("{}: cannot be renamed to {}: {}", display_name(next()), display_name(last()),
                      error.message());
}

void RunFolder::remove_leftovers() const {
    std::error_code ignored, unreadable;
    fs::remove(next(), ignored);
    for (fs::directory_iterator entry(path, unreadable), end; !unreadable && entry != end;
         entry.increment(unreadable))
        if (is_temporary_name(entry->path().filename().string())) fs::remove(entry->path(), ignored);
}

Checkpoint RunFolder::load() const {
    const auto hint = [&]() -> std::string {
        try {
            return fmt::format("\n  The previous checkpoint is intact, from step {}: {}",
                               read_checkpoint(previous()).step, display_name(previous()));
        } catch (const Error&) {
            return "";
        }
    };
    try {
        return read_checkpoint(last());
    } catch (const FileError& error) {
        fail<FileError>("{}{}", error.what(), hint());
    } catch (const IoError& error) {
        fail<IoError>("{}{}", error.what(), hint());
    }
}

bool RunFolder::contains_run() const { return is_there(last()) || is_there(best()) || is_there(log()); }

fs::path RunFolder::make_new() const {
    std::error_code error;
    fs::path old;
    if (contains_run()) {
        const fs::path folder = path.lexically_normal();  // may still end in a slash
        const std::string base = (folder.has_filename() ? folder : folder.parent_path()).string();
        for (int i = 1; old.empty() || is_there(old); ++i) old = fmt::format("{}.{}", base, i);
        fs::rename(path, old, error);
        if (error)
            fail<IoError>("{}: contains a run, and cannot be renamed to {}: {}", display_name(path),
                          display_name(old), error.message());
    }
    fs::create_directories(path, error);
    if (error) fail<IoError>("{}: cannot create the folder: {}", display_name(path), error.message());
    return old;
}

}  // namespace glassbox
