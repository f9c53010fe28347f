#include <glassbox/text/detail/lines.h>

#include <algorithm>

#include <glassbox/io/detail/file_kind.h>
#include <glassbox/io/detail/text.h>

namespace glassbox {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

void check_line(const Line& line, const std::string& file) {
    for (std::size_t i = 0; i < line.text.size();) {
        const char here = line.text[i];
        if (here == '\0') fail_at(file, line, i, "a NUL character");
        const std::size_t length = here > 0 ? 1 : utf8_length(line.text, i);
        if (length == 0)
            fail_at(file, line, i,
                    "not UTF-8: byte 0x{:02x}; from Windows-1252 or Latin-1, iconv -f WINDOWS-1252 -t UTF-8 "
                    "converts it",
                    static_cast<unsigned char>(here));
        i += length;
    }
}

}  // namespace

void for_each_line(std::string_view bytes, const std::string& file,
                   const std::function<void(const Line&)>& f) {
    refuse_other_kind(std::as_bytes(std::span(bytes)), file, Sought::text, "plain text in UTF-8");
    std::uint64_t number = 0;
    std::size_t begin = bytes.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    while (begin < bytes.size()) {
        const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
        std::string_view text = bytes.substr(begin, end - begin);
        if (text.ends_with('\r')) text.remove_suffix(1);
        const Line line{++number, begin, text};
        check_line(line, file);
        f(line);
        begin = end + 1;
    }
}

}  // namespace glassbox
