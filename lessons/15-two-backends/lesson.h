#pragma once
#include "../support/matrix.h"

// What the lesson asks for, step by step. Each is empty until you give it a size: Matrix(rows, columns).
// B is the number of blocks of a row: n / size, rounded up. The last block may be shorter than the others.
struct Steps {
    struct {
        Matrix m;  // (rows, B)  the largest number of each block
        Matrix s;  // (rows, B)  Σ exp(x − m) over the numbers of the block, m its own largest
    } block;
    struct {
        Matrix m;  // (rows, B)  the largest number of blocks 0 to b together
        Matrix s;  // (rows, B)  Σ exp(x − m) over all their numbers, m of all of them
    } merged;
    Matrix softmax;  // (rows, n)  exp(x − m) / s, with the last column of merged: every weight of the row
};

// softmax of each row of x, as a GPU takes a long row: in blocks, of which none knows the others' numbers.
//   x     (rows, n)  numbers; -infinity is a hidden one, with weight 0. No row consists of hidden ones alone.
//   size  how many numbers a block has: block b has columns b · size, b · size + 1, … (b + 1) · size − 1
//
// A block of hidden numbers alone has m = -infinity and s = 0: nothing seen, nothing added. (What s is there
// is never asked, as long as it is a number.)
//
// Two pairs together:  m = max(m_a, m_b),  s = s_a exp(m_a − m) + s_b exp(m_b − m)
extern "C" void online_softmax(const Matrix& x, int size, Steps& steps);
