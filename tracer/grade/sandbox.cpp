#include "grade/sandbox.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "grade/process.h"
#include "grade/scratch.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

std::string bubblewrap() {
    for (const char* path : {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"})
        if (::access(path, X_OK) == 0) return path;
    return "";
}

// The compiler's and the libraries' folders; a link stays one (/lib is usr/lib).
std::vector<std::string> system_folders() {
    std::vector<std::string> words;
    for (const char* folder : {"/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32",
                               "/usr/libexec", "/usr/include", "/usr/share/gcc", "/bin", "/sbin", "/lib",
                               "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache"}) {
        std::error_code error;
        const fs::path target = fs::read_symlink(folder, error);
        if (!error) words.insert(words.end(), {"--symlink", target.string(), folder});
        else if (fs::exists(folder, error)) words.insert(words.end(), {"--ro-bind", folder, folder});
    }
    return words;
}

// An installed command would compute the answer.
std::vector<std::string> without_command() {
    const char* const command = "/usr/bin/tracer";
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(command, error))) return {};
    return {"--ro-bind", "/dev/null", command};
}

// What a program needs; nothing of the teacher's own environment.
std::vector<std::string> environment(const std::string& home) {
    return {"PATH=/usr/bin:/bin",     "LC_ALL=C.UTF-8",    "HOME=" + home,      "TMPDIR=" + home,
            "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1",
            "PYTHONHASHSEED=0",       "NO_COLOR=1",        "PYTHONNOUSERSITE=1"};
}

// The number of processes is counted from within: outside, the user's other programs would also count. (bash
// calls the option -u, dash -p.)
std::string with_limits(const std::string& script, const Limits& limits) {
    const auto max_processes = static_cast<long>(limits.processes);
    return fmt::format("if (ulimit -u {0}) 2>/dev/null; then ulimit -u {0}; else ulimit -p {0}; fi\n{1}",
                       max_processes, script);
}

// The script's first word on descriptor 3, of which the caller hears nothing.
const std::string has_begun = "S";

std::vector<std::string> words_of(const std::string& bwrap, bool without_users, const fs::path& readable,
                                  const Limits& limits) {
    std::vector<std::string> words = {bwrap,           "--unshare-all", "--die-with-parent",
                                      "--new-session", "--cap-drop",    "ALL"};
    if (without_users) words.insert(words.end(), {"--unshare-user", "--disable-userns"});
    if (!system_call_filter().empty()) words.insert(words.end(), {"--seccomp", "5"});
    for (const std::vector<std::string>& some : {system_folders(), without_command()})
        words.insert(words.end(), some.begin(), some.end());
    const std::string size = std::to_string(static_cast<long>(4 * limits.file_size * 1048576));
    words.insert(words.end(),
                 {"--proc",    "/proc",           "--dev",  "/dev",    "--size", size,           "--tmpfs",
                  "/dev/shm",  "--remount-ro",    "/dev",   "--size",  size,     "--tmpfs",      "/tmp",
                  "--ro-bind", readable.string(), "/given", "--chdir", "/tmp",   "--remount-ro", "/",
                  "--"});
    return words;
}

LimitedRun sandboxed(const std::string& bwrap, bool as_nobody, bool without_users, const fs::path& readable,
                     const Limits& limits, const std::string& script) {
    LimitedRun run{words_of(bwrap, without_users, readable, limits), environment("/tmp"), "/", as_nobody};
    run.given = system_call_filter();
    run.words.insert(run.words.end(), {"/bin/sh", "-c", script, "sh", "/given", "/tmp"});
    return run;
}

std::string why_not(const RunResult& ran) {
    if (!ran.stopped.empty()) return ran.stopped;
    const std::string printed = ran.printed.substr(0, ran.printed.find('\n'));
    return printable(printed.empty() ? "it ended without a message" : printed);
}

// Why an empty sandbox does not start. Another program that merely succeeds is no sandbox: within one, there
// is the requested folder, and no user is known by name.
std::string trial(const std::string& bwrap, bool as_nobody, bool without_users) {
    const ScratchFolder folder;
    try {
        if (as_nobody) folder.give_to(nobody);
    } catch (const IoError& error) {  // root in name only
        return error.what();
    }
    const Limits limits;
    const RunResult ran = run_limited(
        sandboxed(bwrap, as_nobody, without_users, folder.path(), limits,
                  "[ -d \"$1\" ] && [ ! -e /etc/passwd ] && [ ! -w /usr ] && printf " + has_begun + " >&3"),
        limits);
    return ran.stopped.empty() && ran.result == has_begun ? "" : why_not(ran);
}

}  // namespace

std::string Sandbox::problem() {
    Sandbox any;
    return problem(any);
}

// The strictest that works here.
std::string Sandbox::problem(Sandbox& sandbox) {
    const std::string bwrap = bubblewrap();
    if (bwrap.empty()) return "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)";
    std::string why;
    // The system does not count root's processes.
    for (const bool as_nobody : {true, false})
        for (const bool without_users : {true, false}) {
            if (as_nobody && ::geteuid() != 0) continue;
            why = trial(bwrap, as_nobody, without_users);
            if (!why.empty()) continue;
            sandbox.bwrap_ = bwrap, sandbox.as_nobody_ = as_nobody, sandbox.without_users_ = without_users;
            return "";
        }
    return "bubblewrap does not work here: " + why;
}

Sandbox Sandbox::find(bool trust) {
    Sandbox sandbox;
    if (trust) return sandbox;
    if (const std::string why = problem(sandbox); !why.empty())
        fail<IoError>(
            "{}; untrusted code runs only in its sandbox. --trust runs it as your own program, with only the "
            "course's limits",
            why);
    return sandbox;
}

void Sandbox::hand_over(const fs::path& folder) const {
    if (as_nobody_ && ::chown(folder.c_str(), nobody, nobody) != 0)
        fail<IoError>("{}: cannot be handed over: {}", folder.string(), std::strerror(errno));
}

RunResult Sandbox::run(const std::string& script, const fs::path& readable, const Limits& limits) const {
    const std::string begin = "printf " + has_begun + " >&3\n";
    const double killed = killed_for_memory();
    std::optional<ScratchFolder> writable;
    LimitedRun run;
    if (is_sandbox()) {
        run = sandboxed(bwrap_, as_nobody_, without_users_, readable, limits,
                        begin + with_limits(script, limits));
    } else {
        run.folder = writable.emplace().path().string();
        run.environment = environment(run.folder);
        run.words = {"/bin/sh", "-c", begin + script, "sh", readable.string(), run.folder};
    }
    RunResult ran = run_limited(run, limits);
    if (!ran.result.starts_with(has_begun)) fail<IoError>("the sandbox did not start: {}", why_not(ran));
    ran.result.erase(0, has_begun.size());
    if (ran.is_held) fail<IoError>("{}", ran.stopped);
    // Within, a signal to the sandbox itself is impossible, and ends as an exit code of the script.
    if (is_sandbox() && ran.stopped.empty() && ran.code < 0)
        fail<IoError>("the sandbox was terminated from outside by signal {}", -ran.code);
    if (ran.stopped.empty() && ran.code != 0 && killed_for_memory() > killed)
        fail<IoError>("the machine ran out of memory and killed a program");
    return ran;
}

}  // namespace glassbox::tracer
