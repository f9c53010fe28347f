#include "report/page_json.h"

#include <fmt/format.h>

#include <bit>

#include <glassbox/io/json.h>

#include "report/base64.h"

namespace tracer {

using glassbox::Tensor;

static_assert(std::endian::native == std::endian::little, "a page holds numbers as this machine stores them");

void JsonObject::add(const char* key, const std::string& json) {
    text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", key, json);
}

void JsonObject::add_text(const char* key, const std::string& text) { add(key, glassbox::json_string(text)); }

std::string json_joined(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ","));
}

std::string json_shape(const Tensor& tensor) {
    return glassbox::json_list(std::vector<glassbox::index_t>(tensor.shape().begin(), tensor.shape().end()));
}

std::string json_numbers(const Tensor& tensor) {
    const std::vector<glassbox::real> values = tensor.to(glassbox::Device::cpu).values();
    return '"' + base64(values.data(), values.size() * sizeof(glassbox::real)) + '"';
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

}  // namespace tracer
