#include <glassbox/testing/numbers.h>

#include <ostream>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::ostream& operator<<(std::ostream& out, const Numbers& numbers) {
    return out << fmt::format("numbers of shape {}", numbers.tensor().shape());
}

namespace detail {

void fail_for_rows(index_t size, index_t size_before) {
    fail("numbers: rows of an array need equal lengths, got {} after {}", size, size_before);
}
void fail_for_count(index_t count, const Shape& shape) {
    fail("numbers: the shape {} has {} numbers, got {}", shape, shape.numel(), count);
}

}  // namespace detail

}  // namespace glassbox
