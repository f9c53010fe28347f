// tracer compare: two runs beside each other.
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include "command.h"
#include "support/catch.h"

using namespace glassbox_test;
using glassbox::Tensor;

namespace {

// A run of multi-head attention with this mistake ("" for none), as a file.
std::string run_of(const Folder& folder, const std::string& name, const std::string& mistake = "") {
    const std::string file = folder / name, option = mistake.empty() ? "" : " --mistake " + mistake;
    REQUIRE(tracer_run(words("multihead --heads 2" + option + " -o " + file)).code == 0);
    return file;
}

}  // namespace

TEST_CASE("compare: a run is the same as itself, and the exit code is 0") {
    const Folder folder;
    const std::string file = run_of(folder, "a.npz");
    const Ran ran = tracer_run({"compare", file, file});
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "Identical up to rounding."));
}

TEST_CASE("compare: the first step that differs is named, later ones follow it") {
    const Folder folder;
    const std::string a = run_of(folder, "a.npz"), b = run_of(folder, "b.npz", "scaled/no-root");
    const Ran ran = tracer_run({"compare", a, b});
    CHECK(ran.code == 1);
    CHECK(has(ran.out, "✓ logits"));
    CHECK(has(ran.out, "✗ scaled"));
    CHECK(has(ran.out, "→ output"));
    CHECK(has(ran.out, "The first step that differs: scaled"));
    CHECK(!has(ran.out, "its own error"));
}

TEST_CASE("compare: with the layer, an error of its own and what it inherited are told apart") {
    const Folder folder;
    const std::string a = run_of(folder, "a.npz"), b = run_of(folder, "b.npz", "scaled/no-root");
    const Ran text = tracer_run({"compare", a, b, "--layer", "multihead --heads 2"});
    CHECK(has(text.out, "a.npz: right"));
    CHECK(has(text.out, "b.npz: its own error"));
    CHECK(has(text.out, "scaled/no-root"));
    CHECK(has(text.out, "b.npz: inherited"));
    const Ran json = tracer_run({"compare", a, b, "--layer", "multihead --heads 2", "--format", "json"});
    CHECK(has(json.out, "\"first\": \"scaled\""));
    CHECK(has(json.out, "\"sides\": [{\"verdict\": \"right\", \"mistakes\": []}, {\"verdict\": \"wrong\""));
}

TEST_CASE("compare: a name cannot write lines of its own") {
    const Folder folder;
    const std::string a = folder / "a.safetensors", b = folder / "b.safetensors";
    glassbox::write_safetensors(a, {{"x\n✓ y", Tensor{1.0F}}});
    glassbox::write_safetensors(b, {{"x\n✓ y", Tensor{2.0F}}});
    const Ran ran = tracer_run({"compare", a, b});
    CHECK(ran.code == 1);
    INFO(ran.out);
    CHECK(has(ran.out, "✗ x\\x0a✓ y"));
    CHECK(has(ran.out, "[0] is 1 and 2"));
    CHECK(!has(ran.out, "\n✓ y"));
}

TEST_CASE("compare: hidden scores, rounding, NaN and shapes") {
    const Folder folder;
    const std::string a = folder / "a.npz";
    glassbox::write_npz(a, {{"masked", Tensor{{1.0F, -1e9F}, {0.5F, 2.0F}}}});
    const auto beside = [&](const Tensor& masked) {
        const std::string b = folder / "b.npz";
        glassbox::write_npz(b, {{"masked", masked}});
        return tracer_run({"compare", a, b});
    };
    CHECK(beside(Tensor{{1.0F, -INFINITY}, {0.5F, 2.000001F}}).code == 0);
    CHECK(beside(Tensor{{1.0F, -INFINITY}, {0.5F, 2.001F}}).code == 1);
    CHECK(beside(Tensor{{1.0F, 0.0F}, {0.5F, 2.0F}}).code == 1);
    CHECK(beside(Tensor{{1.0F, -INFINITY}, {0.5F, NAN}}).code == 1);
    CHECK(has(beside(Tensor{1.0F, 2.0F}).out, "has the shapes (2, 2) and (2,)"));
}

TEST_CASE("compare: what cannot be compared is said") {
    const Folder folder;
    const std::string a = run_of(folder, "a.npz"), b = folder / "b.npz";
    glassbox::write_npz(b, {{"other", Tensor{1.0F}}});
    const Ran alone = tracer_run({"compare", a});
    CHECK(alone.code == 2);
    CHECK(has(alone.err, "expected two files, got 1"));
    const Ran apart = tracer_run({"compare", a, b});
    CHECK(apart.code == 3);
    CHECK(has(apart.err, "no step in common"));
    const Ran unknown = tracer_run({"compare", a, a, "--layer", "multihed"});
    CHECK(unknown.code == 2);
    CHECK(has(unknown.err, "did you mean 'multihead'"));
    const Ran open = tracer_run({"compare", a, a, "--layer", "multihead --text 'a b"});
    CHECK(open.code == 2);
    CHECK(has(open.err, "compare --layer: a quote is not closed in multihead --text 'a b"));
}

TEST_CASE("compare: words in quotes are one word of the layer's command line") {
    const Folder folder;
    const std::string file = folder / "a run.npz";
    REQUIRE(tracer_run({"multihead", "--text", "the cat sat", "-o", file}).code == 0);
    const Ran ran = tracer_run({"compare", file, file, "--layer", "multihead --text 'the cat sat'"});
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "✓ output"));
}
