#pragma once
#include <glassbox/train/examples.h>

namespace glassbox {

// Examples in memory: named arrays with one example per index of the first axis.
//     ArrayDataSet data({{"x", x}, {"label", y}});  // (n, d) and (n)
class ArrayDataSet final : public DataSet {
  public:
    // Throws Error when there is no array, an array is a scalar, names are not unique, or first axes differ.
    explicit ArrayDataSet(NamedTensors arrays);

    index_t size() const override { return size_; }
    Examples at(const std::vector<index_t>& rows) const override;  // on the CPU; Error for rows out of range

  private:
    NamedTensors arrays_;  // on the CPU, contiguous
    index_t size_;
};

}  // namespace glassbox
