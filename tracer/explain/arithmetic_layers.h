#pragma once
#include "explain/arithmetic.h"

// Ops that layers use: normalisation, GELU, dropout, masks, embeddings, positions, schedules.
namespace tracer::arithmetic {

Arithmetic layer_norm(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic gelu(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic dropout(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic masked(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic chosen(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic embedding(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic sinusoid(const Element& y, const glassbox::Operation& op, const Labels& labels);
Arithmetic schedule(const Element& y, const glassbox::Operation& op, const Labels& labels);

}  // namespace tracer::arithmetic
