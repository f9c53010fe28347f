#include "subject/hand_in_file.h"

#include <glassbox/io/detail/file.h>
#include <glassbox/io/detail/file_kind.h>
#include <glassbox/io/npy.h>
#include <glassbox/io/npz.h>
#include <glassbox/io/safetensors.h>
#include <glassbox/tensor/format.h>

#include "subject/written_numbers.h"
#include "subject/written_text.h"

namespace tracer {

namespace {

std::vector<HandInArray> named(const glassbox::NamedTensors& arrays) {
    std::vector<HandInArray> all;
    for (const auto& [name, value] : arrays) all.push_back({{name, value}});
    return all;
}

constexpr const char* needed = "an .npz, .npy or .safetensors file or numbers as text";

bool is_safetensors(std::string_view text) { return text.size() > 9 && text[8] == '{' && text[7] == '\0'; }

// JSON and pages are text, too, and JSON may have the numbers.
std::vector<HandInArray> numbers_as_text(glassbox::ByteView bytes, const std::string& name) {
    if (is_utf16(glassbox::as_text(bytes))) return parse_written(glassbox::as_text(bytes), name);
    const auto kind = glassbox::kind_of_file(bytes, name, glassbox::Sought::arrays);
    if (kind && !kind->is_text) refuse_other_kind(bytes, name, glassbox::Sought::arrays, needed);
    if (glassbox::as_text(bytes).find('\0') != std::string_view::npos)
        glassbox::fail<glassbox::FileError>("{}: {} needed, got a binary file of another kind", name, needed);
    try {
        return parse_written(glassbox::as_text(bytes), name);
    } catch (const glassbox::FileError&) {
        if (kind && kind->what != "JSON") refuse_other_kind(bytes, name, glassbox::Sought::arrays, needed);
        throw;
    }
}

std::vector<HandInArray> arrays_of(glassbox::Bytes bytes, const std::string& name) {
    const std::string_view text = glassbox::as_text(bytes);
    if (text.starts_with("PK")) {
        const auto kind = glassbox::kind_of_file(bytes, name, glassbox::Sought::arrays);
        if (kind && !kind->is_npz) refuse_other_kind(bytes, name, glassbox::Sought::arrays, needed);
        glassbox::NpzContent content = read_all(glassbox::Npz::parse(std::move(bytes), name));
        if (content.arrays.empty() && !content.skipped.empty())
            glassbox::fail<glassbox::FileError>("{}: {}", name, content.skipped.front());
        return named(content.arrays);
    }
    if (text.starts_with("\x93NUMPY")) return {{{"", glassbox::parse_npy(bytes, name)}}};
    if (is_safetensors(text)) return named(glassbox::parse_safetensors(bytes, name).tensors);
    return numbers_as_text(bytes, name);
}

}  // namespace

std::vector<HandInArray> read_hand_in(const std::string& file) {
    const std::string name = glassbox::display_name(file);
    const auto check = [&](glassbox::ByteView start, std::uint64_t bytes) {
        const std::string_view text = glassbox::as_text(start);
        const bool is_array = text.starts_with("PK") || text.starts_with("\x93NUMPY") || is_safetensors(text);
        if (!is_array && !is_utf16(text))
            glassbox::text_check(file, needed, glassbox::Sought::arrays)(start, bytes);
    };
    std::vector<HandInArray> all = arrays_of(glassbox::read_file(file, check), name);
    if (all.empty()) glassbox::fail<glassbox::FileError>("{}: no arrays", name);
    return all;
}

}  // namespace tracer
