#pragma once
#include <concepts>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// 9 significant digits round-trip any float; a double needs 17.
[[nodiscard]] std::string json_number(double value, int digits = 9);
[[nodiscard]] std::string json_string(std::string_view text);  // quoted and escaped

// A value as JSON. Nothing here throws on a value: numbers that JSON lacks are written as the strings "NaN",
// "Infinity" and "-Infinity", and bytes that are not UTF-8 as U+FFFD.
class JsonValue {
  public:
    JsonValue(std::nullptr_t) : text_("null") {}
    template <std::integral T>
    JsonValue(T value) : text_(std::same_as<T, bool> ? value ? "true" : "false" : std::to_string(value)) {}
    JsonValue(double value, int digits = 9) : text_(json_number(value, digits)) {}
    template <std::convertible_to<std::string_view> T>
    JsonValue(const T& text) : text_(json_string(text)) {}
    // Nested by axis: [[1, 2], [3, 4]]; a scalar is a plain number. A tensor without elements is [] whatever
    // its shape: (2^40, 0) must not write 2^40 brackets.
    JsonValue(const Tensor& tensor, int digits = 9);
    template <class T>
    JsonValue(const std::optional<T>& value) : JsonValue(value ? JsonValue(*value) : JsonValue(nullptr)) {}
    template <class T>
    JsonValue(const std::vector<T>& items);  // doubles with enough digits to round-trip a `real`
    static JsonValue raw(std::string json);  // this text, which is JSON

    const std::string& text() const { return text_; }

  protected:
    std::string text_;
};

// What stands before the first part of a list or an object, after each comma, and after the last part.
struct JsonLayout {
    std::string_view first = "", next = " ", end = "";
};
inline constexpr JsonLayout json_tight{"", "", ""};         // {"a":1,"b":[1,2]}
inline constexpr JsonLayout json_rows{"\n ", "\n ", "\n"};  // each part on a line of its own

// A list or an object; at any time it is whole.
class JsonParts : public JsonValue {
  public:
    bool is_empty() const { return is_empty_; }

  protected:
    JsonParts(std::string_view brackets, const JsonLayout& layout);
    void append(const std::string& key, std::string_view json, bool on_new_line = false);

    JsonLayout layout_;
    bool is_empty_ = true;
};

class JsonList : public JsonParts {
  public:
    explicit JsonList(const JsonLayout& layout = {}) : JsonParts("[]", layout) {}
    JsonList(std::initializer_list<JsonValue> items, const JsonLayout& layout = {}) : JsonList(layout) {
        for (const JsonValue& item : items) add(item);
    }
    template <class Items, class Of>  // of(item) for each
    JsonList(const Items& items, const Of& of, const JsonLayout& layout = {}) : JsonList(layout) {
        for (const auto& item : items) add(std::invoke(of, item));
    }
    JsonList& add(const JsonValue& item) { return append("", item.text()), *this; }
};

// JsonObject{{"name", text}, {"loss", {loss, 17}}, {"steps", list}}
class JsonObject : public JsonParts {
  public:
    struct Field {
        std::string_view key;
        JsonValue value;
    };
    explicit JsonObject(const JsonLayout& layout = {}) : JsonParts("{}", layout) {}
    JsonObject(std::initializer_list<Field> fields, const JsonLayout& layout = {}) : JsonObject(layout) {
        for (const Field& field : fields) add(field.key, field.value);
    }
    JsonObject& add(std::string_view key, const JsonValue& value, bool on_new_line = false);
    JsonObject& add_line(std::string_view key, const JsonValue& value) { return add(key, value, true); }
    JsonObject& add_all(const JsonObject& fields);
};

template <class T>
JsonValue::JsonValue(const std::vector<T>& items)
    : JsonValue(JsonList(items, [](const T& item) {
          if constexpr (std::floating_point<T>)
              return JsonValue(item, std::numeric_limits<real>::max_digits10);
          else return JsonValue(item);
      })) {}

// How deep lists and objects of a JSON text are inside one another. Programs that copy or walk a value call
// themselves for each level, so that a file of only brackets would exhaust the stack: readers refuse depths
// above `max_json_depth`.
constexpr int max_json_depth = 64;
int json_depth(std::string_view json);

}  // namespace glassbox
