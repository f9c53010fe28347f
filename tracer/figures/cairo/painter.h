#pragma once
#include <string>
#include <vector>

#include "figures/moving_scene.h"

namespace glassbox::tracer {

// The functions of the module glassbox_figures.so: each draws a scene with `scale` pixels or points per unit
// and returns the file's bytes in `result`. On failure returns false, and `result` is Cairo's error message.
using Painter = bool(const Scene& scene, double scale, std::string& result);
// The same for scenes of one size that follow each other.
using FramePainter = bool(const std::vector<SceneFrame>& frames, double scale, std::string& result);

extern "C" {
Painter glassbox_paint_png;       // pixels
Painter glassbox_paint_pdf;       // points, 1/72 inch; text remains text
FramePainter glassbox_paint_gif;  // pixels; only where giflib is
}

}  // namespace glassbox::tracer
