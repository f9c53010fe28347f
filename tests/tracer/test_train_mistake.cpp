// tracer train --mistake: what is learned with a wrong line.
#include <glassbox/io/safetensors.h>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;

namespace {

std::vector<std::string> run_of(const std::string& folder, const std::vector<std::string>& more) {
    std::vector<std::string> all = words(
        "train reverse --seq 6 --examples 96 --validation 32 --test 32 --dmodel 16 "
        "--epochs 2 --batch 32 --warmup 2 --folder " +
        folder);
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

// The parameters after the last step, without the metadata, which contain times.
std::map<std::string, std::vector<glassbox::real>> learned(const std::string& folder) {
    std::map<std::string, std::vector<glassbox::real>> all;
    for (const auto& [name, tensor] : glassbox::read_safetensors(folder + "/last.safetensors").tensors)
        all[name] = tensor.values();
    return all;
}

}  // namespace

TEST_CASE("train --mistake: other parameters are learned, the same on any number of threads") {
    const Folder folder;
    REQUIRE(tracer_run(run_of(folder / "right", {})).code == 0);
    for (const char* threads : {"1", "3"}) {
        const Ran ran =
            run_program(run_of(folder / threads, {"--mistake", "scaled/no-root", "--threads", threads}));
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        CHECK(has(ran.out, "with a mistake in every score: scaled/no-root"));
    }
    CHECK(learned(folder / "1") == learned(folder / "3"));
    CHECK(learned(folder / "1") != learned(folder / "right"));
}

TEST_CASE("train --mistake: a run keeps its mistake when it is resumed, and takes no other") {
    const Folder folder;
    const std::vector<std::string> mistake{"--mistake", "scaled/no-root", "--save-every", "2"};
    REQUIRE(run_program(run_of(folder / "whole", mistake)).code == 0);
    std::filesystem::create_directory(folder / "part");
    // The files of a run stopped after step 4.
    std::filesystem::copy_file(folder / "whole/previous.safetensors", folder / "part/last.safetensors");
    const Ran other = run_program(
        {"train", "reverse", "--resume", "--folder", folder / "part", "--mistake", "scaled/multiplied"});
    CHECK(other.code == 2);
    CHECK(has(other.err, "--mistake: the run to be resumed has scaled/no-root, got scaled/multiplied"));
    const Ran resumed = run_program({"train", "reverse", "--resume", "--folder", folder / "part"});
    INFO(resumed.err);
    REQUIRE(resumed.code == 0);
    CHECK(learned(folder / "part") == learned(folder / "whole"));
}

TEST_CASE("train --mistake: one that cannot be made in the task is refused before anything is written") {
    const Folder folder;
    const Ran ran = run_program(run_of(folder / "run", {"--mistake", "embedding_scaled/not-scaled"}));
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "embedding_scaled/not-scaled cannot be made in reverse"));
    CHECK_FALSE(std::filesystem::exists(folder / "run"));
    const Ran unknown = run_program(run_of(folder / "run", {"--mistake", "scaled/norot"}));
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "scaled/no-root"));
}
