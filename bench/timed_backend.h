#pragma once
#include <chrono>
#include <map>
#include <string>

#include <glassbox/backend/backend.h>

// Passes every kernel on to another backend, and adds up how long each took until it had been run.
class TimedBackend : public glassbox::Backend {
  public:
    struct Total {
        long calls = 0;
        double nanoseconds = 0;
    };
    explicit TimedBackend(glassbox::Backend& inner) : inner_(inner) {}
    const std::map<std::string, Total>& totals() const { return totals_; }
    const char* name() const override { return inner_.name(); }
    void wait() override { inner_.wait(); }

    using V = const glassbox::View&;
    using C = const glassbox::ConstView&;
    using real = glassbox::real;
    using Activation = glassbox::Activation;
    using Params = const glassbox::AttentionParams&;

    void copy(C x, V y) override {
        timed("copy", [&] { inner_.copy(x, y); });
    }
    void fill(V y, real value) override {
        timed("fill", [&] { inner_.fill(y, value); });
    }
    void unary(glassbox::Unary op, C x, V y) override {
        timed("unary", [&] { inner_.unary(op, x, y); });
    }
    void binary(glassbox::Binary op, C a, C b, V y) override {
        timed("binary", [&] { inner_.binary(op, a, b, y); });
    }
    void masked_fill(C x, C mask, real value, V y) override {
        timed("masked_fill", [&] { inner_.masked_fill(x, mask, value, y); });
    }
    void sum(C x, V y) override {
        timed("sum", [&] { inner_.sum(x, y); });
    }
    void max(C x, V y) override {
        timed("max", [&] { inner_.max(x, y); });
    }
    void softmax(C x, V y) override {
        timed("softmax", [&] { inner_.softmax(x, y); });
    }
    void log_softmax(C x, V y) override {
        timed("log_softmax", [&] { inner_.log_softmax(x, y); });
    }
    void softmax_backward(C y, C dy, V dx) override {
        timed("softmax_backward", [&] { inner_.softmax_backward(y, dy, dx); });
    }
    void cross_entropy(C x, C labels, real smoothing, V losses, V p) override {
        timed("cross_entropy", [&] { inner_.cross_entropy(x, labels, smoothing, losses, p); });
    }
    void cross_entropy_backward(C p, C labels, real smoothing, C dlosses, V dx) override {
        timed("cross_entropy_backward",
              [&] { inner_.cross_entropy_backward(p, labels, smoothing, dlosses, dx); });
    }
    void count_correct(C x, C labels, V count) override {
        timed("count_correct", [&] { inner_.count_correct(x, labels, count); });
    }
    void matmul(C a, C b, V c) override {
        timed("matmul", [&] { inner_.matmul(a, b, c); });
    }
    void linear(C x, C W, C b, Activation f, V y) override {
        timed("linear", [&] { inner_.linear(x, W, b, f, y); });
    }
    void linear_backward(C x, C W, C dy, V dx, V dW, V db) override {
        timed("linear_backward", [&] { inner_.linear_backward(x, W, dy, dx, dW, db); });
    }
    void layer_norm(C x, C gamma, C beta, double epsilon, glassbox::Moments moments, V y, V mu,
                    V r) override {
        timed("layer_norm", [&] { inner_.layer_norm(x, gamma, beta, epsilon, moments, y, mu, r); });
    }
    void layer_norm_backward(C x, C gamma, C mu, C r, C dy, V dx, V dgamma, V dbeta) override {
        timed("layer_norm_backward",
              [&] { inner_.layer_norm_backward(x, gamma, mu, r, dy, dx, dgamma, dbeta); });
    }
    void feed_forward(C x, C W1, C b1, Activation f, C W2, C b2, V y) override {
        timed("feed_forward", [&] { inner_.feed_forward(x, W1, b1, f, W2, b2, y); });
    }
    void gelu(C x, glassbox::Activation form, V y) override {
        timed("gelu", [&] { inner_.gelu(x, form, y); });
    }
    void gelu_backward(C x, C dy, glassbox::Activation form, V dx) override {
        timed("gelu_backward", [&] { inner_.gelu_backward(x, dy, form, dx); });
    }
    void gather_rows(C table, C ids, V y) override {
        timed("gather_rows", [&] { inner_.gather_rows(table, ids, y); });
    }
    void scatter_rows(C x, C ids, V table) override {
        timed("scatter_rows", [&] { inner_.scatter_rows(x, ids, table); });
    }
    void dropout(C x, const glassbox::DropoutParams& params, V y) override {
        timed("dropout", [&] { inner_.dropout(x, params, y); });
    }
    void attention(C q, C k, C v, Params params, V values, V logsumexp) override {
        timed("attention", [&] { inner_.attention(q, k, v, params, values, logsumexp); });
    }
    void attention_backward(C q, C k, C v, Params params, C values, C logsumexp, C dvalues, V dq, V dk,
                            V dv) override {
        timed("attention_backward",
              [&] { inner_.attention_backward(q, k, v, params, values, logsumexp, dvalues, dq, dk, dv); });
    }
    void adam(const glassbox::AdamParams& params, const glassbox::Step& step, C g, V w, V m, V v) override {
        timed("adam", [&] { inner_.adam(params, step, g, w, m, v); });
    }
    void descend(const glassbox::DescentParams& params, const glassbox::Step& step, C g, V w, V m) override {
        timed("descend", [&] { inner_.descend(params, step, g, w, m); });
    }
    void add_in_order(const glassbox::ConstView* blocks, glassbox::index_t count, bool onto,
                      V total) override {
        timed("add_in_order", [&] { inner_.add_in_order(blocks, count, onto, total); });
    }
    double sum_of_squares(C x) override {
        double sum = 0;
        timed("sum_of_squares", [&] { sum = inner_.sum_of_squares(x); });
        return sum;
    }
    void clip(C g, const glassbox::Clipping& clipping, glassbox::StepNumbers* numbers, V norm) override {
        timed("clip", [&] { inner_.clip(g, clipping, numbers, norm); });
    }

  private:
    template <class Kernel>
    void timed(const char* name, Kernel kernel) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        kernel();
        inner_.wait();
        Total& total = totals_[name];
        ++total.calls;
        total.nanoseconds += std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    }

    glassbox::Backend& inner_;
    std::map<std::string, Total> totals_;
};
