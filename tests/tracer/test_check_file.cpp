// tracer check-file: the contents of files, and whether they are intact.
#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;
using glassbox::Tensor;

TEST_CASE("check-file: reports the contents of each kind of file, and the evidence that it is intact") {
    const Folder folder;
    glassbox::write_safetensors(folder / "w.safetensors", {{"layer.weight", Tensor{{1, 2}, {3, 4}}}},
                                {{"seed", "42"}});
    glassbox::write_npz(folder / "x.npz", {{"x", Tensor{1, 2, 3}}});
    glassbox::write_npy(folder / "y.npy", Tensor{{1, 2, 3}});
    const Ran ran = tracer_run({"check-file", folder / "w.safetensors", folder / "x.npz", folder / "y.npy"});
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "✓ " + folder / "w.safetensors: safetensors, intact: all checksums match\n"));
    CHECK(has(ran.out, "    seed: 42\n  layer.weight (2, 2)\n"));
    CHECK(has(ran.out, "✓ " + folder / "x.npz: npz, intact: all checksums match\n  x (3,)\n"));
    CHECK(has(ran.out, "✓ " + folder / "y.npy: npy, intact: it has no checksums"));
}

TEST_CASE("check-file: one flipped bit gives exit code 3 and names the file; the others are still checked") {
    const Folder folder;
    for (const char* name : {"a.safetensors", "b.safetensors"})
        glassbox::write_safetensors(folder / name, {{"w", Tensor{{1, 2}, {3, 4}}}});
    std::string bytes = content(folder / "a.safetensors");
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    write(folder / "a.safetensors", bytes);
    const Ran ran = tracer_run({"check-file", folder / "a.safetensors", folder / "b.safetensors"});
    CHECK(ran.code == 3);
    CHECK(has(ran.out, "✗ " + folder / "a.safetensors: at byte "));
    CHECK(has(ran.out, "tensor 'w' is damaged"));
    CHECK(has(ran.out, "✓ " + folder / "b.safetensors"));
    CHECK(ran.err == "error: check-file: damaged: " + folder / "a.safetensors\n");
    const auto json = nlohmann::json::parse(
        tracer_run({"check-file", folder / "a.safetensors", folder / "b.safetensors", "--format", "json"})
            .out);
    CHECK(json["files"][0]["whole"] == false);
    CHECK(json["files"][1]["whole"] == true);
    CHECK(json["files"][1]["arrays"][0]["shape"] == std::vector<int>{2, 2});
}

TEST_CASE(
    "check-file: all files of a run; a folder without any, another kind and a missing one are reported") {
    const Folder folder;
    REQUIRE(tracer_run({"train", "reverse", "--seq", "6", "--examples", "64", "--epochs", "1", "--batch",
                        "32", "--validation", "8", "--test", "8", "--folder", folder / "run"})
                .code == 0);
    const Ran ran = tracer_run({"check-file", folder / "run"});
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "last.safetensors: checkpoint, intact: all checksums match\n    after step 2, "));
    CHECK(has(ran.out, "run.jsonl: log of a training run, intact: every line is valid"));
    CHECK(has(ran.out, "the last one of step 2; the run is complete"));
    // A folder of runs: the three poolings of one folder.
    std::filesystem::create_directory(folder / "three");
    std::filesystem::rename(folder / "run", folder / "three/mean");
    CHECK(has(tracer_run({"check-file", folder / "three"}).out, "three/mean/last.safetensors: checkpoint"));
    // A line cut by a kill is not damage, but not intact either.
    const std::string log = content(folder / "three/mean/run.jsonl");
    write(folder / "cut.jsonl", log.substr(0, log.size() - 9));
    const Ran cut = tracer_run({"check-file", folder / "cut.jsonl"});
    CHECK(cut.code == 0);
    CHECK(has(cut.out, "every line except the last is valid"));
    std::filesystem::create_directory(folder / "empty");
    CHECK(tracer_run({"check-file", folder / "empty"}).code == 4);
    for (const char* missing : {"no.npz", "none"}) {
        const Ran none = tracer_run({"check-file", folder / missing});
        CHECK(none.code == 4);
        CHECK(none.err == "error: " + folder / missing + ": cannot open: No such file or directory\n");
    }
    write(folder / "notes.txt", "notes");
    CHECK(tracer_run({"check-file", folder / "notes.txt"}).err ==
          "error: check-file: expected .safetensors, .npz, .npy or .jsonl, got " + folder / "notes.txt\n");
    CHECK(tracer_run({"check-file"}).code == 2);
}
