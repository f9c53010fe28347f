#include "report/page_json.h"

#include <bit>
#include <cstdint>

namespace glassbox::tracer {

static_assert(std::endian::native == std::endian::little, "a page holds numbers as this machine stores them");

JsonValue json_numbers(const Tensor& tensor) {
    const std::vector<real> values = tensor.to(Device::cpu).values();
    return base64(values.data(), values.size() * sizeof(real));
}

std::string safe_in_script(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {
        if (c == '<') text += "\\u003c";
        else text += c;
    }
    return text;
}

std::string base64(const void* data, std::size_t bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto* byte = static_cast<const unsigned char*>(data);
    std::string text;
    text.reserve((bytes + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes; i += 3) {
        std::uint32_t three = 0;
        for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (i + k < bytes ? byte[i + k] : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes ? digits[three >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

}  // namespace glassbox::tracer
