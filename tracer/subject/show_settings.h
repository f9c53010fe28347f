#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/color_option.h"
#include "cli/options.h"
#include "explain/depth.h"
#include "figures/color_scale.h"
#include "report/renderer.h"

namespace tracer {

using glassbox::index_t;

// The options that say how a model on its input is shown: declared once, for every command that shows one.
struct ShowSettings {
    std::string explain;         // "values[0,1]"; empty: the steps
    std::optional<Depth> depth;  // of paths; with --explain of operations
    std::string scope;           // "encoder/0"
    std::vector<std::string> only;
    std::filesystem::path map;        // "-": on the terminal; empty: no map
    std::optional<ColorScale> scale;  // of colours: the steps share one, maps have one each
    bool summary = false, step = false, predict = false;
    index_t precision = 8;
    ColorWhen color = ColorWhen::automatic;
    const Renderer* format = nullptr;  // of the ending of -o
    std::filesystem::path output;

    const Renderer& renderer() const { return renderer_for(format, output); }
    TextStyle style() const {
        TextStyle style = text_style(precision, color, output);
        style.scale = scale.value_or(ColorScale::shared);
        return style;
    }
};

// `steps` are offered by completion.
void declare_showing(Options& options, ShowSettings& settings, const std::vector<std::string>& steps = {});
// Options that say nothing together are refused: none is left out silently.
void check_showing(const ShowSettings& settings, const Options& options);

}  // namespace tracer
