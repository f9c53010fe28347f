#include <glassbox/text/detail/mended.h>

#include <algorithm>
#include <array>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>
#include <glassbox/text/unicode.h>

namespace glassbox::detail {
namespace {

// For the bytes 0x80 to 0x9f in Windows-1252; 0: none.
constexpr std::array<char32_t, 32> windows_1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// ---- entities --------------------------------------------------------------------------------------------

// HTML's names of U+00A0 to U+00FF, in order.
constexpr std::array<std::string_view, 96> latin{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",
    "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",
    "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12",
    "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil",
    "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde",
    "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",
    "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",
    "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",
    "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

struct Named {
    std::string_view name;
    char32_t code;
};

constexpr std::array<Named, 5> of_xml{
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
constexpr std::array<Named, 22> other_entities{
    {{"OElig", 0x152},   {"oelig", 0x153},  {"Scaron", 0x160}, {"scaron", 0x161},  {"Yuml", 0x178},
     {"fnof", 0x192},    {"ensp", 0x2002},  {"emsp", 0x2003},  {"thinsp", 0x2009}, {"ndash", 0x2013},
     {"mdash", 0x2014},  {"lsquo", 0x2018}, {"rsquo", 0x2019}, {"sbquo", 0x201A},  {"ldquo", 0x201C},
     {"rdquo", 0x201D},  {"bdquo", 0x201E}, {"bull", 0x2022},  {"hellip", 0x2026}, {"lsaquo", 0x2039},
     {"rsaquo", 0x203A}, {"euro", 0x20AC}}};

struct Entity {
    char32_t code = 0;
    std::size_t length = 0;  // with & and ;
    bool is_of_xml = false;
};

std::optional<char32_t> code_of(std::string_view digits, bool is_hex) {
    if (digits.empty() || digits.size() > 7) return {};
    char32_t code = 0;
    for (const char c : digits) {
        const char low = static_cast<char>(c | 0x20);
        if (c >= '0' && c <= '9') code = code * (is_hex ? 16 : 10) + static_cast<char32_t>(c - '0');
        else if (is_hex && low >= 'a' && low <= 'f') code = code * 16 + static_cast<char32_t>(low - 'a') + 10;
        else return {};
    }
    if (code >= 0x80 && code < 0xA0) code = windows_1252[code - 0x80];  // as browsers read them
    const bool is_text = code >= 0x20 && code < 0x110000 && (code < 0xD800 || code > 0xDFFF);
    return is_text ? std::optional(code) : std::nullopt;
}

// The one that begins at an &.
std::optional<Entity> entity_at(std::string_view text, std::size_t at) {
    constexpr std::size_t longest = 10;
    const std::size_t end = text.substr(0, std::min(text.size(), at + longest)).find(';', at);
    if (end == std::string_view::npos) return {};
    const std::string_view name = text.substr(at + 1, end - at - 1);
    const std::size_t length = end + 1 - at;
    if (name.starts_with('#')) {
        const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
        const auto code = code_of(name.substr(is_hex ? 2 : 1), is_hex);
        if (!code) return {};
        return Entity{*code, length, *code < 0x80};  // as Moses writes brackets and bars
    }
    for (const Named& each : of_xml)
        if (each.name == name) return Entity{each.code, length, true};
    for (const Named& each : other_entities)
        if (each.name == name) return Entity{each.code, length};
    const auto* found = std::find(latin.begin(), latin.end(), name);
    if (found == latin.end()) return {};
    return Entity{static_cast<char32_t>(0xA0 + (found - latin.begin())), length};
}

enum class Entities { all, of_letters };

std::string without_entities(std::string_view text, Entities which) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        auto entity = text[at] == '&' ? entity_at(text, at) : std::nullopt;
        if (entity && entity->is_of_xml && which == Entities::of_letters) entity.reset();
        if (entity) append_utf8(result, entity->code);
        else result += text[at];
        at += entity ? entity->length : 1;
    }
    return result;
}

// ---- UTF-8 that was read as Windows-1252 -----------------------------------------------------------------

std::optional<char> byte_of(char32_t code) {
    if (code < 0x100) return static_cast<char>(code);
    for (std::size_t i = 0; i < windows_1252.size(); ++i)
        if (windows_1252[i] == code) return static_cast<char>(0x80 + i);
    return {};
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Two characters that no language writes one after the other. É may well be followed by … or », which would
// also make a character of UTF-8.
bool is_telling(char first, char second) {
    constexpr std::string_view leads = "\xC2\xC3\xC4\xC5\xD0\xD1\xE2\xF0";  // Â Ã Ä Å Ð Ñ â ð
    constexpr std::string_view usual =
        "\x85\x91\x92\x93\x94\x95\x96\x97\x99\xAA\xAB\xB0\xB2\xB3\xB7\xB9\xBA\xBB";
    if (leads.find(first) == std::string_view::npos || !is_continuation(second)) return false;
    if (first == '\xE2') return second == '\x80' || second == '\x82';  // â€ of quotation marks, â‚¬
    if (second == '\xA0') return first == '\xC3' || first == '\xC2';
    return usual.find(second) == std::string_view::npos;
}

struct Mistaken {
    std::string bytes;  // what it was, where `whole`
    bool whole = true, telling = false;
};

Mistaken mistaken(std::string_view text) {
    Mistaken found;
    for (std::size_t at = 0; at < text.size(); at += utf8_length(text, at)) {
        const auto byte = byte_of(utf8_code(text, at));
        found.whole = found.whole && byte;
        const char before = found.bytes.empty() ? '\0' : found.bytes.back();
        found.bytes += byte.value_or('\0');
        found.telling = found.telling || (byte && is_telling(before, *byte));
    }
    found.whole = found.whole && is_utf8(found.bytes);
    return found;
}

// Most sentences have no such character at all.
bool has_lead(std::string_view text) {
    for (const std::string_view lead : {"Â", "Ã", "Ä", "Å", "Ð", "Ñ", "â", "ð"})
        if (text.find(lead) != std::string_view::npos) return true;
    return false;
}

// ---- UTF-8 that was read as another encoding
// ---------------------------------------------------------------

bool is_ascii_letter(char c) {
    const char low = static_cast<char>(c | 0x20);
    return low >= 'a' && low <= 'z';
}

// "T√ºr" of Tür: 0xC3 is √ in Mac Roman, and another sign follows it in a word.
bool was_mac(std::string_view text) {
    constexpr std::string_view lead = "√";
    for (std::size_t at = 0; (at = text.find(lead, at)) != std::string_view::npos; at += lead.size()) {
        const std::size_t next = at + lead.size();
        if (next >= text.size() || (text[next] & 0x80) == 0) continue;
        const std::size_t behind = next + std::max<std::size_t>(1, utf8_length(text, next));
        if ((at > 0 && is_ascii_letter(text[at - 1])) ||
            (behind < text.size() && is_ascii_letter(text[behind])))
            return true;
    }
    return false;
}

// "РџСЂРёРІРµС‚" of Привет: in Windows-1251 0xD0 is Р and 0xD1 is С, and what follows them is not a letter
// from а to я.
bool was_cyrillic(std::string_view text) {
    constexpr char32_t er = 0x420, es = 0x421, first = 0x410, last = 0x44F;
    index_t pairs = 0, letters = 0;
    char32_t before = 0;
    for (std::size_t at = 0; at < text.size(); at += std::max<std::size_t>(1, utf8_length(text, at))) {
        if ((text[at] & 0x80) == 0) {
            before = 0;
            continue;
        }
        const char32_t code = utf8_code(text, at);
        const bool is_russian = code >= first && code <= last;
        pairs += (before == er || before == es) && !is_russian;
        letters += is_russian;
        before = code;
    }
    return pairs >= 3 && 2 * pairs >= letters;
}

// ---- what is learned as it is ------------------------------------------------------------------------

// "<br/>", "</s>", "<b>": the first of a text.
std::string_view tag_in(std::string_view text) {
    constexpr std::size_t longest = 12;
    for (std::size_t at = 0; (at = text.find('<', at)) != std::string_view::npos; ++at) {
        const std::size_t end = text.substr(0, std::min(text.size(), at + longest)).find('>', at);
        if (end == std::string_view::npos) continue;
        std::string_view name = text.substr(at + 1, end - at - 1);
        if (name.starts_with('/')) name.remove_prefix(1);
        while (name.ends_with('/') || name.ends_with(' ')) name.remove_suffix(1);
        const auto is_of_name = [](char c) { return is_ascii_letter(c) || (c >= '0' && c <= '9'); };
        if (!name.empty() && is_ascii_letter(name[0]) && std::all_of(name.begin(), name.end(), is_of_name))
            return text.substr(at, end + 1 - at);
    }
    return {};
}

// A line's end or a tab of two characters, "\\n", not within a path: at the end or before no letter.
std::string_view escape_in(std::string_view text) {
    for (std::size_t at = 0; (at = text.find('\\', at)) != std::string_view::npos; ++at) {
        if (at + 1 >= text.size() || std::string_view("nrt").find(text[at + 1]) == std::string_view::npos)
            continue;
        if (at + 2 >= text.size() || !is_ascii_letter(text[at + 2])) return text.substr(at, 2);
    }
    return {};
}

// Characters of no width that no language writes; Persian's and Hindi's joiners are others.
bool has_invisible(std::string_view text) {
    for (const std::string_view character : {"\u200b", "\u2060", "\ufeff"})
        if (text.find(character) != std::string_view::npos) return true;
    return false;
}

}  // namespace

std::optional<std::string> before_windows_1252(std::string_view text) {
    if (!has_lead(text)) return {};
    const Mistaken found = mistaken(text);
    return found.whole && found.telling ? std::optional(found.bytes) : std::nullopt;
}

void Mending::look_at(std::string_view line) {
    for (std::size_t at = line.find_first_of("&<"); at != std::string_view::npos;
         at = line.find_first_of("&<", at + 1)) {
        const auto entity = line[at] == '&' ? entity_at(line, at) : std::nullopt;
        ++(!entity ? bare_ : entity->is_of_xml ? escapes_ : characters_);
        if (entity && example_.empty()) example_ = line.substr(at, entity->length);
    }
}

bool Mending::reads_entities() const { return characters_ > 0 || (escapes_ > 0 && bare_ == 0); }

std::string Mending::mended(std::string_view sentence) {
    std::string text(sentence);
    if (has_lead(text)) {
        const Mistaken found = mistaken(text);
        if (found.telling && found.whole) {
            if (++mistaken_ == 1) mistaken_example_ = text, meant_example_ = found.bytes;
            text = found.bytes;
        }
        half_mistaken_ += found.telling && !found.whole;
    }
    if (reads_entities() && text.find('&') != std::string::npos) {
        // What was escaped twice, &amp;eacute;, was a letter; &amp;amp; means the entity itself.
        std::string read = without_entities(without_entities(text, Entities::all), Entities::of_letters);
        mended_entities_ += read != text;
        text = std::move(read);
    }
    if (was_mac(text) && ++of_mac_ == 1) mac_example_ = text;
    if (was_cyrillic(text) && ++of_cyrillic_ == 1) cyrillic_example_ = text;
    if (const std::string_view tag = tag_in(text); !tag.empty() && ++tagged_ == 1) tag_ = tag;
    if (const std::string_view escape = escape_in(text); !escape.empty() && ++escaped_ == 1) escape_ = escape;
    invisible_ += has_invisible(text);
    lost_ += text.find("\uFFFD") != std::string::npos;
    return text;
}

std::vector<std::string> Mending::notes() const {
    std::vector<std::string> all;
    if (mended_entities_ > 0)
        all.push_back(
            fmt::format("{} with entities such as {}, which are read as the characters that they stand for",
                        counted(mended_entities_, "sentence"), example_));
    else if (escapes_ > 0)
        all.push_back(fmt::format("{} such as {}, kept as they are: the texts also have plain & or <",
                                  counted(escapes_, "entity", "entities"), example_));
    if (mistaken_ > 0)
        all.push_back(fmt::format(
            "{} whose UTF-8 was once misread as Windows-1252, now repaired: "
            "'{}' is '{}'",
            counted(mistaken_, "sentence"), printable(mistaken_example_, 40), printable(meant_example_, 40)));
    if (half_mistaken_ > 0)
        all.push_back(
            fmt::format("{} part of whose UTF-8 was once misread as Windows-1252 (Ã¼ for ü): kept "
                        "as they are",
                        counted(half_mistaken_, "sentence")));
    const auto taken_for = [&](index_t count, const std::string& example, const char* name,
                               const char* code) {
        if (count > 0)
            all.push_back(
                fmt::format("{} whose UTF-8 was once misread as {}, such as '{}': kept as they are; "
                            "iconv -f UTF-8 -t "
                            "{} turns the file back",
                            counted(count, "sentence"), name, printable(example, 40), code));
    };
    taken_for(of_mac_, mac_example_, "Mac Roman", "MACINTOSH");
    taken_for(of_cyrillic_, cyrillic_example_, "Windows-1251", "WINDOWS-1251");
    if (lost_ > 0)
        all.push_back(fmt::format("{} with U+FFFD, which stands for a character that was lost",
                                  counted(lost_, "sentence")));
    const auto kept = [&](index_t count, const std::string& what) {
        if (count > 0)
            all.push_back(
                fmt::format("{} with {}: kept as they are, and learned", counted(count, "sentence"), what));
    };
    kept(tagged_, "tags such as " + tag_);
    kept(escaped_, "'" + escape_ + "' of two characters, where a line may have ended");
    kept(invisible_, "characters of no width, such as U+200B");
    return all;
}

}  // namespace glassbox::detail
