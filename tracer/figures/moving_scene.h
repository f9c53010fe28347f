#pragma once
#include <limits>
#include <string>
#include <vector>

#include "figures/scene.h"

namespace glassbox::tracer {

// A picture that is drawn in beats: at each some marks appear, to stay or to go again. Standing still it has
// all that stay. Of one that is taller than a screen a part is seen at a time, which follows what appears.
struct MovingScene {
    static constexpr int for_ever = std::numeric_limits<int>::max();
    struct Part {
        std::vector<Mark> marks;
        int from = 0, until = for_ever;  // the beats at which it is seen, without the last
        bool is_fixed = false;           // in its place on the screen, whatever part of the picture is seen

        bool stays() const { return until == for_ever; }
    };
    double width = 0, height = 0;
    std::string title, description;
    std::vector<Part> parts;    // later ones are drawn over earlier ones
    std::vector<double> beats;  // seconds; empty: nothing moves
    struct View {
        double width = 0, height = 0;       // of what is seen at a time; 0: all
        std::vector<Chart::Point> corners;  // its upper left, by beat
    } view{};

    bool has_view() const { return view.height > 0; }
    double seen_height() const { return has_view() ? view.height : height; }
    double seen_width() const { return has_view() ? view.width : width; }
};

// What is seen at a beat; after the last: what stays.
Scene scene_at(const MovingScene& moving, int beat);
// What stays.
Scene complete(const MovingScene& moving);
// The beats, then what stays, each with how long it is seen.
struct SceneFrame {
    Scene scene;
    double seconds;
};
std::vector<SceneFrame> frames_of(const MovingScene& moving);

// SVG that moves by CSS animation, if there are beats. Without motion, and where a reader wants none, it
// stands still.
std::string draw_svg(const MovingScene& moving);

}  // namespace glassbox::tracer
