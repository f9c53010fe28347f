#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/io/text.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/runs/run_log.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/data_format.h"
#include "cli/failure.h"
#include "cli/heartbeat.h"
#include "cli/output.h"

// Lists the contents of files and checks their integrity: tracer check-file runs/reverse/last.safetensors.
namespace glassbox::tracer::commands {

namespace {

namespace fs = std::filesystem;

struct CheckFileFlags {
    std::vector<std::string> files;
    DataFormat format = DataFormat::text;
};

void declare(Options& o, CheckFileFlags& flags) {
    o.arguments("FILE", flags.files,
                {.help = ".safetensors, .npz, .npy or .jsonl files, or run folders",
                 .endings = {".safetensors", ".npz", ".npy", ".jsonl"}});
    o.value("--format", flags.format, {.help = "Output format"});
}

// The result for one file.
struct Found {
    std::string file, kind;
    std::string error;     // why it is damaged; empty: it is intact
    std::string proof;     // what was checked
    NamedTensors tensors;  // for files of arrays
    std::vector<std::string> remarks;
};

bool ends_in(const fs::path& path, const char* ending) { return path.string().ends_with(ending); }

void check_safetensors(const fs::path& path, Found& found) {
    Safetensors file = read_safetensors(path);
    found.tensors = std::move(file.tensors);
    found.kind = "safetensors";
    found.proof =
        file.has_checksums ? "all checksums match" : "it has no checksums, only its structure was checked";
    if (file.metadata.count("glassbox.checkpoint")) {
        const Checkpoint checkpoint = read_checkpoint(path);
        found.kind = "checkpoint";
        found.remarks.push_back(
            fmt::format("after step {}, {:.2f} s of training", checkpoint.step, checkpoint.seconds));
    }
    for (const auto& [key, value] : file.metadata)
        found.remarks.push_back(printable(key) + ": " + printable(value));
}

void check_npz(const fs::path& path, Found& found) {
    NpzContent content = read_npz(path);
    found.kind = "npz";
    found.proof = "all checksums match";
    found.tensors = std::move(content.arrays);
    for (const std::string& why : content.skipped) found.remarks.push_back(printable(why));
}

void check_log(const fs::path& path, Found& found) {
    const RunHistory history = read_run_log(path);
    found.kind = "log of a training run";
    found.proof = history.truncated_line ? "every line except the last is valid" : "every line is valid";
    if (history.truncated_line)
        found.remarks.push_back(
            fmt::format("line {}, the last one, is incomplete: the run was killed", history.truncated_line));
    const bool ended = !history.events.empty() && std::holds_alternative<RunEnd>(history.events.back());
    const index_t step = history.events.empty() ? 0 : step_of(history.events.back());
    found.remarks.push_back(fmt::format("{} events, the last one of step {}; the run is {}",
                                        history.events.size(), step, ended ? "complete" : "not complete"));
}

Found check(const fs::path& path) {
    Found found;
    found.file = display_name(path);
    found.kind = "file";
    const Activity doing("reading " + found.file);
    try {
        if (ends_in(path, ".safetensors")) check_safetensors(path, found);
        else if (ends_in(path, ".npz")) check_npz(path, found);
        else if (ends_in(path, ".jsonl")) check_log(path, found);
        else if (ends_in(path, ".npy")) {
            found.tensors = {{"array", read_npy(path)}};
            found.kind = "npy", found.proof = "it has no checksums, only its structure was checked";
        } else if (!is_there(path)) {
            fail<IoError>("{}: cannot open: No such file or directory", found.file);
        } else {
            const char* needed = "a .safetensors, .npz, .npy or .jsonl file";
            (void)read_file(path, [&](ByteView start, std::uint64_t) {
                refuse_other_kind(start, found.file, Sought::weights, needed);
                fail<UsageError>("check-file: expected .safetensors, .npz, .npy or .jsonl, got {}",
                                 found.file);
            });
        }
    } catch (const FileError& error) {
        found.error = error.what();
    }
    return found;
}

// The files of a folder and of its subfolders that can be checked, sorted by name.
std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator();
         ++entry) {
        if (entry.depth() > 0) entry.disable_recursion_pending();
        for (const char* ending : {".safetensors", ".npz", ".npy", ".jsonl"})
            if (ends_in(entry->path(), ending)) files.push_back(entry->path());
    }
    if (files.empty())
        fail<IoError>("{}: the folder has no .safetensors, .npz, .npy or .jsonl files", display_name(folder));
    std::sort(files.begin(), files.end());
    return files;
}

std::string text_of(const Found& found) {
    if (!found.error.empty()) return fmt::format("✗ {}\n", found.error);
    std::string text = fmt::format("✓ {}: {}, intact: {}\n", found.file, found.kind, found.proof);
    for (const std::string& remark : found.remarks) text += "    " + remark + "\n";
    for (const auto& [name, tensor] : found.tensors)
        text += fmt::format("  {} {}\n", printable(name), tensor.shape());
    return text;
}

JsonObject json_of(const Found& found) {
    JsonList arrays;
    for (const auto& [name, tensor] : found.tensors)
        arrays.add(JsonObject{{"name", name}, {"shape", tensor.shape().to_vector()}});
    return {{"file", found.file},           {"kind", found.kind},
            {"whole", found.error.empty()}, {"reason", found.error.empty() ? found.proof : found.error},
            {"remarks", found.remarks},     {"arrays", arrays}};
}

// Exits with 3 if a file is damaged, as do all commands that read it.
void run(const CheckFileFlags& flags, const Options&) {
    if (flags.files.empty()) fail<UsageError>("check-file: expected a file or a run folder");
    JsonList files(json_rows);
    std::vector<std::string> damaged;
    for (const std::string& name : flags.files) {
        for (const fs::path& path : is_folder(name) ? files_in(name) : std::vector<fs::path>{name}) {
            const Found found = check(path);
            if (!found.error.empty()) damaged.push_back(found.file);
            if (flags.format == DataFormat::text) write_out(text_of(found));
            else files.add(json_of(found));
        }
    }
    if (flags.format == DataFormat::json)
        write_out(JsonObject{{"schema", 1}, {"command", "check-file"}, {"files", files}}.text() + "\n");
    if (!damaged.empty()) fail<FileError>("check-file: damaged: {}", fmt::join(damaged, ", "));
}

}  // namespace

Command check_file() {
    return command_with<CheckFileFlags>(
        {.order = 150,
         .name = "check-file",
         .summary = "Lists the contents of a file and checks its integrity.",
         .examples = {{"tracer check-file runs/reverse/last.safetensors",
                       "A checkpoint: its step and its tensors."},
                      {"tracer check-file runs/reverse", "All files of a run."},
                      {"tracer check-file model.safetensors x.npz --format json",
                       "JSON, for another program."}}},
        declare, run);
}

}  // namespace glassbox::tracer::commands
