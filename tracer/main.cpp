#include <csignal>

#include "cli/address_space.h"
#include "cli/program.h"

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is noticed when writing, and ends the program quietly
    std::signal(SIGXFSZ, SIG_IGN);  // ulimit -f: writing fails, as on a full disk, and says so
    tracer::find_room();
    if (argc < 1) return tracer::run({});
    return tracer::run({argv + 1, argv + argc}, argv[0]);
}
