#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include <glassbox/io/npz.h>
#include <glassbox/ops/ops.h>

#include "../../lessons/support/check.h"
#include "../../lessons/support/compare.h"
#include "../../lessons/support/show.h"
#include "support/catch.h"

namespace fs = std::filesystem;
using glassbox::Tensor;
using lesson::Lesson;
using lesson::Outcome;

namespace {

const fs::path lessons = fs::path(GLASSBOX_SOURCE) / "lessons";
const fs::path build = fs::path(GLASSBOX_TRACER).parent_path();

std::vector<Lesson> all_lessons() { return lesson::read_manifest(lessons / "manifest.json"); }

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    REQUIRE(stream);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<fs::path> wrong_solutions(const Lesson& lesson) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(lessons / lesson.folder / "wrong"))
        if (entry.path().extension() == ".cpp") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

// The second line: "// hint: scaled/no-root".
std::string expected_hint(const fs::path& file) {
    const std::string text = text_of(file), mark = "\n// hint: ";
    const std::size_t at = text.find(mark);
    REQUIRE(at != std::string::npos);
    return text.substr(at + mark.size(), text.find('\n', at + 1) - at - mark.size());
}

std::vector<Outcome> check_variant(const Lesson& lesson, const std::string& name) {
    const lesson::Exercise exercise(build / "lessons/variants" / lesson.folder / name);
    return lesson::check_exercise(lesson, lessons / lesson.folder, exercise);
}

const Outcome* first_failed(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes)
        if (!outcome.passed()) return &outcome;
    return nullptr;
}

struct Run {
    int exit_code;
    std::string output;
};

// lessons/run, as ./dev lesson calls it.
Run run_lesson(const std::string& arguments) {
    const std::string command = "GLASSBOX_BUILD='" + build.string() + "' NO_COLOR=1 '" +
                                (lessons / "run").string() + "' " + arguments + " 2>&1 </dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    Run run;
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) run.output.append(buffer, n);
    const int status = pclose(pipe);
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return run;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// A folder for the files of one test, gone afterwards.
struct Scratch {
    fs::path path = fs::temp_directory_path() / ("glassbox_lessons_" + std::to_string(getpid()));
    Scratch() { fs::create_directories(path); }
    ~Scratch() { fs::remove_all(path); }
    fs::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return path / name;
    }
};

// What a student with another language would save: golden's own steps, each passed through `change`.
template <class Change>
fs::path save_steps(const Scratch& scratch, const Lesson& lesson, Change change) {
    glassbox::NamedTensors arrays;
    for (const auto& [path, value] : glassbox::read_npz(lessons / lesson.folder / "golden.npz").arrays) {
        const std::string step = path.substr(path.find('/') + 1);
        if (std::find(lesson.steps.begin(), lesson.steps.end(), step) == lesson.steps.end()) continue;
        const Tensor changed = change(path, value);
        if (changed.defined()) arrays.emplace_back(path, changed);
    }
    glassbox::write_npz(scratch.path / "mine.npz", arrays);
    return scratch.path / "mine.npz";
}

}  // namespace

TEST_CASE("every lesson of the manifest has all that a lesson has") {
    const std::vector<Lesson> all = all_lessons();
    REQUIRE_FALSE(all.empty());
    for (const Lesson& lesson : all) {
        INFO(lesson.folder);
        for (const char* file :
             {"README.md", "lesson.h", "exercise.cpp", "solution.cpp", "check.cpp", "golden.npz"})
            CHECK(fs::exists(lessons / lesson.folder / file));
        CHECK(lesson.folder.compare(0, 3, lesson.number + "-") == 0);
        CHECK(contains(text_of(lessons / lesson.folder / "README.md"),
                       "# Lesson " + lesson.number + ": " + lesson.title + "\n"));
        CHECK(wrong_solutions(lesson).size() >= 5);
        CHECK_FALSE(lesson.passed.empty());
        for (const std::string& step : lesson.steps) {
            CHECK(lesson.hints.count(step) == 1);
            CHECK(lesson.hints.count(step + "/missing") == 1);
        }
    }
}

TEST_CASE("the lessons' README lists the manifest's lessons, in order") {
    std::string expected;
    for (const Lesson& lesson : all_lessons())
        expected += "| " + lesson.number + " | [" + lesson.title + "](" + lesson.folder + "/README.md) |\n";
    CHECK(contains(text_of(lessons / "README.md"), "|---|---|\n" + expected + "\n"));
}

TEST_CASE("every folder of a lesson stands in the manifest") {
    for (const auto& entry : fs::directory_iterator(lessons)) {
        if (!fs::exists(entry.path() / "exercise.cpp")) continue;
        INFO(entry.path());
        CHECK(lesson::find_lesson(all_lessons(), entry.path().filename().string()).folder ==
              entry.path().filename().string());
    }
}

TEST_CASE("every reference solution passes") {
    for (const Lesson& lesson : all_lessons()) {
        const std::vector<Outcome> outcomes = check_variant(lesson, "solution");
        CHECK(outcomes.size() == lesson.cases.size());
        INFO(lesson::show(lesson, outcomes, "solution.cpp", false));
        CHECK_FALSE(first_failed(outcomes));
    }
}

TEST_CASE("every wrong solution fails, with the hint for its mistake") {
    for (const Lesson& lesson : all_lessons())
        for (const fs::path& file : wrong_solutions(lesson)) {
            const std::vector<Outcome> outcomes = check_variant(lesson, file.stem().string());
            INFO(lesson::show(lesson, outcomes, file.string(), false));
            const Outcome* failed = first_failed(outcomes);
            REQUIRE(failed);
            CHECK(failed->hint == expected_hint(file));
            CHECK(lesson.hints.count(failed->hint) == 1);
        }
}

TEST_CASE("a failing step shows path, index, both values, and what follows from it") {
    const Lesson lesson = lesson::find_lesson(all_lessons(), "01");
    const std::string page = lesson::show(lesson, check_variant(lesson, "scaled_by_d_v"), "anna.cpp", false);
    CHECK(contains(page, "✓ example"));
    CHECK(contains(page, "✗ sizes"));
    CHECK(contains(page, "✓ logits\n"));
    CHECK(
        contains(page, "✗ scaled     sizes/scaled[0, 0] is -0.245027, expected -0.316329 (24 of 24 numbers"));
    CHECK(contains(page, "· values     right for what it was given: follows from scaled"));
    CHECK(contains(page, "Hint: You divided by the square root of another size."));
    CHECK(contains(page, "Next: mend scaled in anna.cpp"));
}

TEST_CASE("the empty exercise of every lesson fails and is told where to begin") {
    for (const Lesson& lesson : all_lessons()) {
        const Run run = run_lesson(lesson.number);
        const std::string &first = lesson.steps.front(), begin = lesson.hints.at(first + "/missing");
        const bool is_begun = !contains(run.output, begin.substr(0, 20));
        if (is_begun && !std::getenv("CI")) SKIP("exercise.cpp has been worked on");
        INFO(run.output);
        CHECK(run.exit_code == 1);
        CHECK(contains(run.output, "✗ " + first));
        CHECK(contains(run.output, "not there yet"));
        CHECK(
            contains(run.output, "Next: write " + first + " in lessons/" + lesson.folder + "/exercise.cpp"));
    }
}

TEST_CASE("the option --solution passes and leaves the student's file alone") {
    const fs::path exercise = lessons / "01-scaled-dot-product/exercise.cpp";
    const std::string before = text_of(exercise);
    const auto time = fs::last_write_time(exercise);
    const Run run = run_lesson("01 --solution");
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.output, "All right."));
    CHECK(text_of(exercise) == before);
    CHECK(fs::last_write_time(exercise) == time);
}

TEST_CASE("what does not compile shows the compiler's message and no build system's") {
    const Scratch scratch;
    const fs::path file = scratch.write("anna.cpp", "#include \"lesson.h\"\nint one = two;\n");
    const Run run = run_lesson("01 --file '" + file.string() + "'");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(contains(run.output, "anna.cpp:2:"));
    CHECK(contains(run.output, "does not compile yet"));
    CHECK_FALSE(contains(run.output, "ninja"));
    CHECK_FALSE(contains(run.output, "CMake"));
}

TEST_CASE("an exercise that crashes, and one that lacks the function, fail with a message") {
    const Scratch scratch;
    const fs::path crash =
        scratch.write("crash.cpp",
                      "#include \"lesson.h\"\n#include <cstdlib>\n"
                      "void scaled_dot_product(const Matrix&, const Matrix&, const Matrix&, "
                      "const Matrix&, Steps&) { std::abort(); }\n");
    Run run = run_lesson("01 --file '" + crash.string() + "'");
    CHECK(run.exit_code == 1);
    CHECK(contains(run.output, "crash.cpp crashed"));
    const fs::path none = scratch.write("none.cpp", "int nothing;\n");
    run = run_lesson("01 --file '" + none.string() + "'");
    CHECK(run.exit_code == 1);
    CHECK(contains(run.output, "no function scaled_dot_product"));
}

TEST_CASE("an unknown lesson, option and file are refused, and the lessons listed") {
    Run run = run_lesson("99");
    CHECK(run.exit_code == 2);
    CHECK(contains(run.output, "there is no lesson '99'"));
    CHECK(contains(run.output, "01  Scaled dot-product attention"));
    CHECK(run_lesson("01 --solutoin").exit_code == 2);
    CHECK(run_lesson("01 --npz /nowhere.npz").exit_code == 2);
    run = run_lesson("");
    CHECK(run.exit_code == 0);
    for (const Lesson& lesson : all_lessons())
        CHECK(contains(run.output, lesson.number + "  " + lesson.title));
}

TEST_CASE("a student's own arrays: right ones pass, with or without the steps between") {
    const Scratch scratch;
    for (const Lesson& lesson : all_lessons()) {
        INFO(lesson.folder);
        const auto keep = [](const std::string&, const Tensor& value) { return value; };
        CHECK_FALSE(
            first_failed(check_arrays(lesson, lessons / lesson.folder, save_steps(scratch, lesson, keep))));
        const auto last_only = [&](const std::string& path, const Tensor& value) {
            return path.substr(path.find('/') + 1) == lesson.steps.back() ? value : Tensor();
        };
        const fs::path file = save_steps(scratch, lesson, last_only);
        CHECK_FALSE(first_failed(check_arrays(lesson, lessons / lesson.folder, file)));
    }
}

TEST_CASE("a student's own arrays: another fill value passes, a wrong step is named") {
    const Scratch scratch;
    const Lesson lesson = lesson::find_lesson(all_lessons(), "01");
    const auto filled = [](const std::string&, const Tensor& value) {
        std::vector<glassbox::real> values = value.values();
        for (auto& v : values)
            if (v < -1e9) v = -INFINITY;
        return Tensor(value.shape(), values);
    };
    CHECK_FALSE(
        first_failed(check_arrays(lesson, lessons / lesson.folder, save_steps(scratch, lesson, filled))));
    const auto doubled = [](const std::string& path, const Tensor& value) {
        return contains(path, "/scaled") ? value * 2 : value;
    };
    const std::vector<Outcome> outcomes =
        check_arrays(lesson, lessons / lesson.folder, save_steps(scratch, lesson, doubled));
    const Outcome* failed = first_failed(outcomes);
    REQUIRE(failed);
    CHECK(failed->first_wrong()->name == "scaled");
    const auto turned = [](const std::string& path, const Tensor& value) {
        return path == "sizes/values" ? transpose(value) : value;
    };
    const std::vector<Outcome> shapes =
        check_arrays(lesson, lessons / lesson.folder, save_steps(scratch, lesson, turned));
    REQUIRE(first_failed(shapes));
    CHECK(first_failed(shapes)->first_wrong()->message == "shape (5, 4), expected (4, 5)");
}

TEST_CASE("a student's own arrays: a file without the last step of a case is refused") {
    const Scratch scratch;
    const Lesson lesson = lesson::find_lesson(all_lessons(), "01");
    const auto without = [](const std::string& path, const Tensor& value) {
        return contains(path, "large/") ? Tensor() : value;
    };
    const fs::path file = save_steps(scratch, lesson, without);
    CHECK_THROWS_AS(check_arrays(lesson, lessons / lesson.folder, file), glassbox::FileError);
}

TEST_CASE("the lessons' comparison notices NaN, infinity and what is beyond the tolerance") {
    CHECK(lesson::agree(Tensor{1, 2}, Tensor{1, 2 + glassbox::real(1e-5)}));
    CHECK_FALSE(lesson::agree(Tensor{1, 2}, Tensor{1, 2 + glassbox::real(1e-4)}));
    CHECK_FALSE(lesson::agree(Tensor{1, NAN}, Tensor{1, NAN}));
    CHECK_FALSE(lesson::agree(Tensor{1, INFINITY}, Tensor{1, 2}));
    CHECK_FALSE(lesson::agree(Tensor{1, 2}, Tensor{1, 2, 3}));
    CHECK(lesson::difference(Tensor{1, 5, 7}, Tensor{1, 2, 3}) ==
          "[1] is 5, expected 2 (2 of 3 numbers differ)");
}

TEST_CASE("a manifest that is damaged or lacks something is refused with its name and the reason") {
    const Scratch scratch;
    const auto message = [](const fs::path& file) {
        try {
            lesson::read_manifest(file);
        } catch (const glassbox::FileError& error) {
            return std::string(error.what());
        }
        return std::string("nothing was thrown");
    };
    const std::string damaged = message(scratch.write("damaged.json", "{\"lessons\": [{]}"));
    CHECK(contains(damaged, "damaged.json"));
    CHECK(contains(damaged, "column 15"));
    CHECK(contains(message(scratch.write("short.json", "{\"lessons\": [{\"number\": \"01\"}]}")), "'title'"));
}
