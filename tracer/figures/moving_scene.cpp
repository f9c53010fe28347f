#include "figures/moving_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "figures/svg.h"

namespace glassbox::tracer {
namespace {

constexpr double rest_seconds = 4;  // of the complete picture at the end, before it begins again
constexpr double fade = 0.25,
                 at_once = 0.05;  // seconds in which a mark appears; in which one that passes comes and goes
constexpr double glide = 0.6;     // seconds in which another part comes into view

bool is_same(const Chart::Point& a, const Chart::Point& b) { return a.x == b.x && a.y == b.y; }

// Shares of a round, for keyframes: "12.34%".
class Clock {
  public:
    // A beat in another view begins when it has come into view.
    explicit Clock(const MovingScene& moving) {
        const std::vector<Chart::Point>& corners = moving.view.corners;
        starts_.push_back(0);
        for (std::size_t beat = 0; beat < moving.beats.size(); ++beat) {
            const bool glides = beat + 1 < corners.size() && !is_same(corners[beat], corners[beat + 1]);
            starts_.push_back(starts_.back() + moving.beats[beat] + (glides ? glide : 0));
        }
    }
    bool is_end(int beat) const { return static_cast<std::size_t>(beat) + 1 == starts_.size(); }
    double round() const { return starts_.back() + rest_seconds; }
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
    if (part.is_fixed && clock.is_end(part.until)) return frames + "100%{opacity:1}";  // to the round's end
    return frames + fmt::format("{}{{opacity:1}}{},100%{{opacity:0}}", clock.at(part.until, -at_once),
                                clock.at(part.until));
}

// The whole picture as large as the view holds.
std::string whole_in_view(const MovingScene& moving) {
    const double scale = std::min(moving.view.height / moving.height, moving.view.width / moving.width);
    return fmt::format("translate({:.4g}px,0px) scale({:.4g})",
                       (moving.view.width - moving.width * scale) / 2, scale);
}

std::string from(const Chart::Point& corner) {
    return fmt::format("translate({:.6g}px,{:.6g}px) scale(1)", 0 - corner.x, 0 - corner.y);
}

// Where the view is through a round: at the part that appears, and at the last one at the end.
std::string view_keyframes(const MovingScene& moving, const Clock& clock) {
    const std::vector<Chart::Point>& corners = moving.view.corners;
    std::string frames;
    const auto add = [&](const std::string& at, const std::string& where) {
        frames += fmt::format("{}{{transform:{}}}", at, where);
    };
    add("0%", from(corners[0]));
    for (std::size_t beat = 1; beat < corners.size(); ++beat) {
        const Chart::Point &now = corners[beat], &before = corners[beat - 1];
        if (is_same(now, before)) continue;
        add(clock.at(static_cast<int>(beat), -glide), from(before));
        add(clock.at(static_cast<int>(beat)), from(now));
    }
    add(clock.at(static_cast<int>(corners.size())) + ",100%", from(corners.back()));
    return frames;
}

bool moves(const MovingScene::Part& part) { return part.from > 0 || !part.stays(); }

// A class for each pair of beats, with the rules that move it.
class Rules {
  public:
    explicit Rules(const MovingScene& moving) : clock_(moving) {
        for (const MovingScene::Part& part : moving.parts)
            if (moves(part)) add(part);
        if (moving.has_view())
            rules_ += fmt::format(".view{{transform:{};animation-name:view}}@keyframes view{{{}}}\n",
                                  whole_in_view(moving), view_keyframes(moving, clock_));
    }
    static std::string name_of(const MovingScene::Part& part) {
        return part.stays() ? fmt::format("s{}", part.from)
                            : fmt::format("s{}-{}{}", part.from, part.until, part.is_fixed ? "f" : "");
    }
    std::string text() const {
        return fmt::format(
            ".m{{animation:{:.4g}s linear infinite}}svg:active .m{{animation-play-state:paused}}\n{}"
            "@media (prefers-reduced-motion:reduce){{.m{{animation:none}}}}\n",
            clock_.round(), rules_);
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

namespace {

struct Shift {
    double right, down;

    void operator()(LineMark& m) const { m.x1 += right, m.x2 += right, m.y1 += down, m.y2 += down; }
    void operator()(PathMark& m) const { all(m.points); }
    void operator()(PolygonMark& m) const { all(m.corners); }
    template <class Placed>
    void operator()(Placed& m) const {
        m.x += right, m.y += down;
    }
    void all(std::vector<Chart::Point>& points) const {
        for (Chart::Point& point : points) point.x += right, point.y += down;
    }
};

// What is seen at a beat of the part that starts at `corner`; `keeps_end`: after the last with what is said
// there.
Scene part_at(const MovingScene& moving, int beat, double width, double height, const Chart::Point& corner,
              bool keeps_end = false) {
    const bool is_over = beat >= static_cast<int>(moving.beats.size());
    Scene scene{width, height, moving.title, {}};
    for (const bool is_fixed : {false, true})
        for (const MovingScene::Part& part : moving.parts) {
            if (part.is_fixed != is_fixed) continue;
            const bool closes = is_fixed && part.until == static_cast<int>(moving.beats.size());
            if (is_over ? !part.stays() && !(closes && keeps_end) : beat < part.from || part.until <= beat)
                continue;
            for (Mark mark : part.marks) {
                if (!is_fixed) std::visit(Shift{-corner.x, -corner.y}, mark);
                scene.marks.push_back(std::move(mark));
            }
        }
    return scene;
}

Scene seen_at(const MovingScene& moving, std::size_t beat) {
    const std::vector<Chart::Point>& corners = moving.view.corners;
    const Chart::Point corner =
        moving.has_view() ? corners[std::min(beat, corners.size() - 1)] : Chart::Point{};
    return part_at(moving, static_cast<int>(beat), moving.seen_width(), moving.seen_height(), corner, true);
}

}  // namespace

Scene scene_at(const MovingScene& moving, int beat) {
    return part_at(moving, beat, moving.width, moving.height, {});
}

Scene complete(const MovingScene& moving) { return scene_at(moving, static_cast<int>(moving.beats.size())); }

std::vector<SceneFrame> frames_of(const MovingScene& moving) {
    std::vector<SceneFrame> frames;
    for (std::size_t beat = 0; beat < moving.beats.size(); ++beat)
        frames.push_back({seen_at(moving, beat), moving.beats[beat]});
    frames.push_back({seen_at(moving, moving.beats.size()), rest_seconds});
    return frames;
}

namespace {

std::string svg_of(const MovingScene::Part& part, bool plays) {
    if (!plays && !part.stays()) return "";
    const bool is_grouped = plays && moves(part);
    std::string svg;
    if (is_grouped)
        svg +=
            fmt::format("<g class=\"m {}\"{}>\n", Rules::name_of(part), part.stays() ? "" : " opacity=\"0\"");
    for (const Mark& mark : part.marks) svg += tracer::svg_of(mark);
    return svg + (is_grouped ? "</g>\n" : "");
}

}  // namespace

std::string draw_svg(const MovingScene& moving) {
    const bool plays = !moving.beats.empty(), has_view = plays && moving.has_view();
    std::string svg = svg_head({.width = plays ? moving.seen_width() : moving.width,
                                .height = plays ? moving.seen_height() : moving.height,
                                .title = moving.title,
                                .description = moving.description,
                                .style = plays ? Rules(moving).text() : ""});
    if (has_view)  // within which nothing is seen beside the view
        svg += fmt::format("<svg width=\"{:.6g}\" height=\"{:.6g}\">\n<g class=\"m view\">\n",
                           moving.view.width, moving.view.height);
    for (const MovingScene::Part& part : moving.parts)
        if (!part.is_fixed) svg += svg_of(part, plays);
    if (has_view) svg += "</g>\n</svg>\n";
    for (const MovingScene::Part& part : moving.parts)
        if (part.is_fixed) svg += svg_of(part, plays);
    return svg + "</svg>\n";
}

}  // namespace glassbox::tracer
