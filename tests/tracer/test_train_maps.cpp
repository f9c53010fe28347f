// A run's attention maps are only for looking: nothing about them stops a run.
#include <sys/stat.h>

#include <functional>

#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/runs/run_folder.h>
#include <glassbox/runs/run_log.h>

#include "command.h"
#include "support/catch.h"
#include "support/compare.h"

using namespace glassbox_test;

namespace {

namespace fs = std::filesystem;

// Three epochs of two steps; the checkpoint before the last is of the end of the second epoch.
std::vector<std::string> three_epochs(const std::string& folder, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"train",        "reverse", "--seq",    "5",   "--examples", "64",
                                   "--validation", "16",      "--test",   "16",  "--batch",    "32",
                                   "--epochs",     "3",       "--warmup", "0",   "--dmodel",   "16",
                                   "--save-every", "2",       "--folder", folder};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void go_back(const std::string& run, const std::function<void(glassbox::Checkpoint&)>& change) {
    const glassbox::RunFolder folder{run};
    glassbox::Checkpoint checkpoint = glassbox::read_checkpoint(folder.previous());
    change(checkpoint);
    glassbox::write_checkpoint(folder.last(), checkpoint);
}

Ran run_on(const std::string& run) { return tracer_run({"train", "reverse", "--resume", run}); }

std::map<std::string, std::vector<glassbox::real>> tensors_of(const std::string& file) {
    std::map<std::string, std::vector<glassbox::real>> all;
    for (const auto& [name, tensor] : glassbox::read_safetensors(file).tensors) all[name] = tensor.values();
    return all;
}

std::map<std::string, std::vector<glassbox::real>> maps_of(const std::string& run) {
    std::map<std::string, std::vector<glassbox::real>> all;
    for (const auto& [name, tensor] : glassbox::read_npz(run + "/maps.npz").arrays)
        all[name] = tensor.values();
    return all;
}

std::vector<glassbox::index_t> validated_epochs(const std::string& run) {
    std::vector<glassbox::index_t> epochs;
    for (const glassbox::RunEvent& event : glassbox::read_run_log(run + "/run.jsonl").events)
        if (const auto* validation = std::get_if<glassbox::RunValidation>(&event))
            epochs.push_back(validation->epoch);
    return epochs;
}

}  // namespace

// Ctrl-C in a validation leaves a checkpoint that says it is due; the resumed run makes it and is killed
// before its next checkpoint.
TEST_CASE("train: a validation that is made again replaces its maps and its line of the log") {
    const Folder folder;
    const std::string run = folder / "run";
    REQUIRE(tracer_run(three_epochs(run)).code == 0);
    const auto whole = tensors_of(run + "/last.safetensors"), seen = maps_of(run);
    REQUIRE(seen.count("2/encoder/0/self_attn/attention") == 1);
    for (int i = 0; i < 2; ++i) {
        go_back(run, [](glassbox::Checkpoint& checkpoint) { checkpoint.validation_is_due = true; });
        const Ran ran = run_on(run);
        CAPTURE(ran.out, ran.err);
        REQUIRE(ran.code == 0);
        CHECK(ran.err.empty());
        CHECK((tensors_of(run + "/last.safetensors") == whole));
        CHECK((maps_of(run) == seen));
        CHECK(validated_epochs(run) == std::vector<glassbox::index_t>{1, 2, 3});
        REQUIRE(glassbox::read_checkpoint(run + "/previous.safetensors").step == 4);
    }
}

TEST_CASE("train: whatever is wrong with a run's maps is said, and the run goes on") {
    const Folder folder;
    const std::string run = folder / "run", file = run + "/maps.npz";
    REQUIRE(tracer_run(three_epochs(run)).code == 0);
    const auto whole = tensors_of(run + "/last.safetensors");
    const auto seen = maps_of(run);
    const auto of_another = [&](const std::vector<std::string>& more) {
        REQUIRE(tracer_run(three_epochs(folder / "other", more)).code == 0);
        fs::copy_file(folder / "other/maps.npz", file, fs::copy_options::overwrite_existing);
    };
    bool is_written = true;
    std::string reason;
    SECTION("bytes that are no zip") {
        write(file, "my notes"), reason = "the attention maps are recorded afresh";
    }
    SECTION("nothing at all") { write(file, ""), reason = "the attention maps are recorded afresh"; }
    SECTION("cut short") {
        write(file, content(file).substr(0, 700)), reason = "the attention maps are recorded afresh";
    }
    SECTION("those of another seed") { of_another({"--seed", "7"}), reason = "the maps of another run"; }
    SECTION("those of another size") { of_another({"--seq", "6"}), reason = "the maps of another run"; }
    SECTION("those of more layers") { of_another({"--layers", "2"}), reason = "the maps of another run"; }
    SECTION("arrays that are no maps") {
        glassbox::write_npz(file, {{"x", glassbox::Tensor{1, 2}}}), reason = "the maps of another run";
    }
    SECTION("a folder of that name") {
        fs::remove(file), fs::create_directory(file), is_written = false;
        reason = "the attention maps are not kept: " + file + ": not a regular file";
    }
    SECTION("a pipe, which nobody writes into or reads") {
        fs::remove(file), is_written = false;
        REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
        reason = "the attention maps are not kept: " + file + ": not a regular file";
    }
    SECTION("a disk that is full") {
        fs::remove(file), fs::create_symlink("/dev/full", file), is_written = false;
        reason = "the attention maps are not kept";
    }
    SECTION("a link to a folder that is not there") {
        fs::remove(file), fs::create_symlink("/nowhere/at/all", file), is_written = false;
        reason = "the attention maps are not kept";
    }
    go_back(run, [](glassbox::Checkpoint&) {});
    const Ran ran = run_on(run);
    CAPTURE(ran.out, ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.err, reason));
    CHECK(has(ran.err, "maps.npz"));
    CHECK((tensors_of(run + "/last.safetensors") == whole));
    if (!is_written) return;
    const auto now = maps_of(run);
    CHECK(now.count("2/encoder/0/self_attn/attention") == 0);
    CHECK(now.at("3/encoder/0/self_attn/attention") == seen.at("3/encoder/0/self_attn/attention"));
}

TEST_CASE("train: maps of an earlier version, which do not say whose they are, are gone on with") {
    const Folder folder;
    const std::string run = folder / "run";
    REQUIRE(tracer_run(three_epochs(run)).code == 0);
    auto seen = maps_of(run);
    glassbox::NamedTensors bare;
    for (const auto& [name, map] : glassbox::read_npz(run + "/maps.npz").arrays)
        if (name != "settings") bare.emplace_back(name, map);
    glassbox::write_npz(run + "/maps.npz", bare);
    go_back(run, [](glassbox::Checkpoint&) {});
    const Ran ran = run_on(run);
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK((maps_of(run) == seen));
}

TEST_CASE("train: a run that was stopped in its first epoch keeps the maps from before it") {
    const Folder folder;
    const std::string run = folder / "run";
    REQUIRE(tracer_run(three_epochs(run, {"--save-every", "1"})).code == 0);
    const auto seen = maps_of(run);
    const std::vector<std::string> first =
        three_epochs(folder / "short", {"--save-every", "1", "--epochs", "1"});
    REQUIRE(tracer_run(first).code == 0);
    const auto before = maps_of(folder / "short").at("0/encoder/0/self_attn/attention");
    REQUIRE(before == seen.at("0/encoder/0/self_attn/attention"));
    go_back(folder / "short", [](glassbox::Checkpoint& checkpoint) { REQUIRE(checkpoint.step == 1); });
    REQUIRE(run_on(folder / "short").code == 0);
    CHECK(maps_of(folder / "short").at("0/encoder/0/self_attn/attention") == before);
}

TEST_CASE("train: a run that goes on with other arithmetic says what is otherwise, and ends all the same") {
    const Folder folder;
    const std::string run = folder / "run";
    REQUIRE(tracer_run(three_epochs(run)).code == 0);
    const auto whole = tensors_of(run + "/last.safetensors");
    const std::string own = glassbox::read_checkpoint(run + "/last.safetensors").made_on.at("instructions");
    SECTION("on the same instructions nothing is said, and the bits are the same") {
        go_back(run, [](glassbox::Checkpoint&) {});
        const Ran ran = run_on(run);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        CHECK((tensors_of(run + "/last.safetensors") == whole));
    }
    SECTION("on others they are named, with what keeps them") {
        if (own == "plain") SKIP("this processor has one set of instructions");
        go_back(run, [](glassbox::Checkpoint&) {});
        Surroundings around;
        around.set = {"GLASSBOX_CPU=plain"};
        const Ran ran = tracer_run({"train", "reverse", "--resume", run}, around);
        CHECK(ran.code == 0);
        CHECK(ran.err == run + "/last.safetensors was computed with other arithmetic (instructions " + own +
                             ", here plain): after step 4 the run may differ in its last digits from an "
                             "uninterrupted one; with GLASSBOX_CPU=" +
                             own + " it continues unchanged\n");
        CHECK(glassbox::read_checkpoint(run + "/last.safetensors").made_on.at("instructions") == "plain");
    }
    SECTION("instructions that this processor has not") {
        go_back(run, [](glassbox::Checkpoint& checkpoint) { checkpoint.made_on["instructions"] = "sve"; });
        const Ran ran = run_on(run);
        CHECK(ran.code == 0);
        CHECK(has(ran.err, "(instructions sve, here " + own + "): after step 4"));
        CHECK_FALSE(has(ran.err, "it continues unchanged"));
    }
    SECTION("a checkpoint of an earlier version says nothing of it, and is resumed without a word") {
        go_back(run, [](glassbox::Checkpoint& checkpoint) { checkpoint.made_on.clear(); });
        const Ran ran = run_on(run);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
    }
    SECTION("a run that is finished computes nothing more") {
        Surroundings around;
        around.set = {"GLASSBOX_CPU=plain"};
        const Ran ran = tracer_run({"train", "reverse", "--resume", run}, around);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
    }
}
