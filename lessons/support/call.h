#pragma once
#include "answer.h"
#include "exercise.h"

namespace lesson {

// Calls the student's functions on the inputs of one golden case: the lesson's own, in its call.cpp. This is
// linked into a program that runs where hand-ins do, which has no computation of the library in it.
Answer call_exercise(const Exercise& exercise, const Tensors& golden);

}  // namespace lesson
