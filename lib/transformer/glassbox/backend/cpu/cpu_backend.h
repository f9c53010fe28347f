#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox {

// Loops compiled for every instruction set, and BLAS for the largest products. One file per family of
// kernels.
class CpuBackend : public Backend {
  public:
    const char* name() const override { return "cpu"; }
    Device device() const override { return Device::cpu; }

    void copy(const ConstView& x, const View& y) override;
    void fill(const View& y, real value) override;
    void unary(Unary op, const ConstView& x, const View& y) override;
    void binary(Binary op, const ConstView& a, const ConstView& b, const View& y) override;
    void masked_fill(const ConstView& x, const ConstView& mask, real value, const View& y) override;
    void sum(const ConstView& x, const View& y) override;
    void max(const ConstView& x, const View& y) override;
    void softmax(const ConstView& x, const View& y) override;
    void log_softmax(const ConstView& x, const View& y) override;
    void softmax_backward(const ConstView& y, const ConstView& dy, const View& dx) override;
    void cross_entropy(const ConstView& logits, const ConstView& labels, real smoothing, const View& losses,
                       const View& p) override;
    void cross_entropy_backward(const ConstView& p, const ConstView& labels, real smoothing,
                                const ConstView& dlosses, const View& dlogits) override;
    void count_correct(const ConstView& logits, const ConstView& labels, const View& count) override;
    void matmul(const ConstView& a, const ConstView& b, const View& c) override;
    void linear(const ConstView& x, const ConstView& W, const ConstView& b, Activation activation,
                const View& y) override;
    void linear_backward(const ConstView& x, const ConstView& W, const ConstView& dy, const View& dx,
                         const View& dW, const View& db) override;
    void layer_norm(const ConstView& x, const ConstView& gamma, const ConstView& beta, double epsilon,
                    Moments moments, const View& y, const View& mu, const View& r) override;
    void layer_norm_backward(const ConstView& x, const ConstView& gamma, const ConstView& mu,
                             const ConstView& r, const ConstView& dy, const View& dx, const View& dgamma,
                             const View& dbeta) override;
    void feed_forward(const ConstView& x, const ConstView& W1, const ConstView& b1, Activation activation,
                      const ConstView& W2, const ConstView& b2, const View& y) override;
    void pow(const ConstView& x, double exponent, const View& y) override;
    void gelu(const ConstView& x, Activation form, const View& y) override;
    void gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx) override;
    void gather_rows(const ConstView& table, const ConstView& ids, const View& y) override;
    void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) override;
    void dropout(const ConstView& x, const DropoutParams& params, const View& y) override;
    void attention(const ConstView& q, const ConstView& k, const ConstView& v, const AttentionParams& params,
                   const View& values, const View& logsumexp) override;
    void attention_backward(const ConstView& q, const ConstView& k, const ConstView& v,
                            const AttentionParams& params, const ConstView& values,
                            const ConstView& logsumexp, const ConstView& dvalues, const View& dq,
                            const View& dk, const View& dv) override;
    void adam(const AdamParams& params, const LiveStep& step, const ConstView& gradient, const View& w,
              const View& m, const View& v) override;
    void descend(const DescentParams& params, const LiveStep& step, const ConstView& gradient, const View& w,
                 const View& m) override;
    void add_in_order(const ConstView* blocks, index_t count, bool onto, const View& total) override;
    double sum_of_squares(const ConstView& x) override;
    void clip(const ConstView& gradient, const Clipping& clipping, StepNumbers* numbers,
              const View& norm) override;
};

inline CpuBackend& cpu_backend() {
    static CpuBackend instance;
    return instance;
}

}  // namespace glassbox
