#include <csignal>

#include "cli/address_space.h"
#include "cli/program.h"

int main(int argc, char** argv) {
    std::signal(
        SIGPIPE,
        SIG_IGN);  // writing to a closed pipe fails with EPIPE, which ends the program without a message
    std::signal(SIGXFSZ, SIG_IGN);  // exceeding ulimit -f fails with an error, as on a full disk
    tracer::find_room();
    if (argc < 1) return tracer::run({});
    return tracer::run({argv + 1, argv + argc}, argv[0]);
}
