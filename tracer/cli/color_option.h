#pragma once
#include "cli/options.h"
#include "cli/output.h"

namespace tracer {

inline void declare_color(Options& options, ColorWhen& when) {
    options.value("--color", when, {.help = "When to use colours", .value_name = "WHEN"});
}

}  // namespace tracer
