#pragma once
// CUDA as a library of the host: with this folder before all others, a .cu file of Glassbox is plain C++17,
// and its kernels run on the CPU, thread by thread. docs/building.md says what that proves and what it does
// not.
#include "cuda_on_host/errors.h"
#include "cuda_on_host/keywords.h"
#include "cuda_on_host/launch.h"
#include "cuda_on_host/maths.h"
#include "cuda_on_host/runtime.h"
#include "cuda_on_host/threads.h"
#include "cuda_on_host/vectors.h"
