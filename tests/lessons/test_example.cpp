// The lesson and the mistake in docs/adding.md: example.cmake writes the lesson to files and builds it.
#include <chrono>
#include <cstdlib>

#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>

#include "lessons.h"

using glassbox::Tensor;
using namespace lesson_test;

namespace {

// The block that begins with the line "```<info>".
std::string block(const std::string& info) {
    const std::string document = content((fs::path(GLASSBOX_SOURCE) / "docs/adding.md").string());
    const std::string fence = "\n```" + info + "\n";
    const std::size_t begin = document.find(fence);
    INFO(info);
    REQUIRE(begin != std::string::npos);
    const std::size_t first = begin + fence.size();
    return document.substr(first, document.find("\n```", first) + 1 - first);
}

// A folder of lessons with the example, for one test.
struct Course {
    Folder folder;
    fs::path path = folder / "course", lesson = path / "99-centre";

    Course() {
        const fs::path built = GLASSBOX_COURSE;
        fs::create_directory(path);
        fs::copy(built / "99-centre", lesson, fs::copy_options::recursive);
        fs::copy(built / "run", path / "run");
        fs::create_directory_symlink(lessons / "support", path / "support");
        glassbox_test::write(lesson / "README.md", "# Lesson 99: Centring\n");
        // The document's script, where Python has numpy.
        const std::string script = "python3 '" + (lesson / "make_golden.py").string() + "' 2>/dev/null";
        if (std::system(script.c_str()) != 0) write_golden({1, 2, 4, 9, -1, 0, 3, 5, 2, 2, 7, 8});
    }
    void write_golden(const std::vector<glassbox::real>& numbers) const {
        const Tensor x({3, 4}, numbers), last = contiguous(slice(x, 1, 3, 4)), level = reshape(last, {3});
        glassbox::write_npz(lesson / "golden.npz",
                            {{"example/x", x}, {"example/level", level}, {"example/centred", x - last}});
    }
    Run run(const std::string& arguments) const {
        return run_lesson(glassbox_test::words(arguments), path, fs::path(GLASSBOX_COURSE) / "build");
    }
};

}  // namespace

TEST_CASE("docs/adding.md: the lesson's solution passes, its exercise is told where to begin") {
    const Course course;
    const Run right = course.run("99 --solution");
    INFO(right.output);
    CHECK(right.exit_code == 0);
    CHECK(has(right.output, "Lesson 99: Centring"));
    const Run empty = course.run("99");
    INFO(empty.output);
    CHECK(empty.exit_code == 1);
    CHECK(has(empty.output, "Hint: Begin with level."));
}

TEST_CASE("docs/adding.md: the lesson's mistakes get their hints, as the document shows") {
    const Run run = Course().run("99 --mistakes");
    CHECK(run.exit_code == 0);
    CHECK(run.output == block("text lesson 99 --mistakes"));
}

TEST_CASE("a mistake that gets another hint is named, and one that nothing finds") {
    const Course course;
    std::string other = content(course.lesson / "mistakes.txt");
    other.replace(other.find("level/oldest"), 12, "level/odd");
    glassbox_test::write(course.lesson / "mistakes.txt", other);
    Run run = course.run("99 --mistakes");
    CHECK(run.exit_code == 1);
    CHECK(has(run.output,
              "✗ oldest  level/odd: the hint is level/oldest\n✓ added   centred/added\n2 mistakes, 1"));
    course.write_golden(std::vector<glassbox::real>(12, 0));  // the first are the last
    run = course.run("99 --mistakes");
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "✗ oldest  level/odd: no mistake was found\n"));
}

TEST_CASE("a reference solution that is not right is said before its mistakes") {
    const Course course;
    course.write_golden({1, 2, 4, 9, -1, 0, 3, 5, 2, 2, 7, 8});
    glassbox::NamedTensors arrays = glassbox::read_npz(course.lesson / "golden.npz").arrays;
    for (auto& [name, value] : arrays)
        if (name == "example/level") value = Tensor::zeros({4});
    glassbox::write_npz(course.lesson / "golden.npz", arrays);
    const Run run = course.run("99 --mistakes");
    CHECK(run.exit_code == 1);
    CHECK(run.output == "✗ solution.cpp is not right: ./dev lesson 99 --solution\n");
}

TEST_CASE("docs/adding.md: the mistake that it shows is one of the lesson's") {
    const std::string all = content((lessons / "01-scaled-dot-product/mistakes.txt").string());
    CHECK(has(all, block("text entry 01-scaled-dot-product") + "\n"));
}

TEST_CASE("an exercise that was right is marked in the list, until it is changed") {
    const Course course;
    CHECK(has(course.run("").output, "  99  Centring  next: read lessons/99-centre/README.md\n"));
    const fs::path exercise = course.lesson / "exercise.cpp";
    fs::copy_file(course.lesson / "solution.cpp", exercise, fs::copy_options::overwrite_existing);
    CHECK(course.run("99 --solution").exit_code == 0);
    CHECK(has(course.run("").output, "  99  Centring  next:"));  // not one's own
    CHECK(course.run("99").exit_code == 0);
    CHECK(has(course.run("").output, "✓ 99  Centring  C++\n"));
    fs::last_write_time(exercise, fs::last_write_time(exercise) + std::chrono::hours(1));
    CHECK(has(course.run("").output, "✓ 99  Centring  C++\n"));  // the same work still
    glassbox_test::write(exercise.string(), content(exercise.string()) + "// changed\n");
    CHECK(has(course.run("").output, "  99  Centring  next:"));
}
