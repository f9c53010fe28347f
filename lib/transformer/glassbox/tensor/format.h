#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>  // fmt::join, since fmt 11

#include <utility>

#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// Throws E with a formatted message: fail("matmul: inner sizes differ: {} × {}", a.shape(), b.shape()).
template <class E = Error, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
    throw E(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace glassbox

template <>
struct fmt::formatter<glassbox::Shape> : fmt::formatter<std::string> {
    template <class Context>
    auto format(const glassbox::Shape& shape, Context& context) const {
        return fmt::formatter<std::string>::format(shape.str(), context);
    }
};
