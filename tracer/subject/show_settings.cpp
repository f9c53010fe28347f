#include "subject/show_settings.h"

#include <glassbox/tensor/format.h>

#include "figures/draw.h"

namespace glassbox::tracer {

void declare_showing(Options& o, ShowSettings& s, const std::vector<std::string>& steps) {
    std::vector<std::string> numbers;
    for (const std::string& step : steps) numbers.push_back(step + "[0,0]");
    o.value("--explain", s.explain,
            {.help = "Show the arithmetic behind one number: 'output[0,1]'",
             .value_name = "NUMBER",
             .words = numbers});
    o.value(
        "--depth", s.depth,
        {.help =
             "Show steps with at most N parts in their path, or all; with --explain, N levels of operations",
         .default_text = "all of up to 40 steps, else the upper parts; with --explain, what fits 60 lines"});
    o.value("--scope", s.scope,
            {.help = "Show only the steps inside this part: encoder/0", .value_name = "PATH"});
    o.value("--only", s.only,
            {.help = "Show only these steps, by path or end of a path: attention,norm2",
             .value_name = "NAME,NAME",
             .words = steps});
    o.value("--map", s.map,
            {.help = "Draw the attention maps on the terminal, or to a file (.svg; .png and .pdf with Cairo)",
             .value_name = "[FILE]",
             .endings = figure_endings(),
             .implicit_value = "-",
             .writes = true});
    o.value("--scale", s.scale,
            {.help = "How far colours on a terminal reach: to the largest number of all steps (shared) or of "
                     "each step (each). Those of maps reach to 1 (shared) or to each map's largest weight",
             .default_text = "shared; of maps to the largest weight of all"});
    o.flag("--summary", s.summary, "Show the tree of layers with shapes, parameters and multiply–adds");
    o.flag("--step", s.step, "Show one step per key press");
    o.flag("--predict", s.predict, "Ask for a shape or a value before each step; implies --step");
    o.flag("--play", s.play, "Let a picture move, step by step: -o pass.svg");
    o.value("--precision", s.precision,
            {.help = "Maximum number of digits after the point",
             .default_text = "8; 4 in a terminal's matrices",
             .min = 0,
             .max = 17});
    declare_color(o, s.color);
    o.value("--format", s.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", s.output, {.help = "Write to this file instead of standard output"});
}

namespace {

// The given option that replaces the list of steps by another view, or "".
std::string requested_view(const Options& o) {
    std::vector<std::string> views;
    for (const char* flag : {"--explain", "--diff", "--compare", "--map", "--summary", "--step", "--predict"})
        if (o.given(flag)) views.push_back(flag);
    if (views.size() == 2 && views[0] == "--step") views.pop_back();  // --predict implies it
    if (views.size() > 1) fail<UsageError>("{}: cannot be combined with {}", views[1], views[0]);
    return views.empty() ? "" : views[0];
}

void check_map_file(const ShowSettings& s) {
    if (s.map.empty() || s.map == "-") return;
    check_figure_file(s.map);
    if (!s.output.empty())
        fail<UsageError>("-o: cannot be combined with --map {}, which names the file", s.map.string());
}

// Pages, workbooks and pictures have their own colours.
void check_scale(const ShowSettings& s, const Renderer& renderer) {
    if (!s.scale || !s.map.empty()) return;
    if (!renderer.is_text())
        fail<UsageError>(
            "--scale: is for a terminal and for --map, not for {}: leave it out, or add --map "
            "without {}",
            renderer.name, s.format ? "--format" : "-o");
    if (!s.style().has_color())
        fail<UsageError>("--scale: requires colours, and this output has none: add --map or --color always");
}

}  // namespace

void check_showing(const ShowSettings& s, const Options& o) {
    check_map_file(s);
    const Renderer& renderer = s.renderer();
    const std::string view = requested_view(o);
    const bool is_interactive = view == "--step" || view == "--predict";
    const bool compares = (view == "--diff" || view == "--compare") && renderer.compares;
    renderer.check();
    const bool draws = view == "--explain" && renderer.is_picture;
    if (s.play && (!renderer.is_picture || renderer.stands_still)) refuse_to_play(renderer.name, "pass");
    if (o.given("--grad") && renderer.is_picture)
        fail<UsageError>("--grad: {} shows the pass forward; write a page: -o trace.html", renderer.name);
    if (!view.empty() && !renderer.is_text() && !compares && !draws)
        fail<UsageError>("{}: writes text, not {}", view, renderer.name);
    if (!view.empty() && !is_interactive)
        for (const std::string flag : {"--grad", "--only", "--scope", "--depth"})
            if (o.given(flag) && !(view == "--map" && flag == "--scope") &&
                !(view == "--explain" && flag == "--depth"))
                fail<UsageError>("{}: cannot be combined with {}", flag, view);
    if (is_interactive && !s.output.empty())
        fail<UsageError>("{}: goes to the terminal, and cannot be combined with -o {}", view,
                         s.output.string());
    check_precision(o, renderer.name);
    for (const char* without_digits : {"--map", "--summary", "--diff"})
        if (view == without_digits && o.given("--precision"))
            fail<UsageError>("--precision: cannot be combined with {}", without_digits);
    check_scale(s, renderer);
}

}  // namespace glassbox::tracer
