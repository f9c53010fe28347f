#pragma once
#include <memory>
#include <string>
#include <vector>

#include "figures/panel_box.h"

namespace glassbox::tracer {

// The panels' boxes, in lines no wider than the page where possible.
struct BoxLine {
    std::string heading;  // common prefix of its maps' titles, if there is no space to repeat it
    std::vector<std::unique_ptr<Box>> boxes;
    double gap = 0;  // between two of them
    double width() const;
};
struct Page {
    std::vector<BoxLine> lines;
    bool have_scale_text = false;  // maps have their scales as text, and one colour bar below
};
Page arranged(const Figure& figure);

}  // namespace glassbox::tracer
