#pragma once
#include "explain/arithmetic.h"

// The ops that layers bring: normalisation, GELU, dropout, masks, embeddings, positions.
namespace tracer::arithmetic {

Arithmetic layer_norm(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic gelu(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic dropout(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic masked(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic chosen(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic embedding(const Element& y, const glassbox::Operation& op, const Labels& of);
Arithmetic sinusoid(const Element& y, const glassbox::Operation& op, const Labels& of);

}  // namespace tracer::arithmetic
