#pragma once
#include "cli/command.h"

namespace tracer {

// The examples that `tracer` alone begins with.
const Examples& first_examples();

// What to type to run this program again: "tracer", "build/tracer", or what GLASSBOX_COMMAND says.
const std::string& program_name();

// Runs a whole command line and returns one of exit_codes(). Messages go to standard error; no exception
// comes out.
int run(const Arguments& arguments, const std::string& started_as = "tracer");

}  // namespace tracer
