#include "report/page.h"

#include <string_view>

#include "report/base64.h"

namespace tracer {
namespace {

std::string escaped(std::string_view text) {
    std::string html;
    for (const char c : text) {
        if (c == '&') html += "&amp;";
        else if (c == '<') html += "&lt;";
        else if (c == '>') html += "&gt;";
        else if (c == '"') html += "&quot;";
        else html += c;
    }
    return html;
}

// "sha256-…" as a Content-Security-Policy writes it.
std::string source_hash(std::string_view hexadecimal) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
        bytes += static_cast<char>(digit(hexadecimal[i]) * 16 + digit(hexadecimal[i + 1]));
    return "'sha256-" + base64(bytes.data(), bytes.size()) + "'";
}

}  // namespace

std::string page(const std::string& title, const std::string& json) {
    const PageParts parts = page_parts();
    const std::string policy = "default-src 'none'; script-src " + source_hash(parts.script_hash) +
                               "; style-src " + source_hash(parts.style_hash) +
                               "; base-uri 'none'; form-action 'none'";
    const std::string shown_title = escaped(title);
    const std::pair<std::string_view, std::string_view> values[] = {{"@policy@", policy},
                                                                    {"@title@", shown_title},
                                                                    {"@style@", parts.style},
                                                                    {"@data@", json},
                                                                    {"@script@", parts.script}};
    std::string text;
    text.reserve(parts.html.size() + parts.style.size() + parts.script.size() + json.size() + 1024);
    std::string_view rest = parts.html;
    while (!rest.empty()) {
        const std::size_t at = rest.find('@');
        text += rest.substr(0, at);
        if (at == std::string_view::npos) break;
        rest.remove_prefix(at);
        std::size_t skipped = 1;
        for (const auto& [marker, value] : values)
            if (rest.starts_with(marker)) {
                text += value;
                skipped = marker.size();
            }
        if (skipped == 1) text += '@';
        rest.remove_prefix(skipped);
    }
    return text;
}

}  // namespace tracer
