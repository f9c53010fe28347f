#pragma once
#include <glassbox/train/examples.h>

namespace glassbox {

// Examples in memory, from arrays by their names whose first axis counts them:
//     ArrayDataSet data({{"x", x}, {"label", y}});  // (n, d) and (n)
class ArrayDataSet final : public DataSet {
  public:
    // Throws Error when there is no array, one has no axis or no name of its own, or first axes differ.
    explicit ArrayDataSet(NamedTensors arrays);

    index_t size() const override { return size_; }
    Examples at(const std::vector<index_t>& rows) const override;  // on the CPU; Error for a row beyond them

  private:
    NamedTensors arrays_;  // on the CPU, without gaps
    index_t size_;
};

}  // namespace glassbox
