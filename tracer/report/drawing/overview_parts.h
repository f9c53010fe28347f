#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/drawing/strips.h"

namespace glassbox::tracer::drawing {

constexpr double box_pad = 13, box_gap = 26, lane_gap = 40, column_gap = 20, item_gap = 14, label_height = 15,
                 heading_height = 20, bus_gap = 8, pick_height = 14;

// A step with its maps, one for each head.
struct Item {
    std::size_t step;
    std::string label;
    std::vector<Grid> grids;
    std::string shown{};               // how much of it, where not all
    std::vector<std::string> picks{};  // the likeliest of each row, beside it
    std::vector<CellLook> looks{};
    double width = 0, height = 0;
    double x = 0, y = 0, maps_width = 0, maps_height = 0;  // the maps are label_height below y
};
struct Column {
    std::string heading;
    std::vector<Item> items;
    double width = 0, height = 0;
};
// Along the foot of a part, from the gap before a column to the gap before another.
struct Bus {
    std::size_t from, to, level = 0;
};
struct Part {
    std::string name;
    std::vector<std::size_t> steps;
    std::vector<Column> whole_columns{}, columns{};  // one for each of its parts; as they are drawn
    std::vector<Bus> buses{};
    std::size_t lane = 0;
    double x = 0, y = 0, width = 0, height = 0;

    double foot() const {  // below its maps
        double below = 0;
        for (const Column& column : columns) {
            const Item& last = column.items.back();
            below = std::max(below, last.y + last.height);
        }
        return below;
    }
};

// What each step reads of other steps.
class Flow {
  public:
    explicit Flow(const Source& source);
    // From here on nearest() are of these.
    void show(std::set<std::size_t> steps) { shown_ = std::move(steps); }

    const std::set<std::size_t>& reads(std::size_t step) const { return reads_[step]; }
    // The nearest steps that are shown that it was computed from.
    std::set<std::size_t> nearest(std::size_t step) const;
    // Whether it is the sum of steps, as a residual is.
    bool is_sum(std::size_t step) const;

  private:
    std::set<std::size_t> read_by(const Report::Step& step) const;

    const Source& source_;
    const std::vector<Report::Step>& steps_;
    std::map<std::size_t, std::size_t> at_;  // node → step
    std::vector<std::set<std::size_t>> reads_;
    std::set<std::size_t> shown_;
};

}  // namespace glassbox::tracer::drawing
