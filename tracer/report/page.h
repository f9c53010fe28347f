#pragma once
#include <string>
#include <string_view>

namespace glassbox::tracer {

struct Report;

// A part of a page, assembled by the build from report/html/ (cmake/page.cmake).
struct PagePart {
    std::string_view text;
    std::string_view hash;  // SHA-256 in hexadecimal
};
enum class PageKind { trace, run };

const PagePart& page_template();  // with a marker for each of the others
const PagePart& page_style(PageKind kind);
const PagePart& page_script(PageKind kind);

// A page with this title and these data (JSON that is safe inside a <script>). It makes no request: its
// policy allows nothing but its own style and script.
std::string page(PageKind kind, const std::string& title, const std::string& json);

// The report's title, and of a comparison what it shows in place of the subject.
std::string page_title(const Report& report);

// The data of a page (docs/formats.md, "The page"): a report with its computation as JSON that may appear
// inside a <script> of HTML. `precision` is the number of decimals shown at first.
std::string page_json(const Report& report, int precision);

}  // namespace glassbox::tracer
