#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// The fields of a JSON object from outside. Each function throws FileError if the field is missing or of
// another type.
class UntrustedJson {
  public:
    UntrustedJson(std::string_view json, std::string name);
    ~UntrustedJson();

    bool has_text(const char* key) const;  // the field is there, and a text
    std::string text(const char* key) const;
    bool flag(const char* key) const;
    index_t number(const char* key) const;
    std::vector<std::string> texts(const char* key) const;
    std::vector<index_t> numbers(const char* key) const;
    std::vector<std::vector<index_t>> lists(const char* key) const;
    // The whole object: {"a": 1, "b": 2}, in the order of the keys.
    std::vector<std::pair<std::string, index_t>> entries() const;

    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> reason, Args&&... args) const {
        throw FileError(fmt::format("{}: {}", name_, fmt::format(reason, std::forward<Args>(args)...)));
    }

  private:
    struct Document;
    std::unique_ptr<const Document> document_;
    std::string name_;
};

}  // namespace glassbox::detail
