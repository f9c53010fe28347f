#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox_test {

// Only the required kernels of another backend: all others are the default bodies. It computes for `device`,
// whose memory the other backend's kernels must be able to access.
class DefaultKernels : public glassbox::Backend {
  public:
    using View = glassbox::View;
    using ConstView = glassbox::ConstView;

    explicit DefaultKernels(glassbox::Backend& inner) : DefaultKernels(inner, inner.device()) {}
    DefaultKernels(glassbox::Backend& inner, glassbox::Device device) : inner_(inner), device_(device) {}

    const char* name() const override { return "default kernels"; }
    glassbox::Device device() const override { return device_; }
    void wait() override { inner_.wait(); }

    void copy(const ConstView& x, const View& y) override { inner_.copy(x, y); }
    void fill(const View& y, glassbox::real value) override { inner_.fill(y, value); }
    void unary(glassbox::Unary op, const ConstView& x, const View& y) override { inner_.unary(op, x, y); }
    void binary(glassbox::Binary op, const ConstView& a, const ConstView& b, const View& y) override {
        inner_.binary(op, a, b, y);
    }
    void masked_fill(const ConstView& x, const ConstView& mask, glassbox::real value,
                     const View& y) override {
        inner_.masked_fill(x, mask, value, y);
    }
    void sum(const ConstView& x, const View& y) override { inner_.sum(x, y); }
    void max(const ConstView& x, const View& y) override { inner_.max(x, y); }
    void matmul(const ConstView& a, const ConstView& b, const View& c) override { inner_.matmul(a, b, c); }
    void gather_rows(const ConstView& table, const ConstView& ids, const View& y) override {
        inner_.gather_rows(table, ids, y);
    }
    void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) override {
        inner_.scatter_rows(x, ids, table);
    }

  private:
    glassbox::Backend& inner_;
    glassbox::Device device_;
};

}  // namespace glassbox_test
