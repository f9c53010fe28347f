// --step on a terminal: a pseudo-terminal, on which a process takes the shell's part.
#include <fcntl.h>
#include <support/catch.h>
#include <support/terminals.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

// The shell: runs the command as its foreground job; once that has stopped and a byte has come, continues it.
// Exit code: the job's, 100 when it did not stop.
[[noreturn]] void be_shell(const char* terminal, int wait_for) {
    ::setsid();
    const int fd = ::open(terminal, O_RDWR);  // becomes the controlling terminal
    for (int i = 0; i < 3; ++i) ::dup2(fd, i);
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t job = ::fork();
    if (job == 0) {
        ::setpgid(0, 0);
        ::tcsetpgrp(0, ::getpid());
        ::signal(SIGTTOU, SIG_DFL);
        ::execl(GLASSBOX_TRACER, "tracer", "attention", "--seq", "2", "--step", nullptr);
        ::_exit(127);
    }
    int status = 0;
    char byte = 0;
    if (::waitpid(job, &status, WUNTRACED) != job || !WIFSTOPPED(status) || ::read(wait_for, &byte, 1) != 1)
        ::_exit(100);
    ::kill(job, SIGCONT);
    ::waitpid(job, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 101);
}

// Waits until the terminal hands over single keys, or lines; takes what is printed meanwhile.
bool becomes(int terminal, bool single_keys) {
    char buffer[4096];
    for (int i = 0; i < 1000; ++i) {
        termios mode;
        while (::read(terminal, buffer, sizeof buffer) > 0) {
        }
        if (::tcgetattr(terminal, &mode) == 0 && ((mode.c_lflag & (ICANON | ECHO)) == 0) == single_keys)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace

TEST_CASE(
    "command: with --step the terminal has its own mode while Ctrl-Z stops the command, and single keys "
    "after fg") {
    glassbox_test::need_terminals();
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    REQUIRE(terminal >= 0);
    REQUIRE(::grantpt(terminal) == 0);
    REQUIRE(::unlockpt(terminal) == 0);
    const std::string name = ::ptsname(terminal);
    int pipe[2];
    REQUIRE(::pipe(pipe) == 0);
    const int kept =
        ::open(name.c_str(), O_RDWR | O_NOCTTY);  // the mode can be asked for when all others have closed it
    const pid_t shell = ::fork();
    if (shell == 0) be_shell(name.c_str(), pipe[0]);

    CHECK(becomes(terminal, true));
    CHECK(::write(terminal, "\x1a", 1) == 1);
    CHECK(becomes(terminal, false));
    CHECK(::write(pipe[1], "f", 1) == 1);
    CHECK(becomes(terminal, true));
    CHECK(::write(terminal, "\x1a", 1) == 1);  // a second time, too
    CHECK(becomes(terminal, false));
    ::kill(-::tcgetpgrp(terminal), SIGCONT);
    CHECK(becomes(terminal, true));
    CHECK(::write(terminal, "q", 1) == 1);
    int status = 0;
    REQUIRE(::waitpid(shell, &status, 0) == shell);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(becomes(terminal, false));
    for (const int fd : {terminal, kept, pipe[0], pipe[1]}) ::close(fd);
}
