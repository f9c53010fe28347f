#include <csignal>

#include "cli/address_space.h"
#include "cli/program.h"

int main(int argc, char** argv) {
    std::signal(SIGPIPE,
                SIG_IGN);  // writing to a closed pipe then fails, and the program ends without a message
    std::signal(SIGXFSZ, SIG_IGN);  // ulimit -f: writing fails as on a full disk, with an error message
    tracer::find_room();
    if (argc < 1) return tracer::run({});
    return tracer::run({argv + 1, argv + argc}, argv[0]);
}
