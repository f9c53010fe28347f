#include <glassbox/train/examples.h>

#include <algorithm>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// A copy of these rows of the array: (number of rows, …).
Tensor gathered(const Tensor& array, const std::vector<index_t>& rows) {
    Tensor selected = Tensor::empty(array.shape().with(0, static_cast<index_t>(rows.size())));
    const index_t width = selected.numel() / std::max<index_t>(selected.size(0), 1);
    real* to = selected.writable().data;
    for (const index_t row : rows) to = std::copy_n(array.data() + row * width, width, to);
    return selected;
}

}  // namespace

ArrayDataSet::ArrayDataSet(NamedTensors arrays) : arrays_(std::move(arrays)) {
    if (arrays_.empty()) fail("data set: needs at least one array, got none");
    check_names("data set", arrays_);
    for (auto& [name, array] : arrays_) {
        if (!array.defined()) fail("data set: '{}' is undefined", name);
        if (array.rank() == 0) fail("data set: '{}' has shape (); its first axis counts the examples", name);
        if (array.size(0) != arrays_[0].second.size(0))
            fail("data set: '{}' has {} examples, '{}' has {}", arrays_[0].first, arrays_[0].second.size(0),
                 name, array.size(0));
        array = contiguous(array.to(Device::cpu));
    }
    size_ = arrays_[0].second.size(0);
}

Examples ArrayDataSet::at(const std::vector<index_t>& rows) const {
    for (const index_t row : rows)
        if (row < 0 || row >= size_) fail("data set: no example {} among {}", row, size_);
    Examples examples;
    for (const auto& [name, array] : arrays_) examples.arrays.emplace_back(name, gathered(array, rows));
    return examples;
}

}  // namespace glassbox
