#pragma once
#include "subject/model_builder.h"
#include "subject/subject.h"

namespace glassbox::tracer {

// Multi-head attention of x with itself, or, where there is one, with a memory.
Subject attention_of_heads(const ModelBuilder& m);

}  // namespace glassbox::tracer
