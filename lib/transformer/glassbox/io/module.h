#pragma once
#include <string>

namespace glassbox {

// A part of Glassbox loaded at run time on first use, so that programs neither link its dependencies nor
// start more slowly.
struct ModulePart {
    const char* file;      // "glassbox_mpi.so"
    const char* variable;  // the environment variable that may hold its path
    const char* function;  // the symbol to look up
};

// The function. Throws Error with a message that starts with `missing` when the module cannot be loaded.
void* function_of(const ModulePart& part, const std::string& missing);

}  // namespace glassbox
