#include "grade/process.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>

#include <glassbox/io/file.h>
#include <glassbox/tensor/format.h>

#include "cli/failure.h"

namespace glassbox::tracer {

using Clock = std::chrono::steady_clock;

namespace {

constexpr double mib = 1048576;
constexpr int watch_every_ms = 20;

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

void limit(int resource, double max) {
    const auto value = static_cast<rlim_t>(max);
    const rlimit both{value, value};
    ::setrlimit(static_cast<decltype(RLIMIT_CPU)>(resource), &both);
}

// The course sets how much memory there is; the shell that started the grader may allow less.
void raise_to_hardest(int resource) {
    const auto which = static_cast<decltype(RLIMIT_CPU)>(resource);
    rlimit both{};
    if (::getrlimit(which, &both) != 0) return;
    both.rlim_cur = both.rlim_max;
    ::setrlimit(which, &both);
}

// SIGXCPU, unlike SIGKILL at the hard limit, shows that it is this limit.
void limit_time(double seconds) {
    constexpr double until_it_is_killed = 5;
    const rlimit both{static_cast<rlim_t>(seconds), static_cast<rlim_t>(seconds + until_it_is_killed)};
    ::setrlimit(RLIMIT_CPU, &both);
}

// In the child. Only system calls: another thread may have held a lock when this one forked. Why it could not
// be started is written into `failed`, which execve closes.
[[noreturn]] void become(const LimitedRun& run, const Limits& limits, char* const* words,
                         char* const* environment, int printed, int result, int given, int failed) {
    ::setsid();
    leave_session_keyring();
    limit_time((limits.seconds + 1) * run.cores);
    limit(RLIMIT_AS, limits.memory * mib);
    raise_to_hardest(RLIMIT_DATA);
    limit(RLIMIT_FSIZE, limits.file_size * mib);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, 256);
    // 3 may be one of the pipes' own ends: out of the way first.
    const int kept_printed = ::fcntl(printed, F_DUPFD, 10), kept_result = ::fcntl(result, F_DUPFD, 10),
              kept_failed = ::fcntl(failed, F_DUPFD, 10), kept_given = ::fcntl(given, F_DUPFD, 10);
    const int in = ::open("/dev/null", O_RDONLY);
    bool is_ready = in >= 0 && ::dup2(in, 0) >= 0 && ::dup2(kept_printed, 1) >= 0 &&
                    ::dup2(kept_printed, 2) >= 0 && ::dup2(kept_result, 3) >= 0 &&
                    ::chdir(run.folder.c_str()) == 0;
    int error = is_ready ? 0 : errno;
    constexpr int of_failure = 4, of_given = 5;
    ::dup2(kept_failed, of_failure);
    ::fcntl(of_failure, F_SETFD, FD_CLOEXEC);
    if (!run.given.empty() && ::dup2(kept_given, of_given) < 0) is_ready = false, error = errno;
    close_from(run.given.empty() ? of_given : of_given + 1);
    for (const int each : {SIGPIPE, SIGXFSZ, SIGXCPU}) ::signal(each, SIG_DFL);
    if (is_ready && run.as_nobody)
        is_ready = ::setgroups(0, nullptr) == 0 && ::setgid(nobody) == 0 && ::setuid(nobody) == 0;
    if (is_ready) ::execve(words[0], words, environment);
    if (error == 0) error = errno;
    [[maybe_unused]] const auto written = ::write(of_failure, &error, sizeof error);
    ::_exit(127);
}

struct Pipe {
    Descriptor read, write;
};

// Closed in whatever is started: a process that another thread starts meanwhile would keep it open for ever.
Pipe make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail<IoError>("no pipe to a process: {}", std::strerror(errno));
    return {Descriptor::owned(ends[0]), Descriptor::owned(ends[1])};
}

// Only what fits into a pipe at once: it has no reader yet.
void fill(const Descriptor& end, const std::string& bytes) {
    ssize_t written;
    do written = ::write(end.number(), bytes.data(), bytes.size());
    while (written < 0 && errno == EINTR);
    if (written != static_cast<ssize_t>(bytes.size()))
        fail<IoError>("a pipe to a process: cannot write: {}", std::strerror(errno));
}

// Data from a pipe, up to `most` bytes; the rest is read and dropped.
struct PipeData {
    int descriptor;
    std::size_t max_bytes;
    std::string* text;
    std::size_t dropped = 0;

    // False at its end.
    bool read_some() {
        char part[16384];
        const ssize_t n = ::read(descriptor, part, sizeof part);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
        if (n < 0) fail<IoError>("what a process prints: cannot read: {}", std::strerror(errno));
        const auto count = static_cast<std::size_t>(n), kept = std::min(count, max_bytes - text->size());
        text->append(part, kept);
        dropped += count - kept;
        return n > 0;
    }
};

class Child {
  public:
    Child(const LimitedRun& run, const Limits& limits) : limits_(limits) {
        std::vector<std::string> words = run.words, environment = run.environment;
        const std::vector<char*> argv = pointers(words), envp = pointers(environment);
        Pipe failed = make_pipe(), given = make_pipe();
        fill(given.write, run.given);
        given.write.close();
        pid_ = ::fork();
        if (pid_ == 0)
            become(run, limits, argv.data(), envp.data(), printed_.write.number(), result_.write.number(),
                   given.read.number(), failed.write.number());
        const int error = pid_ < 0 ? errno : 0;
        for (Descriptor* const end : {&printed_.write, &result_.write, &failed.write}) end->close();
        if (const int why = error ? error : why_not_started(failed.read))
            fail<IoError>("{}: cannot be started: {}", run.words[0], std::strerror(why));
    }
    ~Child() {
        kill();
        if (!is_reaped_) ::waitpid(pid_, nullptr, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    RunResult watch() {
        RunResult result;
        const int from_printed = printed_.read.number(), from_result = result_.read.number();
        PipeData printed{from_printed, static_cast<std::size_t>(limits_.output * 1024), &result.printed};
        PipeData left{from_result, static_cast<std::size_t>(limits_.file_size * mib), &result.result};
        auto begin = Clock::now(), looked = begin;
        bool printed_more = true, left_more = true;
        while (printed_more || left_more || !has_ended()) {
            if (caught_signal()) throw Interrupted();
            pollfd both[] = {{printed_more ? from_printed : -1, POLLIN, 0},
                             {left_more ? from_result : -1, POLLIN, 0}};
            // Asked first: what it wrote before it ended is then there to be read.
            const bool is_over = has_ended();
            ::poll(both, 2, is_over ? 0 : watch_every_ms);
            if (both[0].revents) printed_more = printed.read_some();
            if (both[1].revents) left_more = left.read_some();
            const auto now = Clock::now();
            if (result.stopped.empty() && now - looked > std::chrono::milliseconds(watch_every_ms)) {
                const Usage usage = usage_of(pid_);
                // The grader itself was stopped, such as by Ctrl-Z: that time does not count.
                const bool was_stopped = now - looked > std::chrono::seconds(1);
                if (was_stopped) begin += now - looked;
                const double since = was_stopped ? 0 : std::chrono::duration<double>(now - looked).count();
                if (usage.is_held) held_ += since;
                else note_waiting(usage, since);
                looked = now;
                result.stopped =
                    broken_limit(std::chrono::duration<double>(now - begin).count(), usage, printed, left);
                result.is_held = held_ > limits_.seconds;
                if (!result.stopped.empty()) kill(), killed_ = now;
            }
            // After a kill nothing more is awaited, in case an outside process keeps the pipe open.
            if (!result.stopped.empty() && now - killed_ > std::chrono::seconds(2)) break;
            if (is_over && !both[0].revents && !both[1].revents) break;
        }
        result.is_cut = printed.dropped > 0;
        result.code = code_;
        result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (result.stopped.empty() && code_ == -SIGXFSZ) result.stopped = too_large();
        if (result.stopped.empty() && code_ == -SIGXCPU) result.stopped = too_long();
        return result;
    }

  private:
    // 0 once it has been started; else it has ended.
    int why_not_started(const Descriptor& failed) {
        int error = 0;
        ssize_t n = 0;
        while ((n = ::read(failed.number(), &error, sizeof error)) < 0 && errno == EINTR) continue;
        if (n == 0) return 0;
        if (n < 0) error = errno;
        kill();
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
        return error;
    }

    // All that it started too: they are its session, or end with the sandbox.
    void kill() const {
        if (is_reaped_) ::kill(-pid_, SIGKILL);
        else ::kill(-pid_, SIGKILL), ::kill(pid_, SIGKILL);
    }

    bool has_ended() {
        if (is_reaped_) return true;
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
        is_reaped_ = true;
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return true;
    }

    std::string too_long() const {
        return fmt::format("it did not finish within {} seconds", limits_.seconds);
    }
    std::string too_large() const {
        return fmt::format("it wrote more than {} MiB into a file", limits_.file_size);
    }

    // On a busy machine right work would lose its points to other programs: while one of its processes waits
    // for a processor, its clock stops. Not for ever: it may keep the processors busy itself.
    void note_waiting(const Usage& usage, double since) {
        double longest = 0;
        for (const auto& [id, seconds] : usage.waited) longest = std::max(longest, seconds - had_waited_[id]);
        waited_ += std::min(longest, since);
        had_waited_ = usage.waited;
    }

    std::string broken_limit(double seconds, const Usage& usage, const PipeData& printed,
                             const PipeData& left) const {
        constexpr double max_patience = 4;
        if (held_ > limits_.seconds) return "it was stopped by a signal (SIGSTOP), and not continued";
        if (seconds - waited_ - held_ > limits_.seconds || seconds > max_patience * limits_.seconds)
            return too_long();
        // Output slightly over the limit is only cut; endless output is discarded.
        if (printed.dropped > 16 * printed.max_bytes)
            return fmt::format("it printed more than {} KiB", 16 * limits_.output);
        if (left.dropped > 0) return too_large();
        if (usage.memory > limits_.memory * mib)
            return fmt::format("it used more than {} MiB of memory", limits_.memory);
        if (usage.processes > limits_.processes + 8)  // the sandbox's own among them
            return fmt::format("it started more than {} processes", limits_.processes);
        return "";
    }

    const Limits& limits_;
    pid_t pid_ = -1;
    Pipe printed_ = make_pipe(), result_ = make_pipe();
    int code_ = 0;
    bool is_reaped_ = false;
    Clock::time_point killed_{};
    double waited_ = 0;                     // for a processor, in seconds
    double held_ = 0;                       // by a signal, in seconds
    std::map<pid_t, double> had_waited_{};  // each process, when it was last checked
};

}  // namespace

RunResult run_limited(const LimitedRun& run, const Limits& limits) { return Child(run, limits).watch(); }

namespace {

// The kernel's record of one folder entry: getdents64.
struct FolderEntry {
    std::uint64_t inode;
    std::int64_t next;
    unsigned short length;
    unsigned char type;
    char name[1];
};

}  // namespace

// As many as are open in /proc: a limit on descriptors may have been lowered below them.
void close_each_from(int first) {
    alignas(FolderEntry) static char entries[4096];
    const int folder = ::open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    // Closing moves nothing: the kernel lists by number.
    for (long n; folder >= 0 && (n = ::syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < n; at += reinterpret_cast<const FolderEntry*>(entries + at)->length) {
            int number = 0;
            for (const char* digit = reinterpret_cast<const FolderEntry*>(entries + at)->name; *digit;
                 ++digit)
                number = *digit < '0' || *digit > '9' ? -1 : 10 * number + *digit - '0';
            if (number >= first && number != folder) ::close(number);
        }
    if (folder >= first) ::close(folder);
}

void close_from(int first) {
    if (::syscall(SYS_close_range, first, ~0U, 0) != 0) close_each_from(first);
}

void leave_session_keyring() { ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr); }

}  // namespace glassbox::tracer
