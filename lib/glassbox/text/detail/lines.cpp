#include <glassbox/text/detail/lines.h>

#include <algorithm>

#include <glassbox/io/detail/file_kind.h>
#include <glassbox/io/detail/text.h>

namespace glassbox {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Letters of code page 850 that are signs or nothing in Windows-1252, beside another letter: ü é â ä à ç ê ë
// ï É.
bool is_of_dos(std::string_view text, std::size_t at) {
    constexpr std::string_view letters = "\x81\x82\x83\x84\x85\x87\x88\x89\x8B\x90";
    const auto is_letter = [&](std::size_t i) {
        const char c = i < text.size() ? static_cast<char>(text[i] | 0x20) : '\0';
        return c >= 'a' && c <= 'z';
    };
    return letters.find(text[at]) != std::string_view::npos && (is_letter(at + 1) || is_letter(at - 1));
}

void check_line(const Line& line, const std::string& file) {
    for (std::size_t i = 0; i < line.text.size();) {
        const char here = line.text[i];
        if (here == '\0') fail_at(file, line, i, "a NUL character");
        const std::size_t length = here > 0 ? 1 : utf8_length(line.text, i);
        if (length == 0)
            fail_at(file, line, i, "not UTF-8: byte 0x{:02x}; from {} -t UTF-8 converts it",
                    static_cast<unsigned char>(here),
                    is_of_dos(line.text, i) ? "DOS (code page 850), iconv -f CP850"
                                            : "Windows-1252 or Latin-1, iconv -f WINDOWS-1252");
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
        // Of files that were joined, each with its own mark.
        if (text.starts_with(byte_order_mark)) {
            text.remove_prefix(byte_order_mark.size());
            begin += byte_order_mark.size();
        }
        const Line line{++number, begin, text};
        check_line(line, file);
        f(line);
        begin = end + 1;
    }
}

}  // namespace glassbox
