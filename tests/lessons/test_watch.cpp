// ./dev lesson watch, with its keys as lines and the work done meanwhile.
#include "python.h"
#include "support/terminals.h"

using namespace lesson_test;

namespace {

// Runs the script in the course's folder, with its output as the watch's input; `saw TEXT` waits until the
// watch has said it.
Run watched(const Course& course, const std::string& script, const std::string& arguments = "watch",
            const std::string& through = "") {
    const Folder folder;
    glassbox_test::write(folder / "script",
                         "saw() {\n"
                         "    for ((i = 0; i < 300; i++)); do\n"
                         "        ! grep -qF -- \"$1\" " +
                             (folder / "out") + " || { : >" + (folder / "out") +
                             "; return 0; }\n"
                             "        sleep 0.1\n"
                             "    done\n"
                             "    echo q\n"
                             "    exit 1\n"
                             "}\n" +
                             script + "\n");
    const std::string all = folder / "all", out = folder / "out";
    glassbox_test::Surroundings around;
    around.program = "/bin/bash";
    around.set = {"GLASSBOX_BUILD=" + build.string(), "NO_COLOR=1", "GLASSBOX_PASSED=" + course.state(""),
                  "GLASSBOX_WATCH_SECONDS=0.1"};
    const glassbox_test::Ran ran = glassbox_test::run_program(
        {"-c", "cd " + course.folder("01").parent_path().string() + " && : >" + out + " && bash " +
                   (folder / "script") + " | " + through + "./run " + arguments + " 2>&1 | tee " + all +
                   " >>" + out + "; exit ${PIPESTATUS[1]}"},
        around);
    return {ran.code, content(all) + ran.err};
}

}  // namespace

TEST_CASE("watch checks at each save, says what is right now, and goes on to the next lesson") {
    need_numpy();
    const Course course;
    const Run run =
        watched(course,
                "saw 'h hint'\n"
                "sed 's|/ np.sqrt(d_k)|/ d_k|' 01*/solution.py >01-scaled-dot-product/exercise.py\n"
                "saw 'Now right: logits'\n"
                "echo h\nsaw 'Hint 1 of 3'\n"
                "echo h\nsaw 'You divided by d_k itself'\n"
                "cp 01*/solution.py 01-scaled-dot-product/exercise.py\n"
                "saw 'watching lessons/02'\n"
                "echo n\nsaw 'watching lessons/03'\n"
                "echo q\n");
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(has(run.output, "watching lessons/01-scaled-dot-product "));
    CHECK(has(run.output, "All right."));
    CHECK(has(run.output,
              "Lesson 02: Multi-head attention. Begin with lessons/02-multi-head-attention/README.md"));
    CHECK(has(run.output, " 1 of 15 passed\n"));
    CHECK_FALSE(has(run.output, "\nHint: "));
}

TEST_CASE(
    "a lesson that is named and right is watched until it is right once more, or the next is asked for") {
    need_numpy();
    const Course course;
    course.write("01", "exercise.py", course.text("01", "solution.py"));
    const Run run =
        watched(course,
                "saw 'watching lessons/01'\n"
                "echo '# changed' >>01-scaled-dot-product/exercise.py\n"
                "saw 'watching lessons/01'\n"
                "sed 's|/ np.sqrt(d_k)|/ d_k|' 01*/solution.py >01-scaled-dot-product/exercise.py\n"
                "saw 'Next: fix scaled'\n"
                "cp 01*/solution.py 01-scaled-dot-product/exercise.py\n"
                "saw 'watching lessons/02'\n"
                "echo q\n",
                "watch 01");
    INFO(run.output);
    CHECK(run.exit_code == 0);
    const Run asked =
        watched(course, "saw 'watching lessons/01'\necho n\nsaw 'watching lessons/02'\necho q\n", "watch 01");
    INFO(asked.output);
    CHECK(asked.exit_code == 0);
}

TEST_CASE(
    "on a terminal each check clears the screen, but the first of a lesson leaves what was said before") {
    if (glassbox_test::Surroundings around;
        around.program = "/bin/sh", glassbox_test::run_program({"-c", "command -v script"}, around).code != 0)
        SKIP("there is no command script");
    glassbox_test::need_terminals();
    const Course course;
    const Run run = watched(course,
                            "saw 'h hint'\n"
                            "echo '// changed' >>01-scaled-dot-product/exercise.cpp\n"
                            "saw 'h hint'\n"
                            "printf l\nsaw 'h hint'\n"
                            "cp 01*/solution.cpp 01-scaled-dot-product/exercise.cpp\n"
                            "saw 'watching lessons/02'\nprintf q\nsleep 1\n",
                            "watch' /dev/null", "script -qec '");
    INFO(run.output);
    CHECK(run.exit_code == 0);
    const std::string clears = "\033[H\033[2J";
    const auto all_right = run.output.find("All right.");
    REQUIRE(all_right != std::string::npos);
    CHECK(run.output.find(clears) !=
          run.output.rfind(clears, all_right));  // for the change, and for the solution
    CHECK(run.output.find(clears) > run.output.find("h hint"));
    CHECK_FALSE(has(run.output.substr(all_right), clears));
}

TEST_CASE("behind the last lesson watch goes on with the first that is not passed") {
    const Course course;
    const Run run =
        watched(course, "saw 'watching lessons/15'\necho n\nsaw 'watching lessons/01'\necho q\n", "watch 15");
    INFO(run.output);
    CHECK(run.exit_code == 0);
}

TEST_CASE("watch ends with its input, and shows what is wrong without its hint") {
    const Course course;
    const Run run = watched(course, "", "watch 02");
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(has(run.output, "✗ example"));
    CHECK(has(run.output, "Next: write qkv in "));
    CHECK_FALSE(has(run.output, "Hint"));
}

TEST_CASE("an interrupted watch leaves cleanly") {
    const Course course;
    // timeout passes Ctrl-C on to all that it has started, as a terminal does.
    const Run run = watched(course, "saw 'q quit'\nkill -INT $(cat pid)\nsleep 3", "watch",
                            "sh -c 'echo $$ >pid; exec timeout --preserve-status 300 \"$@\"' sh ");
    INFO(run.output);
    CHECK(run.exit_code == 0);
    CHECK(has(run.output, "q quit"));
}
