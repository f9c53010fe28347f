#pragma once
#include <memory>

#include "figures/panel_box.h"

namespace tracer {

// The plot must outlive the box.
std::unique_ptr<Box> plot_box(const LinePlot& plot);

}  // namespace tracer
