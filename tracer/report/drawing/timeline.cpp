#include "report/drawing/timeline.h"

#include <algorithm>

#include "explain/tensor_element.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr index_t max_single = 24;  // numbers of products that are filled in one by one
constexpr index_t max_by_row = 8;   // rows of a matrix that is filled in row by row
constexpr double given_seconds = 2, number_seconds = 1.4, row_seconds = 2, step_seconds = 2.4,
                 explained_seconds = 3;
constexpr double max_seconds = 75;  // of a round: many steps go by faster

Light all_of(const Layout& layout, std::size_t grid) {
    return {grid, 0, 0, layout.grids[grid].grid->rows, layout.grids[grid].grid->columns};
}
Light row_of(const Layout& layout, std::size_t grid, index_t row) {
    const Grid& g = *layout.grids[grid].grid;
    return g.rows > row ? Light{grid, row, 0, 1, g.columns} : all_of(layout, grid);
}
Light column_of(const Layout& layout, std::size_t grid, index_t column) {
    const Grid& g = *layout.grids[grid].grid;
    return g.columns > column ? Light{grid, 0, column, g.rows, 1} : all_of(layout, grid);
}

class Player {
  public:
    Player(const Source& source, const Layout& layout) : source_(source), layout_(layout) {
        index_t in_products = 0;
        for (const PlacedResult& result : layout.results)
            if (result.panel->made.is_product)
                in_products += static_cast<index_t>(result.panel->grid.places.size());
        goes_one_by_one_ = in_products <= max_single;
        made_.beats.push_back({.seconds = given_seconds});
    }

    Timeline timeline() && {
        for (const PlacedResult& result : layout_.results) {
            const Grid& grid = result.panel->grid;
            const bool is_given = source_.numbers(grid.node).is_given && result.panel->made == MadeOf{};
            if (is_given || grid.places.empty()) continue;
            ++made_.steps;
            const bool by_row = result.panel->made.is_product || result.panel->made.is_by_row;
            if (result.panel->made.is_product && goes_one_by_one_ && !result.beside.empty())
                for (index_t i = 0; i < grid.rows; ++i)
                    for (index_t j = 0; j < grid.columns; ++j) add_number(result, i, j);
            else if (by_row && grid.rows <= max_by_row)
                for (index_t i = 0; i < grid.rows; ++i) add_row(result, i);
            else add_all(result);
        }
        double seconds = 0;
        for (const Beat& beat : made_.beats) seconds += beat.seconds;
        if (seconds > max_seconds)
            for (Beat& beat : made_.beats) beat.seconds *= max_seconds / seconds;
        return std::move(made_);
    }

  private:
    void add(const PlacedResult& result, double seconds, std::vector<Light> operands, Light filled) {
        const Grid& grid = result.panel->grid;
        for (index_t i = filled.row; i < filled.row + filled.rows; ++i)
            for (index_t j = filled.column; j < filled.column + filled.columns; ++j)
                made_.appears.emplace(grid.at(i, j), static_cast<int>(made_.beats.size()));
        made_.beats.push_back({seconds,
                               std::move(operands),
                               {filled},
                               result.strip,
                               source_.arithmetic(grid.at(filled.row, filled.column)),
                               made_.steps});
    }
    void add_number(const PlacedResult& result, index_t i, index_t j) {
        std::vector<Light> operands{row_of(layout_, result.beside.at(0), i)};
        for (const std::size_t above : result.above) operands.push_back(column_of(layout_, above, j));
        add(result, number_seconds, std::move(operands), {result.own, i, j, 1, 1});
    }
    void add_row(const PlacedResult& result, index_t i) {
        std::vector<Light> operands;
        for (const std::size_t beside : result.beside) operands.push_back(row_of(layout_, beside, i));
        for (const std::size_t above : result.above) operands.push_back(all_of(layout_, above));
        add(result, row_seconds, std::move(operands), row_of(layout_, result.own, i));
    }
    void add_all(const PlacedResult& result) {
        std::vector<Light> operands;
        for (const auto* grids : {&result.beside, &result.above})
            for (const std::size_t each : *grids) operands.push_back(all_of(layout_, each));
        add(result, step_seconds, std::move(operands), all_of(layout_, result.own));
    }

    const Source& source_;
    const Layout& layout_;
    bool goes_one_by_one_ = false;
    Timeline made_;
};

// Where a number is drawn: as a result, else among the operands of the strip.
void light(const Layout& layout, const Place& place, std::vector<Light>& lights, bool results_only) {
    for (std::size_t g = 0; g < layout.grids.size(); ++g) {
        const PlacedGrid& placed = layout.grids[g];
        if (results_only && !placed.is_result) continue;
        const auto found = std::find(placed.grid->places.begin(), placed.grid->places.end(), place);
        if (found == placed.grid->places.end()) continue;
        const index_t at = found - placed.grid->places.begin();
        lights.push_back({g, at / placed.grid->columns, at % placed.grid->columns, 1, 1});
    }
}

}  // namespace

int Timeline::beat_of(const Source& source, const Place& place) const {
    if (const auto found = appears.find(place); found != appears.end()) return found->second;
    const std::optional<Place> from = source.moved_from(place);
    return from ? beat_of(source, *from) : 0;
}

Timeline timeline_of(const Source& source, const Layout& layout) { return Player(source, layout).timeline(); }

Timeline explained_timeline(const Source& source, const Layout& layout) {
    Timeline made;
    made.beats.push_back({.seconds = given_seconds});
    for (const Source::Explained& each : source.explained()) {
        if (each.arithmetic.empty()) continue;
        Beat beat{.seconds = explained_seconds, .note = each.arithmetic};
        for (const Place& part : each.parts) light(layout, part, beat.operands, false);
        light(layout, each.place, beat.filled, true);
        if (beat.filled.empty()) light(layout, each.place, beat.filled, false);
        if (!beat.filled.empty()) beat.strip = layout.grids[beat.filled[0].grid].strip;
        beat.step = ++made.steps;
        made.appears.emplace(each.place, static_cast<int>(made.beats.size()));
        made.beats.push_back(std::move(beat));
    }
    return made;
}

}  // namespace glassbox::tracer::drawing
