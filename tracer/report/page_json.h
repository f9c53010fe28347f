#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox::tracer {

// The JSON of a page's data (docs/formats.md, "The page").

inline constexpr const char* real_word = sizeof(real) == 4 ? "float32" : "float64";

// {"key":value,…}
class JsonObject {
  public:
    void add(const char* key, const std::string& json);
    void add_text(const char* key, const std::string& text);
    std::string text() const { return "{" + text_ + "}"; }

  private:
    std::string text_;
};

std::string json_joined(const std::vector<std::string>& items);  // [item,…]
std::string json_shape(const Tensor& tensor);                    // [3,2]
std::string json_numbers(const Tensor& tensor);                  // little-endian, in base64: exact

// The same JSON without "<", which could end the script that holds it.
std::string safe_in_script(const std::string& json);

// RFC 4648, with padding.
std::string base64(const void* data, std::size_t bytes);

}  // namespace glassbox::tracer
