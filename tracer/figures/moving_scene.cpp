#include "figures/moving_scene.h"

#include <fmt/format.h>

#include <numeric>

#include "figures/svg.h"

namespace glassbox::tracer {
namespace {

constexpr double first_seconds = 1.5,  // of the complete picture: what one sees first is not empty
    rest_seconds = 2.5;                // of the same at the end, before it begins again
constexpr double fade = 0.25,
                 at_once = 0.05;  // seconds in which a mark appears; in which one that passes comes and goes

// Shares of a round, for keyframes: "12.34%".
class Clock {
  public:
    explicit Clock(const MovingScene& moving) {
        starts_.push_back(0);
        for (const double seconds : moving.beats) starts_.push_back(starts_.back() + seconds);
    }
    double round() const { return starts_.back() + rest_seconds + first_seconds; }
    std::string at(int beat, double later = 0) const {
        return fmt::format("{:.3f}%", 100 * (starts_.at(static_cast<std::size_t>(beat)) + later) / round());
    }

  private:
    std::vector<double> starts_;
};

// The opacity of a part through a round. What its element has besides is how it is without motion.
std::string keyframes(const MovingScene::Part& part, const Clock& clock) {
    std::string frames;
    if (part.from > 0)
        frames += fmt::format("0%,{}{{opacity:0}}{}{{opacity:1}}", clock.at(part.from),
                              clock.at(part.from, part.stays() ? fade : at_once));
    else frames += "0%{opacity:1}";
    if (part.stays()) return frames + "100%{opacity:1}";
    return frames + fmt::format("{}{{opacity:1}}{},100%{{opacity:0}}", clock.at(part.until),
                                clock.at(part.until, at_once));
}

bool moves(const MovingScene::Part& part) { return part.from > 0 || !part.stays(); }

// A class for each pair of beats, with the rules that move it.
class Rules {
  public:
    explicit Rules(const MovingScene& moving) : clock_(moving) {
        for (const MovingScene::Part& part : moving.parts)
            if (moves(part)) add(part);
    }
    static std::string name_of(const MovingScene::Part& part) {
        return part.stays() ? fmt::format("s{}", part.from) : fmt::format("s{}-{}", part.from, part.until);
    }
    std::string text() const {
        return fmt::format(
            ".m{{animation:{:.4g}s linear {:.4g}s infinite}}\n{}"
            "@media (prefers-reduced-motion:reduce){{.m{{animation:none}}}}\n",
            clock_.round(), first_seconds - clock_.round(), rules_);
    }

  private:
    void add(const MovingScene::Part& part) {
        const std::string name = name_of(part);
        if (rules_.find("." + name + "{") != std::string::npos) return;
        rules_ +=
            fmt::format(".{0}{{animation-name:{0}}}@keyframes {0}{{{1}}}\n", name, keyframes(part, clock_));
    }

    Clock clock_;
    std::string rules_;
};

}  // namespace

Scene scene_at(const MovingScene& moving, int beat) {
    const bool is_over = beat >= static_cast<int>(moving.beats.size());
    Scene scene{moving.width, moving.height, moving.title, {}};
    for (const MovingScene::Part& part : moving.parts)
        if (is_over ? part.stays() : part.from <= beat && beat < part.until)
            scene.marks.insert(scene.marks.end(), part.marks.begin(), part.marks.end());
    return scene;
}

Scene complete(const MovingScene& moving) { return scene_at(moving, static_cast<int>(moving.beats.size())); }

std::vector<SceneFrame> frames_of(const MovingScene& moving) {
    const Scene whole = complete(moving);
    std::vector<SceneFrame> frames;
    if (!moving.beats.empty()) frames.push_back({whole, first_seconds});
    for (std::size_t beat = 0; beat < moving.beats.size(); ++beat)
        frames.push_back({scene_at(moving, static_cast<int>(beat)), moving.beats[beat]});
    frames.push_back({whole, rest_seconds});
    return frames;
}

std::string draw_svg(const MovingScene& moving) {
    const bool plays = !moving.beats.empty();
    std::string svg = svg_head({.width = moving.width,
                                .height = moving.height,
                                .title = moving.title,
                                .description = moving.description,
                                .style = plays ? Rules(moving).text() : ""});
    for (const MovingScene::Part& part : moving.parts) {
        if (!plays && !part.stays()) continue;
        const bool is_grouped = plays && moves(part);
        if (is_grouped)
            svg += fmt::format("<g class=\"m {}\"{}>\n", Rules::name_of(part),
                               part.stays() ? "" : " opacity=\"0\"");
        for (const Mark& mark : part.marks) svg += svg_of(mark);
        if (is_grouped) svg += "</g>\n";
    }
    return svg + "</svg>\n";
}

}  // namespace glassbox::tracer
