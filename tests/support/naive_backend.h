#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox_test {

// The oracle: every kernel as its definition says, in double, one element at a time, over any strides. Slow,
// and so plain that one can check it by reading.
class NaiveBackend : public glassbox::Backend {
  public:
    using View = glassbox::View;
    using ConstView = glassbox::ConstView;
    using AttentionParams = glassbox::AttentionParams;

    const char* name() const override { return "oracle"; }

    void copy(const ConstView& x, const View& y) override;
    void fill(const View& y, glassbox::real value) override;
    void unary(glassbox::Unary op, const ConstView& x, const View& y) override;
    void binary(glassbox::Binary op, const ConstView& a, const ConstView& b, const View& y) override;
    void masked_fill(const ConstView& x, const ConstView& mask, glassbox::real value, const View& y) override;
    void sum(const ConstView& x, const View& y) override;
    void max(const ConstView& x, const View& y) override;
    void softmax(const ConstView& x, const View& y) override;
    void log_softmax(const ConstView& x, const View& y) override;
    void softmax_backward(const ConstView& y, const ConstView& dy, const View& dx) override;
    void matmul(const ConstView& a, const ConstView& b, const View& c) override;
    // Holds the n_q × n_k matrix, as the definition does.
    void attention(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionParams& params,
                   const View& values, const View& logsumexp) override;
    // Makes the matrix again from Q and K: a row's logsumexp says nothing of a row that is hidden as a whole.
    void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                            const AttentionParams& params, const ConstView& values,
                            const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                            const View& dk, const View& dv) override;
};

}  // namespace glassbox_test
