#pragma once
#include <string>

#include "figures/scene.h"

namespace glassbox::tracer {

// An SVG file in parts, for drawings that put marks into groups: svg_head(), marks, "</svg>".
struct SvgHead {
    double width = 0, height = 0;
    double zoom = 1;                     // the size on a page, of that of a unit
    std::string title{}, description{};  // for those who do not see the picture
    std::string style{};                 // CSS
};
std::string svg_head(const SvgHead& head);
std::string svg_of(const Mark& mark);

}  // namespace glassbox::tracer
