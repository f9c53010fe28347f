#pragma once
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/temporary_folder.h"

// Runs the built command like a shell would.
namespace glassbox_test {

// A temporary folder for every test.
class Folder {
  public:
    std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

  private:
    TemporaryFolder folder_;
};

inline std::string content(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write(const std::string& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

inline std::string without_colors(const std::string& text) {
    std::string bare;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') i = text.find('m', i);
        else bare += text[i];
    }
    return bare;
}

// "--seq 3" as two arguments.
inline std::vector<std::string> words(const std::string& line) {
    std::istringstream in(line);
    return {std::istream_iterator<std::string>(in), {}};
}

struct Ran {
    int code;
    std::string out, err;
};

// A child's redirections, environment and program.
struct Surroundings {
    std::string in;                // standard input
    std::string out;               // a file for standard output instead of Ran::out
    std::vector<std::string> set;  // "NO_COLOR=1"
    std::string program = GLASSBOX_TRACER;
};

// The command's own function, which a test's program may have, and which ends the process: a fork of it
// starts at once, where the command has to be loaded first.
using CommandFunction = void(const std::vector<std::string>& arguments, const std::string& started_as);
inline CommandFunction* command_function = nullptr;

// What starts with the process, such as which processor's kernels there are and all that threads hold, is as
// it was in the test's program.
inline bool is_in_process(const Surroundings& around) {
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return command_function && around.program == GLASSBOX_TRACER && around.set.empty() &&
           std::distance(threads, std::filesystem::directory_iterator()) == 1;
}

inline Ran run_program(const std::vector<std::string>& arguments, const Surroundings& around = {}) {
    const Folder folder;
    write(folder / "in", around.in);
    const std::string out = around.out.empty() ? folder / "out" : around.out;
    std::vector<std::string> words{around.program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::fflush(nullptr), std::cout.flush();  // the child would write it, too
    const bool in_process = is_in_process(around);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(::open((folder / "in").c_str(), O_RDONLY), 0);
        ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
        ::dup2(::open((folder / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
        for (const char* name : {"NO_COLOR", "FORCE_COLOR", "COLORTERM"}) ::unsetenv(name);
        if (!in_process) ::unsetenv("GLASSBOX_FIGURES_MODULE");  // the command finds it beside itself
        ::setenv("TERM", "xterm-256color", 1);
        ::setenv("GLASSBOX_PATIENCE", "0", 1);  // no progress messages on a slow machine
        for (const std::string& entry : around.set) {
            const std::size_t equals = entry.find('=');
            ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
        }
        if (in_process) command_function(arguments, words.front());
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    return {code, around.out.empty() ? content(out) : "", content(folder / "err")};
}

inline Ran tracer_run(const std::vector<std::string>& arguments, const Surroundings& around = {}) {
    return run_program(arguments, around);
}

}  // namespace glassbox_test
