#pragma once
#include <map>
#include <string>
#include <vector>

#include "report/drawing/layout.h"

namespace glassbox::tracer::drawing {

// Cells of a grid that are lit together: a row, a column, one, all.
struct Light {
    std::size_t grid;
    index_t row = 0, column = 0, rows = 1, columns = 1;
};

// What happens in one beat: numbers are filled in, from those that are lit.
struct Beat {
    double seconds = 1;
    std::vector<Light> operands, filled;
    std::size_t strip = 0;
    std::string note{};                // the arithmetic, in lines
    int step = 0;                      // how many steps have begun
    const Report::Step* of = nullptr;  // the one that is computed
    // On the way to what is filled: what stands in its cells for this beat.
    std::vector<double> on_the_way{};
};

// When each number appears.
struct Timeline {
    std::vector<Beat> beats;  // the first has what is given
    int steps = 0;
    std::map<Place, int> appears;
    std::vector<int> expected{};  // the beats of Layout::expected

    int beat_of(const Source& source, const Place& place) const;
};

// Every step after the other, from the first that a mistake changes: number by number where there are few,
// else by rows, or all at once, after the one number whose arithmetic is shown; of a softmax the
// exponentials, their sum, then each by the sum. After a step that a mistake changes, what was expected.
Timeline timeline_of(const Source& source, const Layout& layout);
// The numbers that were explained, from the inputs on.
Timeline explained_timeline(const Source& source, const Layout& layout);

}  // namespace glassbox::tracer::drawing
