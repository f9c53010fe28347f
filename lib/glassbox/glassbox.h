#pragma once
// All of Glassbox but tensor/xtensor.h, which one includes where xtensor is wanted.
#include <glassbox/backend/backend.h>
#include <glassbox/layers/convention.h>
#include <glassbox/layers/mask.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/observe/scope.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/tensor.h>
