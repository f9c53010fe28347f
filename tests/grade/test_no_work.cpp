// What earns nothing: inputs, zeros and other numbers that show no step; and the axes and decimals of a
// result.
#include "class.h"

#include <cmath>
#include <regex>

#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>

#include "tracer/grade/outputs.h"
#include "tracer/grade/sandbox.h"
#include "tracer/grade/trial.h"

using namespace glassbox_test;
using glassbox::NamedTensors;
using glassbox::real;
using glassbox::Tensor;

namespace {

// One task, and one student's inputs of it.
struct Work {
    explicit Work(const std::string& layer)
        : all(R"({"tasks": [{"name": "task", "layer": ")" + layer + R"(", "points": 4}]})") {
        fs::create_directories(all / "anna");
        const Ran ran = all.grade("--hand-out");
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        const std::string begin = "to be computed as ";
        const std::size_t at = ran.out.find(begin) + begin.size();
        options = ran.out.substr(at, ran.out.find(", and submitted") - at);
        inputs = glassbox::read_npz(all / "anna/task-inputs.npz").arrays;
    }
    NamedTensors steps(const std::string& more = "") const {
        const std::string file = all / "anna/task-inputs.npz", out = all / "anna/steps.npz";
        const bool has_weights = std::any_of(inputs.begin(), inputs.end(), [](const auto& input) {
            return !has("Q K V x mask", input.first);  // parameters
        });
        const Ran ran = run_program(words(options + " --input " + file +
                                          (has_weights ? " --weights " + file : "") + " -o " + out + more));
        INFO(ran.err);
        REQUIRE(ran.code == 0);
        return glassbox::read_npz(out).arrays;
    }
    nlohmann::json graded(const NamedTensors& arrays) const {
        glassbox::write_npz(all / "anna/task.npz", arrays);
        return all.graded()["anna"]["task"];
    }
    double points(const NamedTensors& arrays) const {
        const nlohmann::json found = graded(arrays);
        INFO(found.dump());
        CHECK(found["problem"] == "");
        return found["points"];
    }

    Class all;
    std::string options;
    NamedTensors inputs;
};

Tensor changed(const Tensor& x, const std::function<double(double)>& by) {
    std::vector<real> values = x.values();
    for (real& value : values) value = static_cast<real>(by(static_cast<double>(value)));
    return Tensor(x.shape(), values);
}
Tensor zeros_like(const Tensor& x) {
    return changed(x, [](double) { return 0.0; });
}
Tensor rounded(const Tensor& x, int decimals) {
    const double unit = std::pow(10, decimals);
    return changed(x, [&](double v) { return std::round(v * unit) / unit; });
}

NamedTensors last_of(const NamedTensors& steps) { return {steps.back()}; }

}  // namespace

TEST_CASE("grade: inputs, zeros and an input in the place of the result earn nothing; the right result all") {
    for (const char* layer :
         {"attention", "multihead --heads 3", "encoder-block --heads 2", "positional", "time2vec"}) {
        INFO(layer);
        const Work work(layer);
        const NamedTensors steps = work.steps();
        const auto& [result, right] = steps.back();
        CHECK(work.points(last_of(steps)) == 4);
        CHECK(work.points(steps) == 4);
        CHECK(work.points(work.inputs) == 0);
        CHECK(work.points({work.inputs.front()}) == 0);
        CHECK(work.points({{result, zeros_like(right)}}) == 0);
        NamedTensors zeros;
        for (const auto& [name, value] : steps) zeros.push_back({name, zeros_like(value)});
        std::erase_if(zeros, [&](const auto& step) {
            return std::any_of(work.inputs.begin(), work.inputs.end(),
                               [&](const auto& input) { return input.first == step.first; });
        });
        CHECK(work.graded(zeros)["points"] <= 1);  // a step may be right as zeros, or nearly
        CHECK(work.points({{result, work.inputs.front().second}}) == 0);
    }
}

TEST_CASE("grade: it is said that inputs are no work") {
    const Work work("attention");
    CHECK(
        has(work.graded(work.inputs)["steps"].back()["message"], "inputs, unchanged: no step was computed"));
    const nlohmann::json found = work.graded({{"values", work.inputs[2].second}});
    CHECK(has(found["steps"].back()["message"], "the numbers of V, an input, unchanged"));
}

TEST_CASE("grade: of mistakes with the same numbers one is named, and feedback has the others, too") {
    const Work work("multihead --heads 2 --dmodel 4");  // h d_k = d_k²
    const nlohmann::json found = work.graded(work.steps(" --mistake scaled/no-root"));
    REQUIRE(found["mistakes"].size() == 1);
    CHECK(found["mistakes"][0]["name"] == "scaled/no-root");
    const Folder out;
    REQUIRE(work.all.grade("--feedback " + (out / "f")).code == 0);
    std::string told = content(out / "f/anna.txt");  // in lines
    told = std::regex_replace(told, std::regex(R"(\s+)"), " ");
    CHECK(has(told,
              "scaled/no-root: Divided by d_k, but the typical size of a dot product is √d_k. Or "
              "scaled/d_model: these numbers do not show which."));
}

TEST_CASE("grade: a step that was not submitted earns where the numbers show it") {
    const Work work("attention");
    const NamedTensors wrong = work.steps(" --mistake scaled/no-root");
    CHECK(work.points(last_of(wrong)) == Approx(4 * 4 / 5.0));
    // Of the first step alone nothing later is shown.
    const NamedTensors right = work.steps();
    for (const auto& [name, value] : right)
        if (name == "logits") CHECK(work.points({{name, value}}) == Approx(4 / 5.0));
}

TEST_CASE("grade: the last array in another order of axes is wrong, and flattened it is right") {
    const Work work("attention");
    const auto [name, right] = work.steps().back();
    const Tensor exchanged = glassbox::contiguous(glassbox::transpose(right));
    const nlohmann::json found = work.graded({{name, exchanged}});
    CHECK(found["points"] == 0);
    CHECK(has(found["steps"].back()["message"], "right with its axes in the order (0, 2, 1)"));
    CHECK(has(found["steps"].back()["message"], "its shape is (3, 7, 6), expected (3, 6, 7)"));
    CHECK(work.points({{name, glassbox::reshape(right, {right.numel()})}}) == 4);
}

TEST_CASE("grade: numbers with two decimals or more are right, in any format") {
    const Work work("multihead --heads 3");
    const auto [name, right] = work.steps().back();
    for (int decimals = 1; decimals <= 6; ++decimals) {
        INFO(decimals);
        CHECK(work.points({{name, rounded(right, decimals)}}) == (decimals == 1 ? 0 : 4));
    }
    CHECK(work.points({{name, changed(right, [](double v) { return v * 1.002; })}}) == 0);
    const Tensor bfloat = changed(right, [](double v) {
        int exponent = 0;
        const double part = std::frexp(v, &exponent);
        return std::ldexp(std::round(std::ldexp(part, 8)), exponent - 8);
    });
    CHECK(work.points({{name, bfloat}}) == 4);
}

TEST_CASE("grade: what a function returns is the layer's result, as it is") {
    need_numpy();
    const Class all(R"({"seed": 3, "tasks": [
        {"name": "task", "layer": "attention", "function": "attend", "file": "a.py", "points": 5},
        {"name": "both", "layer": "attention", "function": "attend", "file": "a.py", "points": 5,
         "returns": ["values", "attention"]}]})");
    const std::string right =
        "import numpy as np\n"
        "def attend(Q, K, V, mask):\n"
        "    s = np.where(mask == 1, Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1]), -1e9)\n"
        "    e = np.exp(s - s.max(-1, keepdims=True))\n"
        "    a = e / e.sum(-1, keepdims=True)\n"
        "    v = a @ V\n"
        "    return ";
    const std::pair<const char*, double> returned[] = {{"v", 5},
                                                       {"{'values': v}", 5},
                                                       {"V", 0},
                                                       {"Q", 0},
                                                       {"{'V': V}", 0},
                                                       {"0 * v", 0},
                                                       {"a", 0},
                                                       {"v[None]", 0},
                                                       {"v.ravel()", 0},
                                                       {"v.swapaxes(-1, -2)", 0},
                                                       {"v.sum(0)", 0},
                                                       {"(v, a)", 5},
                                                       {"v + 1j", 0},
                                                       {"list(v * (1 + 1e-3j))", 0},
                                                       {"v.astype(complex)", 5},
                                                       {"np.ma.masked_array(v, True)", 0},
                                                       {"np.ma.masked_array(v, v > 1e9)", 5},
                                                       {"v.tolist()", 5},
                                                       {"v.astype(str)", 0}};
    int student = 0;
    for (const auto& [what, points] : returned)
        all.submit(std::to_string(student++), "a.py", right + what + "\n");
    const nlohmann::json found = all.graded();
    student = 0;
    for (const auto& [what, points] : returned) {
        const nlohmann::json& marks = found[std::to_string(student++)];
        INFO(what << ": " << marks.dump());
        CHECK(marks["task"]["points"] == points);
        CHECK((marks["both"]["points"] == 5) == (std::string(what) == "(v, a)"));
    }
    CHECK(has(found["8"]["task"]["steps"].back()["message"], "its shape is (126,), expected (3, 6, 7)"));
    CHECK(has(found["12"]["task"]["detail"], "an imaginary part that is not 0"));
    CHECK(has(found["15"]["task"]["detail"], "masked entries"));
    all.submit("anna", "a.py",
               right + "(v, V)\n");  // which of them is meant cannot be told: no mark, and no 0
    const Ran unclear = all.grade("");
    CHECK(unclear.code == 4);
    CHECK(has(unclear.err, "the function returned 2 arrays, and it is unclear which steps they are"));
}

TEST_CASE("grade: a trial without students says whether a course is sound") {
    const Class all(
        R"({"tasks": [{"layer": "attention", "points": 4}, {"layer": "encoder-block", "points": 2}]})");
    const Ran sound = all.grade("--try");
    INFO(sound.out << sound.err);
    CHECK(sound.code == 0);
    CHECK(has(sound.out, "right               4              2      6\n"));
    for (const char* kind : {"rounded   ", "zeros     "})
        CHECK(has(sound.out, kind + std::string("          0              0      0\n")));
    CHECK(has(sound.out, "anything else none"));
}

TEST_CASE(
    "grade: a task may be a layer without random numbers, without input, or with weights among its inputs") {
    for (const char* layer :
         {"schedule", "shift", "positional --dot", "attention --din 3", "attention --score additive"}) {
        INFO(layer);
        const Class all(R"({"tasks": [{"layer": ")" + std::string(layer) + R"("}]})");
        const Ran trial = all.grade("--try");
        INFO(trial.out << trial.err);
        CHECK(trial.code == 0);
    }
}

TEST_CASE("grade: a course is not sound where zeros earn something, or what is right does not earn all") {
    const auto trial = [](double right, double zeros) {
        glassbox::tracer::TaskMark one{"task", right, 4, {}}, other{"task", zeros, 4, {}};
        return std::vector<glassbox::tracer::StudentMarks>{{"right", {one}}, {"zeros", {other}}};
    };
    CHECK(glassbox::tracer::is_sound(trial(4, 0)));
    CHECK(!glassbox::tracer::is_sound(trial(4, 1)));
    CHECK(!glassbox::tracer::is_sound(trial(3, 0)));
    glassbox::tracer::Course course;
    course.tasks.push_back({.name = "task", .points = 4});
    CHECK(has(glassbox::tracer::trial_text(course, trial(4, 1)), "task: 'zeros' earns 1 of 4"));
}
