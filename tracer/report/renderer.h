#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/option_value.h"
#include "report/report.h"
#include "report/text_style.h"

namespace tracer {

// A format in which a report can be written. Each is a file in report/formats, of its own name, in which a
// function of that name in tracer::formats makes it; the table of them all is generated from the files that
// are there.
struct Renderer {
    int order;                         // its place in lists
    std::string name;                  // as --format takes it
    std::vector<std::string> endings;  // of files that are written so unless --format says otherwise: ".json"
    bool is_binary;                    // not for a terminal
    std::string (*render)(const Report& report, const TextStyle& style);

    bool is_text() const { return name == "text"; }
};

// All, in their order; the first is what there is without --format and without an ending: text.
const std::vector<Renderer>& renderers();

// What --format says, else what the ending of -o says, else text. UsageError for bytes on a terminal, and
// where the ending says another format than --format.
const Renderer& renderer_for(const Renderer* format, const std::string& output);

// --format NAME
template <>
struct OptionValue<const Renderer*> {
    static constexpr const char* value_name = "NAME";
    static const Renderer* parse(const Typed& typed);
    static std::string text(const Renderer* renderer) { return renderer ? renderer->name : ""; }
    static Values values(const About& about);
};

}  // namespace tracer
