#include <unistd.h>

#include <csignal>
#include <new>

#include "cli/address_space.h"
#include "cli/failure.h"
#include "cli/program.h"

namespace {

// Before main() nobody can catch what a static initialiser throws: an allocation that is refused there ends
// the program at once, with the message and the exit code that it has later.
[[noreturn]] void refuse_to_start() { ::_exit(tracer::report_out_of_memory()); }

// Runs before the static initialisers, which have default priority.
[[gnu::constructor(101)]] void before_initialisers() { std::set_new_handler(refuse_to_start); }

}  // namespace

int main(int argc, char** argv) {
    std::set_new_handler(nullptr);
    // Writing to a closed pipe fails with EPIPE, which ends the program without a message.
    std::signal(SIGPIPE, SIG_IGN);
    // Exceeding ulimit -f fails with an error, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        tracer::reserve_address_space();
        if (argc < 1) return tracer::run({});
        return tracer::run({argv + 1, argv + argc}, argv[0]);
    } catch (...) {
        return tracer::report_failure();
    }
}
