// Exercises in Python: who is right, what is said of what is wrong, and that nothing passes by ending early.
#include "../../lessons/support/mistakes.h"
#include "../../lessons/support/python.h"
#include "python.h"

using namespace lesson_test;

namespace {

// Lesson 01's function with this body, checked.
Run checked(const std::string& body, const std::string& before = "", const std::string& setting = "") {
    const Folder folder;
    glassbox_test::write(
        folder / "anna.py",
        "import numpy as np\n" + before + "\ndef scaled_dot_product(Q, K, V, mask, steps):\n" + body + "\n");
    return run_lesson({"01", "--file", folder / "anna.py"}, lessons, build, {}, setting);
}

const std::string right_logits = "    steps.logits = Q @ np.swapaxes(K, -1, -2)\n";

// One of python_mistakes.txt: named after a mistake of the lesson's mistakes.txt.
struct WrongPython {
    std::string number, name;
    std::vector<std::string> old_lines, new_lines;
};

std::vector<WrongPython> wrong_solutions() {
    std::vector<WrongPython> all;
    std::istringstream lines(content(GLASSBOX_SOURCE "/tests/lessons/python_mistakes.txt"));
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        if (line[0] == '-') all.back().old_lines.push_back(line.substr(2));
        else if (line[0] == '+') all.back().new_lines.push_back(line.substr(2));
        else all.push_back({line.substr(0, 2), line.substr(3), {}, {}});
    }
    return all;
}

std::string joined(const std::vector<std::string>& lines, const std::string& indent) {
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : "\n" + indent) + line;
    return text;
}

// The solution with it: the old lines stand in the file once, indented by four spaces.
std::string with_mistake(std::string solution, const WrongPython& wrong) {
    const std::string old_text = joined(wrong.old_lines, "    ");
    const std::size_t at = solution.find(old_text);
    REQUIRE(at != std::string::npos);
    REQUIRE(solution.find(old_text, at + 1) == std::string::npos);
    return solution.replace(at, old_text.size(), joined(wrong.new_lines, "    "));
}

std::string hint_of_mistake(const Lesson& lesson, const std::string& name) {
    for (const lesson::WrongSolution& wrong : lesson::read_mistakes(lesson.folder / "mistakes.txt"))
        if (wrong.name == name) return wrong.hint;
    FAIL("lesson " << lesson.number << " has no mistake " << name);
    return "";
}

}  // namespace

TEST_CASE("every lesson has an exercise in Python, and both as they came") {
    for (const Lesson& lesson : all_lessons()) {
        INFO(lesson.folder.string());
        for (const char* file : {"lesson.py", "exercise.py", "solution.py"})
            CHECK(fs::exists(lesson.folder / file));
        for (const char* file : {"exercise.py", "exercise.cpp"})
            CHECK(fs::exists(lesson.folder / "as-it-came" / file));
    }
}

TEST_CASE("every reference solution in Python passes") {
    need_numpy();
    for (const Lesson& lesson : all_lessons()) {
        const Run run = run_lesson({lesson.number, "--solution", "--python"});
        INFO(run.output);
        CHECK(run.exit_code == 0);
        CHECK(has(run.output, "All right."));
    }
}

TEST_CASE("the empty exercise in Python of every lesson fails and is told where to begin") {
    need_numpy();
    const Course course;
    for (const Lesson& lesson : all_lessons()) {
        course.write(lesson.number, "exercise.py", course.text(lesson.number, "as-it-came/exercise.py"));
        const Run run = course.run({lesson.number, "--python"});
        INFO(run.output);
        CHECK(run.exit_code == 1);
        CHECK(has(run.output, "✗ " + lesson.steps.front() + " "));
        CHECK(hint_in(run.output) == lesson::in_python(lesson).hint(lesson.steps.front() + "/missing"));
        CHECK_FALSE(has(run.output, "Error"));
    }
}

TEST_CASE("wrong solutions in Python get the hint that mistakes.txt names") {
    need_numpy();
    const Folder folder;
    const std::vector<WrongPython> all = wrong_solutions();
    std::set<std::string> lessons_met;
    for (const WrongPython& wrong : all) {
        const Lesson lesson = lesson_of(wrong.number);
        lessons_met.insert(wrong.number);
        glassbox_test::write(folder / "anna.py",
                             with_mistake(content((lesson.folder / "solution.py").string()), wrong));
        const Run run = run_lesson({wrong.number, "--file", folder / "anna.py"});
        INFO(wrong.number << " " << wrong.name << "\n" << run.output);
        CHECK(run.exit_code == 1);
        // What is wrong further on comes behind it: "And in M: …".
        CHECK(hint_in(run.output)
                  .starts_with(lesson::in_python(lesson).hints.at(hint_of_mistake(lesson, wrong.name))));
    }
    CHECK(lessons_met.size() == all_lessons().size());
}

TEST_CASE("an exception shows the student's own lines, the arrays in them, and the steps before it") {
    need_numpy();
    const Run run = checked(right_logits + "    steps.scaled = helper(Q, K)\n",
                            "def helper(a, b):\n    return a @ b  # inner sizes differ\n");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output,
              "anna.py, line 3, in helper\n    return a @ b  # inner sizes differ\n"
              "    a (3, 2) · b (3, 2)\nValueError: matmul"));
    CHECK(has(run.output, "anna.py, line 7, in scaled_dot_product\n"));
    CHECK(has(run.output, "    ✓ logits\n"));
    CHECK(has(run.output, "(the last step with a value: logits)"));
    CHECK_FALSE(has(run.output, "run_python.py"));
    CHECK_FALSE(has(run.output, "Traceback"));
}

TEST_CASE("a step that is misspelt, read too early or no array is named") {
    need_numpy();
    CHECK(has(checked("    steps.logit = Q").output, "steps has no step logit; did you mean logits?"));
    CHECK(has(checked("    steps.masked = steps.scaled").output, "steps.scaled has no value yet"));
    CHECK(has(checked("    steps.logits = [[1, 2], [3]]").output,
              "steps.logits needs an array of numbers, not list"));
    CHECK(has(checked("    steps.logits = Q + 1j").output,
              "steps.logits needs an array of numbers, not complex"));
}

TEST_CASE("an exercise in Python that cannot be read or called says why") {
    need_numpy();
    const Run syntax = checked("    steps.logits = (Q\n");
    INFO(syntax.output);
    CHECK(syntax.exit_code == 1);
    CHECK(has(syntax.output, "anna.py, line 4\n"));
    CHECK(has(syntax.output, "SyntaxError: '(' was never closed"));
    CHECK(has(checked("    pass", "import no_such_module\n").output, "No module named 'no_such_module'"));
    const Folder folder;
    glassbox_test::write(folder / "anna.py", "def attention(Q):\n    pass\n");
    CHECK(has(run_lesson({"01", "--file", folder / "anna.py"}).output,
              "there is no function scaled_dot_product, which lesson.py calls"));
}

TEST_CASE("an exercise in Python that ends the program does not pass") {
    need_numpy();
    for (const char* end : {"os._exit(0)", "os.kill(os.getpid(), 9)"}) {
        for (const bool at_once : {true, false}) {
            const Run run = checked(at_once ? "    pass" : right_logits + "    " + end,
                                    std::string("import os\n") + (at_once ? end : "") + "\n");
            INFO(run.output);
            CHECK(run.exit_code == 1);
            CHECK(has(run.output, "while it was checked."));
        }
    }
    const Run exits = checked(right_logits + "    raise SystemExit(0)");
    CHECK(exits.exit_code == 1);
    CHECK(has(exits.output, "✓ logits"));
}

TEST_CASE("a loop without end in Python: no other case is called, and the hint is about loops") {
    need_numpy();
    const Run run =
        checked(right_logits + "    while True:\n        pass\n", "", "GLASSBOX_LESSON_SECONDS=3");
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "lesson: case 'example' is not done yet: waiting for it, 3 seconds at most\n"));
    CHECK(has(run.output, "TimeoutError: it did not finish within 3 seconds: does every loop end?"));
    CHECK(has(run.output, "· large     not called: case 'example' did not finish\n"));
    CHECK(hint_in(run.output).starts_with("A loop does not end"));
    const Run caught = checked(
        "    while True:\n        try:\n            time.sleep(60)\n        except:\n            pass\n",
        "import time", "GLASSBOX_LESSON_SECONDS=1");
    INFO(caught.output);
    CHECK(caught.exit_code == 1);
    CHECK(has(caught.output, "anna.py: it did not finish within 1 seconds"));
}

TEST_CASE("only an index or sizes get the hint about places, in Python too") {
    need_numpy();
    const auto hint = [](const char* body) { return hint_in(checked(body).output); };
    CHECK(has(hint("    Q[9]"), "out of range"));
    CHECK(has(hint("    Q @ K"), "out of range"));
    for (const char* body : {"    steps.logit = Q", "    steps.logits = [[1, 2], [3]]", "    1 / 0",
                             "    int('x')", "    nothing", "    np.no_such_function()"}) {
        INFO(body);
        CHECK(hint(body).starts_with("It stopped with an error, and what comes after it has no value."));
        CHECK_FALSE(has(hint(body), "out of range"));
    }
    CHECK(has(hint("    steps.logit = Q"), "did you mean logits?"));
}

TEST_CASE("Q @ K.T, which turns the batch's axis round, too, is told from a wrong index") {
    need_numpy();
    const std::string hint = hint_in(checked("    steps.logits = Q @ K.T").output);
    INFO(hint);
    CHECK(has(hint, "np.swapaxes(K, -1, -2)"));
    CHECK_FALSE(has(hint, "row and column of K swapped"));
}

TEST_CASE("a wrong shape is what is said, not what stops further on because of it") {
    need_numpy();
    const Run run = checked("    steps.logits = (Q @ np.swapaxes(K, -1, -2))[..., :1]\n    False.mean()");
    INFO(run.output);
    CHECK(has(run.output, "✗ logits     its shape is"));
    CHECK(has(hint_in(run.output), "as many rows as Q has, as many columns as K has rows"));
}

TEST_CASE("what is returned in the place of a step is said to be of no use") {
    need_numpy();
    const std::string note =
        "Note: what scaled_dot_product returns is not used: assign each step, steps.logits "
        "= …\n";
    CHECK(has(checked("    return Q @ np.swapaxes(K, -1, -2)").output, note));
    CHECK_FALSE(has(checked("    return None").output, "is not used"));
    CHECK_FALSE(has(checked("    return steps").output, "is not used"));
}

TEST_CASE("what an exercise in Python prints is shown once, shortened, and marked as its own") {
    need_numpy();
    const Run run = checked("    for i in range(70): print('line', i)");
    INFO(run.output);
    CHECK(has(run.output, "anna.py printed in case 'example', and also in 4 other cases:\n    | line 0\n"));
    CHECK(has(run.output, "    | line 19\n    | … 50 more lines\n\n"));
    CHECK_FALSE(has(run.output, "line 20\n"));
    const Run outside = checked("    pass", "print('read')");
    CHECK(has(outside.output, "anna.py printed in its own lines, outside of the functions:\n    | read\n"));
    CHECK(has(checked("    print('before')\n    os._exit(0)", "import os").output,
              "printed in case 'example':\n    | before\n\n"));
}

TEST_CASE("two steps that are one array are pointed out where something is wrong") {
    need_numpy();
    const Run run = checked(right_logits + "    steps.scaled = steps.logits\n    steps.scaled /= 2\n");
    INFO(run.output);
    CHECK(has(run.output, "Note: steps.logits and steps.scaled are one array"));
}

TEST_CASE("what NumPy warns of is shown with the student's line") {
    need_numpy();
    const Run run = checked(right_logits + "    steps.scaled = np.exp(1000 * np.abs(steps.logits))");
    INFO(run.output);
    CHECK(has(run.output, "anna.py, line 5: overflow encountered in exp"));
}

TEST_CASE("an exercise is not handed the right steps") {
    need_numpy();
    const Course course;
    const std::string lesson = course.text("01", "lesson.py");
    course.write("01", "lesson.py",
                 lesson + "\n\ndef call(exercise, golden, steps):\n    steps.logits = golden[\"logits\"]\n");
    const Run run = course.run({"01", "--solution", "--python"});
    INFO(run.output);
    CHECK(run.exit_code == 1);
    CHECK(has(run.output, "logits is no input of this lesson; the inputs are Q, K, V, mask"));
}

TEST_CASE("a Python that is named must have NumPy") {
    glassbox_test::Surroundings around;
    around.set = {"GLASSBOX_BUILD=" + build.string(), "GLASSBOX_PYTHON=/bin/false"};
    around.program = (lessons / "run").string();
    const glassbox_test::Ran ran = glassbox_test::run_program({"01", "--solution", "--python"}, around);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "GLASSBOX_PYTHON=/bin/false is no Python with NumPy"));
}

TEST_CASE("hints for Python have no words of C++ in them") {
    for (const Lesson& lesson : all_lessons())
        for (const auto& [name, hint] : lesson::in_python(lesson).hints)
            for (const char* word : {"Matrix(", "Matrices(", "Vector(", "std::", ".rows()", ".columns()",
                                     ".size()", "C++", "lesson.h", "add(", "with_row("}) {
                INFO(lesson.number << " " << name << ": " << hint);
                CHECK_FALSE(has(hint, word));
            }
    CHECK(lesson::in_python_words("Give it a size, Matrix(Q.rows(), K.rows()), then fill it.") ==
          "It has the shape (Q.shape[-2], K.shape[-2]), then fill it.");
    CHECK(lesson::in_python_words("1 - std::pow(beta1, t + 1), Vector(x.count())") ==
          "1 - beta1 ** (t + 1), shape (len(x),)");
}

TEST_CASE("a hint of lesson.json's python is another one of its hints") {
    for (const Lesson& lesson : all_lessons())
        for (const auto& [name, hint] : lesson.python_hints) {
            INFO(lesson.number << " " << name);
            CHECK(lesson.hints.count(name) == 1);
        }
}
