// What a submission finds in the sandbox, and what it does not.
#include "class.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <set>

#include "tracer/grade/process.h"
#include "tracer/grade/scratch.h"

using namespace glassbox_test;

namespace {

// What this C++ program, run in the sandbox, writes to descriptor 3.
std::string from_program(const std::string& body, double memory = 1024) {
    const glassbox::tracer::ScratchFolder given;
    glassbox::tracer::put_file(
        given / "x.cpp",
        "#include <cerrno>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
        "#include <cstring>\n#include <fcntl.h>\n#include <linux/vm_sockets.h>\n"
        "#include <sched.h>\n#include <sys/ioctl.h>\n#include <sys/ipc.h>\n#include <sys/mman.h>\n"
        "#include <sys/mount.h>\n#include <sys/shm.h>\n#include <sys/socket.h>\n"
        "#include <sys/syscall.h>\n#include <sys/uio.h>\n#include <sys/wait.h>\n"
        "#include <termios.h>\n#include <thread>\n#include <unistd.h>\n"
        "int main() {\nstd::FILE* const out = ::fdopen(3, \"w\");\n" +
            body + "\n}\n");
    const glassbox::tracer::Sandbox sandbox = glassbox::tracer::Sandbox::find(false);
    sandbox.hand_over(given.path());
    glassbox::tracer::Limits limits;
    limits.seconds = 60, limits.memory = memory;
    const glassbox::tracer::RunResult ran =
        sandbox.run("c++ -std=c++20 -w -o \"$2/x\" \"$1/x.cpp\" -pthread && \"$2/x\"", given.path(), limits);
    INFO(ran.printed);
    CHECK(ran.stopped == "");
    CHECK(ran.code == 0);
    return ran.result;
}

}  // namespace

TEST_CASE("sandbox: what no submission needs is refused by the kernel") {
    need_sandbox();
#if !defined(__x86_64__) && !defined(__aarch64__)
    SKIP("system calls are filtered on x86-64 and aarch64 alone");
#endif
    // Each is refused as such, and not for its arguments.
    const std::string tried = from_program(R"cpp(
        const auto is_refused = [&](const char* name, long result, int error = EPERM) {
            if (result != -1 || errno != error)
                std::fprintf(out, "%s: %ld, %s\n", name, result, std::strerror(errno));
        };
#define REFUSED(call, ...) is_refused(#call, ::syscall(SYS_##call, __VA_ARGS__))
        REFUSED(keyctl, 0, -3, 1);
        REFUSED(add_key, "user", "x", "y", 1, -3);
        REFUSED(request_key, "user", "x", 0, 0);
        REFUSED(shmget, IPC_PRIVATE, 4096, 0600);
        REFUSED(semget, IPC_PRIVATE, 1, 0600);
        REFUSED(msgget, IPC_PRIVATE, 0600);
        REFUSED(memfd_create, "x", 0);
        REFUSED(mq_open, "/x", O_CREAT | O_RDWR, 0600, 0);
        int ends[2];
        ::pipe(ends);
        char page[4096];
        iovec part{page, sizeof page};
        REFUSED(vmsplice, ends[1], &part, 1, 0);
        REFUSED(unshare, CLONE_NEWUSER);
        REFUSED(setns, 0, 0);
        REFUSED(mount, "x", "/tmp", "tmpfs", 0, 0);
        REFUSED(umount2, "/tmp", 0);
        REFUSED(pivot_root, "/tmp", "/tmp");
        REFUSED(chroot, "/tmp");
        is_refused("open_tree", ::syscall(428, -100, "/tmp", 1));
        is_refused("fsopen", ::syscall(430, "tmpfs", 0));
        REFUSED(ptrace, 0, 0, 0, 0);
        REFUSED(process_vm_readv, ::getpid(), &part, 1, &part, 1, 0);
        REFUSED(bpf, 0, 0, 0);
        REFUSED(perf_event_open, 0, 0, -1, -1, 0);
        REFUSED(userfaultfd, 0);
        is_refused("io_uring_setup", ::syscall(425, 8, page));
        REFUSED(kexec_load, 0, 0, 0, 0);
        REFUSED(open_by_handle_at, -100, page, 0);
        REFUSED(name_to_handle_at, -100, "/", page, page, 0);
        REFUSED(init_module, page, 1, "");
        REFUSED(reboot, 0, 0, 0, 0);
        REFUSED(syslog, 3, page, 1);
        REFUSED(clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
        REFUSED(clone, CLONE_NEWNET | SIGCHLD, 0, 0, 0, 0);
        is_refused("clone3", ::syscall(435, page, 64), ENOSYS);
        for (const int family : {AF_VSOCK, AF_NETLINK, AF_PACKET, 38 /* AF_ALG */, 31 /* Bluetooth */})
            is_refused("socket", ::socket(family, SOCK_RAW, 0), EAFNOSUPPORT);
        is_refused("socketpair", ::socketpair(30 /* TIPC */, SOCK_STREAM, 0, ends), EAFNOSUPPORT);
        is_refused("TIOCSTI", ::ioctl(0, TIOCSTI, "x"));
        std::fprintf(out, "all");)cpp");
    CHECK(tried == "all");
}

TEST_CASE("sandbox: what programs are made of works") {
    need_sandbox();
    const std::string tried = from_program(R"cpp(
        const auto works = [&](const char* name, bool so) {
            if (!so) std::fprintf(out, "%s: %s\n", name, std::strerror(errno));
        };
        int number = 0;
        std::thread([&] { number = 1; }).join();
        works("a thread", number == 1);
        works("a program", std::system("test -d /tmp") == 0);
        const pid_t child = ::fork();
        if (child == 0) ::_exit(7);
        int status = 0;
        works("a process", ::waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
        int ends[2];
        works("a pair of sockets", ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 && ::write(ends[0], "x", 1) == 1);
        works("a socket", ::socket(AF_INET, SOCK_STREAM, 0) >= 0);
        void* const shared = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        works("shared memory", shared != MAP_FAILED && std::memset(shared, 1, 1 << 20));
        std::FILE* const file = std::tmpfile();
        works("a file", file&& std::fputs("x", file) >= 0 && std::fflush(file) == 0);
        works("a terminal's question", ::ioctl(1, TCGETS, shared) == -1 && errno == ENOTTY);
        std::fprintf(out, "all");)cpp");
    CHECK(tried == "all");
}

#if defined(__x86_64__)
TEST_CASE("sandbox: calls of a processor with 32 bits end the program") {
    need_sandbox();
    CHECK(from_program(R"cpp(
              for (const bool by_interrupt : {true, false}) {
                  const pid_t child = ::fork();
                  if (child == 0) {
                      long result = 20;  // getpid
                      if (by_interrupt) asm volatile("int $0x80" : "+a"(result) : : "memory");
                      else result = ::syscall(0x40000000 + SYS_getpid);
                      ::_exit(0);
                  }
                  int status = 0;
                  ::waitpid(child, &status, 0);
                  std::fprintf(out, "%d ", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
              })cpp") == "31 31 ");
}
#endif

TEST_CASE("sandbox: no descriptor of the teacher's goes in, whatever its number") {
    need_sandbox();
    rlimit many{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &many) == 0);
    many.rlim_cur = many.rlim_max;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &many) == 0);
    const int folder = ::open("/tmp", O_RDONLY | O_DIRECTORY);
    std::vector<int> open{folder};
    for (const int number : {5, 6, 200, 301, 700}) open.push_back(::fcntl(folder, F_DUPFD, number));
    const glassbox::tracer::ScratchFolder given;
    const glassbox::tracer::Sandbox sandbox = glassbox::tracer::Sandbox::find(false);
    sandbox.hand_over(given.path());
    const std::string found =
        sandbox.run("ls /proc/$$/fd >&3", given.path(), glassbox::tracer::Limits{}).result;
    for (const int each : open) ::close(each);
    std::set<int> numbers;
    std::istringstream in(found);
    for (int number; in >> number;) numbers.insert(number);
    for (const int shell : {10, 255}) numbers.erase(shell);  // its own copies
    CHECK(numbers == std::set<int>{0, 1, 2, 3});
}

TEST_CASE("process: the descriptors from a number on are closed where the kernel cannot do it at once") {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::fcntl(ends[0], F_DUPFD, 300);
        ::fcntl(ends[0], F_DUPFD, 700);
        ::dup2(ends[1], 3);
        glassbox::tracer::close_each_from(4);
        int open = 0;
        for (int number = 4; number < 1024; ++number) open += ::fcntl(number, F_GETFD) != -1;
        ::_exit(open == 0 && ::fcntl(3, F_GETFD) != -1 ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    for (const int each : ends) ::close(each);
}

TEST_CASE("process: a program of another session cannot look into this one's keyring") {
    const long key = ::syscall(SYS_add_key, "user", "glassbox-test", "secret", 6, -3 /* the session's */);
    if (key < 0) SKIP("this system has no keyring");
    // As a process that was started in the same session finds it, and one that run_limited starts.
    const auto finds = [] {
        return ::syscall(SYS_keyctl, 10 /* search */, -3, "user", "glassbox-test", 0) >= 0;
    };
    REQUIRE(finds());
    const pid_t child = ::fork();
    if (child == 0) {
        glassbox::tracer::leave_session_keyring();
        ::_exit(finds());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    ::syscall(SYS_keyctl, 9 /* unlink */, key, -3);
}
