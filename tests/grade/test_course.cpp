// course.json: what it may say, and what is said of one that may not.
#include "class.h"

#include <glassbox/io/text.h>

#include "tracer/grade/course.h"

using namespace glassbox_test;

namespace {

std::string refusal(const std::string& course) {
    const Folder folder;
    write(folder / "course.json", course);
    try {
        (void)glassbox::tracer::read_course(folder / "course.json");
        return "";
    } catch (const glassbox::FileError& error) {
        return error.what();
    }
}

std::string refusal_of_task(const std::string& task) { return refusal("{\"tasks\": [" + task + "]}"); }

glassbox::tracer::Course course(const std::string& text) {
    const Folder folder;
    write(folder / "course.json", text);
    return glassbox::tracer::read_course(folder / "course.json");
}

}  // namespace

TEST_CASE("course: a lesson, arrays and a function, with their defaults") {
    using Kind = glassbox::tracer::CourseTask::Kind;
    const glassbox::tracer::Course all =
        course(R"({"title": "T", "seed": 7, "limits": {"seconds": 3}, "tasks": [
        {"lesson": "01"}, {"lesson": "02", "file": "two.py", "name": "two"},
        {"layer": "multihead --heads 2", "points": 3},
        {"layer": "attention", "function": "attend", "file": "a.py", "steps": "last"},
        {"layer": "attention", "name": "weighted", "steps": {"scaled": 1, "values": 3}}]})");
    CHECK(all.limits.seconds == 3);
    CHECK(all.limits.memory > 0);
    REQUIRE(all.tasks.size() == 5);
    CHECK(all.tasks[0].file == "exercise.cpp");
    CHECK(all.tasks[0].kind == Kind::lesson_cpp);
    CHECK(all.tasks[1].kind == Kind::lesson_python);
    CHECK(all.tasks[2].file == "multihead.npz");
    CHECK(all.tasks[2].layer == glassbox::tracer::Arguments{"multihead", "--heads", "2"});
    CHECK(all.tasks[3].kind == Kind::function);
    CHECK(all.tasks[3].only_last);
    CHECK(all.tasks[4].weights.at("values") == 3);
}

TEST_CASE("course: every student has a seed of their own, the same each time") {
    const glassbox::tracer::Course all =
        course(R"({"seed": 7, "tasks": [{"lesson": "01"}, {"lesson": "02"}]})");
    const glassbox::tracer::Course other = course(R"({"seed": 8, "tasks": [{"lesson": "01"}]})");
    const auto seed = [&](const char* name) { return seed_of(all, all.tasks[0], name); };
    CHECK(seed("anna") == seed("anna"));
    CHECK(seed("anna") != seed("annb"));
    CHECK(seed("anna") != seed_of(all, all.tasks[1], "anna"));
    CHECK(seed("anna") != seed_of(other, other.tasks[0], "anna"));
}

TEST_CASE("course: mistakes name the key, the rule and what there is") {
    CHECK(has(refusal("{"), "course.json:1:2: the file ends here, and a bracket or a quote is still open"));
    CHECK(has(refusal("{\"tasks\":\n  [{\"lesson\": \"01\"},\n  ]}"),
              "course.json:3:3: a comma before ']': the last entry has none after it"));
    CHECK(has(refusal("{\"title\": \"T\" \"seed\": 1}"),
              "course.json:1:15: this is not JSON: expected a comma or '}'"));
    CHECK(has(refusal("{title: 1}"), "course.json:1:2: this is not JSON: expected a key in quotes"));
    CHECK(has(refusal("{\"title\": T}"), "course.json:1:11: this is not JSON: expected a value"));
    CHECK(has(refusal("{\"title\": }"), "this is not JSON: expected a value"));
    CHECK(has(refusal("{} {}"), "this is not JSON: there is more after its end"));
    CHECK(has(refusal("[]"), "expected an object {…}, got []"));
    CHECK(has(refusal(R"({"tasks": [], "tasks": []})"), "the key 'tasks' appears twice"));
    CHECK(has(refusal(R"({"tittle": "T", "tasks": []})"), "; did you mean 'title'?"));
    CHECK(has(refusal(R"({"title": "T"})"), "missing key 'tasks'"));
    CHECK(has(refusal(R"({"tasks": []})"), "expected a list of tasks"));
    CHECK(has(refusal(R"({"seed": -1, "tasks": [{"lesson": "01"}]})"), "seed: expected a number from 0 to"));
    CHECK(has(refusal(R"({"limits": {"seconds": 0}, "tasks": [{"lesson": "01"}]})"),
              "limits: seconds: expected a number from 1 to"));
    CHECK(has(refusal_of_task(R"({"lession": "01"})"), "tasks[0]: unknown key 'lession'; the keys are "));
    CHECK(has(refusal_of_task(R"({})"), "expected either 'lesson' or 'layer', got neither"));
    CHECK(has(refusal_of_task(R"({"lesson": "01", "layer": "attention"})"), "or 'layer', got both"));
    CHECK(has(refusal_of_task(R"({"lesson": "one"})"), "expected a number such as \"01\", got \"one\""));
    CHECK(has(refusal_of_task(R"({"lesson": 1})"), "lesson: expected a text, got 1"));
    CHECK(has(refusal_of_task(R"({"lesson": "01", "file": "../bob/exercise.cpp"})"),
              "file: expected the name of a file in the student's folder"));
    for (const char* name : {"../../elsewhere", "sub/x", ".x", "/x"})
        CHECK(has(
            refusal_of_task(fmt::format(R"({{"layer": "attention", "file": "a.npz", "name": "{}"}})", name)),
            fmt::format("name: expected the name of a file in the student's folder, got '{}'", name)));
    CHECK(
        has(refusal_of_task(R"({"lesson": "01", "file": "a.npz"})"), "a .cpp or a .py file, not as 'a.npz'"));
    CHECK(has(refusal_of_task(R"({"layer": "attention", "file": "a.py"})"), "which function of a.py?"));
    CHECK(
        has(refusal_of_task(R"({"layer": "attention", "function": "f", "file": "a.npz"})"), "in a .py file"));
    CHECK(has(refusal_of_task(R"({"lesson": "01", "steps": "first"})"), "\"all\", \"last\" or weights"));
    CHECK(has(refusal_of_task(R"({"lesson": "01", "steps": {"scaled": 0}})"),
              "scaled: expected a weight above 0"));
    CHECK(has(refusal_of_task(R"({"lesson": "01", "steps": {"scaled": 1e308}})"), "up to 1000000, got"));
    for (const char* share : {"1.2", "-0.1", "\"60 %\""})
        CHECK(has(refusal_of_task(fmt::format(R"({{"lesson": "01", "at_most": {}}})", share)),
                  "at_most: expected a number from 0 to 1, got "));
    CHECK(has(refusal_of_task(R"({"layer": "attention", "returns": "values"})"),
              "returns: requires 'function'"));
    CHECK(has(refusal_of_task(R"({"layer": "attention", "function": "f", "returns": [1]})"),
              "returns: expected a step or a list of steps, got [1]"));
    CHECK(has(refusal_of_task(R"({"lesson": "01"}, {"lesson": "01"})"), "a task '01' already exists"));
}

TEST_CASE("course: what only the layers and lessons know is refused before anything is graded") {
    const auto said = [](const std::string& task) {
        const Class all("{\"tasks\": [" + task + "]}");
        all.submit("anna", "multihead.npz", "x");
        const Ran ran = all.grade();
        CHECK(ran.code == 3);
        CHECK(ran.out.empty());
        CHECK(has(ran.err, "course.json: task 'multihe"));
        return ran.err;
    };
    CHECK(has(said(R"({"layer": "multihed"})"), "did you mean 'multihead'?"));
    CHECK(has(said(R"({"layer": "multihead --heds 3"})"), "--heads"));
}

TEST_CASE("course: a misspelt step is refused before anybody has submitted") {
    const auto said = [](const std::string& task, const std::string& option) {
        const Class all("{\"tasks\": [" + task + "]}");
        fs::create_directories(all / "anna");
        const Ran ran = all.grade(option);
        CHECK(ran.code == 3);
        return ran.err;
    };
    need_sandbox();
    for (const char* option : {"", "--hand-out"}) {
        CHECK(has(said(R"({"layer": "attention", "steps": {"scald": 1}})", option),
                  "; did you mean 'scaled'?"));
        CHECK(has(said(R"({"lesson": "01", "steps": {"value": 1}})", option), "did you mean 'values'?"));
        CHECK(has(
            said(R"({"layer": "attention", "function": "f", "file": "a.py", "returns": "atention"})", option),
            "; did you mean 'attention'?"));
    }
}

TEST_CASE("grade: a file that nobody has is said once, with the one that they have") {
    need_sandbox();
    const Class all;
    for (const char* student : {"anna", "ben", "cleo"}) all.submit(student, "exercise.py", "x = 1\n");
    const std::string said = all.grade("--lesson 01").out;
    CHECK(has(said, "no student has exercise.cpp, and 3 students have exercise.py: --file exercise.py"));
    CHECK(!has(said, "ben, lesson 01"));
    CHECK(has(all.grade("--lesson 01 --format csv").out, "ben,,0,1,lesson 01: missing\n"));
    all.submit("dan", "exercise.cpp", "");
    CHECK(!has(all.grade("--lesson 01").out, "nobody"));
}

TEST_CASE("grade: wrong usage") {
    CHECK(run_program({"grade"}).code == 2);
    CHECK(run_program({"grade", "/nowhere/at/all"}).code == 4);
    const Class all;
    CHECK(all.grade().code == 4);  // no course.json
    CHECK(has(all.grade("--lesson 99").err, "contains no folders"));
    all.submit("anna", "exercise.cpp", "");
    CHECK(has(all.grade("--file a.cpp").err, "--file: requires --lesson"));
    CHECK(has(all.grade("--lesson 1").err, "expected a lesson's number such as 01, got '1'"));
    CHECK(has(all.grade("--lesson 01 --student anne").err, "did you mean 'anna'?"));
    CHECK(has(all.grade("--lesson 01 --file ../ben/exercise.cpp").err,
              "--file: expected the name of a file in the student's folder, got '../ben/exercise.cpp'"));
    CHECK(has(all.grade("--lesson 01 --file exercise.txt").err,
              "--file: a lesson is submitted as a .cpp or a .py file, not as 'exercise.txt'"));
    CHECK(has(all.grade("--lesson 01 -o marks.csv --format junit").err,
              "its extension says csv, but --format says junit"));
    CHECK(has(all.grade("--lesson 01 --feedback " + (all / "feedback")).err, "expected a folder outside"));
    for (const std::string& folder : {all / "", all / "feedback/", all / "anna/feedback"})
        CHECK(has(all.grade("--lesson 01 --gradescope " + folder).err, "expected a folder outside"));
    for (const std::string option : {"--figure f.svg", "--feedback f", "--format csv"}) {
        CHECK(has(all.grade("--lesson 01 --hand-out " + option).err, "requires students' marks"));
        CHECK(has(all.grade("--lesson 01 --try " + option).err, "requires students' marks"));
    }
    all.submit("anna", "notes.txt", "mine");
    CHECK(has(all.grade("--lesson 01 -o " + (all / "anna/notes.txt")).err, "is in a student's folder"));
    write(all / "course.json", "{}");
    CHECK(has(all.grade("-o " + (all / "course.json")).err, "is read, and would be overwritten"));
    CHECK(content(all / "course.json") == "{}");
    CHECK(content(all / "anna/notes.txt") == "mine");
    const Ran here = run_program(
        {"-c", "cd '" + (all / "") + "' && exec '" GLASSBOX_TRACER "' grade . --lesson 01 --feedback new"},
        {.program = "/bin/sh"});
    CHECK(has(here.err, "--feedback new: expected a folder outside"));
    CHECK_FALSE(std::filesystem::exists(all / "new"));
}

TEST_CASE("course: brackets without end are refused, and no message holds a control character") {
    CHECK(has(refusal(R"({"tasks": )" + std::string(300000, '[') + std::string(300000, ']') + "}"),
              "lists and objects more than 64 deep"));
    for (const char* text : {R"({"\u001b[2J": 1, "tasks": []})", R"({"\u001b": 1, "\u001b": 2})",
                             R"({"tasks": [{"lesson": "\u001b"}]})", R"({"tasks": "\u009b"})", "{\x9b}",
                             "{\"\xff\": 1}", R"({"tasks": [{"layer": "a", "file": "\u0007/"}]})"}) {
        const std::string message = refusal(text);
        CHECK(!message.empty());
        CHECK(glassbox::printable(message, message.size()) == message);
    }
}
