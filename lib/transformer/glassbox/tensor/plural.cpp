#include <glassbox/tensor/plural.h>

namespace glassbox {

std::string counted(index_t n, const std::string& one, const std::string& several) {
    return std::to_string(n) + " " + (n == 1 ? one : several.empty() ? one + "s" : several);
}

}  // namespace glassbox
