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
    void cross_entropy(const ConstView& logits, const ConstView& labels, glassbox::real smoothing,
                       const View& losses, const View& p) override;
    void cross_entropy_backward(const ConstView& p, const ConstView& labels, glassbox::real smoothing,
                                const ConstView& dlosses, const View& dlogits) override;
    void count_correct(const ConstView& logits, const ConstView& labels, const View& count) override;
    void matmul(const ConstView& a, const ConstView& b, const View& c) override;
    void linear(const ConstView& x, const ConstView& W, const ConstView& b, glassbox::Activation activation,
                const View& y) override;
    void linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                         const View& dW, const View& db) override;
    void layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                    glassbox::Moments moments, const View& y, const View& mu, const View& r) override;
    void layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                             const ConstView& r, const ConstView& dy, const View& dx, const View& dgamma,
                             const View& dbeta) override;
    void feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1,
                      glassbox::Activation activation, const ConstView& W2, const ConstView& b2,
                      const View& y) override;
    void gelu(const ConstView& x, glassbox::Activation form, const View& y) override;
    void gelu_backward(const ConstView& x, const ConstView& dy, glassbox::Activation form,
                       const View& dx) override;
    void gather_rows(const ConstView& table, const ConstView& ids, const View& y) override;
    void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) override;
    void dropout(const ConstView& x, const glassbox::DropoutParams& params, const View& y) override;
    // Holds the n_q × n_k matrix, as the definition does.
    void attention(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionParams& params,
                   const View& values, const View& logsumexp) override;
    // Makes the matrix again from Q and K: a row's logsumexp says nothing of a row that is hidden as a whole.
    void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                            const AttentionParams& params, const ConstView& values,
                            const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                            const View& dk, const View& dv) override;
    void adam(const glassbox::AdamParams& params, const glassbox::Step& step, const ConstView& gradient,
              const View& w, const View& m, const View& v) override;
    void descend(const glassbox::DescentParams& params, const glassbox::Step& step, const ConstView& gradient,
                 const View& w, const View& m) override;
    void add_in_order(const ConstView* blocks, glassbox::index_t count, bool onto,
                      const View& total) override;
    double sum_of_squares(const ConstView& x) override;
    void clip(const ConstView& gradient, const glassbox::Clipping& clipping, glassbox::StepNumbers* numbers,
              const View& norm) override;
};

}  // namespace glassbox_test
