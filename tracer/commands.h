#pragma once
#include <string>
#include <vector>

#include "options.h"

namespace tracer {

// One entry a command, in the order in which help shows them. Each has its file.
struct Command {
    std::string name;
    std::string summary;
    void (*run)(const Arguments& arguments);
};
const std::vector<Command>& commands();

void run_attention(const Arguments& arguments);

// Runs a whole command line and returns the exit code (DESIGN: 0 done, 1 a check failed, 2 wrong usage, 3 a
// bad input file, 4 reading or writing failed). Messages go to standard error.
int run(const Arguments& arguments);

}  // namespace tracer
