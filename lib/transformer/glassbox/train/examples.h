#pragma once
#include <string_view>
#include <vector>

#include <glassbox/io/named_tensors.h>

namespace glassbox {

// Examples of a task: named arrays, one example per index of the first axis: x (n, T, d), labels (n, T).
struct Examples {
    NamedTensors arrays;

    index_t size() const;
    bool has(std::string_view name) const;
    const Tensor& operator[](std::string_view name) const;  // throws Error that lists the names
    Examples part(index_t begin, index_t end) const;        // views
    Examples to(Device device) const;
};

// A source of examples. The same rows of the same epoch must always give the same numbers, so that an
// interrupted run can be resumed.
class DataSet {
  public:
    virtual ~DataSet() = default;
    virtual index_t size() const = 0;
    virtual Examples at(const std::vector<index_t>& rows) const = 0;
    virtual void begin_epoch(index_t) {}  // from 0; for data that change from epoch to epoch
    // May rearrange an epoch's shuffled rows, so that each `batch` of them has examples of like lengths. The
    // result must depend on nothing but the arguments and the data.
    virtual void arrange(std::vector<index_t>& /*rows*/, index_t /*batch*/) const {}
};

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

// How a batch is divided, so that the gradient has the same bits on any number of threads and ranks.
//     piece   a micro-batch: consecutive examples scored together on one tape. On the CPU it has about 256
//             positions, so that the activations fit into the cache.
//     lane    consecutive pieces, whose gradients accumulate one after the other in one block.
// The blocks are then added in lane order. Both numbers depend only on the batch and the model, and the
// result does not depend on which thread or rank computes a lane.
struct BatchCut {
    index_t pieces, lanes;
};

// parameters: the number of elements of a gradient. lanes: the number of lanes on devices other than the CPU,
// fewer if the batch has fewer examples. There a lane is one piece, or several if it would be too large.
BatchCut cut_of(const Examples& batch, index_t parameters, Device device = Device::cpu, index_t lanes = 1);

// The examples of one piece, as views.
Examples piece_of(const Examples& batch, index_t piece, index_t pieces);

}  // namespace glassbox
