#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox_fuzz {

inline glassbox::ByteView bytes_of(const std::uint8_t* data, std::size_t size) {
    return std::as_bytes(std::span(data, size));
}
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// Ends the fuzzer, which then keeps the input.
[[noreturn]] inline void broken(const char* promise, std::string_view what) {
    std::fprintf(stderr, "broken: %s: '%.*s'\n", promise, static_cast<int>(what.size()), what.data());
    std::abort();
}

// A terminal may be shown the message as it is: no control characters and no bytes that are not UTF-8, and no
// line that could pass for another message; lines of its own are indented.
inline void require_safe(std::string_view message) {
    for (std::size_t i = 0; i < message.size();) {
        const bool is_own_break = message.substr(i).starts_with("\n  ");
        const std::size_t length = is_own_break ? 1 : glassbox::printable_length(message, i);
        if (length == 0) broken("a message holds what cannot be shown", message);
        i += length;
    }
}

// Runs a reader, which must reject input with an E whose message is safe; any other exception ends the
// fuzzer.
template <class E, class Read>
void refuse_with(Read read) {
    try {
        read();
    } catch (const E& error) {
        require_safe(error.what());
    }
}
template <class Read>
void refuse_or(Read read) {
    refuse_with<glassbox::FileError>(read);
}

// The same for what is typed on the command line: it stands in messages as typed, and is escaped where the
// command prints it.
template <class Read>
void refuse_typed(Read read) {
    try {
        read();
    } catch (const glassbox::UsageError&) {
    }
}

// A round trip must give the same bits (NaN included, whose payload a copy keeps).
inline void require_same(const glassbox::Tensor& a, const glassbox::Tensor& b) {
    const auto x = a.values(), y = b.values();
    if (a.shape() != b.shape() || x.size() != y.size()) std::abort();
    if (!x.empty() && std::memcmp(x.data(), y.data(), x.size() * sizeof(glassbox::real)) != 0) std::abort();
}

inline void require_same(std::string_view before, std::string_view after, const char* promise) {
    if (before == after) return;
    std::fprintf(stderr, "before: %.*s\n", static_cast<int>(before.size()), before.data());
    broken(promise, after);
}

// A folder for readers that take a path; it goes when the fuzzer ends.
class Folder {
  public:
    Folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "glassbox-fuzz-XXXXXX").string();
        if (!::mkdtemp(pattern.data())) std::abort();
        path_ = pattern;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string operator/(const char* name) const { return (path_ / name).string(); }
    // Writes a file of this name. Returns its path.
    std::string put(const char* name, std::string_view content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return *this / name;
    }
    std::string put(const char* name, glassbox::ByteView content) const {
        return put(name, std::string_view(reinterpret_cast<const char*>(content.data()), content.size()));
    }

  private:
    std::filesystem::path path_;
};
inline const Folder& folder() {
    static const Folder only;
    return only;
}

// The parts of a text between separators: "a\nb" has two.
inline std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

}  // namespace glassbox_fuzz
