// How mistakes.txt is read, and how its edits are made.
#include "../../lessons/support/mistakes.h"

#include "lessons.h"
#include "support/errors.h"

using glassbox::FileError;
using glassbox_test::check_error;
using namespace lesson_test;

namespace {

const std::string solution_text =
    "#include \"lesson.h\"\n"
    "\n"
    "void twice(int n, int& result) {\n"
    "    for (int i = 0; i < n; ++i) {\n"
    "        result += 1;\n"
    "\n"
    "        result += 1;  // once more\n"
    "    }\n"
    "    result = check(result);\n"
    "}\n";

// A lesson's folder with that solution and these mistakes.
struct Scratch {
    Folder folder;
    fs::path mistakes = folder / "mistakes.txt";

    explicit Scratch(const std::string& text) {
        glassbox_test::write(folder / "solution.cpp", solution_text);
        glassbox_test::write(mistakes.string(), text);
    }
    lesson::Code solution() const { return lesson::read_code(folder / "solution.cpp"); }
    std::vector<lesson::WrongSolution> read() const { return lesson::read_mistakes(mistakes); }
    std::string changed() const {
        std::string text;
        for (const lesson::CodeLine& line : lesson::with_mistake(solution(), read().at(0), mistakes))
            text += line.text + "\n";
        return text;
    }
};

std::string entry(const std::string& edits) { return "wrong: what is wrong\nhint: step/reason\n" + edits; }

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
    const std::size_t at = text.find(old_text);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old_text.size(), new_text);
}

// The error of reading `text`, or of its first mistake's edits, begins with file and line.
void check_refused(const std::string& text, int line, const std::string& reason) {
    const Scratch scratch(text);
    const auto use = [&] { scratch.changed(); };
    check_error<FileError>(use,
                           scratch.mistakes.string() + ":" + std::to_string(line) + ": error: " + reason);
}

}  // namespace

TEST_CASE("mistakes.txt: names, sentences, hints and edits, with their lines") {
    const Scratch scratch(
        "# Of the first step.\n"
        "one: it is: wrong\n"
        "hint: a/b\n"
        "- old\n"
        "+ new\n"
        "\n"
        "# Of the second.\n"
        "\n"
        "two_2: also\n"
        "hint: c\n"
        "- first\n"
        "# within an entry, too\n"
        "-     second\n"
        "+ third\n"
        "+     fourth\n"
        "- fifth\n"
        "+\n");
    const std::vector<lesson::WrongSolution> all = scratch.read();
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "one");
    CHECK(all[0].sentence == "it is: wrong");
    CHECK(all[0].hint == "a/b");
    CHECK(all[0].line == 2);
    CHECK(all[1].hint_line == 10);
    REQUIRE(all[1].edits.size() == 2);
    CHECK(all[1].edits[0].old_text == std::vector<std::string>{"first", "second"});
    CHECK(all[1].edits[0].new_text == std::vector<std::string>{"third", "    fourth"});
    CHECK(all[1].edits[0].old_line == 11);
    CHECK(all[1].edits[0].new_line == 14);
    CHECK(all[1].edits[1].new_text.empty());
}

TEST_CASE("mistakes.txt: an edit replaces, inserts or deletes, in a line or over several") {
    const auto changed = [](const std::string& edits) { return Scratch(entry(edits)).changed(); };
    CHECK(changed("- i < n\n+ i <= n\n") ==
          replaced(solution_text, "(int i = 0; i < n; ++i)", "(int i = 0; \n    i <= n\n; ++i)"));
    CHECK(changed("- result = check(result);\n+ result = 0;\n") ==
          replaced(solution_text, "result = check(result)", "result = 0"));
    // Neither indentation nor the blank line counts.
    CHECK(changed("- result += 1;\n- result += 1;  // once more\n+ result += 2;\n") ==
          replaced(solution_text, "result += 1;\n\n        result += 1;  // once more", "result += 2;"));
    CHECK(changed("- result = check(result);\n+ if (n > 0)\n+     result = check(result);\n") ==
          replaced(solution_text, "    result = check", "    if (n > 0)\n        result = check"));
    CHECK(changed("- result = check(result);\n+\n") ==
          replaced(solution_text, "    result = check(result);\n", ""));
}

TEST_CASE(
    "mistakes.txt: lines may end as on Windows, and a solution that ends without a line's end is whole") {
    CHECK(Scratch("wrong: x\r\nhint: y\r\n- i < n\r\n+\r\n").changed() ==
          Scratch(entry("- i < n\n+\n")).changed());
    const Scratch scratch(entry("- }\n+ } // the end\n"));
    glassbox_test::write(scratch.folder / "solution.cpp", "int one() {\n    return 1;\n}");
    CHECK(scratch.changed() == "int one() {\n    return 1;\n} // the end\n");
}

TEST_CASE("mistakes.txt: a mistake may have several edits, in any order") {
    CHECK(Scratch(entry("- result = check(result);\n+ result = 0;\n- void twice(int n, int& result) {\n"
                        "+ void twice(int, int& result) {\n"))
              .changed() == replaced(replaced(solution_text, "int n,", "int,"), "check(result)", "0"));
}

TEST_CASE("mistakes.txt: each line of a wrong solution knows where it comes from") {
    const Scratch scratch(entry("- result = check(result);\n+ result = 0;\n+ result = 1;\n"));
    const lesson::Code code =
        lesson::with_mistake(scratch.solution(), scratch.read().at(0), scratch.mistakes);
    REQUIRE(code.size() == 11);
    CHECK(code[7].number == 8);
    CHECK(code[7].file.filename() == "solution.cpp");
    CHECK(code[9].text == "    result = 1;");
    CHECK(code[9].number == 5);
    CHECK(code[9].file == scratch.mistakes);
    CHECK(code[10].number == 10);
}

TEST_CASE("mistakes.txt: old text that does not occur exactly once is refused") {
    check_refused(entry("- result = 7;\n+ result = 8;\n"), 3,
                  "wrong: the old text does not occur in solution.cpp");
    check_refused(
        entry("- result += 1;\n+ result += 2;\n"), 3,
        "wrong: the old text occurs 2 times in solution.cpp, in lines 5, 7; it must occur exactly once");
    check_refused(entry("- void twice\n+ void once\n- for (int i = 0;\n- result += 1;\n+\n"), 5,
                  "wrong: the old text does not occur in solution.cpp");
    check_refused(entry("- i < n\n+ i > n\n- for (int i = 0; i < n; ++i)\n+\n"), 3,
                  "wrong: two edits of the mistake overlap");
}

TEST_CASE("mistakes.txt: an entry that is not well formed is refused with its line and name") {
    const std::string good = entry("- i < n\n+ i > n\n");
    check_refused("no name\n", 1,
                  "a mistake begins with \"name: what is wrong\", the name of letters, digits and _");
    check_refused("2nd: x\n", 1,
                  "a mistake begins with \"name: what is wrong\", the name of letters, digits and _");
    check_refused("solution: x\n", 1, "solution: this is the name of the right solution");
    check_refused(good + "\n" + good, 6, "wrong: this name is already used in line 1");
    check_refused("wrong:  \n", 1, "wrong: expected what is wrong after the name");
    check_refused("wrong: x\n- a\n+ b\n", 2,
                  "wrong: the second line is \"hint: \" and a name of lesson.json's hints");
    check_refused("wrong: x\nhint:  \n", 2, "wrong: there is no hint after \"hint: \"");
    check_refused("wrong: x\n\n", 1, "wrong: it has no hint");
    check_refused("wrong: x\nhint: a\n", 1, "wrong: it has no edit");
    check_refused(entry("+ b\n"), 3, "wrong: the old text, '-', comes before the new text, '+'");
    check_refused(entry("- i < n\n"), 3, "wrong: there is no new text; '+' alone deletes the old text");
    check_refused(entry("- \n+ b\n"), 3, "wrong: there is no old text after '-'");
    check_refused(entry("-a\n"), 3, "wrong: a space belongs after '-'");
    check_refused(entry("- i < n\ni > n\n"), 4, "wrong: a line of an edit begins with '-' or '+'");
}

TEST_CASE("mistakes.txt: the source that is compiled has every solution, and what they include once") {
    const Scratch scratch("# no mistake but this\n" +
                          entry("- #include \"lesson.h\"\n+ #include \"lesson.h\"\n+ #include <cmath>\n"));
    glassbox_test::write(scratch.folder / "lesson.h",
                         "#pragma once\n#include <string>\n\nextern \"C\" void twice(int n, int& result);\n");
    Lesson lesson;
    lesson.folder = scratch.mistakes.parent_path();
    const std::string unknown =
        scratch.mistakes.string() + ":3: error: wrong: lesson.json has no hint 'step/reason'";
    check_error<FileError>([&] { lesson::mistakes_source(lesson); }, unknown);
    lesson.hints["step/reason"] = "…";
    const std::string source = lesson::mistakes_source(lesson);
    CHECK(source.rfind("#include <string>\n#include <cmath>\nnamespace mistake_solution {\n"
                       "#define twice twice_of_solution\n#line 3 \"",
                       0) == 0);
    CHECK(has(source, "}\nnamespace mistake_wrong {\n#define twice twice_of_wrong\n"));
    CHECK_FALSE(has(source, "#include \"lesson.h\""));
    glassbox_test::write(scratch.folder / "lesson.h", "void twice(int n, int& result);\n");
    check_error<FileError>(
        [&] { lesson::mistakes_source(lesson); },
        (lesson.folder / "lesson.h").string() + ": no line declares a function as extern \"C\"");
}
