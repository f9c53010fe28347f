#pragma once
#include "cli/command.h"

namespace tracer {

// The examples in the overview, which `tracer` without arguments prints.
const Examples& first_examples();

// The program's name as the user types it: "tracer", "build/tracer", or the value of GLASSBOX_COMMAND.
const std::string& program_name();

// Runs a command line and returns one of exit_codes(). Messages go to standard error. Throws nothing.
int run(const Arguments& arguments, const std::string& started_as = "tracer");

}  // namespace tracer
