#include <glassbox/text/detail/lines.h>

#include <algorithm>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>

namespace glassbox::detail {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void check_line(const TextLine& line, const std::string& file, std::string_view all) {
    for (std::size_t i = 0; i < line.text.size();) {
        const char here = line.text[i];
        if (here == '\0') fail_at(file, line, i, "a NUL character");
        const std::size_t length = here > 0 ? 1 : utf8_length(line.text, i);
        if (length == 0)
            fail_at(file, line, i, "not UTF-8: byte 0x{:02x}; {}", static_cast<unsigned char>(here),
                    way_to_utf8(all));
        i += length;
    }
}

}  // namespace

void for_each_line(std::string_view bytes, const std::string& file,
                   const std::function<void(const TextLine&)>& f) {
    refuse_other_kind(std::as_bytes(std::span(bytes)), file, Sought::text, "plain text in UTF-8");
    if (const std::string encoding = encoding_in_ascii(bytes); !encoding.empty())
        fail<FileError>(
            "{0}: expected plain text in UTF-8, got text in {1}: iconv -f {1} -t UTF-8 converts it", file,
            encoding);
    const bool has_newlines = bytes.find('\n') != bytes.npos;
    const char line_end = has_newlines || bytes.find('\r') == bytes.npos ? '\n' : '\r';  // of an old Mac
    std::uint64_t number = 0;
    std::size_t begin = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    while (begin < bytes.size()) {
        const std::size_t end = std::min(bytes.find(line_end, begin), bytes.size());
        std::string_view text = bytes.substr(begin, end - begin);
        if (text.ends_with('\r')) text.remove_suffix(1);
        // Of files that were joined, each with its own mark.
        if (text.starts_with(byte_order_mark)) {
            text.remove_prefix(byte_order_mark.size());
            begin += byte_order_mark.size();
        }
        const TextLine line{++number, begin, text};
        check_line(line, file, bytes);
        f(line);
        begin = end + 1;
    }
}

}  // namespace glassbox::detail
