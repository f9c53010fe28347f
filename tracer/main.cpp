#include <csignal>

#include "commands.h"

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is noticed when writing, and ends the program quietly
    return tracer::run({argv + 1, argv + argc});
}
