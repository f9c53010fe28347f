// What a lesson says of a file with the last array of each case alone, where its cases differ.
#include <glassbox/io/numpy.h>
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

// `made` gives several arrays of a case.
template <class Made>
Run run_with_steps(const char* number, Made made) {
    const Folder folder;
    const Lesson lesson = lesson_of(number);
    NamedTensors mine;
    for (const Lesson::Case& each : lesson.cases)
        for (const auto& [step, value] : made(golden_of(lesson, each.name)))
            mine.emplace_back(each.name + "/" + step, value);
    glassbox::write_npz(folder / "mine.npz", mine);
    return run_lesson({number, "--npz", folder / "mine.npz"});
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

// A step of the command with a mistake in it, or with none, from a case's inputs and weights.
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
          fmt::format("--heads={}", golden.at("heads").item()), "--output=" + out})
        words.push_back(each);
    if (!mistake.empty()) words.push_back("--mistake=" + mistake);
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
    CHECK(has(run.output, "Hint: Only in example this gives the numbers: The keys are averaged, and V"));
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
    CHECK(has(run.output, "Hint: In self_attn: One key too many is visible"));
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

TEST_CASE("the last arrays: blocks that normalise before they add are called that") {
    const Run run = run_with("04", "norm2", [](const std::string&, const Arrays& golden) {
        return mistaken(golden, "residual2", {"encoder-block", "--convention=uva-torch", "--norm=pre"}, "");
    });
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "Hint: The norms come before the sublayers, x + Sublayer(LayerNorm(x))"));
}

TEST_CASE("the last arrays: right weights in the wrong place are told") {
    const Run run = run_with("04", "norm2", [](const std::string&, Arrays golden) {
        std::swap(golden.at("norm1.weight"), golden.at("norm2.weight"));
        std::swap(golden.at("norm1.bias"), golden.at("norm2.bias"));
        return mistaken(golden, "norm2", {"encoder-block", "--convention=uva-torch"}, "");
    });
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(
        has(run.output, "Hint: In example/norm2, every number is right with the weights of norm1 and norm2"));
}

TEST_CASE("arrays of several steps: what is wrong further on is told, too") {
    const Run run = run_with_steps("08", [](const Arrays& golden) {
        const Tensor& h = golden.at("encoder/0/norm2");
        Arrays mine;
        for (const char* step : {"real", "encoder/0/norm2", "cls/logits"}) mine[step] = golden.at(step);
        mine["mean/pooled"] = mean(h, -2), mine["max/pooled"] = max(h, -2);
        return mine;
    });
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "Name: mean_pooled/all"));
    CHECK(has(run.output, "Name: max_pooled/padding"));
}

TEST_CASE(
    "arrays of several steps: where one case shows that axes are in their order, they are in the others") {
    const Run run = run_with_steps("02", [](const Arrays& golden) {
        const Tensor& Q = golden.at("Q");  // (…, h, T, d_h)
        const int first = Q.rank() - 3;
        const index_t h = Q.size(first), T = Q.size(-2), d_h = Q.size(-1);
        const glassbox::Shape batch = Q.shape().leading(first);
        // Every h-th column of a row to a head.
        const Tensor rows = reshape(contiguous(swap_axes(Q, first, first + 1)),
                                    batch.with_appended(T).with_appended(d_h).with_appended(h));
        Arrays mine{{"qkv", golden.at("qkv")}, {"output", golden.at("output")}};
        mine["Q"] = contiguous(swap_axes(swap_axes(rows, first + 1, first + 2), first, first + 1));
        return mine;
    });
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "causal/Q["));  // there are as many heads as columns of one
}
