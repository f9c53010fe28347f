#include <glassbox/text/detail/untrusted_json.h>

#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/io/text.h>

namespace glassbox::detail {

using Json = nlohmann::json;

struct UntrustedJson::Document {
    Json root;
};

namespace {

template <class T>
struct Expected;
template <>
struct Expected<std::string> {
    static constexpr const char* what = "a text";
    static bool is(const Json& value) { return value.is_string(); }
};
template <>
struct Expected<bool> {
    static constexpr const char* what = "true or false";
    static bool is(const Json& value) { return value.is_boolean(); }
};
template <>
struct Expected<index_t> {
    static constexpr const char* what = "a whole number";
    static bool is(const Json& value) {
        return value.is_number_integer() &&
               !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
    }
};

// The value at a place, such as words[3].
template <class T>
T value_of(const UntrustedJson& json, const Json& value, const std::string& place) {
    if (!Expected<T>::is(value)) json.refuse("{}: expected {}", place, Expected<T>::what);
    return value.get<T>();
}

const Json& field(const UntrustedJson& json, const Json& root, const char* key) {
    const auto found = root.find(key);
    if (found == root.end()) json.refuse("no field {}", key);
    return *found;
}

template <class T>
std::vector<T> list_of(const UntrustedJson& json, const Json& value, const std::string& place) {
    if (!value.is_array()) json.refuse("{}: expected a list", place);
    std::vector<T> all;
    for (const Json& each : value)
        all.push_back(value_of<T>(json, each, fmt::format("{}[{}]", place, all.size())));
    return all;
}

}  // namespace

UntrustedJson::UntrustedJson(std::string_view json, std::string name) : name_(std::move(name)) {
    refuse_other_kind(std::as_bytes(std::span(json)), name_, Sought::text, "JSON");
    // nlohmann's parser treats a NUL as the end of the input.
    if (json.find('\0') != std::string_view::npos) refuse("not JSON: a NUL character");
    if (json_depth(json) > max_json_depth) refuse("lists and objects more than {} deep", max_json_depth);
    Json root;
    try {
        root = Json::parse(json);
    } catch (const Json::exception& error) {
        refuse("not JSON: {}", printable(error.what()));
    }
    if (!root.is_object()) refuse("expected a JSON object");
    document_ = std::make_unique<const Document>(Document{std::move(root)});
}

UntrustedJson::~UntrustedJson() = default;

bool UntrustedJson::has_text(const char* key) const {
    const auto found = document_->root.find(key);
    return found != document_->root.end() && found->is_string();
}

std::string UntrustedJson::text(const char* key) const {
    return value_of<std::string>(*this, field(*this, document_->root, key), key);
}
bool UntrustedJson::flag(const char* key) const {
    return value_of<bool>(*this, field(*this, document_->root, key), key);
}
index_t UntrustedJson::number(const char* key) const {
    return value_of<index_t>(*this, field(*this, document_->root, key), key);
}
std::vector<std::string> UntrustedJson::texts(const char* key) const {
    return list_of<std::string>(*this, field(*this, document_->root, key), key);
}
std::vector<index_t> UntrustedJson::numbers(const char* key) const {
    return list_of<index_t>(*this, field(*this, document_->root, key), key);
}

std::vector<std::vector<index_t>> UntrustedJson::lists(const char* key) const {
    const Json& value = field(*this, document_->root, key);
    if (!value.is_array()) refuse("{}: expected a list", key);
    std::vector<std::vector<index_t>> all;
    for (const Json& each : value)
        all.push_back(list_of<index_t>(*this, each, fmt::format("{}[{}]", key, all.size())));
    return all;
}

std::vector<std::pair<std::string, index_t>> UntrustedJson::entries() const {
    std::vector<std::pair<std::string, index_t>> all;
    for (const auto& [key, value] : document_->root.items())
        all.emplace_back(key, value_of<index_t>(*this, value, printable(key)));
    return all;
}

}  // namespace glassbox::detail
