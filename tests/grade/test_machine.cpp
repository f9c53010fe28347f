// Where the machine fails nobody loses a point: there is no mark then, and it is said.
#include "class.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>

#include <glassbox/tensor/format.h>

#include "support/errors.h"
#include "tracer/grade/submission.h"

using namespace glassbox_test;

namespace {

const fs::path lesson = fs::path(GLASSBOX_SOURCE) / "lessons/01-scaled-dot-product";
const fs::path programs = fs::path(GLASSBOX_TRACER).parent_path() / "lessons/01";

// A class of one lesson, with right work, whose check ends by this signal in the first call of this kind.
class Killed {
  public:
    Killed(const std::string& signal, const std::string& when)
        : class_(R"({"seed": 3, "tasks": [{"name": "attention", "lesson": "01", "points": 5}]})") {
        for (const char* student : {"anna", "ben"})
            class_.submit(student, "exercise.cpp", content((lesson / "solution.cpp").string()));
        fs::create_directories(programs_ / "01");
        fs::create_symlink(programs / "collect", programs_ / "01/collect");
        const std::string check = programs_ / "01/check";
        write(check, fmt::format("#!/bin/sh\n[ \"$2\" = {} ] && mkdir {} 2>/dev/null && kill -{} $$\n"
                                 "exec {} \"$@\"\n",
                                 when, programs_ / "once", signal, (programs / "check").string()));
        ::chmod(check.c_str(), 0755);
    }
    Ran grade(const std::string& options) const {
        return class_.grade("--checks " + (programs_ / ".") + " " + options);
    }

  private:
    Class class_;
    Folder programs_;
};

glassbox::tracer::CourseTask task_of(glassbox::tracer::CourseTask::Kind kind, const std::string& file) {
    glassbox::tracer::CourseTask task;
    task.name = "task", task.kind = kind, task.file = file;
    if (kind != glassbox::tracer::CourseTask::Kind::function) task.lesson = "01";
    return task;
}

std::string failure(const glassbox::tracer::RunResult& ran, const glassbox::tracer::CourseTask& task) {
    try {
        (void)glassbox::tracer::result_of(ran, task);
        return "";
    } catch (const glassbox::IoError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("grade: a judge that is killed costs no points, in any output, and nobody else theirs") {
    need_sandbox();
    const std::string signal = GENERATE("KILL", "BUS", "SEGV");
    INFO(signal);
    const Killed all(signal, "judge");
    const Folder out;
    const Ran ran =
        all.grade("-o " + (out / "m.json") + " --feedback " + (out / "f") + " --gradescope " + (out / "g"));
    INFO(ran.err);
    CHECK(ran.code == 4);
    CHECK(has(ran.err, "1 submission could not be graded, and has no points yet"));
    CHECK(has(ran.err, "the judge: it was terminated by signal"));
    const auto marks = nlohmann::json::parse(content(out / "m.json"));
    int marked = 0;
    for (const auto& student : marks["students"]) {
        const std::string name = student["student"];
        const auto results = nlohmann::json::parse(content(out / "g/" + name + "/results.json"));
        const std::string told = content(out / "f/" + name + ".txt");
        const bool has_mark = !student["points"].is_null();
        INFO(name << ": " << student.dump() << results.dump() << told);
        marked += has_mark;
        CHECK(student["tasks"][0]["points"].is_null() == !has_mark);
        CHECK(results.contains("score") == has_mark);
        CHECK(results["tests"][0].contains("score") == has_mark);
        CHECK(told.starts_with(name + (has_mark ? ": 5 of 5\n" : ": – of 5\n")));
        if (has_mark) CHECK(student["points"] == 5);
    }
    CHECK(marked == 1);
}

TEST_CASE("grade: a judge that is killed leaves an empty cell and an empty total") {
    need_sandbox();
    const Ran ran = Killed("KILL", "judge").grade("--format csv");
    CHECK(ran.code == 4);
    CHECK(has(ran.out, ",,,5,attention: could not be judged\n"));
    CHECK(has(ran.out, ",5,5,5,\n"));
    const Ran table = Killed("KILL", "judge").grade("");
    CHECK(has(table.out, "–      –\n"));
}

TEST_CASE("grade: what makes the inputs is killed, and course.json is not blamed") {
    need_sandbox();
    const Ran ran = Killed("KILL", "inputs").grade("");
    CHECK(ran.code == 4);
    CHECK(has(ran.err, "its inputs cannot be created: it was terminated by signal 9"));
    CHECK(!has(ran.err, "course.json"));
}

TEST_CASE("grade: a sandbox that does not come up is no student's doing") {
    need_sandbox();
    const Folder given;
    glassbox::tracer::Limits limits;
    limits.memory = 1;  // less than bubblewrap itself needs
    try {
        (void)glassbox::tracer::Sandbox::find(false).run("exit 0", given / ".", limits);
        FAIL("it came up");
    } catch (const glassbox::IoError& error) {
        CHECK(has(error.what(), "the sandbox did not start: "));
    }
}

TEST_CASE("grade: Python without NumPy is said with what to type") {
    const std::string numpy =
        "/usr/bin/python3 cannot use NumPy (on Debian and Ubuntu: apt install python3-numpy): ";
    CHECK(has(glassbox::tracer::why_no_numpy(
                  {"", 1, "Traceback:\n  x\nModuleNotFoundError: No module named 'numpy'\n", "", false}),
              "apt install python3-numpy"));
    CHECK(glassbox::tracer::why_no_numpy({"", 126, "sh: 2: python3: Permission denied\n", "", false}) ==
          numpy + "sh: 2: python3: Permission denied");
    CHECK(glassbox::tracer::why_no_numpy({"it did not finish within 1 seconds", -9, "", "", false}) ==
          numpy + "it did not finish within 1 seconds");
}

TEST_CASE("grade: what fails before a student's own lines are read fails by no fault of theirs") {
    using Kind = glassbox::tracer::CourseTask::Kind;
    const auto python = task_of(Kind::lesson_python, "exercise.py"),
               function = task_of(Kind::function, "a.py"), cpp = task_of(Kind::lesson_cpp, "exercise.cpp");
    for (const auto& task : {python, function}) {
        CHECK(has(failure({"", 2, "sh: 0: Cannot fork\n", "", false}, task), "Cannot fork"));
        CHECK(
            has(failure({"it did not finish within 10 seconds", -9, "", "", false}, task), "did not finish"));
        CHECK(failure({"", 92, "line 1: NameError\n", "C", false}, task) == "");
        CHECK(failure({"it did not finish within 10 seconds", -9, "", "C", false}, task) == "");
    }
    CHECK(has(failure({"", 2, "sh: 0: Cannot fork\n", "", false}, cpp), "the compiler could not run"));
    CHECK(has(failure({"", 127, "sh: 1: c++: not found\n", "", false}, cpp), "not found"));
    CHECK(has(failure({"", 91,
                       "c++: fatal error: Killed signal terminated program cc1plus\ncompilation "
                       "terminated.\n",
                       "", false},
                      cpp),
              "the compiler could not run"));
    CHECK(failure({"", 91, "exercise.cpp:1:1: error: 'x' does not name a type\n", "", false}, cpp) == "");
    // A compiler that waits for the machine looks like one that a template keeps busy.
    CHECK(has(failure({"it did not finish within 10 seconds", -9, "", "", false}, cpp), "compiling it: "));
    CHECK(failure({"", 92, "the exercise ended the program\n", "C", false}, cpp) == "");
}

TEST_CASE("grade: what crashes once and not again was not the work's own crash; what crashes each time is") {
    need_numpy();
    const std::string signal = GENERATE("SIGFPE", "SIGSEGV", "SIGBUS");
    INFO(signal);
    const Folder marker;
    // Outside of a sandbox a submission can know that it is called again.
    const std::string once = fmt::format(
        "import os, signal\nif not os.path.exists('{0}'):\n    open('{0}', 'w').close()\n"
        "    os.kill(os.getpid(), signal.{1})\n",
        marker / "was-there", signal);
    const std::string each_time = fmt::format("import os, signal\nos.kill(os.getpid(), signal.{})\n", signal);
    const std::string work = content((lesson / "solution.py").string());
    const Class all(R"({"seed": 3, "tasks": [{"lesson": "01", "file": "exercise.py", "points": 5}]})");
    all.submit("once", "exercise.py", once + work);
    all.submit("each-time", "exercise.py", each_time + work);
    const nlohmann::json found = all.graded("--trust");
    INFO(found.dump());
    CHECK(found["once"].front()["points"] == 5);
    CHECK(found["each-time"].front()["points"] == 0);
    CHECK(has(found["each-time"].front()["problem"], "exercise.py gave no result"));
}

TEST_CASE("grade: SIGKILL is no crash: what is killed each time, by none of the limits, has no mark") {
    need_numpy();
    // In a sandbox nobody can see who has sent it.
    const std::string function = "import os\ndef attend(q, k, v):\n    os.kill({}, 9)\n",
                      lesson_py = "import os\nos.kill(os.getpid(), 9)\n";
    const Class all(
        R"({"tasks": [{"name": "python3", "layer": "attention", "function": "attend", "file": "a.py"},
        {"name": "sh", "layer": "attention", "function": "attend", "file": "b.py"},
        {"name": "lesson", "lesson": "01", "file": "exercise.py"}, {"name": "cpp", "lesson": "01"}]})");
    all.submit("anna", "a.py", fmt::format(fmt::runtime(function), "os.getpid()"));
    all.submit("anna", "b.py", fmt::format(fmt::runtime(function), "os.getppid()"));
    all.submit("anna", "exercise.py", lesson_py + content((lesson / "solution.py").string()));
    all.submit("anna", "exercise.cpp",
               "#include <signal.h>\nstruct Now { Now() { ::raise(SIGKILL); } } now;\n" +
                   content((lesson / "solution.cpp").string()));
    const Ran ran = all.grade("--format json");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    CHECK(has(ran.err, "4 submissions could not be graded"));
    CHECK(has(ran.err, "it was terminated by a signal (SIGKILL) 3 times, not by a limit"));
    for (const auto& task : nlohmann::json::parse(ran.out)["students"][0]["tasks"])
        CHECK(task["points"].is_null());
}

TEST_CASE("grade: a signal that no crash sends has no mark, one that a crash sends each time has one") {
    need_numpy();
    const Class all(R"({"tasks": [{"layer": "attention", "function": "attend", "file": "a.py"}]})");
    const std::map<std::string, std::string> others{{"SIGTERM", "terminated by a signal (SIGTERM) 3 times"},
                                                    {"SIGINT", "terminated by a signal (SIGINT) 3 times"},
                                                    {"SIGHUP", "terminated by a signal (SIGHUP) 3 times"},
                                                    {"SIGXCPU", "terminated by a signal (SIGXCPU) 3 times"},
                                                    {"SIGUSR1", "terminated by a signal (SIGUSR1) 3 times"}};
    const auto killing = [](const std::string& signal) {
        return "import os, signal\ndef attend(q, k, v):\n    os.kill(os.getpid(), signal." + signal + ")\n";
    };
    for (const auto& [signal, said] : others) all.submit(signal, "a.py", killing(signal));
    for (const char* own : {"SIGSEGV", "SIGABRT", "SIGFPE"}) all.submit(own, "a.py", killing(own));
    all.submit("exits", "a.py", "import os\ndef attend(q, k, v):\n    os._exit(-1)\n");
    const Ran ran = all.grade("--format json");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    const nlohmann::json parsed = nlohmann::json::parse(ran.out);
    for (const auto& student : parsed["students"]) {
        const std::string name = student["student"];
        const auto other = others.find(name);
        INFO(name << student.dump());
        CHECK(student["points"].is_null() == (other != others.end()));
        if (other != others.end()) CHECK(has(student["tasks"][0]["problem"], other->second));
        else CHECK(student["points"] == 0);
    }
}

TEST_CASE(
    "grade: what had less memory than the course gives, for tracer was started with less, has no mark") {
    need_numpy();
    const Class all(R"({"tasks": [{"layer": "positional", "function": "encode", "file": "a.py"}]})");
    const std::string encode =
        "    n, d = x.shape[-2:]\n    a = np.arange(n)[:, None] * 1e4 ** (-np.arange(0, d, 2) / d)\n"
        "    return x + np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d)\n";
    const std::string large = "    big = np.ones((500, 1024, 128))\n";
    all.submit("large", "a.py", "import numpy as np\ndef encode(x):\n" + large + encode);
    all.submit("small", "a.py", "import numpy as np\ndef encode(x):\n" + encode);
    all.submit("wrong", "a.py", "import numpy as np\ndef encode(x):\n    return x / nothing\n");
    const nlohmann::json plain = all.graded();
    CHECK(plain["large"].front()["points"] == 1);
    for (const std::string limit : {"-d 400000", "-v 600000", "-S -d 400000"}) {
        const Ran ran = run_program(
            {"-c", "ulimit " + limit + "; exec \"" GLASSBOX_TRACER "\" grade --format json " + all.path()},
            {.program = "/bin/sh"});
        INFO(limit << ran.out << ran.err);
        const bool is_soft = limit.starts_with("-S");  // which a process may raise itself
        CHECK(ran.code == (is_soft ? 0 : 4));
        std::map<std::string, nlohmann::json> found;
        const nlohmann::json parsed = nlohmann::json::parse(ran.out);
        for (const auto& student : parsed["students"]) found[student["student"]] = student["tasks"][0];
        CHECK(found["small"]["points"] == 1);
        CHECK(found["wrong"]["points"] == 0);
        CHECK(found["large"]["points"] == (is_soft ? nlohmann::json(1) : nlohmann::json()));
        if (!is_soft)
            CHECK(has(found["large"]["problem"],
                      "it had too little memory: tracer was started with a limit of"));
    }
}

TEST_CASE("grade: what is stopped by a signal and not continued has no mark") {
    need_numpy();
    const Class all(
        R"({"limits": {"seconds": 1}, "tasks": [{"layer": "attention", "function": "attend", "file": "a.py"}]})");
    all.submit("anna", "a.py", "import os\ndef attend(q, k, v):\n    os.kill(os.getpid(), 19)\n");
    const Ran ran = all.grade("--format json");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    CHECK(has(ran.err, "it was stopped by a signal (SIGSTOP), and not continued"));
}

TEST_CASE("grade: a fault of the judge's own program in Python is nobody's") {
    using Kind = glassbox::tracer::CourseTask::Kind;
    const auto function = task_of(Kind::function, "a.py"),
               python = task_of(Kind::lesson_python, "exercise.py");
    for (const auto& task : {function, python})
        CHECK(has(failure({"", 96, "NameError: name 'x' is not defined\n", "C", false}, task),
                  "one of the grader's own programs failed: NameError: name 'x' is not defined"));
}

TEST_CASE("grade: too little memory is said at once, whichever limit it is") {
    const Class all(R"({"tasks": [{"layer": "attention"}]})");
    all.submit("anna", "attention.npz", "x");
    for (const std::string limit : {"-v", "-d"}) {
        const Ran ran = run_program(
            {"-c", "ulimit " + limit + " 150000; exec \"" GLASSBOX_TRACER "\" grade " + all.path()},
            {.program = "/bin/sh"});
        INFO(ran.err);
        CHECK(ran.code == 4);
        CHECK(ran.out == "");
        CHECK(has(ran.err,
                  "the limit is 146 MB (ulimit " + limit + "), and tracer needs 176 MB more to start\n"));
    }
}

TEST_CASE("grade: a function and a program in C++ that crash once and not again are right") {
    need_numpy();
    const Folder marker;
    const Class all(R"({"tasks": [{"name": "cpp", "lesson": "01"},
        {"name": "function", "layer": "positional", "function": "encode", "file": "a.py"}]})");
    all.submit(
        "anna", "exercise.cpp",
        fmt::format("#include <signal.h>\n#include <unistd.h>\n#include <fcntl.h>\n"
                    "struct Once {{ Once() {{ if (::access(\"{0}\", F_OK) != 0) {{ ::close(::open(\"{0}\", "
                    "O_CREAT | O_WRONLY, 0600)); ::raise(SIGKILL); }} }} }} once;\n",
                    marker / "cpp") +
            content((lesson / "solution.cpp").string()));
    all.submit("anna", "a.py",
               fmt::format("import numpy as np, os\ndef encode(x):\n    if not os.path.exists('{0}'):\n"
                           "        open('{0}', 'w').close()\n        os.kill(os.getpid(), 11)\n"
                           "    n, d = x.shape[-2:]\n"
                           "    a = np.arange(n)[:, None] * 1e4 ** (-np.arange(0, d, 2) / d)\n"
                           "    return x + np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d)\n",
                           marker / "function"));
    const nlohmann::json found = all.graded("--trust");
    INFO(found.dump());
    for (const char* task : {"cpp", "function"}) CHECK(found["anna"][task]["points"] == 1);
}

TEST_CASE(
    "grade: a student's folder that is gone has no mark, and a file that is missing has none to be given") {
    const Folder folder;
    fs::create_directories(folder / "anna");
    const glassbox::tracer::Submission missing =
        glassbox::tracer::read_submission(folder / ".", "anna", "a.npz", 1);
    CHECK(missing.is_missing);
    const fs::path root = folder / ".";
    check_error<glassbox::IoError>(
        [&] { (void)glassbox::tracer::read_submission(root, "ben", "a.npz", 1); },
        (root / "ben").string() + ": the student's folder was removed in the meantime");
}

TEST_CASE("grade: a stack that is too small is said, and nobody has a mark") {
    const Class all(R"({"tasks": [{"layer": "attention"}]})");
    all.submit("anna", "attention.npz", "x");
    const auto with_stack = [&](const std::string& limit) {
        return run_program(
            {"-c", "ulimit -s " + limit + "; exec \"" GLASSBOX_TRACER "\" grade " + all.path()},
            {.program = "/bin/sh"});
    };
    const Ran none = with_stack("64");
    CHECK(none.code == 4);
    CHECK(none.out == "");
    CHECK(none.err == "error: out of stack: the limit is 64 KB (ulimit -s), and tracer needs 128 KB\n");
    CHECK(with_stack("192").code == 0);
}

TEST_CASE("grade: what is returned and is not a file of arrays is said without a path of this machine") {
    need_numpy();
    const Class all(R"({"tasks": [{"layer": "attention", "function": "attend", "file": "a.py"}]})");
    all.submit("anna", "a.py",
               "import os\ndef attend(q, k, v):\n    os.write(3, b'{\"right\": true}')\n    return q\n");
    const nlohmann::json mark = all.graded()["anna"].front();
    INFO(mark.dump());
    CHECK(mark["points"] == 0);
    CHECK(has(mark["problem"], "what attend returned cannot be read"));
    CHECK(!has(mark["detail"], "tracer-grade"));
}

TEST_CASE("grade: a folder for temporary files that is none is named, with its variable") {
    const Class all(R"({"tasks": [{"layer": "attention"}]})");
    all.submit("anna", "attention.npz", "x");
    for (const std::string& folder : {std::string("/no/such/folder"), all / "course.json"}) {
        Surroundings around;
        around.set = {"TMPDIR=" + folder};
        const Ran ran = run_program({"grade", all.path()}, around);
        CHECK(ran.code == 4);
        CHECK(has(ran.err, "TMPDIR is " + folder + ", expected a folder"));
    }
}

TEST_CASE("grade: folders that a killed grader has left are removed by the next") {
    const Class all(R"({"tasks": [{"layer": "attention"}]})");
    all.submit("anna", "attention.npz", "x");
    const Folder tmp;
    const auto left = [&](const std::string& name, std::time_t ago) {
        fs::create_directories(tmp / (name + "/own"));
        const utimbuf times{std::time(nullptr) - ago, std::time(nullptr) - ago};
        REQUIRE(::utime((tmp / name).c_str(), &times) == 0);
    };
    left("tracer-grade-aB3x9Z", 3600);
    left("tracer-grade-just01", 0);
    left("tracer-grade-longer-name", 3600);
    left("tracer-grade-inuse1", 3600);
    const int in_use = ::open((tmp / "tracer-grade-inuse1").c_str(), O_RDONLY | O_DIRECTORY);
    REQUIRE(::flock(in_use, LOCK_SH) == 0);
    Surroundings around;
    around.set = {"TMPDIR=" + (tmp / ".")};
    CHECK(run_program({"grade", all.path()}, around).code == 0);
    ::close(in_use);
    CHECK_FALSE(fs::exists(tmp / "tracer-grade-aB3x9Z"));
    for (const char* kept : {"tracer-grade-just01", "tracer-grade-longer-name", "tracer-grade-inuse1"})
        CHECK(fs::exists(tmp / kept));
}
