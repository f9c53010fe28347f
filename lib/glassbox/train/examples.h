#pragma once
#include <string_view>
#include <vector>

#include <glassbox/io/named_tensors.h>

namespace glassbox {

// Some examples of a task, as named arrays whose first axis counts them: x (n, T, d), labels (n, T).
struct Examples {
    NamedTensors arrays;

    index_t size() const;
    bool has(std::string_view name) const;
    const Tensor& operator[](std::string_view name) const;  // throws Error that lists the names there are
    Examples part(index_t begin, index_t end) const;        // views: nothing is copied
    Examples to(Device device) const;
};

// Where examples come from. The same rows of the same epoch are the same numbers every time, so that a run
// that was cut off goes on with them.
class DataSet {
  public:
    virtual ~DataSet() = default;
    virtual index_t size() const = 0;
    virtual Examples at(const std::vector<index_t>& rows) const = 0;
    virtual void begin_epoch(index_t) {}  // counted from 0; for data that are new each time
};

}  // namespace glassbox
