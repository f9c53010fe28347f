#include <glassbox/ops/matmul.h>
#include <glassbox/tensor/format.h>

#include "commands/attention.h"
#include "subject/stand_in.h"

namespace tracer {
namespace {

using glassbox::Device;
using glassbox::fail;
using glassbox::Mask;
using glassbox::Score;
using glassbox::UsageError;

Sizes sizes_of(const AttentionTyped& t) {
    Sizes s;
    s.queries = whole_number("--seq", t.seq, 1);
    s.keys = t.keys.empty() ? s.queries : whole_number("--keys", t.keys, 1);
    s.d_k = whole_number("--dk", t.dk, 1);
    s.d_v = t.dv.empty() ? s.d_k : whole_number("--dv", t.dv, 1);
    s.d_a = t.da.empty() ? s.d_k : whole_number("--da", t.da, 1);
    if (t.batch.empty() && t.heads.empty()) return s;
    const index_t batch = t.batch.empty() ? 1 : whole_number("--batch", t.batch, 1);
    s.leading = t.heads.empty()
                    ? glassbox::Shape{batch}
                    : glassbox::Shape{batch, whole_number("--heads", t.heads, 1, INT64_MAX / batch)};
    return s;
}

// The sizes of what was read or typed, as far as they make sense; attention itself refuses what does not fit.
Sizes sizes_of(const AttentionInput& input) {
    Sizes s;
    const Tensor& Q = input.is_projected() ? input.x : input.Q;
    const Tensor& K = input.is_projected() ? input.x : input.K;
    const Tensor& V = input.is_projected() ? input.W_V : input.V;
    if (Q.rank() < 2 || K.rank() < 2 || V.rank() < 1) return s;
    s.queries = Q.size(-2);
    s.keys = K.size(-2);
    s.d_k = input.is_projected() && input.W_Q.rank() > 0 ? input.W_Q.size(-1) : K.size(-1);
    s.d_v = V.size(-1);
    if (input.additive && input.additive->v.rank() > 0) s.d_a = input.additive->v.size(-1);
    s.leading = Q.shape().leading(Q.rank() - 2);
    for (const Tensor* other : {&input.x, &input.W_Q, &input.W_K, &input.W_V})
        if (other->defined()) s.others += static_cast<double>(other->numel());
    return s;
}

// Refuses shapes that do not fit, in the words of the computation, and sizes that memory cannot hold.
void check_fits(const AttentionInput& shapes, const AttentionTyped& t, Score score) {
    blame_file(t.input, [&] {
        const auto product = [&](const Tensor& W) { return stand_in(matmul_shape(shapes.x, W)); };
        const bool projected = shapes.is_projected();
        const Tensor Q = projected ? product(shapes.W_Q) : shapes.Q;
        const Tensor K = projected ? product(shapes.W_K) : shapes.K;
        const Tensor V = projected ? product(shapes.W_V) : shapes.V;
        check_shapes(score, Q, K, V, shapes.additive ? &*shapes.additive : nullptr);
    });
    check_memory(sizes_of(shapes), score, t.grad);
}

AttentionInput numbers_of(const AttentionTyped& t, const Options& options, Score score) {
    const bool typed = !t.Q.empty() || !t.K.empty() || !t.V.empty();
    if (typed || !t.input.empty()) {
        for (const char* flag :
             {"--seq", "--dk", "--dv", "--keys", "--batch", "--heads", "--da", "--rng", "--seed"})
            if (options.given(flag))
                fail<UsageError>("{}: sizes and numbers come from {}: leave it out", flag,
                                 typed ? "--Q, --K and --V" : "the --input file");
        if (typed && !t.input.empty())
            fail<UsageError>("--input: --Q, --K and --V are given too: one of the two");
    }
    if (!t.input.empty())
        return read_input(t.input, score,
                          [&](const AttentionInput& shapes) { check_fits(shapes, t, score); });
    if (typed) {
        if (t.Q.empty() || t.K.empty() || t.V.empty())
            fail<UsageError>("--{}: Q, K and V are needed together", t.Q.empty()   ? "Q"
                                                                     : t.K.empty() ? "K"
                                                                                   : "V");
        if (score == Score::additive)
            fail<UsageError>("--score: additive needs W_q, W_k and v: give them by --input");
        AttentionInput input;
        input.Q = parse_matrix("--Q", t.Q);
        input.K = parse_matrix("--K", t.K);
        input.V = parse_matrix("--V", t.V);
        input.origin = "typed in";
        return input;
    }
    const Sizes sizes = sizes_of(t);
    check_memory(sizes, score, t.grad);  // before anything is drawn
    const glassbox::Rng rng =
        glassbox::parse<glassbox::Rng>(t.rng.empty() ? glassbox::convention(t.convention).rng : t.rng);
    return draw_input(sizes, rng, seed_number("--seed", t.seed), score);
}

glassbox::Shape scores_of(const Sizes& sizes) {
    return sizes.leading.with_appended(sizes.queries).with_appended(sizes.keys);
}

void move_to(AttentionInput& input, Device device) {
    for (Tensor* tensor : {&input.Q, &input.K, &input.V, &input.x, &input.W_Q, &input.W_K, &input.W_V})
        if (tensor->defined()) *tensor = tensor->to(device);
    if (input.additive)
        for (Tensor* tensor : {&input.additive->W_q, &input.additive->W_k, &input.additive->v})
            *tensor = tensor->to(device);
}

}  // namespace

AttentionInput input_of(const AttentionTyped& t, const Options& options) {
    const Score score = glassbox::parse<glassbox::Score>(t.score);
    const Device device = device_of(t.backend);
    AttentionInput input = numbers_of(t, options, score);
    move_to(input, device);
    check_memory(sizes_of(input), score, t.grad);
    return input;
}

Mask mask_of(const AttentionTyped& t, const AttentionInput& input) {
    const glassbox::Shape scores = scores_of(sizes_of(input));
    Mask mask = parse_mask(t.mask, scores);
    if (!t.lengths.empty()) {
        const Mask padding = Mask::lengths(parse_lengths("--lengths", t.lengths));
        blame_option("--lengths " + t.lengths, [&] { padding.visible(scores); });
        mask = mask & padding;
    }
    return mask;
}

}  // namespace tracer
