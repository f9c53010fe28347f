#pragma once
#include <optional>
#include <string>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Beyond this a real does not tell one whole number from the next.
inline constexpr index_t most_whole = sizeof(real) == 4 ? index_t{1} << 24 : index_t{1} << 53;

// For ops whose operand holds whole numbers (labels, ids of rows): the first, in row-major order, that is
// none, or is not in [least, most]; nothing when all are.
struct NotWhole {
    real value;
    std::string place;  // "(1, 3)"
};
std::optional<NotWhole> first_not_whole(const Tensor& x, index_t least, index_t most);

// While one lives on this thread, first_not_whole() believes every number: what is recorded for a device may
// not be looked at meanwhile.
class Believing {
  public:
    Believing();
    ~Believing();
    Believing(const Believing&) = delete;
    Believing& operator=(const Believing&) = delete;

  private:
    bool outer_;
};
bool numbers_may_be_seen();  // whether none lives

}  // namespace glassbox
