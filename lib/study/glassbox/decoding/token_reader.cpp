#include <glassbox/decoding/token_reader.h>

#include <glassbox/decoding/detail/step_by_step.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

namespace glassbox {

using namespace detail;

namespace step = steps::token_reader;

namespace {

Tensor with_positions(const Tensor& rows) {
    const Scope scope("positional");
    return PositionalEncoding(rows.size(-1))(rows);  // (n, d)
}

Tensor read_by_steps(const TokenReader& reader, const Tensor& x) {
    Tensor W_K = named(step::W_K, reader.key.weight), b_K = named(step::b_K, reader.key.bias);
    Tensor W_V = named(step::W_V, reader.value.weight), b_V = named(step::b_V, reader.value.bias);
    Tensor W_Q = named(step::W_Q, reader.query.weight), b_Q = named(step::b_Q, reader.query.bias);
    Tensor K = named(step::K, linear(x, W_K, b_K));  // (n, d)
    Tensor V = named(step::V, linear(x, W_V, b_V));  // (n, d)
    Tensor Q = named(step::Q, linear(x, W_Q, b_Q));  // (n, d)
    const Scope scope("attention");
    return scaled_dot_product(Q, K, V, Mask::causal()).values;  // (n, d)
}

// The first of the largest in each row, (n, 1).
Tensor largest_of(const Tensor& logits) {
    const Tensor tokens = as_column(argmax(logits, -1), logits.device());
    return record("choose", tokens, {&logits}, [](const Tensor&) -> Tape::Gradients { return {}; });
}

}  // namespace

// next = argmax(Attention(x W_Q, x W_K, x W_V) W),  x = √d Embedding(token) + PE(position)
Tensor TokenReader::operator()(const Tensor& tokens) const {
    Tensor x = named(step::x, with_positions(embedding(tokens)));  // (n, d)
    const Tensor values = read_by_steps(*this, x);                 // (n, d)
    Tensor logits = named(step::logits, generator(values));        // (n, words)
    return named(step::token, largest_of(logits));                 // (n, 1)
}

}  // namespace glassbox
