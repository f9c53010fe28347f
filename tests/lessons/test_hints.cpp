// Hints in stages: each call says one thing more, until the exercise changes.
#include "python.h"

using namespace lesson_test;

TEST_CASE("hints come in stages: where, what kind of mistake, what is right") {
    need_numpy();
    const Course course;
    const std::string right = course.text("01", "solution.py");
    std::string wrong = right;
    wrong.replace(wrong.find("np.sqrt(d_k)"), 12, "d_k");
    course.write("01", "exercise.py", wrong);
    const Run where = course.run({"hint", "01"});
    INFO(where.output);
    CHECK(where.exit_code == 0);
    CHECK(has(where.output, "Hint 1 of 3: where. lessons/01-scaled-dot-product/exercise.py\n"));
    CHECK(has(where.output, "✗ example "));
    CHECK(has(where.output, "    ✗ scaled     example/scaled[0, 0] is "));
    CHECK_FALSE(has(where.output, "√d_k"));
    const Run kind = course.run({"hint", "01"});
    INFO(kind.output);
    CHECK(has(kind.output, "Hint 2 of 3: what kind of mistake.\n\nYou divided by d_k itself"));
    const Run formula = course.run({"hint", "01"});
    INFO(formula.output);
    CHECK(has(formula.output, "scaled = logits / √d_k\n"));
    CHECK(has(formula.output, "./dev tracer attention --seq 3 --dk 2 --only scaled\n"));
    CHECK(has(course.run({"hint", "01"}).output, "Hint 3 of 3"));

    course.write("01", "exercise.py", wrong + "\n");
    CHECK(has(course.run({"hint"}).output, "Hint 1 of 3"));
    course.write("01", "exercise.py", wrong);
    CHECK(has(course.run({"hint", "01"}).output, "Hint 1 of 3"));
    course.write("01", "exercise.py", right);
    CHECK(has(course.run({"hint", "01"}).output, "there is nothing to hint at"));
    CHECK(has(course.run({}).output, "✓ 01"));
}

TEST_CASE("a hint for what cannot be read yet is what the compiler says, at once") {
    const Course course;
    course.write("01", "exercise.cpp", "#include \"lesson.h\"\nvoid f( {\n");
    for (int i = 0; i < 2; ++i) {
        const Run run = course.run({"hint", "01"});
        CHECK(run.exit_code == 1);
        CHECK(has(run.output, "exercise.cpp does not compile yet"));
    }
}

TEST_CASE("every step of every lesson can be said in words, most in a formula of the library") {
    std::size_t formulas = 0, all = 0;
    for (const Lesson& lesson : all_lessons()) {
        for (const std::string& step : lesson.steps) {
            glassbox_test::Surroundings around;
            around.program = (build / "lessons" / lesson.number / "check").string();
            const glassbox_test::Ran ran =
                glassbox_test::run_program({lesson.folder.string(), "formula", "cpp", step}, around);
            INFO(lesson.number << " " << step << ": " << ran.out << ran.err);
            CHECK(ran.code == 0);
            CHECK(has(ran.out, lesson.hint(step)));
            for (std::size_t at = ran.out.find('{'); at != std::string::npos; at = ran.out.find('{', at + 1))
                CHECK((at > 0 && ran.out[at - 1] == '_'));  // an index; other braces are fields to be filled
            formulas += has(ran.out, step + " = ");
            ++all;
        }
    }
    CHECK(formulas > all / 2);
    glassbox_test::Surroundings around;
    around.program = (build / "lessons/01/check").string();
    const glassbox_test::Ran ran =
        glassbox_test::run_program({lesson_of("01").folder.string(), "formula", "cpp", "scald"}, around);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, "lesson 01 has no step 'scald'; the steps are logits, scaled"));
}
