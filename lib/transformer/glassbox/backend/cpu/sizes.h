#pragma once
#include <glassbox/tensor/real.h>

namespace glassbox {

// From which sizes on another way of computing is faster, as bench/sizes has measured for each instruction
// set.
struct Sizes {
    double worth_a_thread;     // multiply–adds of a product that pay for waking a thread
    index_t piece;             // numbers that a thread takes at a time, of a loop of few operations each
    index_t max_b_in_place;    // numbers of B up to which a product reads its rows where they are
    index_t max_a_in_columns;  // numbers of A up to which it reads its columns where they are
    double max_in_strips;      // multiply–adds up to which a B in columns is packed a strip at a time
    double max_own;  // multiply–adds in one piece up to which a product is our own; beyond, BLAS's
};

const Sizes& sizes();  // of the instruction set in use

}  // namespace glassbox
