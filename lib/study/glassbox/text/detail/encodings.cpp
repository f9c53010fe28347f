#include <glassbox/text/detail/lines.h>

#include <algorithm>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

constexpr std::size_t sampled_bytes = 1 << 20;

unsigned byte_at(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
}
bool is_high(unsigned byte) { return byte >= 0x80; }
bool is_ascii_letter(unsigned byte) {
    const unsigned low = byte | 0x20u;
    return low >= 'a' && low <= 'z';
}
bool is_in(unsigned byte, std::string_view bytes) {
    return bytes.find(static_cast<char>(byte)) != std::string_view::npos;
}

// How a text's bytes from 128 on are arranged.
struct HighBytes {
    double bytes = 0, runs = 0;                       // and unbroken sequences of them
    double of_utf8 = 0;                               // those that are UTF-8
    double dos = 0, mac = 0, latin = 0, central = 0;  // beside another letter, as these have letters
    double leads = 0;                                 // where Shift_JIS has the first bytes of kana
    double koi_small = 0, windows_small = 0;          // where KOI8-R and Windows-1251 have small letters
    bool are_pairs = true, are_shift_jis = true;      // of two bytes, as EUC and GBK, and as Shift_JIS
};

HighBytes high_bytes(std::string_view text) {
    HighBytes found;
    for (std::size_t i = 0; i < text.size();) {
        if (!is_high(byte_at(text, i))) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (is_high(byte_at(text, i))) ++i;
        const bool is_beside_letter =
            is_ascii_letter(byte_at(text, i)) || (begin > 0 && is_ascii_letter(byte_at(text, begin - 1)));
        ++found.runs;
        found.are_pairs = found.are_pairs && (i - begin) % 2 == 0;
        for (std::size_t at = begin; at < i; ++at) {
            const unsigned byte = byte_at(text, at);
            ++found.bytes;
            found.koi_small += byte >= 0xC0 && byte <= 0xDF;
            found.windows_small += byte >= 0xE0;
            found.leads += byte >= 0x81 && byte <= 0x9F;
            if (!is_beside_letter) continue;
            found.dos += is_in(byte, "\x81\x82\x83\x84\x85\x87\x88\x89\x8B\x90\x94");
            found.mac += is_in(byte, "\x8A\x8E\x8F\x9A\x9F\x96\x97\x98\x99\xA7");
            found.latin += byte >= 0xC0;
            found.central += is_in(byte, "\x9C\x9F\x9D\x9E\xB3\xB9\xBF\xBE");
        }
        found.of_utf8 += is_utf8(text.substr(begin, i - begin));
    }
    for (std::size_t i = 0; i < text.size() && found.are_shift_jis; ++i) {
        const unsigned byte = byte_at(text, i), next = byte_at(text, i + 1);
        if (!is_high(byte) || (byte >= 0xA1 && byte <= 0xDF)) continue;
        found.are_shift_jis = byte != 0x80 && byte <= 0xFC && next >= 0x40 && next <= 0xFC && next != 0x7F;
        ++i;
    }
    return found;
}

std::string where_it_is(std::string_view what, std::string_view encoding) {
    return fmt::format("where it is {}, iconv -f {} -t UTF-8 converts it", what, encoding);
}

}  // namespace

std::string way_to_utf8(std::string_view text) {
    const HighBytes found = high_bytes(text.substr(0, sampled_bytes));
    constexpr const char* any = "iconv -f ENCODING -t UTF-8 converts it";
    if (found.of_utf8 >= 3 && 5 * found.of_utf8 >= found.runs)
        return fmt::format("other places are UTF-8, so that two files may have been joined: of each, {}",
                           any);
    // Words of only such bytes are of another alphabet.
    if (found.bytes > 2.5 * found.runs) {
        if (found.are_shift_jis && 5 * found.leads > found.bytes)
            return where_it_is("Japanese in Shift_JIS", "SHIFT_JIS");
        if (found.are_pairs && found.bytes > 8)
            return fmt::format("where it is Japanese, Chinese or Korean, {}, of EUC-JP, GB18030 or EUC-KR",
                               any);
        if (found.koi_small > 2 * found.windows_small) return where_it_is("Cyrillic in KOI8-R", "KOI8-R");
        return fmt::format(
            "it is of another alphabet: {}, of WINDOWS-1251 for Cyrillic, WINDOWS-1253 for Greek, "
            "SHIFT_JIS for Japanese",
            any);
    }
    if (found.latin > 0 && found.central > found.latin / 4)
        return where_it_is("Windows-1250, of Central Europe", "WINDOWS-1250");
    if (found.latin == 0 && found.dos + found.mac > 0)
        return found.dos >= found.mac ? where_it_is("DOS text (code page 850)", "CP850")
                                      : where_it_is("Mac Roman", "MACINTOSH");
    if (found.latin > 0 || found.bytes <= 2) return where_it_is("Windows-1252 or Latin-1", "WINDOWS-1252");
    return any;
}

std::string encoding_in_ascii(std::string_view text) {
    text = text.substr(0, sampled_bytes);
    for (const std::string_view escape : {"\x1b$B", "\x1b$@", "\x1b(J", "\x1b$(D"})
        if (text.find(escape) != std::string_view::npos) return "ISO-2022-JP";
    if (std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; })) return "";
    // "+APw-" is ü: 16 bits of a letter in base64.
    int letters = 0;
    for (std::size_t at = 0; (at = text.find("+A", at)) != std::string_view::npos; ++at) {
        const unsigned third = byte_at(text, at + 2), end = byte_at(text, at + 4);
        letters +=
            third >= 'A' && third <= 'P' && end == '-' &&
            ((at > 0 && is_ascii_letter(byte_at(text, at - 1))) || is_ascii_letter(byte_at(text, at + 5)));
    }
    for (std::size_t at = 0; (at = text.find('+', at)) != std::string_view::npos; ++at) {
        std::size_t end = at + 1;
        while (is_ascii_letter(byte_at(text, end)) ||
               (byte_at(text, end) >= '0' && byte_at(text, end) <= '9') || byte_at(text, end) == '/')
            ++end;
        // Letters of one alphabet have one first byte: "BB8EQAQ4" of Cyrillic.
        letters += end - at > 8 && byte_at(text, end) == '-' && byte_at(text, at + 1) == 'B';
    }
    return letters >= 3 ? "UTF-7" : "";
}

}  // namespace glassbox::detail
