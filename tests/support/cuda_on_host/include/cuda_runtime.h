#pragma once
// CUDA as a host library: with this folder first in the include path, a .cu file of Glassbox is plain C++17
// and its kernels run on the CPU, thread by thread. docs/building.md describes what this does and does not
// test.
#include "cuda_on_host/errors.h"
#include "cuda_on_host/keywords.h"
#include "cuda_on_host/launch.h"
#include "cuda_on_host/maths.h"
#include "cuda_on_host/runtime.h"
#include "cuda_on_host/threads.h"
#include "cuda_on_host/vectors.h"
