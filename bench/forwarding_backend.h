#pragma once
#include <glassbox/backend/backend.h>

// A backend that wraps another. Each kernel goes through self.kernel(name, run), where run() calls the
// wrapped kernel, so that a backend that times or counts kernels is one function.
//     class Counting : public ForwardingBackend<Counting> {
//       public:
//         template <class Run> void kernel(const char* name, Run run) { ++calls, run(); }
//     };
// (CRTP, so that a call has no extra cost.)
template <class Self>
class ForwardingBackend : public glassbox::Backend {
  public:
    explicit ForwardingBackend(glassbox::Backend& inner) : inner_(inner) {}
    const char* name() const override { return inner_.name(); }
    glassbox::Device device() const override { return inner_.device(); }
    void wait() override { inner_.wait(); }

    using V = const glassbox::View&;
    using C = const glassbox::ConstView&;
    using real = glassbox::real;
    using Activation = glassbox::Activation;
    using Params = const glassbox::AttentionParams&;

    void copy(C x, V y) override {
        pass("copy", [&] { inner_.copy(x, y); });
    }
    void fill(V y, real value) override {
        pass("fill", [&] { inner_.fill(y, value); });
    }
    void unary(glassbox::Unary op, C x, V y) override {
        pass("unary", [&] { inner_.unary(op, x, y); });
    }
    void binary(glassbox::Binary op, C a, C b, V y) override {
        pass("binary", [&] { inner_.binary(op, a, b, y); });
    }
    void masked_fill(C x, C mask, real value, V y) override {
        pass("masked_fill", [&] { inner_.masked_fill(x, mask, value, y); });
    }
    void sum(C x, V y) override {
        pass("sum", [&] { inner_.sum(x, y); });
    }
    void max(C x, V y) override {
        pass("max", [&] { inner_.max(x, y); });
    }
    void softmax(C x, V y) override {
        pass("softmax", [&] { inner_.softmax(x, y); });
    }
    void log_softmax(C x, V y) override {
        pass("log_softmax", [&] { inner_.log_softmax(x, y); });
    }
    void softmax_backward(C y, C dy, V dx) override {
        pass("softmax_backward", [&] { inner_.softmax_backward(y, dy, dx); });
    }
    void cross_entropy(C x, C labels, real smoothing, V losses, V p) override {
        pass("cross_entropy", [&] { inner_.cross_entropy(x, labels, smoothing, losses, p); });
    }
    void cross_entropy_backward(C p, C labels, real smoothing, C dlosses, V dx) override {
        pass("cross_entropy_backward",
             [&] { inner_.cross_entropy_backward(p, labels, smoothing, dlosses, dx); });
    }
    void count_correct(C x, C labels, V count) override {
        pass("count_correct", [&] { inner_.count_correct(x, labels, count); });
    }
    void matmul(C a, C b, V c) override {
        pass("matmul", [&] { inner_.matmul(a, b, c); });
    }
    void linear(C x, C W, C b, Activation f, V y) override {
        pass("linear", [&] { inner_.linear(x, W, b, f, y); });
    }
    void linear_backward(C x, C W, C dy, V dx, V dW, V db) override {
        pass("linear_backward", [&] { inner_.linear_backward(x, W, dy, dx, dW, db); });
    }
    void layer_norm(C x, C gamma, C beta, double epsilon, glassbox::Moments moments, V y, V mu,
                    V r) override {
        pass("layer_norm", [&] { inner_.layer_norm(x, gamma, beta, epsilon, moments, y, mu, r); });
    }
    void layer_norm_backward(C x, C gamma, C mu, C r, C dy, V dx, V dgamma, V dbeta) override {
        pass("layer_norm_backward",
             [&] { inner_.layer_norm_backward(x, gamma, mu, r, dy, dx, dgamma, dbeta); });
    }
    void feed_forward(C x, C W1, C b1, Activation f, C W2, C b2, V y) override {
        pass("feed_forward", [&] { inner_.feed_forward(x, W1, b1, f, W2, b2, y); });
    }
    void pow(C x, double exponent, V y) override {
        pass("pow", [&] { inner_.pow(x, exponent, y); });
    }
    void gelu(C x, glassbox::Activation form, V y) override {
        pass("gelu", [&] { inner_.gelu(x, form, y); });
    }
    void gelu_backward(C x, C dy, glassbox::Activation form, V dx) override {
        pass("gelu_backward", [&] { inner_.gelu_backward(x, dy, form, dx); });
    }
    void gather_rows(C table, C ids, V y) override {
        pass("gather_rows", [&] { inner_.gather_rows(table, ids, y); });
    }
    void scatter_rows(C x, C ids, V table) override {
        pass("scatter_rows", [&] { inner_.scatter_rows(x, ids, table); });
    }
    void dropout(C x, const glassbox::DropoutParams& params, V y) override {
        pass("dropout", [&] { inner_.dropout(x, params, y); });
    }
    void attention(C q, C k, C v, Params params, V values, V logsumexp) override {
        pass("attention", [&] { inner_.attention(q, k, v, params, values, logsumexp); });
    }
    void attention_backward(C q, C k, C v, Params params, C values, C logsumexp, C dvalues, V dq, V dk,
                            V dv) override {
        pass("attention_backward",
             [&] { inner_.attention_backward(q, k, v, params, values, logsumexp, dvalues, dq, dk, dv); });
    }
    void adam(const glassbox::AdamParams& params, const glassbox::LiveStep& step, C g, V w, V m,
              V v) override {
        pass("adam", [&] { inner_.adam(params, step, g, w, m, v); });
    }
    void descend(const glassbox::DescentParams& params, const glassbox::LiveStep& step, C g, V w,
                 V m) override {
        pass("descend", [&] { inner_.descend(params, step, g, w, m); });
    }
    void add_in_order(const glassbox::ConstView* blocks, glassbox::index_t count, bool onto,
                      V total) override {
        pass("add_in_order", [&] { inner_.add_in_order(blocks, count, onto, total); });
    }
    double sum_of_squares(C x) override {
        double sum = 0;
        pass("sum_of_squares", [&] { sum = inner_.sum_of_squares(x); });
        return sum;
    }
    void clip(C g, const glassbox::Clipping& clipping, glassbox::StepNumbers* numbers, V norm) override {
        pass("clip", [&] { inner_.clip(g, clipping, numbers, norm); });
    }

  private:
    template <class Run>
    void pass(const char* name, Run run) {
        static_cast<Self&>(*this).kernel(name, run);
    }

    glassbox::Backend& inner_;
};
