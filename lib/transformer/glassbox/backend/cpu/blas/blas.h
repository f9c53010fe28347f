#pragma once
#include <string>

#include <glassbox/tensor/processor.h>

// What each BLAS library does differently, besides the standard functions. CMake compiles one of the sources
// in this folder, that of the library it has found (GLASSBOX_BLAS).
namespace glassbox::blas {

std::string name();     // "OpenBLAS 0.3.21"
std::string kernels();  // those that it has selected: "Cooperlake", "Haswell", …

// Called once, before the first product: kernels for these instructions at most.
void choose_kernels(InstructionSet set);
// Called once by each thread, before its first product: products start no threads.
void use_one_thread();
// False for a serial build that is not thread-safe.
bool is_thread_safe();

}  // namespace glassbox::blas
