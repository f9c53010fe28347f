#pragma once
#include <optional>
#include <vector>

#include "figures/scene.h"
#include "report/drawing/overview_parts.h"

namespace glassbox::tracer::drawing {

// The arrows of an overview: each leaves the map that is read, a sum has ⊕ where its terms meet.
class Arrows {
  public:
    // `part_of`: of each step. Both outlive it.
    Arrows(const Flow& flow, std::vector<Part>& parts, const std::vector<std::size_t>& part_of)
        : flow_(flow), parts_(parts), part_of_(part_of) {}

    // Lines that pass other columns, for which a part has room at its foot.
    void choose_buses();
    // Once everything has its place.
    std::vector<Mark> draw() &&;

  private:
    struct At {
        std::size_t column, item;
    };
    std::optional<At> find(std::size_t part, std::size_t step) const;
    const Item& item(std::size_t part, const At& at) const {
        return parts_[part].columns[at.column].items[at.item];
    }
    // The step of the part before, in its lane, from which an arrow leads to a part.
    std::optional<std::size_t> part_before(std::size_t part) const;
    std::vector<std::size_t> followed(std::size_t part, const At& to) const;
    bool takes_bus(std::size_t part, std::size_t read, const At& to) const;
    double bus_y(std::size_t part, std::size_t from, std::size_t to) const;
    double track(std::size_t part, const At& from) const;

    void draw_within(std::size_t part, const At& to);
    void draw_read(std::size_t part, std::size_t read, const At& to);
    void enter(std::vector<Chart::Point> way, const Item& to, bool from_above = false);
    void draw_between(std::size_t to);
    std::vector<Chart::Point> way_out(std::size_t part, std::size_t step) const;
    double middle_of_reader(const Part& part, std::size_t step) const;
    void draw_arrow(std::vector<Chart::Point> points);

    const Flow& flow_;
    std::vector<Part>& parts_;
    const std::vector<std::size_t>& part_of_;
    std::vector<Mark> made_;
};

}  // namespace glassbox::tracer::drawing
