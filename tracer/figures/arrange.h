#pragma once
#include <memory>
#include <string>
#include <vector>

#include "figures/panel_box.h"

namespace tracer {

// The panels' boxes, in lines that are no wider than a page where they can be.
struct Line {
    std::string heading;  // what the titles of its maps begin with, where there is no room to repeat it
    std::vector<std::unique_ptr<Box>> boxes;
    double gap = 0;  // between two of them
    double width() const;
};
struct Page {
    std::vector<Line> lines;
    bool says_scales = false;  // maps say their scales, and a bar for all of them stands below
};
Page arranged(const Figure& figure);

}  // namespace tracer
