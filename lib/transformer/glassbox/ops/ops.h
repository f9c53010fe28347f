#pragma once
// Every op: check shapes → one backend call → record the pullback; and what tests an op of one's own.
#include <glassbox/ops/all_close.h>
#include <glassbox/ops/attention.h>
#include <glassbox/ops/check_gradients.h>
#include <glassbox/ops/cross_entropy.h>
#include <glassbox/ops/dropout.h>
#include <glassbox/ops/elementwise.h>
#include <glassbox/ops/embedding.h>
#include <glassbox/ops/feed_forward.h>
#include <glassbox/ops/layer_norm.h>
#include <glassbox/ops/linear.h>
#include <glassbox/ops/matmul.h>
#include <glassbox/ops/reduce.h>
#include <glassbox/ops/softmax.h>
#include <glassbox/ops/squared_error.h>
#include <glassbox/ops/views.h>
#include <glassbox/ops/where.h>
