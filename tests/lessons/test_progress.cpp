// What has been passed, in which language, what is next, and exercises as they came.
#include "python.h"

using namespace lesson_test;

namespace {

std::string line_of(const std::string& list, const std::string& number) {
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);)
        if (has(line, " " + number + "  ")) return line;
    return "";
}

void solve(const Course& course, const std::string& number, const std::string& language) {
    course.write(number, "exercise." + language, course.text(number, "solution." + language));
}

}  // namespace

TEST_CASE("the list says in which languages a lesson was passed, which is next, and how far one is") {
    need_numpy();
    const Course course;
    CHECK(has(line_of(course.run({}).output, "01"), "next: read lessons/01-scaled-dot-product/README.md"));
    CHECK(has(course.run({}).output, " 0 of 15 passed\n"));
    solve(course, "01", "py");
    CHECK(course.run({"01"}).exit_code == 0);
    CHECK(has(line_of(course.run({}).output, "01"), "✓ 01  Scaled dot-product attention  Python"));
    CHECK(has(line_of(course.run({}).output, "02"), "next: read"));
    solve(course, "01", "cpp");
    const Run both = course.run({"01"});
    INFO(both.output);
    CHECK(both.exit_code == 0);
    CHECK(has(both.output, "/exercise.cpp\n"));
    CHECK(has(both.output, "/exercise.py\n"));
    const std::string list = course.run({}).output;
    CHECK(has(line_of(list, "01"), "C++, Python"));
    CHECK(has(list, "██░░░░"));
    CHECK(has(list, " 1 of 15 passed\n"));
    course.write("01", "exercise.cpp", course.text("01", "exercise.cpp") + "// changed\n");
    CHECK_FALSE(has(line_of(course.run({}).output, "01"), "C++"));
    CHECK(has(line_of(course.run({}).output, "01"), "✓ 01"));
}

TEST_CASE("the work that was done is checked; of two, one that is wrong fails") {
    need_numpy();
    const Course course;
    CHECK(has(course.run({"01"}).output, "exercise.cpp"));
    course.write("01", "exercise.py", course.text("01", "exercise.py") + "\n");
    const Run python = course.run({"01"});
    CHECK(python.exit_code == 1);
    CHECK_FALSE(has(python.output, "exercise.cpp"));
    CHECK(has(course.run({"01", "--cpp"}).output, "exercise.cpp"));
    solve(course, "01", "cpp");
    const Run both = course.run({"01"});
    CHECK(both.exit_code == 1);
    CHECK(has(both.output, "All right."));
    CHECK(has(course.run({}).output, "✓ 01"));
    CHECK(course.run({"01", "--mistakes", "--python"}).exit_code == 2);
    CHECK(course.run({"watch", "01", "--solution"}).exit_code == 2);
}

TEST_CASE("of two exercises the last line says which is not right yet") {
    need_numpy();
    const Course course;
    solve(course, "01", "py");
    course.write("01", "exercise.cpp", "#include \"lesson.h\"\nvoid f( {\n");
    const Run one = course.run({"01"});
    INFO(one.output);
    CHECK(one.exit_code == 1);
    CHECK(one.output.ends_with("\nNot right yet: lessons/01-scaled-dot-product/exercise.cpp\n"));
    CHECK_FALSE(has(one.output, ".sh: line"));  // what bash says of a script
    course.write("01", "exercise.py", "def scaled_dot_product(*all):\n    pass\n");
    CHECK(
        course.run({"01"}).output.ends_with("\nNot right yet: lessons/01-scaled-dot-product/exercise.cpp, "
                                            "lessons/01-scaled-dot-product/exercise.py\n"));
    solve(course, "01", "cpp");
    solve(course, "01", "py");
    CHECK_FALSE(has(course.run({"01"}).output, "Not right yet"));
}

TEST_CASE("what earlier versions have noted still counts") {
    const Course course;
    solve(course, "01", "cpp");
    CHECK(course.run({"01"}).exit_code == 0);
    const std::string noted = content(course.state("01"));
    CHECK(noted.size() - noted.find('\t') == std::string("\texercise.cpp\n").size());
    CHECK(has(course.run({}).output, "✓ 01"));
}

TEST_CASE("next says what to read, and when there is nothing left") {
    const Course course;
    const Run first = course.run({"next"});
    CHECK(first.exit_code == 0);
    CHECK(has(first.output, "Lesson 01: Scaled dot-product attention\n"));
    CHECK(has(first.output, "* The practical report"));
    CHECK(has(first.output, "lessons/01-scaled-dot-product/README.md"));
    CHECK(course.run({"next", "01"}).exit_code == 2);
    for (const Lesson& lesson : all_lessons())
        CHECK(course.run({lesson.number, "--npz", (lesson.folder / "golden.npz").string()}).exit_code == 0);
    CHECK(course.run({"next"}).output == "All lessons are passed.\n");
    CHECK(has(course.run({}).output, " 15 of 15 passed\n"));
    CHECK(has(line_of(course.run({}).output, "15"), "arrays"));
}

TEST_CASE("reset restores the original exercise, and keeps the work next to it") {
    const Course course;
    CHECK(course.run({"reset"}).exit_code == 2);
    course.write("01", "exercise.cpp", "first\n");
    Run run = course.run({"reset", "01"});
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(has(run.output, "exercise.cpp is the original again; your work is kept in exercise.cpp.1"));
    CHECK(has(run.output, "exercise.py is the original.\n"));
    CHECK(course.text("01", "exercise.cpp") == course.text("01", "as-it-came/exercise.cpp"));
    CHECK(course.text("01", "exercise.cpp.1") == "first\n");
    course.write("01", "exercise.cpp", "second\n");
    course.write("01", "exercise.py", "third\n");
    run = course.run({"reset", "1", "--cpp"});
    CHECK(course.text("01", "exercise.cpp.1") == "first\n");
    CHECK(course.text("01", "exercise.cpp.2") == "second\n");
    CHECK(course.text("01", "exercise.py") == "third\n");
}

TEST_CASE("where nobody knows how an exercise came, reset leaves it alone") {
    const Course course;
    fs::remove_all(course.folder("01") / "as-it-came");
    course.write("01", "exercise.cpp", "mine\n");
    const Run run = course.run({"reset", "01", "--cpp"});
    CHECK(run.exit_code == 4);
    CHECK(has(run.output, " is unknown"));
    CHECK(course.text("01", "exercise.cpp") == "mine\n");
}

// The copies must not fall behind; in a student's checkout the exercises themselves may differ from what git
// has.
TEST_CASE("the exercises that are kept are those that git has") {
    const auto git = [](const std::string& what) {
        glassbox_test::Surroundings around;
        around.program = "git";
        return glassbox_test::run_program({"-C", GLASSBOX_SOURCE, "show", what}, around);
    };
    if (git(":lessons/run").code != 0) SKIP("this is no git checkout");
    for (const Lesson& lesson : all_lessons())
        for (const std::string file : {"exercise.cpp", "exercise.py"}) {
            const std::string folder = "lessons/" + lesson.folder.filename().string() + "/";
            INFO(folder + file);
            CHECK(git(":" + folder + file).out == content((lesson.folder / "as-it-came" / file).string()));
        }
}
