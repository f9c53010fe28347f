#pragma once
#include <string>
#include <vector>

#include "figures/moving_scene.h"
#include "report/drawing/timeline.h"

namespace glassbox::tracer::drawing {

// Arithmetic in lines of this width. What is longer than three of them is cut before its result.
std::vector<std::string> lines_of(const std::string& note, double width);

// At the foot of a movie's view, over whatever lies there: a bar, the part and the step, what it means, the
// arithmetic, and beside them, where only a part is seen, the whole in small.
class MovieFoot {
  public:
    MovieFoot(const Source& source, const std::vector<Strip>& strips, const Layout& layout,
              const Timeline& timeline, MovingScene& scene)
        : source_(source), strips_(strips), layout_(layout), timeline_(timeline), scene_(scene) {}

    double height() const;
    void draw();

  private:
    bool explains() const { return !source_.explained().empty(); }  // whose arithmetic stands elsewhere
    double text_width() const;
    std::vector<std::string> arithmetic_of(const Beat& beat) const;
    std::vector<std::string> meaning_of(const Beat& beat) const;
    std::string place_of(const Beat& beat) const;
    void show(std::vector<Mark> marks, std::size_t from, std::size_t until);
    void draw_arithmetic(std::size_t number, double top, double y);
    void draw_whole();

    const Source& source_;
    const std::vector<Strip>& strips_;
    const Layout& layout_;
    const Timeline& timeline_;
    MovingScene& scene_;
};

}  // namespace glassbox::tracer::drawing
