#pragma once
#include <string>
#include <string_view>

namespace tracer {

// The parts of a page, assembled by the build from report/html/ (cmake/page.cmake).
struct PageParts {
    std::string_view html, style, script;      // the template with its markers, page.css, all modules
    std::string_view style_hash, script_hash;  // SHA-256 in hexadecimal, for the page's policy
};
PageParts page_parts();

// A page with this title and these data (JSON that is safe inside a <script>). It makes no request: its
// policy allows nothing but its own style and script.
std::string page(const std::string& title, const std::string& json);

}  // namespace tracer
