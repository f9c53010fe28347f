#pragma once

// A hot loop compiled for several instruction sets; the machine's best is picked when the program starts.
// Sanitizers instrument the picking itself, which runs too early for them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define GLASSBOX_HAS_CLONES
#define GLASSBOX_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define GLASSBOX_CLONES
#endif

// Before a loop of a fixed, small count that is to be made one vector instruction: g++ writes such a loop out
// as single ones first, and then sees no vector in them.
#if defined(__GNUC__) && !defined(__clang__)
#define GLASSBOX_VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define GLASSBOX_VECTOR_LOOP
#endif
