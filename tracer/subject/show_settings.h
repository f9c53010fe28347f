#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/output.h"
#include "explain/depth.h"
#include "report/renderer.h"
#include "report/text_style.h"

namespace glassbox::tracer {

// The display options, shared by all commands that show a model.
struct ShowSettings {
    std::string explain;         // "values[0,1]"; empty: the steps
    std::optional<Depth> depth;  // in parts of paths; with --explain in operations
    std::string scope;           // "encoder/0"
    std::vector<std::string> only;
    std::filesystem::path map;        // "-": on the terminal; empty: no map
    std::optional<ColorScale> scale;  // default: shared; of maps to their largest weight
    bool summary = false, step = false, predict = false, play = false;
    std::optional<index_t> precision;
    ColorWhen color = ColorWhen::automatic;
    const Renderer* format = nullptr;  // null: by the extension of -o
    std::filesystem::path output;

    const Renderer& renderer() const { return renderer_for(format, output); }
    bool plays() const { return play || renderer().plays; }
    TextStyle style() const {
        TextStyle style = text_style(precision, color, output);
        style.scale = scale.value_or(ColorScale::shared);
        return style;
    }
};

// `steps` are suggested by completion.
void declare_showing(Options& options, ShowSettings& settings, const std::vector<std::string>& steps = {});
// Throws UsageError for options that exclude each other or would have no effect.
void check_showing(const ShowSettings& settings, const Options& options);

}  // namespace glassbox::tracer
