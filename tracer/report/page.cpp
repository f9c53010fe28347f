#include "report/page.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "report/page_json.h"

namespace glassbox::tracer {
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

std::string page(PageKind kind, const std::string& title, const std::string& json) {
    const PagePart &style = page_style(kind), &script = page_script(kind);
    const std::string policy = "default-src 'none'; script-src " + source_hash(script.hash) + "; style-src " +
                               source_hash(style.hash) + "; base-uri 'none'; form-action 'none'";
    const std::string shown_title = escaped(title);
    const std::pair<std::string_view, std::string_view> values[] = {{"@policy@", policy},
                                                                    {"@title@", shown_title},
                                                                    {"@style@", style.text},
                                                                    {"@data@", json},
                                                                    {"@script@", script.text}};
    std::string text;
    text.reserve(style.text.size() + script.text.size() + json.size() + 4096);
    std::string_view rest = page_template().text;
    while (!rest.empty()) {
        const auto* marked = std::find_if(std::begin(values), std::end(values),
                                          [&](const auto& value) { return rest.starts_with(value.first); });
        if (marked != std::end(values)) {
            text += marked->second;
            rest.remove_prefix(marked->first.size());
        } else {
            text += rest.front();
            rest.remove_prefix(1);
        }
    }
    return text;
}

}  // namespace glassbox::tracer
