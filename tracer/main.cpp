#include <fcntl.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/memory.h"

namespace {

// Before main() no handler can catch what a static initialiser throws: a refused allocation there ends the
// program at once, with the usual message and exit code. Runs before the static initialisers, which have
// default priority.
[[gnu::constructor(101)]] void before_initialisers() {
    std::set_new_handler(glassbox::tracer::end_out_of_memory);
}

// Out of memory in a noexcept function, such as a library's destructor: nothing can catch that either. Files
// are written whole or not at all, so that there is nothing to be cleaned up.
[[noreturn]] void end() {
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        glassbox::tracer::end_out_of_memory();
    } catch (...) {
    }
    std::abort();
}

// A file opened while standard output or standard error is closed would get its number, and messages would be
// written into it. Descriptors that cannot be read or written, like a closed one, take their places.
void hold_closed_streams() {
    for (const int stream : {0, 1, 2})
        if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
    std::set_new_handler(nullptr);
    std::set_terminate(end);
    // Writing to a closed pipe fails with EPIPE, which ends the program without a message.
    std::signal(SIGPIPE, SIG_IGN);
    // Exceeding ulimit -f fails with an error, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    hold_closed_streams();
    try {
        glassbox::tracer::reserve_address_space();
        if (argc < 1) return glassbox::tracer::run({});
        return glassbox::tracer::run({argv + 1, argv + argc}, argv[0]);
    } catch (...) {
        return glassbox::tracer::report_failure();
    }
}
