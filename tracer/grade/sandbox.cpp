#include "grade/sandbox.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <glassbox/io/detail/text.h>
#include <glassbox/tensor/format.h>

#include "grade/scratch.h"

namespace tracer {

namespace fs = std::filesystem;
using glassbox::fail;

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

// An installed command would compute what is asked for.
std::vector<std::string> without_command() {
    const char* const command = "/usr/bin/tracer";
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(command, error))) return {};
    return {"--ro-bind", "/dev/null", command};
}

// What a program needs to be told; nothing of the teacher's own environment.
std::vector<std::string> environment(const std::string& home) {
    return {"PATH=/usr/bin:/bin",     "LC_ALL=C.UTF-8",    "HOME=" + home,      "TMPDIR=" + home,
            "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1",
            "PYTHONHASHSEED=0",       "NO_COLOR=1",        "PYTHONNOUSERSITE=1"};
}

// The number of processes is counted from within: outside, the user's other programs would count, too. (bash
// calls the option -u, dash -p.)
std::string with_limits(const std::string& script, const Limits& limits) {
    const auto most = static_cast<long>(limits.processes);
    return fmt::format("if (ulimit -u {0}) 2>/dev/null; then ulimit -u {0}; else ulimit -p {0}; fi\n{1}",
                       most, script);
}

std::vector<std::string> words_of(const std::string& bwrap, const fs::path& readable, const Limits& limits) {
    std::vector<std::string> words = {bwrap,           "--unshare-all", "--die-with-parent",
                                      "--new-session", "--cap-drop",    "ALL"};
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

// Why a sandbox in which nothing happens does not come up.
std::string trial(const std::string& bwrap, bool as_nobody) {
    const ScratchFolder folder;
    try {
        if (as_nobody) folder.give_to(nobody);
    } catch (const glassbox::IoError& error) {  // root in name only
        return error.what();
    }
    const Limits limits;
    LimitedRun run{words_of(bwrap, folder.path(), limits), environment("/tmp"), "/", as_nobody};
    run.words.insert(run.words.end(), {"/bin/sh", "-c", "exit 0"});
    const RunResult result = run_limited(run, limits);
    if (result.stopped.empty() && result.code == 0) return "";
    const std::string said = result.said.substr(0, result.said.find('\n'));
    return result.stopped.empty() ? glassbox::printable(said.empty() ? "it ended without a word" : said)
                                  : result.stopped;
}

}  // namespace

std::string Sandbox::problem() {
    const std::string bwrap = bubblewrap();
    if (bwrap.empty()) return "bubblewrap is not installed (on Debian and Ubuntu: apt install bubblewrap)";
    if (::geteuid() == 0 && trial(bwrap, true).empty()) return "";
    const std::string why = trial(bwrap, false);
    return why.empty() ? "" : "bubblewrap does not work here: " + why;
}

Sandbox Sandbox::find(bool trust) {
    Sandbox sandbox;
    if (trust) return sandbox;
    if (const std::string why = problem(); !why.empty())
        fail<glassbox::UsageError>(
            "{}; strangers' code runs in its sandbox only. --trust runs it as your own program, with the "
            "course's limits alone",
            why);
    sandbox.bwrap_ = bubblewrap();
    // The system does not count root's processes.
    sandbox.as_nobody_ = ::geteuid() == 0 && trial(sandbox.bwrap_, true).empty();
    return sandbox;
}

void Sandbox::hand_over(const fs::path& folder) const {
    if (as_nobody_ && ::chown(folder.c_str(), nobody, nobody) != 0)
        fail<glassbox::IoError>("{}: cannot be handed over: {}", folder.string(), std::strerror(errno));
}

RunResult Sandbox::run(const std::string& script, const fs::path& readable, const Limits& limits) const {
    LimitedRun run;
    run.as_nobody = as_nobody_;
    if (is_sandbox()) {
        run.words = words_of(bwrap_, readable, limits);
        run.environment = environment("/tmp");
        run.words.insert(run.words.end(),
                         {"/bin/sh", "-c", with_limits(script, limits), "sh", "/given", "/tmp"});
        return run_limited(run, limits);
    }
    const ScratchFolder writable;
    run.folder = writable.path().string();
    run.environment = environment(run.folder);
    run.words = {"/bin/sh", "-c", script, "sh", readable.string(), run.folder};
    return run_limited(run, limits);
}

}  // namespace tracer
