#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/option_value.h"
#include "report/report.h"
#include "report/text_style.h"

namespace glassbox::tracer {

// An output format of a report. Each has a file report/formats/NAME.cpp with a function
// glassbox::tracer::formats::NAME that returns it; the table of all formats is generated from these files.
struct Renderer {
    int order;                         // position in lists
    std::string name;                  // for --format
    std::vector<std::string> endings;  // files that have this format by default: ".json"
    bool is_binary;                    // must not be written to a terminal
    std::string (*render)(const Report& report, const TextStyle& style);
    bool shows_arithmetic = false;  // needs Report::computation
    bool compares = false;          // shows Report::other beside the report
    void (*check)() = [] {};        // called before computing: Error if this build lacks the format
    bool plays = false;             // moves without --play, too
    bool is_picture = false;        // of the pass forward, or of one number (--explain); --play lets it move
    bool stands_still = false;      // even then

    bool is_text() const { return name == "text"; }
};

// All formats in order; the first, text, is the default.
const std::vector<Renderer>& renderers();

// By --format, else by the ending of -o, else text. UsageError for a binary format on a terminal, and where
// the ending is another format's.
const Renderer& renderer_for(const Renderer* format, const std::string& output);

// Throws UsageError if the ending of -o is another report format's or a figure's, not that of `format`:
// --format json -o steps.npz.
void check_ending(const std::string& format, const std::string& output);

// --format NAME
template <>
struct OptionValue<const Renderer*> {
    static constexpr const char* value_name = "NAME";
    static const Renderer* parse(const Typed& typed);
    static std::string text(const Renderer* renderer) { return renderer ? renderer->name : ""; }
    static Values values(const OptionInfo& about);
};

}  // namespace glassbox::tracer
