// A grader that is stopped leaves no student's program running and no folder behind.
#include "class.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include <glassbox/tensor/format.h>

#include "tracer/grade/process.h"
#include "tracer/grade/sandbox.h"

using namespace glassbox_test;

namespace {

const char* const course = R"({"limits": {"seconds": 60}, "tasks": [{"name": "attend", "layer": "attention",
    "function": "attend", "file": "attend.py"}]})";

// Runs until it is stopped, in two processes, one of which is no longer its parent's.
const char* const endless =
    "import os, time\n"
    "def attend(Q, K, V, mask):\n"
    "    if os.fork() == 0: os.setsid()\n"
    "    while True: time.sleep(0.01)\n";

std::string line_of(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

int parent_of(int process) {
    const std::string stat = line_of(fmt::format("/proc/{}/stat", process));
    const std::size_t at = stat.rfind(')');
    int parent = 0;
    if (at != std::string::npos) std::sscanf(stat.c_str() + at, ") %*c %d", &parent);
    return parent;
}

bool is_running(int process) {
    const std::string stat = line_of(fmt::format("/proc/{}/stat", process));
    const std::size_t at = stat.rfind(')');
    return at != std::string::npos && stat[at + 2] != 'Z';
}

std::set<int> started_by(int process) {
    std::set<int> found{process};
    for (std::size_t before = 0; before != found.size();) {
        before = found.size();
        for (const auto& entry : fs::directory_iterator("/proc"))
            if (const int id = std::atoi(entry.path().filename().c_str());
                id > 0 && found.count(parent_of(id)))
                found.insert(id);
    }
    found.erase(process);
    return found;
}

bool within_seconds(double seconds, const std::function<bool()>& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

// tracer grade in the middle of two students' endless programs.
class Grading {
  public:
    Grading() : class_(course) {
        for (const char* student : {"anna", "ben"}) class_.submit(student, "attend.py", endless);
        fs::create_directory(place_ / "tmp");
        fs::permissions(place_ / ".", fs::perms(0755));
        child_ = ::fork();
        if (child_ == 0) become();
        const std::size_t at_a_time = std::thread::hardware_concurrency() > 1 ? 2 : 1;
        REQUIRE(within_seconds(30, [&] { return students() >= at_a_time; }));
        started_ = started_by(child_);
    }
    ~Grading() {
        if (child_ > 0) stop(SIGKILL);
    }

    int stop(int signal) {
        int status = 0;
        ::kill(child_, signal);
        ::waitpid(child_, &status, 0);
        child_ = 0;
        return status;
    }
    // The first one that is still there, or 0. What was killed may need a moment.
    int still_running() const {
        int found = 0;
        within_seconds(5, [&] {
            found = 0;
            for (const int each : started_)
                if (is_running(each)) found = each;
            return found == 0;
        });
        return found;
    }
    bool has_temporary_files() const { return !fs::is_empty(place_ / "tmp"); }
    bool has_marks() const { return fs::exists(place_ / "marks.csv") || fs::exists(place_ / "feedback"); }
    std::string said() const { return content(place_ / "err"); }

  private:
    [[noreturn]] void become() const {
        const std::string folder = class_.path(), marks = place_ / "marks.csv",
                          feedback = place_ / "feedback";
        ::dup2(::open((place_ / "err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
        for (const int each : {SIGINT, SIGTERM, SIGHUP}) ::signal(each, SIG_DFL);
        ::setenv("TMPDIR", (place_ / "tmp").c_str(), 1);
        ::setenv("GLASSBOX_PATIENCE", "0", 1);
        ::execl(GLASSBOX_TRACER, GLASSBOX_TRACER, "grade", folder.c_str(), "-o", marks.c_str(), "--feedback",
                feedback.c_str(), nullptr);
        ::_exit(127);
    }
    // How many of the students' own processes there are: each has two.
    std::size_t students() const {
        std::size_t count = 0;
        for (const int each : started_by(child_))
            count += line_of(fmt::format("/proc/{}/cmdline", each)).starts_with("python3");
        return count / 2;
    }

    Folder place_;
    Class class_;
    pid_t child_ = 0;
    std::set<int> started_;
};

}  // namespace

TEST_CASE("grade: a signal stops what runs, removes the temporary folders and writes no marks") {
    need_numpy();
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    Grading grading;
    const int status = grading.stop(signal);
    INFO(grading.said());
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(grading.still_running() == 0);
    CHECK_FALSE(grading.has_temporary_files());
    CHECK_FALSE(grading.has_marks());
    CHECK(has(grading.said(), "stopped by SIG"));
    CHECK(has(grading.said(), "; no marks are written\n"));
}

TEST_CASE("grade: a grader that is killed leaves no student's program running") {
    need_numpy();
    Grading grading;
    grading.stop(SIGKILL);
    CHECK(grading.still_running() == 0);
    CHECK_FALSE(grading.has_marks());
}

TEST_CASE("grade: the time in which the grader itself was stopped is no student's") {
    const pid_t grader = ::fork();
    REQUIRE(grader >= 0);
    if (grader == 0) {
        glassbox::tracer::LimitedRun run;
        run.words = {"/bin/sleep", "1"};
        run.folder = "/";
        glassbox::tracer::Limits limits;
        limits.seconds = 2;
        ::_exit(glassbox::tracer::run_limited(run, limits).stopped.empty() ? 0 : 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(grader, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(3));
    ::kill(grader, SIGCONT);
    int status = 0;
    REQUIRE(::waitpid(grader, &status, 0) == grader);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
