#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "figures/moving_scene.h"

namespace glassbox::tracer {

// A painted frame: 4 bytes a pixel.
struct Pixels {
    int width, height, stride;
    const unsigned char* data;

    std::uint32_t at(int x, int y) const {  // 0xRRGGBB
        std::uint32_t pixel = 0;
        std::memcpy(&pixel,
                    data + static_cast<std::ptrdiff_t>(y) * stride + 4 * static_cast<std::ptrdiff_t>(x), 4);
        return pixel & 0xFFFFFF;
    }
};
using UsePixels = std::function<void(std::size_t frame, const Pixels& pixels)>;

// Paints one frame after the other, all text at one size. On failure returns false, with the reason.
bool paint_frames(const std::vector<SceneFrame>& frames, double scale, const UsePixels& use,
                  std::string& reason);

}  // namespace glassbox::tracer
