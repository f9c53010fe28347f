#pragma once
#include <string>

namespace glassbox {

// A part of Glassbox that is opened only when it is needed, so that nothing that it needs itself is linked,
// and no program starts any slower.
struct ModulePart {
    const char* file;      // "glassbox_mpi.so"
    const char* told;      // the variable of the environment that says where else it is
    const char* function;  // what is asked of it
};

// The function. Throws Error that begins with `missing` when the part is not there.
void* function_of(const ModulePart& part, const std::string& missing);

}  // namespace glassbox
