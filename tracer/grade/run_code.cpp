#include "grade/run_code.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <thread>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "grade/run_function.h"
#include "grade/scratch.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

// An end by a signal, from the student's own crash or another program, is distinguished from an ordinary
// failure, and that from a failure of a program of the judge. exit(-1) is 255, and no signal.
const std::string run_or_fail =
    "not_ended() { [ $1 -ne 96 ] || exit 96; [ $1 -le 128 ] || [ $1 -ge 160 ] || exit $1; }\n"
    "run() { \"$@\"; code=$?; not_ended $code; [ $code -eq 0 ] || exit 92; }\n";
constexpr int by_own_fault = 96;
constexpr int by_signal = 128;  // and the signal's number
constexpr int signals_end = 32;

// A program that ends itself leaves nothing.
const std::string has_result =
    "if [ ! -e \"$2/out.npz\" ]; then echo 'it ended the program: does it call exit?'; exit 92; "
    "fi\n";

// What the scripts send on descriptor 3: "C" once the code is compiled, or is about to be read in Python;
// then of a lesson the cases that stopped, each text with a NUL after it, and another NUL; then how many
// bytes the arrays' file has, that file, and the one for the other inputs, which may be missing.
const std::string send_lesson =
    "cat \"$2/out.stopped\" >&3; printf '\\0%d\\n' \"$(wc -c <\"$2/out.npz\")\" >&3\n"
    "cat \"$2/out.npz\" >&3; cat \"$2/other.npz\" >&3 2>/dev/null; exit 0\n";

// Compiling is also untrusted: an #include may name any file, and a template may never end.
std::string script_for_cpp(const std::string& lesson, const Limits& limits) {
    const int seconds = std::max(1, static_cast<int>(limits.seconds / 4));  // for compiling and two calls
    const std::string collect =
        fmt::format("\"$1/collect\" \"$1/{}\" \"$2/exercise\" \"the exercise\"", lesson);
    return fmt::format(
               "c++ -std=c++20 -O1 -w -fPIC -shared -fdiagnostics-color=never -I \"$1/{}\" -o "
               "\"$2/exercise\" "
               "\"$1/exercise.cpp\" || exit 91\n"
               "printf C >&3\n{}run {} \"$1/inputs.npz\" {} \"$2/out\"\n",
               lesson, run_or_fail, collect, seconds) +
           has_result +
           fmt::format("{} \"$1/other.npz\" {} \"$2/other\" >/dev/null 2>&1\nnot_ended $?\n", collect,
                       seconds) +
           send_lesson;
}

// run_python.py calls the lesson's check; here that only keeps what it is given.
constexpr const char* keep =
    "#!/bin/sh\n"
    "[ \"$2\" = python ] || exit 0\n"
    "cp \"$3\" \"$TMPDIR/out.npz\"; shift 4\n"
    "while [ $# -gt 2 ]; do printf '%s\\0%s\\0%s\\0' \"$1\" \"$3\" \"$2\"; shift 3; done "
    ">\"$TMPDIR/out.stopped\"\n";

// An empty folder of that name can also be imported.
const std::string uses_numpy = "import numpy\nnumpy.zeros(1) + 1\n";
const std::string says_so = "import os\nos.write(3, b'C')\n";

// Calls a script of Python's as Python would. Failures before NumPy is loaded are not the student's.
const std::string begin_py =
    uses_numpy +
    "import runpy, sys\n"
    "import os\n"
    "del sys.argv[0]\n"
    "sys.path[0] = os.path.dirname(sys.argv[0])\n" +
    says_so +
    "try:\n"
    "    runpy.run_path(sys.argv[0], run_name='__main__')\n"
    "except Exception as error:\n"
    "    import traceback\n"
    "    traceback.print_exc()\n"
    "    files = [each.filename for each in traceback.extract_tb(error.__traceback__)]\n"
    "    sys.exit(1 if any(each.endswith('exercise.py') for each in files) else 96)\n";

std::string script_for_python(const std::string& lesson) {
    const auto call = [&](const char* folder) {
        return fmt::format(
            "python3 \"$1/begin.py\" \"$1/support/run_python.py\" \"$1/keep\" \"{}/{}\" \"$1/exercise.py\" "
            "exercise.py",
            folder, lesson);
    };
    return run_or_fail + "run " + call("$1") + "\n" + has_result +
           "mv \"$2/out.npz\" \"$2/first.npz\"; mv \"$2/out.stopped\" \"$2/first.stopped\"\n" +
           call("$1/other") +
           " >/dev/null 2>&1 3>\"$2/has_begun\"\n"
           "not_ended $?\n"
           "[ -s \"$2/has_begun\" ] || exit 93\n"
           "mv \"$2/out.npz\" \"$2/other.npz\"; mv \"$2/first.npz\" \"$2/out.npz\"\n"
           "mv \"$2/first.stopped\" \"$2/out.stopped\"\n" +
           send_lesson;
}

const std::string script_for_function =
    run_or_fail +
    "run python3 \"$1/run_function.py\" \"$1/own\" \"$1/inputs.npz\" \"$1/call.json\" \"$2/out.npz\"\n" +
    has_result + "cat \"$2/out.npz\" >&3\n";

void copy_plain_files(const fs::path& from, const fs::path& to, const std::vector<std::string>& endings) {
    fs::create_directories(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
        const std::string ending = entry.path().extension().string();
        if (entry.is_regular_file() && std::find(endings.begin(), endings.end(), ending) != endings.end())
            fs::copy_file(entry.path(), to / entry.path().filename(), fs::copy_options::overwrite_existing);
    }
}

void give_python_lesson(const LessonFiles& files, const fs::path& inputs, const fs::path& lesson) {
    fs::create_directories(lesson);
    fs::copy_file(files.folder / "lesson.json", lesson / "lesson.json");
    fs::copy_file(files.folder / "lesson.py", lesson / "lesson.py");
    fs::copy_file(inputs, lesson / "golden.npz");
}

// The lesson's files for every student, without solution, mistakes and golden numbers.
void give_lesson(const LessonFiles& files, const TaskInputs& inputs, bool is_python, const fs::path& folder) {
    const fs::path name = files.folder.filename();
    if (is_python) {
        copy_plain_files(files.support, folder / "support", {".py"});
        give_python_lesson(files, inputs.file, folder / name);
        give_python_lesson(files, inputs.other, folder / "other" / name);
        put_file(folder / "begin.py", begin_py);
        put_file(folder / "keep", keep);
        fs::permissions(folder / "keep", fs::perms(0755));
        return;
    }
    copy_plain_files(files.support, folder / "support", {".h"});
    copy_plain_files(files.support / "given", folder / "support/given", {".h"});
    fs::create_directory(folder / name);
    fs::copy_file(files.folder / "lesson.json", folder / name / "lesson.json");
    fs::copy_file(files.folder / "lesson.h", folder / name / "lesson.h");
    fs::copy_file(files.collect, folder / "collect");
    fs::copy_file(inputs.file, folder / "inputs.npz");
    fs::copy_file(inputs.other, folder / "other.npz");
}

using Sizes = std::map<std::string, std::uintmax_t>;

// For each file below a folder, by its path.
Sizes sizes_in(const fs::path& folder) {
    Sizes sizes;
    std::error_code gone;
    for (fs::recursive_directory_iterator each(folder, gone), end; !gone && each != end;
         each.increment(gone)) {
        const std::uintmax_t size = fs::is_regular_file(each->path(), gone) ? each->file_size(gone) : 0;
        sizes[each->path().string()] = gone ? 0 : size;
    }
    return sizes;
}

// The files laid out for the work must still be there at its end: a program that cleans the temporary folder
// must not cost points.
void refuse_removed(const Sizes& laid_out, const fs::path& folder) {
    const Sizes now = sizes_in(folder);
    for (const auto& [path, size] : laid_out)
        if (const auto found = now.find(path); found == now.end() || found->second != size)
            fail<IoError>(
                "{} was removed or changed while the work ran, perhaps by a program that cleans up there: "
                "set TMPDIR to another folder",
                printable(path));
}

// The first lines, without what is of no use to a student.
std::string first_lines(const std::string& printed, const CourseTask& task, int max_lines = 12) {
    std::size_t end = 0;
    for (int line = 0; line < max_lines && end < printed.size(); ++line)
        end = std::min(printed.find('\n', end), printed.size() - 1) + 1;
    std::string text = printable_lines(printed.substr(0, end));
    for (const char* folder : {"/given/own/", "/given/"})
        for (std::size_t at; (at = text.find(folder)) != std::string::npos;)
            text.erase(at, std::string(folder).size());
    const std::string ours = task.kind == CourseTask::Kind::lesson_cpp ? "exercise.cpp" : "exercise.py";
    for (std::size_t at = 0; !task.lesson.empty() && (at = text.find(ours, at)) != text.npos;
         at += task.file.size())
        text.replace(at, ours.size(), task.file);
    return text + (end < printed.size() ? "…\n" : "");
}

std::string last_line(std::string_view printed) {
    while (printed.ends_with('\n')) printed.remove_suffix(1);
    return printable(std::string(printed.substr(printed.rfind('\n') + 1)));
}

// The cases that stopped end with an empty one.
bool split(std::string_view sent, CodeResult& result) {
    std::size_t at = 0;
    while (at < sent.size() && sent[at] != '\0') {
        for (int text = 0; text < 3; ++text) {
            const std::size_t end = sent.find('\0', at);
            if (end == sent.npos) return false;
            at = end + 1;
        }
    }
    if (at >= sent.size()) return false;
    result.stopped = sent.substr(0, at);
    const std::size_t line = sent.find('\n', ++at);
    std::size_t bytes = 0;
    if (line == sent.npos || std::from_chars(sent.data() + at, sent.data() + line, bytes).ec != std::errc{})
        return false;
    const std::string_view files = sent.substr(line + 1);
    result.arrays = files.substr(0, bytes);
    result.other_arrays = files.substr(std::min(bytes, files.size()));
    return true;
}

std::string end_of(const RunResult& ran, const CourseTask& task, bool was_read) {
    if (!ran.stopped.empty()) return was_read ? ran.stopped : "compiling " + task.file + ": " + ran.stopped;
    if (ran.code == 91) return task.file + " does not compile";
    if (ran.code < 0) return fmt::format("{} was terminated by signal {}", task.file, -ran.code);
    return task.file + " gave no result";
}

std::string why_ended(const RunResult& ran) {
    if (!ran.stopped.empty()) return ran.stopped;
    const std::string text = last_line(ran.printed);
    return text.empty() ? fmt::format("exit code {}", ran.code) : text;
}

// The message of the compiler, its linker or the shell if one of them did not fail by itself; else "".
std::string why_compiler_died(const std::string& printed) {
    const std::string text = "\n" + printed + "\n";
    for (const char* word : {"signal terminated program", "terminated with signal", "internal compiler error",
                             "fatal error: cannot execute", ": vfork: ", "\nKilled\n", "\nBus error\n"})
        if (const std::size_t found = text.find(word); found != text.npos) {
            const std::size_t at = text.find_first_not_of('\n', found);
            return printable(text.substr(at, text.find('\n', at) - at));
        }
    return "";
}

// Before a student's code is read only the compiler can do anything by its fault.
std::string why_machine_failed(const RunResult& ran, const CourseTask& task) {
    if (task.kind == CourseTask::Kind::lesson_cpp && ran.code == 92 &&
        ran.printed.find("collect: Permission denied") != ran.printed.npos)
        return "nothing can be run where TMPDIR is: it is mounted with noexec; set it to another folder";
    if (ran.code == 93) return "Python could not start a second time";
    if (ran.code == by_own_fault && ran.result.starts_with("C"))
        return "one of the grader's own programs failed: " + why_ended(ran);
    if (ran.result.starts_with("C")) return "";
    if (task.kind != CourseTask::Kind::lesson_cpp) return "Python could not start: " + why_ended(ran);
    // Compiling too long means a busy machine, or code that cannot be judged.
    if (!ran.stopped.empty()) return "compiling it: " + ran.stopped;
    const std::string why = ran.code == 91 ? why_compiler_died(ran.printed) : why_ended(ran);
    return why.empty() ? "" : "the compiler could not run: " + why;
}

}  // namespace

std::string why_no_numpy(const RunResult& ran) {
    return "/usr/bin/python3 cannot use NumPy (on Debian and Ubuntu: apt install python3-numpy): " +
           why_ended(ran);
}

void try_python(const Sandbox& sandbox, const Limits& limits) {
    const ScratchFolder given;
    put_file(given / "try.py", uses_numpy + says_so);
    sandbox.hand_over(given.path());
    const RunResult ran = sandbox.run("python3 \"$1/try.py\"", given.path(), limits);
    if (!ran.result.starts_with("C")) fail<IoError>("{}", why_no_numpy(ran));
}

CodeResult result_of(const RunResult& ran, const CourseTask& task) {
    if (const std::string why = why_machine_failed(ran, task); !why.empty()) fail<IoError>("{}", why);
    CodeResult result;
    const bool was_read = ran.result.starts_with("C");
    const std::string_view sent = std::string_view(ran.result).substr(was_read ? 1 : 0);
    const bool has_ended = ran.stopped.empty() && ran.code == 0 && was_read;
    if (has_ended && task.lesson.empty()) result.arrays = sent;
    if (has_ended && (task.lesson.empty() ? !sent.empty() : split(sent, result))) return result;
    return {end_of(ran, task, was_read), first_lines(ran.printed, task)};
}

namespace {

// The signal that ended the work, or what runs it; 0 if none did. The lessons' programs report it for the
// work's own process.
int signal_of(const RunResult& ran) {
    if (!ran.stopped.empty() || ran.code == 0 || ran.code == 91) return 0;
    if (ran.code < 0) return -ran.code;  // without a sandbox
    if (ran.code > by_signal && ran.code < by_signal + signals_end) return ran.code - by_signal;
    constexpr std::string_view says = "crashed (signal ";
    const std::size_t at = ran.printed.find(says);
    int signal = 0;
    if (at != ran.printed.npos) {
        const char* const digits = ran.printed.data() + at + says.size();
        std::from_chars(digits, ran.printed.data() + ran.printed.size(), signal);
    }
    return signal;
}

// Whether failing code or one of the judge's limits ends with this signal: any other comes from another
// program, such as one that frees memory, or from outside.
bool is_own(int signal, const RunResult& ran, const Limits& limits) {
    if (signal == SIGXCPU)  // the limit is not reached sooner, even with all processors
        return ran.seconds * std::max(1u, std::thread::hardware_concurrency()) >= limits.seconds;
    constexpr int own[] = {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGTRAP, SIGSYS, SIGXFSZ};
    return std::find(std::begin(own), std::end(own), signal) != std::end(own);
}

// Messages of programs that are refused memory.
constexpr const char* of_memory[] = {"MemoryError",           "bad_alloc",
                                     "annot allocate memory", "ut of memory",
                                     "nable to allocate",     "more memory than there is",
                                     "can't start new thread"};

// As `kill -l` lists it.
std::string name_of(int signal) {
    static const std::map<int, const char*> names{
        {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},   {SIGHUP, "SIGHUP"},
        {SIGQUIT, "SIGQUIT"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"},
        {SIGALRM, "SIGALRM"}, {SIGXCPU, "SIGXCPU"}};
    const auto found = names.find(signal);
    return found == names.end() ? fmt::format("signal {}", signal) : found->second;
}

// Whether something crashed: the work itself, by its own fault or not, or what runs it. A second call that
// gave nothing may also have ended so.
bool has_crashed(const RunResult& ran, const CourseTask& task, const CodeResult& result) {
    if (!ran.stopped.empty() || ran.code == 91) return false;
    const bool is_called_twice = !task.lesson.empty() && ran.code == 0;
    return signal_of(ran) != 0 || (ran.code != 0 && ran.printed.find("crashed") != ran.printed.npos) ||
           result.stopped.find(std::string("\0crash\0", 7)) != result.stopped.npos ||
           (is_called_twice && result.other_arrays.empty());
}

// If the grader itself was started with less memory than the course gives, and the work had too little: why
// it has no mark. A crash may also be refused memory.
std::string why_too_little_memory(const RunResult& ran, const CodeResult& result, const Limits& limits) {
    constexpr double bytes = 1048576;
    const std::string all = ran.printed + result.stopped;
    const bool is_short = (signal_of(ran) != 0 && is_own(signal_of(ran), ran, limits)) ||
                          ((!result.problem.empty() || !result.stopped.empty()) &&
                           std::any_of(std::begin(of_memory), std::end(of_memory),
                                       [&](const char* word) { return all.find(word) != all.npos; }));
    if (!is_short) return "";
    for (const auto& [which, option] : {std::pair{RLIMIT_DATA, "-d"}, std::pair{RLIMIT_AS, "-v"}}) {
        rlimit both{};
        if (::getrlimit(which, &both) != 0 || both.rlim_max == RLIM_INFINITY ||
            static_cast<double>(both.rlim_max) >= limits.memory * bytes)
            continue;
        return fmt::format(
            "it had too little memory: tracer was started with a limit of {} MiB (ulimit {}), and the course "
            "allows {} MiB: use a shell with ulimit {} {} or more",
            both.rlim_max / static_cast<rlim_t>(bytes), option, limits.memory, option, limits.memory * 1024);
    }
    return "";
}

// A program of the judge's own, in the place of the student's: whether that ends as it should.
void try_machine(const Sandbox& sandbox, const CourseTask& task, const std::filesystem::path& given,
                 const Limits& limits) {
    const bool is_cpp = task.kind == CourseTask::Kind::lesson_cpp;
    put_file(given / "try.py", uses_numpy + says_so);
    const RunResult ran = sandbox.run(
        is_cpp ? "\"$1/collect\"\n[ $? -eq 2 ] && printf C >&3\n" : "python3 \"$1/try.py\"", given, limits);
    if (!ran.result.starts_with("C"))
        fail<IoError>("the grader's own programs crash here too: {}", why_ended(ran));
}

}  // namespace

CodeResult run_code(const Course& course, const CourseTask& task, const Submission& submission,
                    const TaskInputs& inputs, const LessonPlaces& places, const Sandbox& sandbox) {
    const ScratchFolder given;
    const bool is_python = task.kind != CourseTask::Kind::lesson_cpp;
    std::string script = script_for_function;
    if (task.lesson.empty()) {
        fs::create_directory(given / "own");
        put_file(given / "own" / task.file, submission.bytes);
        fs::create_directory(given / "naming");
        for (const PythonFile& file : naming_py()) put_file(given / "naming" / file.name, file.text);
        put_file(given / "run_function.py", run_function_py());
        put_file(given / "call.json", call_json(course, task, inputs, beside_inputs(task, inputs)));
        fs::copy_file(inputs.file, given / "inputs.npz");
    } else {
        put_file(given / (is_python ? "exercise.py" : "exercise.cpp"), submission.bytes);
        const LessonFiles files = lesson_files(places, task.lesson);
        give_lesson(files, inputs, is_python, given.path());
        const std::string name = files.folder.filename().string();
        script = is_python ? script_for_python(name) : script_for_cpp(name, course.limits);
    }
    Sizes laid_out = sizes_in(given.path());
    laid_out[(task.lesson.empty() ? given / "own" / task.file
                                  : given / (is_python ? "exercise.py" : "exercise.cpp"))
                 .string()] = submission.bytes.size();
    sandbox.hand_over(given.path());
    // A crash may be the machine's fault, and does not show whose it is: it is the work's if that crashes
    // each time and a program of the judge does not.
    constexpr int times = 3;
    for (int time = 1;; ++time) {
        const RunResult ran = sandbox.run(script, given.path(), course.limits);
        refuse_removed(laid_out, given.path());
        CodeResult result = result_of(ran, task);
        if (const std::string why = why_too_little_memory(ran, result, course.limits); !why.empty())
            fail<IoError>("{}", why);
        if (!has_crashed(ran, task, result)) return result;
        if (const int signal = signal_of(ran);
            time == times && signal != 0 && !is_own(signal, ran, course.limits))
            fail<IoError>(
                "it was terminated by a signal ({}) {} times, not by a limit: perhaps by another program",
                name_of(signal), times);
        if (time == times) return result;
        try_machine(sandbox, task, given.path(), course.limits);
    }
}

}  // namespace glassbox::tracer
