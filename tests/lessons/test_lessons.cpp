#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>

#include "../../lessons/support/check.h"
#include "../../lessons/support/mistakes.h"
#include "lessons.h"
#include "support/errors.h"

using glassbox::Tensor;
using lesson::first_failed;
using lesson::Outcome;
using namespace lesson_test;

namespace {

int lines_that_begin_with(const std::string& text, const std::string& mark) {
    int count = 0;
    for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1)
        count += text.compare(at, mark.size(), mark) == 0;
    return count;
}

// This program has the check of lesson 01.
std::vector<Outcome> check_mistake(const std::string& name) {
    const lesson::Exercise exercise(build / "lessons/01/mistakes", name);
    return lesson::check_exercise(lesson_of("01"), lesson::the_check(), exercise);
}
std::vector<Outcome> check_arrays(const fs::path& file) {
    return lesson::check_arrays(lesson_of("01"), lesson::the_check(), file);
}

// What a student with another language would save: the steps of golden.npz, each passed through `change`.
template <class Change>
fs::path save_steps(const Folder& folder, const Lesson& lesson, Change change) {
    glassbox::NamedTensors arrays;
    for (const auto& [path, value] : glassbox::read_npz(lesson.folder / "golden.npz").arrays) {
        const std::string step = path.substr(path.find('/') + 1);
        if (std::find(lesson.steps.begin(), lesson.steps.end(), step) == lesson.steps.end()) continue;
        const Tensor changed = change(path, value);
        if (changed.defined()) arrays.emplace_back(path, changed);
    }
    glassbox::write_npz(folder / "mine.npz", arrays);
    return folder / "mine.npz";
}

}  // namespace

TEST_CASE("every lesson has all that a lesson has") {
    const std::vector<Lesson> all = all_lessons();
    REQUIRE(all.size() >= 15);
    for (const Lesson& lesson : all) {
        INFO(lesson.folder.string());
        for (const char* file : {"README.md", "lesson.h", "exercise.cpp", "solution.cpp", "mistakes.txt",
                                 "call.cpp", "check.cpp", "make_golden.py", "golden.npz"})
            CHECK(fs::exists(lesson.folder / file));
        CHECK(content((lesson.folder / "README.md").string())
                  .rfind("# Lesson " + lesson.number + ": " + lesson.title + "\n", 0) == 0);
        CHECK(lesson::read_mistakes(lesson.folder / "mistakes.txt").size() >= 5);
        CHECK_FALSE(lesson.passed.empty());
    }
}

TEST_CASE("the lessons' README lists all lessons in order, and those that are to come") {
    const std::string readme = content((lessons / "README.md").string());
    std::size_t at = readme.find("|---|---|\n") + 10;
    const auto next_row = [&] {
        const std::size_t begin = at;
        at = readme.find('\n', at) + 1;
        return readme.substr(begin, at - begin);
    };
    std::string last;
    for (const Lesson& lesson : all_lessons()) {
        std::string row = next_row();
        while (has(row, "to come: ")) row = next_row();
        CHECK(row == "| " + lesson.number + " | [" + lesson.title + "](" + lesson.folder.filename().string() +
                         "/README.md) |\n");
        CHECK(last < row);
        last = row;
    }
    CHECK(next_row() == "\n");
}

TEST_CASE("a lesson that is to come stands in the list, and its number says so") {
    const Folder folder;
    const fs::path course = folder / "course";
    fs::copy(lessons, course, fs::copy_options::recursive);
    const std::string readme = (course / "README.md").string();
    glassbox_test::write(readme, content(readme) + "| 98 | to come: proofs |\n");
    CHECK(has(run_lesson({}, course).output, "\n  98  to come: proofs\n"));
    const Run run = run_lesson({"98"}, course);
    CHECK(run.exit_code == 2);
    CHECK(run.output == "lesson: lesson 98 is not there yet; to come: proofs\n");
}

TEST_CASE("every reference solution passes") {
    for (const Lesson& lesson : all_lessons()) {
        const Run run = run_lesson({lesson.number, "--solution"});
        INFO(run.output);
        CHECK(run.exit_code == 0);
        CHECK(lines_that_begin_with(run.output, "✓ ") == static_cast<int>(lesson.cases.size()));
    }
}

TEST_CASE("every wrong solution fails, with the hint for its mistake") {
    int total = 0;
    for (const Lesson& lesson : all_lessons()) {
        const int count = lines_that_begin_with(content((lesson.folder / "mistakes.txt").string()), "hint: ");
        const Run run = run_lesson({lesson.number, "--mistakes"});
        INFO(run.output);
        CHECK(run.exit_code == 0);
        CHECK(lines_that_begin_with(run.output, "✓ ") == count);
        CHECK(has(run.output, std::to_string(count) + " mistakes, 0 without"));
        total += count;
    }
    CHECK(total >= 333);  // the first of them; none is lost
}

TEST_CASE("a failing step shows path, index, both values, and what follows from it") {
    const std::string page = lesson::show(lesson_of("01"), check_mistake("scaled_by_d_v"), "anna.cpp", false);
    CHECK(has(page, "✓ example"));
    CHECK(has(page, "✗ sizes"));
    CHECK(has(page, "✓ logits\n"));
    CHECK(has(page, "✗ scaled     sizes/scaled[0, 0] is -0.245027, expected -0.316329 (24 of 24 numbers"));
    CHECK(has(page, "· values     right for what it was given: follows from scaled"));
    CHECK(has(page, "Hint: You divided by the square root of another size."));
    CHECK(has(page, "Next: fix scaled in anna.cpp"));
}

TEST_CASE("the empty exercise of every lesson fails and is told where to begin") {
    for (const Lesson& lesson : all_lessons()) {
        const Run run = run_lesson({lesson.number});
        const std::string &first = lesson.steps.front(), begin = lesson.hints.at(first + "/missing");
        const bool is_begun = !has(run.output, begin.substr(0, 20));
        if (is_begun && !std::getenv("CI")) SKIP("exercise.cpp has been worked on");
        INFO(run.output);
        CHECK(run.exit_code == 1);
        CHECK(has(run.output, "✗ " + first));
        CHECK(has(run.output, "not there yet"));
        CHECK(has(run.output, "Next: write " + first + " in lessons/" + lesson.folder.filename().string() +
                                  "/exercise.cpp"));
    }
}

TEST_CASE("the option --solution passes and leaves the student's file alone") {
    const fs::path exercise = lessons / "01-scaled-dot-product/exercise.cpp";
    const std::string before = content(exercise.string());
    const auto time = fs::last_write_time(exercise);
    const Run run = run_lesson({"01", "--solution"});
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(has(run.output, "All right."));
    CHECK(content(exercise.string()) == before);
    CHECK(fs::last_write_time(exercise) == time);
}

TEST_CASE("an exercise that does not compile shows the compiler's message, and nothing of a build system") {
    const Folder folder;
    glassbox_test::write(folder / "anna.cpp", "#include \"lesson.h\"\nint one = two;\n");
    const Run run = run_lesson({"01", "--file", folder / "anna.cpp"});
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "anna.cpp:2:"));
    CHECK(has(run.output, "does not compile yet"));
    CHECK_FALSE(has(run.output, "ninja"));
    CHECK_FALSE(has(run.output, "CMake"));
}

TEST_CASE("an exercise that crashes, and one that lacks the function, fail with a message") {
    const Folder folder;
    const std::string crash = folder / "crash.cpp", none = folder / "none.cpp";
    glassbox_test::write(crash,
                         "#include \"lesson.h\"\n#include <cstdlib>\n"
                         "void scaled_dot_product(const Matrix&, const Matrix&, const Matrix&, "
                         "const Matrix&, Steps&) { std::abort(); }\n");
    Run run = run_lesson({"01", "--file", crash});
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "crashed: does it access an array out of bounds"));
    glassbox_test::write(none, "int nothing;\n");
    run = run_lesson({"01", "--file", none});
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "no function scaled_dot_product"));
}

TEST_CASE("an unknown lesson, option and file are refused, and the lessons listed") {
    Run run = run_lesson({"99"});
    CHECK(run.exit_code == 2);
    CHECK(has(run.output, "there is no lesson '99'"));
    CHECK(has(run.output, "01  Scaled dot-product attention"));
    CHECK(run_lesson({"01", "--solutoin"}).exit_code == 2);
    CHECK(run_lesson({"01", "--npz", "/nowhere.npz"}).exit_code == 2);
    run = run_lesson({"01", "--mistake", "no_scal"});
    CHECK(run.exit_code == 2);
    CHECK(has(run.output, "there is no mistake 'no_scal'"));
    CHECK(has(run.output, "\n  no_scale: the division by √d_k is forgotten\n"));
    run = run_lesson({});
    CHECK(run.exit_code == 0);
    for (const Lesson& lesson : all_lessons()) CHECK(has(run.output, lesson.number + "  " + lesson.title));
}

TEST_CASE("a call says what it needs to be built, and nothing more") {
    CHECK(run_lesson({"--needs", "1"}).output == "lessons/01/check\n");
    CHECK(run_lesson({"--needs", "02", "--solution"}).output == "lessons/02/check\n");
    CHECK(run_lesson({"--needs", "15", "--mistake", "replaced"}).output ==
          "lessons/15/check\nlessons/15/mistakes\n");
    for (const char* option : {"", "--help"}) {
        const Run run = run_lesson(glassbox_test::words("--needs " + std::string(option)));
        CHECK(run.exit_code == 0);
        CHECK(run.output == "");
    }
    CHECK(run_lesson({"--needs", "99"}).exit_code == 2);
}

TEST_CASE("a copy of the lessons is checked by its own texts") {
    const Folder folder;
    const fs::path course = folder / "course";
    fs::copy(lessons, course, fs::copy_options::recursive);
    const std::string file = (course / "01-scaled-dot-product/lesson.json").string();
    std::string text = content(file);
    text.replace(text.find("Compare with lib"), 12, "Compare with my own");
    glassbox_test::write(file, text);
    const Run run = run_lesson({"01", "--solution"}, course);
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(has(run.output, "Next: Compare with my own"));
}

TEST_CASE("a student's own arrays: right ones pass, with or without the steps between") {
    const Folder folder;
    for (const Lesson& lesson : all_lessons()) {
        INFO(lesson.folder.string());
        const auto keep = [](const std::string&, const Tensor& value) { return value; };
        const fs::path all = save_steps(folder, lesson, keep);
        CHECK(run_lesson({lesson.number, "--npz", all.string()}).exit_code == 0);
        const auto last_only = [&](const std::string& path, const Tensor& value) {
            return path.substr(path.find('/') + 1) == lesson.steps.back() ? value : Tensor();
        };
        const fs::path last = save_steps(folder, lesson, last_only);
        CHECK(run_lesson({lesson.number, "--npz", last.string()}).exit_code == 0);
    }
}

TEST_CASE("a student's own arrays: an axis of 1 more or less is as good, another shape is not") {
    const Folder folder;
    const Lesson lesson = lesson_of("01");
    const auto in_shape = [&](auto shape_of) {
        return check_arrays(save_steps(folder, lesson, [&](const std::string& path, const Tensor& value) {
            return has(path, "example/") ? Tensor(shape_of(value), value.values()) : value;
        }));
    };
    CHECK_FALSE(first_failed(in_shape([](const Tensor& x) {
        return glassbox::Shape{1, x.size(0), x.size(1)};
    })));
    CHECK_FALSE(first_failed(in_shape([](const Tensor& x) {
        return glassbox::Shape{x.size(0), 1, x.size(1), 1};
    })));
    const std::vector<Outcome> outcomes =
        in_shape([](const Tensor& x) { return glassbox::Shape{x.numel()}; });
    CHECK_FALSE(first_failed(outcomes));
    CHECK(has(outcomes.front().diagnosis.steps.back().accepted, "row by row"));
}

TEST_CASE("a student's own arrays: inputs that are not the lesson's are refused, its own are no harm") {
    const Folder folder;
    const Lesson lesson = lesson_of("01");
    glassbox::NamedTensors arrays = glassbox::read_npz(lesson.folder / "golden.npz").arrays;
    const std::string file = folder / "mine.npz";
    glassbox::write_npz(file, arrays);
    CHECK_FALSE(first_failed(check_arrays(file)));
    for (auto& [name, value] : arrays)
        if (name == "sizes/Q") value = value * 2;
    glassbox::write_npz(file, arrays);
    glassbox_test::check_error<glassbox::FileError>(
        [&] { (void)check_arrays(file); }, file +
                                               ": 'sizes/Q' is not the lesson's own input, in golden.npz: "
                                               "what is right for it is not known; leave "
                                               "it out, or compute from that one");
}

TEST_CASE("the first wrong step is the earliest of all cases, and the hint is about that") {
    const Folder folder;
    const auto wrong = [](const std::string& path, const Tensor& value) {
        return path == "example/values" || path == "sizes/scaled" || path == "causal/attention" ? value * 2
                                                                                                : value;
    };
    const std::vector<Outcome> outcomes = check_arrays(save_steps(folder, lesson_of("01"), wrong));
    const Outcome* failed = first_failed(outcomes);
    REQUIRE(failed);
    CHECK(failed->of.name == "sizes");
    CHECK(failed->first_wrong()->path == "scaled");
    CHECK(failed->hint.name.starts_with("scaled"));
    CHECK(outcomes.front().hint.name.empty());
}

TEST_CASE("a student's own arrays: another fill value passes, a wrong step is named") {
    const Folder folder;
    const Lesson lesson = lesson_of("01");
    const auto filled = [](const std::string&, const Tensor& value) {
        std::vector<glassbox::real> values = value.values();
        for (auto& v : values)
            if (v < -1e9) v = -INFINITY;
        return Tensor(value.shape(), values);
    };
    CHECK_FALSE(first_failed(check_arrays(save_steps(folder, lesson, filled))));
    const auto doubled = [](const std::string& path, const Tensor& value) {
        return has(path, "/scaled") ? value * 2 : value;
    };
    const std::vector<Outcome> outcomes = check_arrays(save_steps(folder, lesson, doubled));
    const Outcome* failed = first_failed(outcomes);
    REQUIRE(failed);
    CHECK(failed->first_wrong()->path == "scaled");
    const auto turned = [](const std::string& path, const Tensor& value) {
        return path == "sizes/values" ? transpose(value) : value;
    };
    const std::vector<Outcome> in_order = check_arrays(save_steps(folder, lesson, turned));
    CHECK_FALSE(first_failed(in_order));
    CHECK(in_order[1].diagnosis.steps.back().accepted == "with its axes in the order (1, 0)");
    const auto cut = [](const std::string& path, const Tensor& value) {
        return path == "sizes/values" ? slice(value, 0, 0, 3) : value;
    };
    const std::vector<Outcome> shapes = check_arrays(save_steps(folder, lesson, cut));
    REQUIRE(first_failed(shapes));
    CHECK(has(first_failed(shapes)->first_wrong()->difference, "its shape is (3, 5), expected (4, 5)"));
}

TEST_CASE("a student's own arrays: cases that are in the file are checked, others are said to be missing") {
    const Folder folder;
    const Lesson lesson = lesson_of("01");
    const auto only = [](const char* of) {
        return [=](const std::string& path, const Tensor& value) {
            return path.rfind(std::string(of) + "/", 0) == 0 ? value : Tensor();
        };
    };
    const Run run = run_lesson({"01", "--npz", save_steps(folder, lesson, only("example")).string()});
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "✓ example"));
    CHECK(has(run.output, "· sizes     not in the file"));
    CHECK(has(run.output, "What is in the file is right."));
    CHECK_THROWS_AS(check_arrays(save_steps(folder, lesson, only("nothing"))), glassbox::FileError);
}

TEST_CASE("a student's own arrays: a misspelt step is said, with the nearest name") {
    const Folder folder;
    const fs::path file = folder / "mine.npz";
    glassbox::write_npz(file, {{"example/atention", Tensor::zeros({3, 3})}});
    const Run run = run_lesson({"01", "--npz", file.string()});
    INFO(run.output);
    CHECK(run.exit_code == 3);
    CHECK(has(run.output, "no step 'example/atention'; the steps are "));
    CHECK(has(run.output, "; did you mean 'example/attention'?"));
}

TEST_CASE("a student's own arrays: the last array alone names the mistake, or says what it cannot show") {
    const Folder folder;
    const Lesson lesson = lesson_of("01");
    const auto last = [](const std::string& path, const Tensor& value) {
        return path == "example/values" ? value : Tensor();
    };
    const Run right = run_lesson({"01", "--npz", save_steps(folder, lesson, last).string()});
    CHECK(has(right.output, "What is in the file is right."));
    const auto undivided = [](const std::string& path, const Tensor&) {
        if (path.substr(path.find('/') + 1) != "values") return Tensor();
        const auto golden =
            glassbox::read_npz(lesson_of("01").folder / "golden.npz").arrays;  // values without the division
        Tensor masked, V, mask;
        for (const auto& [name, array] : golden) {
            const std::string of = path.substr(0, path.find('/') + 1);
            if (name == of + "logits") masked = array;
            if (name == of + "V") V = array;
            if (name == of + "mask") mask = array;
        }
        return matmul(softmax(masked_fill(masked, mask, -9e15)), V);
    };
    const Run wrong = run_lesson({"01", "--npz", save_steps(folder, lesson, undivided).string()});
    INFO(wrong.output);
    CHECK(wrong.exit_code == 1);
    CHECK(has(wrong.output, "scaled is the same as logits"));
}

TEST_CASE("every lesson's golden.npz is what the library's computation makes") {
    for (const Lesson& lesson : all_lessons()) {
        glassbox_test::Surroundings around;
        around.program = (build / "lessons" / lesson.number / "check").string();
        const glassbox_test::Ran ran =
            glassbox_test::run_program({lesson.folder.string(), "golden", "golden.npz"}, around);
        INFO(lesson.folder.string() << "\n" << ran.out << ran.err);
        CHECK(ran.code == 0);
    }
}

TEST_CASE("the lessons' comparison notices NaN, infinity and what is beyond the tolerance") {
    CHECK(lesson::misfit(Tensor{1, 2}, Tensor{1, 2 + glassbox::real(1e-5)}) <= 1);
    CHECK(lesson::misfit(Tensor{1, 2}, Tensor{1, 2 + glassbox::real(1e-4)}) > 1);
    CHECK(lesson::misfit(Tensor{1, NAN}, Tensor{1, NAN}) > 1);
    CHECK(lesson::misfit(Tensor{1, INFINITY}, Tensor{1, 2}) > 1);
    CHECK(lesson::misfit(Tensor{1, 2}, Tensor{1, 2, 3}) > 1);
    CHECK(lesson::difference(Tensor{1, 5, 7}, Tensor{1, 2, 3}) ==
          "[1] is 5, expected 2 (2 of 3 numbers differ)");
}
