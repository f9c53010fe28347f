// What a lesson says of a file with the last array of each case alone, where its cases differ.
#include <glassbox/io/npy.h>
#include <glassbox/io/npz.h>
#include <glassbox/ops/ops.h>

#include "lessons.h"

using glassbox::index_t;
using glassbox::NamedTensors;
using glassbox::Tensor;
using namespace lesson_test;

namespace {

using Arrays = std::map<std::string, Tensor>;

Arrays golden_of(const Lesson& lesson, const std::string& of) {
    Arrays arrays;
    for (const auto& [path, value] : glassbox::read_npz(lesson.folder / "golden.npz").arrays)
        if (path.starts_with(of + "/")) arrays[path.substr(of.size() + 1)] = value;
    return arrays;
}

template <class Made>
Run run_with(const char* number, const char* last, Made made) {
    const Folder folder;
    const Lesson lesson = lesson_of(number);
    NamedTensors mine;
    for (const Lesson::Case& each : lesson.cases)
        mine.emplace_back(each.name + "/" + last, made(each.name, golden_of(lesson, each.name)));
    glassbox::write_npz(folder / "mine.npz", mine);
    return run_lesson({number, "--npz", folder / "mine.npz"});
}

// The last step of the command with a mistake in it, from a case's inputs and weights.
Tensor mistaken(const Arrays& golden, const char* last, std::vector<std::string> words,
                const std::string& mistake) {
    const Folder folder;
    NamedTensors inputs, weights;
    for (const auto& [name, value] : golden) {
        if (name == "x" || name == "memory") inputs.emplace_back(name, value);
        if (name.find('.') != name.npos) weights.emplace_back(name, value);
    }
    glassbox::write_npz(folder / "inputs.npz", inputs);
    glassbox::write_npz(folder / "weights.npz", weights);
    glassbox_test::Surroundings around;
    around.program = GLASSBOX_TRACER;
    const std::string out = folder / "out.npz";
    for (const std::string& each :
         {"--input=" + (folder / "inputs.npz"), "--weights=" + (folder / "weights.npz"),
          fmt::format("--heads={}", golden.at("heads").item()), "--mistake=" + mistake, "--output=" + out})
        words.push_back(each);
    const glassbox_test::Ran ran = glassbox_test::run_program(words, around);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    for (const auto& [name, value] : glassbox::read_npz(out).arrays)
        if (name == last) return value;
    FAIL("no " << last);
    return {};
}

}  // namespace

TEST_CASE("the last arrays: a mistake that is made only where shapes fit is named with its cases") {
    const Run run = run_with("01", "values", [](const std::string&, const Arrays& golden) {
        const Tensor &K = golden.at("K"), &V = golden.at("V");
        return matmul(golden.at("attention"), K.shape() == V.shape() ? K : V);
    });
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "Hint: In example alone, this gives the numbers: The keys are averaged, and V"));
    CHECK(has(run.output, "Name: values/keys: "));
}

TEST_CASE("the last arrays: where one case cannot tell where a mistake is, another does") {
    const Run run = run_with("10", "norm3", [](const std::string& of, const Arrays& golden) {
        std::vector<std::string> words{"decoder-block", "--convention=uva-torch"};
        if (of == "padding") {
            const Tensor visible = slice(golden.at("memory_mask"), 0, 0, 1);
            words.push_back(fmt::format("--memory-lengths={}", sum(visible).item()));
        }
        return mistaken(golden, "norm3", words, "self_attn: masked/one-more");
    });
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "Hint: In self_attn: One key too many is seen"));
    CHECK(has(run.output, "Name: self_attn: masked/one-more: "));
}

TEST_CASE("the last arrays: a step's own hint is for what is made there") {
    const auto without_bias = [](const char* place) {
        return run_with("02", "output", [=](const std::string&, const Arrays& golden) {
            const Folder folder;
            glassbox::write_npy(folder / "mask.npy", golden.at("mask"));
            const index_t width = golden.at("o_proj.weight").size(0);
            return mistaken(
                golden, "output",
                {"multihead", fmt::format("--dmodel={}", width), "--mask=" + (folder / "mask.npy")},
                fmt::format("{}: linear/no-bias", place));
        });
    };
    const Run of_output = without_bias("output"), of_qkv = without_bias("qkv");
    INFO(of_output.output << of_qkv.output);
    CHECK(has(of_output.output, "Hint: In output: These are the right products, without b_O."));
    CHECK(has(of_qkv.output, "Hint: In qkv: The bias b is missing."));
}
