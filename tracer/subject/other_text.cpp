#include "subject/submitted_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace glassbox::tracer {
namespace {

struct Look {
    std::string_view begin;  // of a line
    const char* what;
    const char* advice;
    bool is_anywhere = false;  // in a line
    bool is_certain = false;
};
constexpr Look looks[] = {
    // Its columns, one below the other, look like rows.
    {"%%MatrixMarket", "a Matrix Market file", "print(scipy.io.mmread(file)) prints its numbers", false,
     true},
    {"@relation", "an ARFF file", "submit the lines after @data"},
    {"@RELATION", "an ARFF file", "submit the lines after @DATA"},
    {"%YAML", "a YAML file", "print(x.tolist()) prints numbers that can be read"},
    {"- [", "YAML", "print(x.tolist()) prints numbers that can be read"},
    {"<table", "an HTML table", "submit its numbers alone, as print(x.tolist()) does", false, true},
    {"<tr", "an HTML table", "submit its numbers alone, as print(x.tolist()) does", false, true},
    {"- - ", "YAML", "print(x.tolist()) prints numbers that can be read"},
    {"\\begin{", "LaTeX", "submit the numbers as the program printed them"},
    {"Traceback (most recent", "an error message of Python", "submit the numbers after it"},
    {"```", "Markdown", "submit only the lines between the ```"},
    {"Warning: ", "a warning of Python", "submit the numbers after it", true},
    {"[src/", "a line of Rust's dbg!", "println!(\"{:?}\", x) prints the numbers alone"},
};

// One record a line, {"row": 0, "values": […]}.
bool are_json_lines(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == text.npos || text[begin] != '{' || text.find('"') == text.npos) return false;
    for (std::size_t at = begin; (at = text.find("}\n", at)) != text.npos; ++at) {
        const std::size_t next = text.find_first_not_of(" \t\n", at + 1);
        if (next != text.npos && text[next] == '{') return true;
    }
    return false;
}

// PHP's "Array (", with the keys "[0] =>" below it.
bool is_of_php(std::string_view text) {
    const std::size_t array = text.find("Array\n");
    if (array == text.npos) return false;
    const std::size_t open = text.find_first_not_of(" \n\t", array + 6);
    return open != text.npos && text[open] == '(' && text.find("] =>", open) != text.npos;
}

// The first digit of another script: "３" of full width, "٣" of Arabic. "" without one.
std::string foreign_digit(std::string_view text) {
    for (const std::string_view first : {"０", "٠", "۰", "०"}) {
        const std::string_view lead = first.substr(0, first.size() - 1);
        const int zero = static_cast<unsigned char>(first.back());
        for (std::size_t at = 0; (at = text.find(lead, at)) != text.npos; ++at) {
            const std::size_t last = at + lead.size();
            const int byte = last < text.size() ? static_cast<unsigned char>(text[last]) : 0;
            if (byte >= zero && byte <= zero + 9) return std::string(text.substr(at, first.size()));
        }
    }
    return "";
}

}  // namespace

std::optional<OtherText> other_text(std::string_view text) {
    if (are_json_lines(text))
        return OtherText{"JSON Lines, a record on each line: write one array, as print(x.tolist()) does",
                         true};
    if (is_of_php(text))
        return OtherText{"what PHP's print_r writes: echo json_encode($x); prints numbers that can be read",
                         true};
    if (const std::string digit = foreign_digit(text); !digit.empty())
        return OtherText{fmt::format("digits of another script, such as '{}': write them as 0 to 9", digit)};
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        for (const Look& each : looks)
            if (each.is_anywhere ? line.find(each.begin) != line.npos : line.starts_with(each.begin))
                return OtherText{fmt::format("{}: {}", each.what, each.advice), each.is_certain};
        at = end + 1;
    }
    return std::nullopt;
}

}  // namespace glassbox::tracer
