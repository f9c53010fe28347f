// Run time of commands from start to exit: startup [-n RUNS] -- COMMAND ARGUMENT … -- COMMAND …
//
// The commands alternate, so that other load affects all of them. Prints a line for each: the median and the
// minimum wall time, and the median of user plus system time, in ms. Their output goes to /dev/null.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern char** environ;

namespace {

struct Command {
    std::vector<char*> arguments;
    std::vector<double> wall, busy;
};

double seconds(const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

void run_once(Command& command, const posix_spawn_file_actions_t& quiet) {
    const auto start = std::chrono::steady_clock::now();
    pid_t child = 0;
    if (::posix_spawnp(&child, command.arguments[0], &quiet, nullptr, command.arguments.data(), environ) !=
        0) {
        std::fprintf(stderr, "startup: cannot run %s\n", command.arguments[0]);
        std::exit(4);
    }
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (status != 0) {
        std::fprintf(stderr, "startup: %s failed\n", command.arguments[0]);
        std::exit(1);
    }
    command.wall.push_back(1e3 * wall.count());
    command.busy.push_back(1e3 * (seconds(used.ru_utime) + seconds(used.ru_stime)));
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    int runs = 101;
    std::vector<Command> commands;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--") commands.emplace_back();
        else if (commands.empty() && std::string(argv[i]) == "-n" && i + 1 < argc)
            runs = std::atoi(argv[++i]);
        else if (!commands.empty()) commands.back().arguments.push_back(argv[i]);
    }
    posix_spawn_file_actions_t quiet;
    ::posix_spawn_file_actions_init(&quiet);
    ::posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    for (Command& command : commands) command.arguments.push_back(nullptr);
    for (int i = 0; i < runs; ++i)
        for (Command& command : commands) run_once(command, quiet);
    for (const Command& command : commands)
        std::printf("%9.2f %9.2f %9.2f\n", median(command.wall),
                    *std::min_element(command.wall.begin(), command.wall.end()), median(command.busy));
}
