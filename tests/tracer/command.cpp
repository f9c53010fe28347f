#include "command.h"

#include <csignal>

#include "cli/command.h"

namespace glassbox_test {

namespace {

// As main() of the command begins. The fork ends without the destructors of the test's program, whose folders
// are still needed.
void run(const std::vector<std::string>& arguments, const std::string& started_as) {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    const int code = glassbox::tracer::run(arguments, started_as);
    std::fflush(nullptr), std::cout.flush();
    ::_exit(code);
}

const bool has_command = (command_function = run) != nullptr;

}  // namespace

}  // namespace glassbox_test
