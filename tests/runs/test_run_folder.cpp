#include <glassbox/runs/run_folder.h>

#include <fmt/format.h>

#include <fstream>
#include <set>

#include <glassbox/io/file.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/runs/folder_lock.h>

#include "io/io_support.h"
#include "support/errors.h"
#include "support/train_support.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

Checkpoint some_checkpoint(index_t step) {
    Checkpoint checkpoint;
    checkpoint.tensors = {{"model.w", Tensor{{1, 2}, {3, static_cast<real>(step)}}},
                          {"m.w", Tensor{{0, real(1e-20)}, {-1, real(0.1)}}},
                          {"v.w", Tensor::zeros({2, 2})}};
    checkpoint.step = step;
    checkpoint.best = {2, 1.0 / 3, 0.1};
    checkpoint.seconds = 1e-3 / 7;
    checkpoint.config = {{"task", "reverse"}, {"seed", "42"}, {"note", "\"quotes\"\n½"}};
    return checkpoint;
}

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The file's text with one metadata key changed.
std::string with_metadata(const std::string& key, const std::string& value) {
    TemporaryFolder folder;
    write_checkpoint(folder / "c", some_checkpoint(7));
    Safetensors file = read_safetensors(folder / "c");
    if (value.empty()) file.metadata.erase(key);
    else file.metadata[key] = value;
    write_safetensors(folder / "c", file.tensors, file.metadata);
    return text_of(folder / "c");
}

}  // namespace

TEST_CASE("a checkpoint is restored exactly, to the last bit") {
    TemporaryFolder folder;
    const Checkpoint checkpoint = some_checkpoint(7);
    write_checkpoint(folder / "a.safetensors", checkpoint);
    const Checkpoint back = read_checkpoint(folder / "a.safetensors");
    REQUIRE(back.tensors.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(back.tensors[i].first == checkpoint.tensors[i].first);
        check_close(back.tensors[i].second, checkpoint.tensors[i].second, exact, back.tensors[i].first);
    }
    CHECK(back.step == 7);
    CHECK(back.best.epoch == 2);
    CHECK(back.best.accuracy == 1.0 / 3);
    CHECK(back.best.loss == 0.1);
    CHECK(back.seconds == 1e-3 / 7);
    CHECK(back.config == checkpoint.config);
    CHECK(back.has_accuracy);
    CHECK(folder.files() == 1);
    Checkpoint without = checkpoint;
    without.has_accuracy = false;
    write_checkpoint(folder / "a.safetensors", without);
    CHECK_FALSE(read_checkpoint(folder / "a.safetensors").has_accuracy);
}

TEST_CASE("a checkpoint cut short anywhere is refused") {
    TemporaryFolder folder;
    write_checkpoint(folder / "whole", some_checkpoint(7));
    const std::string whole = text_of(folder / "whole");
    for (std::size_t length = 0; length < whole.size(); length += length + 64 < whole.size() ? 64 : 1) {
        INFO(length << " of " << whole.size() << " bytes");
        write_bytes(folder / "cut", whole.substr(0, length));
        CHECK(
            has(message_of<FileError>([&] { read_checkpoint(folder / "cut"); }), (folder / "cut").string()));
    }
}

TEST_CASE("a checkpoint with any byte of its header changed is refused") {
    TemporaryFolder folder;
    write_checkpoint(folder / "whole", some_checkpoint(7));
    const std::string whole = text_of(folder / "whole");
    const std::size_t header =
        8 + static_cast<unsigned char>(whole[0]) + 256u * static_cast<unsigned char>(whole[1]);
    for (std::size_t at = 0; at < header; at += 7) {
        INFO("byte " << at);
        std::string turned = whole;
        turned[at] = static_cast<char>(turned[at] ^ 0x10);
        write_bytes(folder / "turned", turned);
        CHECK_THROWS_AS(read_checkpoint(folder / "turned"), FileError);
    }
}

TEST_CASE("checkpoints of another version, other files, and damaged data are refused with the reason") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / "c.safetensors";
    const auto refused = [&](const std::string& bytes, const std::string& reason) {
        write_bytes(path, bytes);
        check_error<FileError>([&] { read_checkpoint(path); }, path.string() + ": " + reason);
    };
    refused(with_metadata("glassbox.checkpoint", "2"),
            "a checkpoint of version '2'; this program reads version 1");
    refused(with_metadata("glassbox.checkpoint", ""),
            "not a checkpoint of a training run: its metadata have no 'glassbox.checkpoint'");
    for (const std::string key : {"step", "best_epoch", "best_accuracy", "best_loss", "seconds"}) {
        refused(with_metadata("glassbox." + key, "1x"), "a damaged checkpoint: its " + key + " is '1x'");
        refused(with_metadata("glassbox." + key, ""), "a damaged checkpoint: its " + key + " is missing");
    }
    refused(with_metadata("glassbox.step", "99999999999999999999"),
            "a damaged checkpoint: its step is '99999999999999999999'");
    refused(with_metadata("glassbox.step", " 1"), "a damaged checkpoint: its step is ' 1'");
    refused(with_metadata("glassbox.step", "1.5"), "a damaged checkpoint: its step is '1.5'");
    write_safetensors(path, {{"w", Tensor{1}}});
    check_error<FileError>(
        [&] { read_checkpoint(path); },
        path.string() + ": not a checkpoint of a training run: its metadata have no 'glassbox.checkpoint'");
    CHECK(has(message_of<IoError>([&] { read_checkpoint(folder / "none"); }), "No such file"));
}

TEST_CASE("a run's folder keeps the checkpoint before the last, and leaves nothing else behind") {
    TemporaryFolder folder;
    const RunFolder run{folder.path()};
    CHECK(!run.contains_run());
    run.save(some_checkpoint(1));
    CHECK(run.contains_run());
    CHECK(!std::filesystem::exists(run.previous()));
    CHECK(run.load().step == 1);
    for (index_t step = 2; step < 5; ++step) {
        run.save(some_checkpoint(step));
        CHECK(run.load().step == step);
        CHECK(read_checkpoint(run.previous()).step == step - 1);
        CHECK(folder.files() == 2);
    }
}

TEST_CASE("leftovers of killed writes are removed, and nothing else") {
    TemporaryFolder folder;
    const RunFolder run{folder / "run"};
    run.make_new();
    run.save(some_checkpoint(1));
    run.save(some_checkpoint(2));
    for (const char* name :
         {".glassbox-4711-1a2b3c4d.tmp", "next.safetensors", "notes.tmp", ".glassbox-mine"})
        write_bytes(run.path / name, "left");
    run.remove_leftovers();
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run.path))
        names.insert(entry.path().filename().string());
    CHECK(names ==
          std::set<std::string>{"last.safetensors", "previous.safetensors", "notes.tmp", ".glassbox-mine"});
    CHECK(run.load().step == 2);
}

TEST_CASE("a damaged last checkpoint is refused, naming the one before if that is valid") {
    TemporaryFolder folder;
    const RunFolder run{folder.path()};
    run.save(some_checkpoint(1));
    run.save(some_checkpoint(2));
    write_bytes(run.last(), text_of(run.last()).substr(0, 100));
    const std::string both = message_of<FileError>([&] { run.load(); });
    CHECK(has(both, run.last().string() + ": "));
    CHECK(has(both, "\n  The previous checkpoint is intact, from step 1: " + run.previous().string()));
    write_bytes(run.previous(), "");
    CHECK(!has(message_of<FileError>([&] { run.load(); }), "before it"));
}

TEST_CASE("a new run moves an older one aside, and earlier moved ones stay") {
    TemporaryFolder folder;
    for (const char* slash : {"", "/"}) {
        const RunFolder run{(folder / "a").string() + slash};
        std::filesystem::remove_all(folder / "a");
        std::filesystem::remove_all(folder / "a.1");
        std::filesystem::remove_all(folder / "a.2");
        CHECK(run.make_new().empty());
        CHECK(run.make_new().empty());  // an empty folder is not a run
        run.save(some_checkpoint(1));
        CHECK(run.make_new() == folder / "a.1");
        CHECK(!run.contains_run());
        run.save(some_checkpoint(2));
        CHECK(run.make_new() == folder / "a.2");
        CHECK(RunFolder{folder / "a.1"}.load().step == 1);
        CHECK(RunFolder{folder / "a.2"}.load().step == 2);
        CHECK(std::filesystem::is_empty(folder / "a"));
    }
    write_bytes(folder / "file", "");
    CHECK(has(message_of<IoError>([&] { RunFolder{folder / "file" / "run"}.make_new(); }),
              "cannot create the folder"));
}

TEST_CASE("when a checkpoint cannot be written the last one and the one before it stay") {
    TemporaryFolder folder;
    const RunFolder run{folder.path()};
    run.save(some_checkpoint(1));
    run.save(some_checkpoint(2));
    Checkpoint twice = some_checkpoint(3);
    twice.tensors.push_back(twice.tensors.front());  // two with one name cannot be written
    CHECK_THROWS_AS(run.save(twice), Error);
    CHECK(run.load().step == 2);
    CHECK_NOTHROW(read_checkpoint(run.previous()));
    CHECK_THROWS_AS((RunFolder{folder / "not there"}.save(some_checkpoint(1))), IoError);
}

TEST_CASE("a checkpoint says what its build computes in; one of another build is refused") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / "c.safetensors";
    write_checkpoint(path, some_checkpoint(7));
    const std::string own = sizeof(real) == 4 ? "float" : "double",
                      other = sizeof(real) == 4 ? "double" : "float";
    CHECK(read_safetensors(path).metadata.at("glassbox.real") == own);
    write_bytes(path, with_metadata("glassbox.real", other));
    check_error<FileError>([&] { read_checkpoint(path); }, path.string() +
                                                               ": a checkpoint of a build that computes in " +
                                                               other + "; this one computes in " + own);
    write_bytes(path, with_metadata("glassbox.real", ""));  // of a version that did not say it
    CHECK(read_checkpoint(path).step == 7);
}

TEST_CASE("a checkpoint keeps what its bits depend on, apart from the run's settings") {
    TemporaryFolder folder;
    Checkpoint checkpoint = some_checkpoint(7);
    checkpoint.made_on = {{"instructions", "avx2"}, {"blas", "OpenBLAS 1, kernels for X"}};
    write_checkpoint(folder / "c", checkpoint);
    CHECK(read_safetensors(folder / "c").metadata.at("glassbox.instructions") == "avx2");
    const Checkpoint back = read_checkpoint(folder / "c");
    CHECK(back.made_on == checkpoint.made_on);
    CHECK(back.config == checkpoint.config);
    write_checkpoint(folder / "c", some_checkpoint(7));
    CHECK(read_checkpoint(folder / "c").made_on.empty());
}

TEST_CASE("a checkpoint keeps whether a validation is due, and the checksum of the best") {
    TemporaryFolder folder;
    Checkpoint checkpoint = some_checkpoint(7);
    for (const bool due : {false, true})
        for (const std::string best : {"", "0123abcd"}) {
            checkpoint.validation_is_due = due, checkpoint.best.checksum = best;
            write_checkpoint(folder / "c", checkpoint);
            const Checkpoint back = read_checkpoint(folder / "c");
            CHECK(back.validation_is_due == due);
            CHECK(back.best.checksum == best);
            CHECK(back.config == checkpoint.config);
            CHECK(read_safetensors(folder / "c").metadata.count("glassbox.validation") == (due ? 1 : 0));
            CHECK(read_safetensors(folder / "c").metadata.count("glassbox.best_checksum") ==
                  (best.empty() ? 0 : 1));
        }
}

TEST_CASE("a last checkpoint that is missing or damaged is refused; the one before is named only if intact") {
    TemporaryFolder folder;
    const RunFolder run{folder.path()};
    const std::string hint = "The previous checkpoint is intact, from step ";
    const auto missing = [&] { return message_of<IoError>([&] { run.load(); }); };
    CHECK(has(missing(), run.last().string() + ": cannot open: No such file"));
    CHECK(!has(missing(), hint));
    run.save(some_checkpoint(1));
    run.save(some_checkpoint(2));
    std::filesystem::remove(run.last());
    CHECK(has(missing(), "No such file or directory\n  " + hint + "1: " + run.previous().string()));
    write_bytes(run.previous(), "");
    CHECK(!has(missing(), hint));
    write_bytes(run.last(), "damaged");
    CHECK(!has(message_of<FileError>([&] { run.load(); }), hint));
}

TEST_CASE("a damaged last checkpoint does not replace the intact one before it") {
    TemporaryFolder folder;
    const RunFolder run{folder.path()};
    run.save(some_checkpoint(1));
    run.save(some_checkpoint(2));
    write_bytes(run.last(), "damaged");
    run.save(some_checkpoint(3));
    CHECK(run.load().step == 3);
    CHECK(read_checkpoint(run.previous()).step == 1);
    // A save that was killed after the link, before the renaming: both names are of one file.
    std::filesystem::remove(run.previous());
    std::filesystem::create_hard_link(run.last(), run.previous());
    run.save(some_checkpoint(4));
    CHECK(run.load().step == 4);
    CHECK(read_checkpoint(run.previous()).step == 3);
    CHECK(folder.files() == 2);
}

TEST_CASE("names that are taken by folders are errors that say which, and leave no temporary file") {
    TemporaryFolder folder;
    const RunFolder run{folder.path()};
    run.save(some_checkpoint(1));
    std::filesystem::create_directory(run.previous());
    check_error<IoError>(
        [&] { run.save(some_checkpoint(2)); },
        run.last().string() + ": cannot be linked to " + run.previous().string() + ": Is a directory");
    CHECK(run.load().step == 1);
    CHECK(folder.files() == 2);
    std::filesystem::remove(run.last());
    std::filesystem::create_directory(run.last());
    check_error<IoError>(
        [&] { run.save(some_checkpoint(2)); },
        run.next().string() + ": cannot be renamed to " + run.last().string() + ": Is a directory");
    CHECK(folder.files() == 2);
}

TEST_CASE("a folder has a run once it has a checkpoint, the best parameters or a log") {
    for (const char* name :
         {"last.safetensors", "best.safetensors", "run.jsonl", "previous.safetensors", "x"}) {
        INFO(name);
        TemporaryFolder folder;
        const RunFolder run{folder / "a"};
        std::filesystem::create_directory(run.path);
        write_bytes(run.path / name, "");
        const bool is_run = std::string(name) != "previous.safetensors" && std::string(name) != "x";
        CHECK(run.contains_run() == is_run);
        CHECK(run.make_new() == (is_run ? folder / "a.1" : std::filesystem::path{}));
    }
    TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a");
    write_bytes(folder / "a" / "run.jsonl", "");
    const RunFolder dot{folder / "a" / "."};  // which cannot be renamed by this name
    CHECK(has(message_of<IoError>([&] { dot.make_new(); }),
              dot.path.string() + ": contains a run, and cannot be renamed to " + (folder / "a.1").string() +
                  ": "));
}

TEST_CASE("a folder's lock keeps other runs out until it is given back, and follows the folder") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / "a" / "run";
    const std::string taken = path.string() + ": another run is writing there; --folder names another place";
    {
        const FolderLock lock(path);  // which makes the folder
        CHECK(std::filesystem::is_directory(path));
        check_error<IoError>([&] { FolderLock second(path); }, taken);
        std::filesystem::rename(path, folder / "moved");
        const FolderLock anew(path);
        check_error<IoError>([&] { FolderLock second(path); }, taken);
        CHECK_THROWS_AS(FolderLock(folder / "moved"), IoError);
    }
    CHECK_NOTHROW(FolderLock(path));
    CHECK_NOTHROW(FolderLock(folder / "moved"));
    write_bytes(folder / "file", "");
    CHECK(has(message_of<IoError>([&] { FolderLock(folder / "file" / "run"); }),
              (folder / "file" / "run").string() + ": cannot create the folder: "));
    CHECK(has(message_of<IoError>([&] { FolderLock(folder / "file"); }), (folder / "file").string()));
}
