#include "support/compare.h"

#include "support/catch.h"

namespace glassbox_test {

using namespace glassbox;

std::string find_difference(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                            const std::string& path) {
    const Agreement found = all_close(actual, expected, tolerance, path);
    return found ? "" : found.str();
}

void check_close(const Tensor& actual, const Tensor& expected, const Tolerance& tolerance,
                 const std::string& path) {
    const std::string difference = find_difference(actual, expected, tolerance, path);
    INFO(difference);
    CHECK(difference.empty());
}

}  // namespace glassbox_test
