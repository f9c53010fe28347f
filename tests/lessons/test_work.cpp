// What students submit that is no solution yet, and the hints they get.
#include "python.h"

using namespace lesson_test;

namespace {

// Lesson 01's function with this body, checked.
Run checked(const std::string& body, const std::string& setting = "") {
    const Folder folder;
    glassbox_test::write(folder / "anna.cpp",
                         "#include \"lesson.h\"\n#include <cmath>\n#include <cstdio>\n#include <cstdlib>\n"
                         "#include <iostream>\n#include <stdexcept>\n"
                         "void scaled_dot_product(const Matrix& Q, const Matrix& K, const Matrix& V, "
                         "const Matrix& mask, Steps& steps) {\n" +
                             body + "\n}\n");
    return run_lesson({"01", "--file", folder / "anna.cpp"}, lessons, build, {}, setting);
}

const std::string right_logits =
    "steps.logits = Matrix(Q.rows(), K.rows());\n"
    "for (int i = 0; i < Q.rows(); ++i) for (int j = 0; j < K.rows(); ++j)\n"
    "    for (int c = 0; c < K.columns(); ++c) steps.logits(i, j) += Q(i, c) * K(j, c);\n";

}  // namespace

TEST_CASE("a step that is used before it has a size is named, and told to be given one") {
    const Run first = checked("for (int i = 0; i < Q.rows(); ++i) steps.logits(i, 0) = 1;");
    INFO(first.output);
    CHECK(first.exit_code == 1);
    CHECK(has(first.output, "✗ logits     has no size yet"));
    CHECK(has(first.output, "logits has no rows and no columns yet"));
    CHECK(has(first.output, "Matrix(Q.rows(), K.rows())"));
    const Run second = checked(right_logits + "steps.scaled(0, 0) = steps.logits(0, 0);");
    INFO(second.output);
    CHECK(has(second.output, "✓ logits"));
    CHECK(has(second.output, "✗ scaled     has no size yet"));
}

TEST_CASE("an exercise that ends the program does not pass") {
    for (const char* end : {"std::exit(0);", "std::_Exit(0);", "std::quick_exit(0);"}) {
        const Run run = checked(end);
        INFO(run.output);
        CHECK(run.exit_code == 1);
        CHECK(has(run.output, "anna.cpp ended the program while case 'example' was checked"));
    }
}

TEST_CASE("a crash keeps the steps that were made before it, and says which was the last") {
    const Run run = checked(right_logits + "int* nowhere = nullptr;\n*nowhere = 1;");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "✓ logits"));
    CHECK(has(run.output, "crashed: does it access an array out of bounds"));
    CHECK(has(run.output, "(the last step with a value: logits)"));
    CHECK(has(run.output, "✗ example"));
}

TEST_CASE("something thrown that is no exception is no crash") {
    const Run run = checked("throw 42;");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "it threw something other than a std::exception"));
    CHECK_FALSE(has(run.output, "crashed"));
}

TEST_CASE("after a loop without end no other case is called, and the hint is about loops") {
    const Run run =
        checked(right_logits + "for (volatile int i = 0; i < 1;) {}", "GLASSBOX_LESSON_SECONDS=3");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "lesson: case 'example' is not done yet: waiting for it, 3 seconds at most\n"));
    CHECK(has(run.output, "did not finish within 3 seconds: does every loop end?"));
    CHECK(has(run.output, "✓ logits"));
    CHECK(has(run.output, "· large     not called: case 'example' did not finish\n"));
    CHECK(has(run.output, "\nHint: A loop does not end"));
    CHECK(checked("", "GLASSBOX_LESSON_SECONDS=0").exit_code == 2);
}

TEST_CASE("only out of range gets the hint about places") {
    const auto hint = [](const char* body) { return hint_in(checked(body).output); };
    CHECK(has(hint("Matrix own(1, 1); own(3, 0) = 1;"), "out of range"));
    CHECK(hint("throw std::runtime_error(\"no idea\");")
              .starts_with("It stopped with an error, and what comes after it has no value. Fix the error "
                           "first: no idea"));
    CHECK(has(hint("int* nowhere = nullptr; *nowhere = 1;"), "What crashes is an array"));
}

TEST_CASE(
    "where a lesson has no hint of its own for a step that stopped, it is told which places there are") {
    const Lesson lesson = lesson_of("04");
    REQUIRE(lesson.hints.count("norm1/stopped") == 0);
    std::string work = content((lesson.folder / "solution.cpp").string());
    const std::string right = "c < d; ++c) mean";
    REQUIRE(has(work, right));
    work.replace(work.find(right), right.size(), "c <= d; ++c) mean");
    const Folder folder;
    glassbox_test::write(folder / "anna.cpp", work);
    const Run run = run_lesson({"04", "--file", folder / "anna.cpp"});
    INFO(run.output);
    CHECK(hint_in(run.output) == lesson.hint("stopped") + " " + lesson.hint("norm1"));
}

TEST_CASE("what an exercise prints is shown once, shortened, and marked as its own") {
    const Run run = checked(
        "for (int i = 0; i < 70; ++i) std::cout << \"line \" << i << std::endl;\n"
        "std::printf(\"and no end\"); std::cerr << \"an error\";");
    INFO(run.output);
    CHECK(has(run.output,
              "anna.cpp printed in case 'example', and also in 4 other cases:\n"
              "    | line 0\n    | line 1\n"));
    CHECK(has(run.output, "    | line 19\n    | … "));
    CHECK_FALSE(has(run.output, "line 20\n"));
    CHECK_FALSE(has(run.output, "and no end"));
    CHECK(run.output.find("line 19") < run.output.find("✗ example"));
    const Run ends = checked("std::puts(\"before the end\"); std::exit(0);");
    INFO(ends.output);
    CHECK(has(ends.output, "printed in case 'example':\n    | before the end\n\n"));
    CHECK_FALSE(has(checked("").output, "printed"));
}

TEST_CASE("what is printed without end fills no disk") {
    const Run run = checked("for (;;) std::puts(\"again\");", "GLASSBOX_LESSON_SECONDS=1");
    INFO(run.output);
    CHECK(run.output.size() < 5000);
    CHECK(has(run.output, "    | again\n"));
    CHECK(has(run.output, "did not finish within 1 seconds"));
}

TEST_CASE("NaN is mentioned") {
    const Run run =
        checked("steps.logits = Matrix(Q.rows(), K.rows());\nsteps.logits(0, 0) = std::sqrt(-1.0);");
    INFO(run.output);
    CHECK(has(run.output, "NaN"));
}

TEST_CASE("transposed logits are said to be transposed") {
    const Run run = checked(
        "steps.logits = Matrix(K.rows(), Q.rows());\n"
        "for (int i = 0; i < Q.rows(); ++i) for (int j = 0; j < K.rows(); ++j)\n"
        "    for (int c = 0; c < K.columns(); ++c) steps.logits(j, i) += Q(i, c) * K(j, c);");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "transposed"));
}

TEST_CASE("a lesson stays passed as long as the work is the same, whatever its time") {
    const Folder folder;
    const fs::path course = folder / "course", passed = folder / "passed";
    fs::copy(lessons, course, fs::copy_options::recursive);
    const fs::path mine = course / "01-scaled-dot-product/exercise.cpp";
    const auto list = [&] { return run_lesson({}, course, build, passed).output; };
    CHECK(has(list(), "  01  "));
    fs::copy_file(course / "01-scaled-dot-product/solution.cpp", mine, fs::copy_options::overwrite_existing);
    CHECK(run_lesson({"01"}, course, build, passed).exit_code == 0);
    CHECK(has(list(), "✓ 01  "));
    fs::last_write_time(mine, fs::file_time_type::clock::now() + std::chrono::hours(1));
    CHECK(has(list(), "✓ 01  "));
    glassbox_test::write(mine.string(), content(mine.string()) + "// changed\n");
    CHECK_FALSE(has(list(), "✓ 01  "));
    const std::string golden = (course / "02-multi-head-attention/golden.npz").string();
    CHECK(run_lesson({"02", "--npz", golden}, course, build, passed).exit_code == 0);
    CHECK(has(list(), "✓ 02  "));
}
