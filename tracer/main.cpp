#include <csignal>

#include "cli/address_space.h"
#include "cli/program.h"

int main(int argc, char** argv) {
    // Writing to a closed pipe fails with EPIPE, which ends the program without a message.
    std::signal(SIGPIPE, SIG_IGN);
    // Exceeding ulimit -f fails with an error, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    tracer::reserve_address_space();
    if (argc < 1) return tracer::run({});
    return tracer::run({argv + 1, argv + argc}, argv[0]);
}
