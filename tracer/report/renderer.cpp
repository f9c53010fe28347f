#include "report/renderer.h"

#include <unistd.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

#include "cli/option_value.h"
#include "figures/draw.h"

namespace glassbox::tracer {

namespace formats {
std::vector<Renderer> every_formats();  // generated
}

namespace {

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Renderer& each : renderers()) all.push_back(each.name);
    return all;
}

const Renderer* renderer_of_ending(const std::string& file) {
    for (const Renderer& each : renderers())
        for (const std::string& ending : each.endings)
            if (file.ends_with(ending)) return &each;
    return nullptr;
}

// Of other programs, which would not open what is written.
constexpr const char* foreign_endings[] = {".bmp", ".doc",  ".docx", ".gz",  ".htm", ".jpeg",
                                           ".jpg", ".mp4",  ".odt",  ".ods", ".ppt", ".pptx",
                                           ".tif", ".tiff", ".webp", ".xls", ".zip"};

std::vector<std::string> endings_of_all() {
    std::vector<std::string> endings{".txt"};
    for (const Renderer& each : renderers())
        endings.insert(endings.end(), each.endings.begin(), each.endings.end());
    return endings;
}

}  // namespace

const std::vector<Renderer>& renderers() {
    static const std::vector<Renderer> all = [] {
        std::vector<Renderer> every = formats::every_formats();
        std::sort(every.begin(), every.end(),
                  [](const Renderer& a, const Renderer& b) { return a.order < b.order; });
        return every;
    }();
    return all;
}

void check_ending(const std::string& format, const std::string& output) {
    const Renderer* by_name = renderer_of_ending(output);
    std::string says = by_name ? by_name->name : "";
    for (const std::string& ending : figure_endings())
        if (output.ends_with(ending)) says = ending.substr(1);
    if (!says.empty() && says != format)
        fail<UsageError>("-o {}: its extension says {}, but the output is {}", output, says, format);
    for (const char* foreign : foreign_endings)
        if (output.ends_with(foreign)) check_known_ending(output, endings_of_all());
}

const Renderer& renderer_for(const Renderer* format, const std::string& output) {
    const Renderer* by_name = renderer_of_ending(output);
    const Renderer& chosen = format ? *format : by_name ? *by_name : renderers().front();
    check_ending(chosen.name, output);
    if (!format) check_known_ending(output, endings_of_all());
    if (chosen.is_binary && (output.empty() || output == "-") && ::isatty(STDOUT_FILENO))
        fail<UsageError>("--format: {} is not for a terminal: add -o FILE{}", chosen.name,
                         chosen.endings.at(0));
    return chosen;
}

const Renderer* OptionValue<const Renderer*>::parse(const Typed& typed) {
    const std::string& name = one_of(typed.option, typed.text, names());
    for (const Renderer& each : renderers())
        if (each.name == name) return &each;
    return nullptr;
}

Values OptionValue<const Renderer*>::values(const OptionInfo&) { return {names(), true, false, {}, ""}; }

}  // namespace glassbox::tracer
