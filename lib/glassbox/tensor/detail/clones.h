#pragma once

// A hot loop compiled for several instruction sets; the best one the machine supports is picked at program
// start. Not under sanitizers: they instrument the resolver, which runs before they are initialised.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define GLASSBOX_HAS_CLONES
#define GLASSBOX_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define GLASSBOX_CLONES
#endif

// Goes before a loop with a small fixed trip count that should compile to one vector instruction: g++ would
// otherwise unroll it completely first and then fail to vectorise it.
#if defined(__GNUC__) && !defined(__clang__)
#define GLASSBOX_VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define GLASSBOX_VECTOR_LOOP
#endif
