#include "subject/show_settings.h"

#include <glassbox/tensor/format.h>

#include "figures/draw.h"

namespace tracer {

using glassbox::fail;
using glassbox::UsageError;

void declare_showing(Options& o, ShowSettings& s, const std::vector<std::string>& steps) {
    std::vector<std::string> numbers;
    for (const std::string& step : steps) numbers.push_back(step + "[0,0]");
    o.value("--explain", s.explain,
            {.help = "The arithmetic behind one number: 'output[0,1]'",
             .value_name = "NUMBER",
             .words = numbers});
    o.value(
        "--depth", s.depth,
        {.help = "Steps of at most N parts in their path, or all; with --explain, how many operations deep",
         .otherwise = "as much as a screen or two hold"});
    o.value("--scope", s.scope, {.help = "Only what is inside this part: encoder/0", .value_name = "PATH"});
    o.value("--only", s.only,
            {.help = "These steps alone, by their path or its end: attention,norm2",
             .value_name = "NAME,NAME",
             .words = steps});
    o.value("--map", s.map,
            {.help = fmt::format("Draws the attention on the terminal, or into a file ({})",
                                 fmt::join(figure_endings(), ", ")),
             .value_name = "[FILE]",
             .endings = figure_endings(),
             .alone = "-"});
    o.value("--scale", s.scale,
            {.help = "Of colours: a scale for each tensor or map, or one that all share",
             .otherwise = "shared; of maps each"});
    o.flag("--summary", s.summary, "The tree of layers with shapes, parameters and multiply–adds");
    o.flag("--step", s.step, "One step a key press");
    o.flag("--predict", s.predict, "Asks for a shape or a value before each step; implies --step");
    o.value("--precision", s.precision, {.help = "Digits after the point, at most", .least = 0, .most = 17});
    declare_color(o, s.color);
    o.value("--format", s.format,
            {.help = "How it is written", .otherwise = "by the ending of -o, else text"});
    o.value("-o,--output", s.output, {.help = "Writes to this file, whole or not at all"});
}

namespace {

// Each of these shows something of its own, and takes the place of the steps: which was asked for, or "".
std::string way_asked(const Options& o) {
    std::vector<std::string> ways;
    for (const char* flag : {"--explain", "--diff", "--compare", "--map", "--summary", "--step", "--predict"})
        if (o.given(flag)) ways.push_back(flag);
    if (ways.size() == 2 && ways[0] == "--step") ways.pop_back();  // --predict implies it
    if (ways.size() > 1) fail<UsageError>("{}: not together with {}", ways[1], ways[0]);
    return ways.empty() ? "" : ways[0];
}

void check_map_file(const ShowSettings& s) {
    if (s.map.empty() || s.map == "-") return;
    check_figure_file(s.map);
    if (!s.output.empty()) fail<UsageError>("-o: --map {} names the file already", s.map.string());
}

}  // namespace

void check_showing(const ShowSettings& s, const Options& o) {
    check_map_file(s);
    const Renderer& renderer = s.renderer();
    const std::string way = way_asked(o);
    const bool is_interactive = way == "--step" || way == "--predict";
    if (!way.empty() && !renderer.is_text()) fail<UsageError>("{}: is text, not {}", way, renderer.name);
    if (!way.empty() && !is_interactive)
        for (const std::string flag : {"--grad", "--only", "--scope", "--depth"})
            if (o.given(flag) && !(way == "--map" && flag == "--scope") &&
                !(way == "--explain" && flag == "--depth"))
                fail<UsageError>("{}: not together with {}", flag, way);
    if (is_interactive && !s.output.empty())
        fail<UsageError>("{}: shows on the terminal, not in -o {}", way, s.output.string());
    check_precision(o, renderer.name);
    for (const char* picture : {"--map", "--summary", "--diff"})
        if (way == picture && o.given("--precision"))
            fail<UsageError>("--precision: not together with {}", picture);
    if (s.scale && s.map.empty() && !s.style().has_color())
        fail<UsageError>("--scale: is of colours, and there are none here: add --map or --color always");
}

}  // namespace tracer
