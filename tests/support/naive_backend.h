#pragma once
#include <glassbox/backend/backend.h>

namespace glassbox_test {

// The oracle: every required kernel by its definition, in double, element by element, with any strides; all
// others are the default bodies. Slow, but simple enough to verify by reading.
class NaiveBackend : public glassbox::Backend {
  public:
    using View = glassbox::View;
    using ConstView = glassbox::ConstView;

    const char* name() const override { return "oracle"; }
    glassbox::Device device() const override { return glassbox::Device::oracle; }

    void copy(const ConstView& x, const View& y) override;
    void fill(const View& y, glassbox::real value) override;
    void unary(glassbox::Unary op, const ConstView& x, const View& y) override;
    void binary(glassbox::Binary op, const ConstView& a, const ConstView& b, const View& y) override;
    void masked_fill(const ConstView& x, const ConstView& mask, glassbox::real value, const View& y) override;
    void sum(const ConstView& x, const View& y) override;
    void max(const ConstView& x, const View& y) override;
    void matmul(const ConstView& a, const ConstView& b, const View& c) override;
    void gather_rows(const ConstView& table, const ConstView& ids, const View& y) override;
    void scatter_rows(const ConstView& x, const ConstView& ids, const View& table) override;
};

}  // namespace glassbox_test
