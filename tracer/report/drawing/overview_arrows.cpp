#include "report/drawing/overview_arrows.h"

#include <algorithm>
#include <cmath>

#include "report/drawing/layout.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr double sum_radius = 5, name_middle = 7, sum_middle = 5;  // of ⊕, from the corner of an item
constexpr double way_in = 7, way_up = 13;  // left of a column: of a skip line; of a step
constexpr double above_name = 5;

}  // namespace

Flow::Flow(const Source& source) : source_(source), steps_(source.report().steps) {
    for (std::size_t i = 0; i < steps_.size(); ++i) at_[source.node_of(steps_[i])] = i;
    for (const Report::Step& step : steps_) reads_.push_back(read_by(step));
}

std::set<std::size_t> Flow::nearest(std::size_t step) const {
    std::set<std::size_t> found, seen;
    const auto look = [&](const auto& self, std::size_t at) -> void {
        for (const std::size_t read : reads_[at])
            if (shown_.contains(read)) found.insert(read);
            else if (seen.insert(read).second) self(self, read);
    };
    look(look, step);
    return found;
}

bool Flow::is_sum(std::size_t step) const {
    const auto is_term = [&](std::size_t read) {
        return steps_[read].value.shape() == steps_[step].value.shape() ||
               steps_[read].path.ends_with("encoding");
    };
    const std::set<std::size_t>& read = reads_[step];
    return read.size() > 1 && steps_[step].formula.find(" + ") != std::string::npos &&
           std::all_of(read.begin(), read.end(), is_term);
}

std::set<std::size_t> Flow::read_by(const Report::Step& step) const {
    std::set<std::size_t> read;
    if (step.value.numel() == 0) return read;
    const Place first{source_.node_of(step), 0};
    std::vector<Place> places = source_.operands(first);
    if (const std::optional<Place> from = source_.moved_from(first)) places.push_back(*from);
    for (const Place& place : places)
        if (const auto found = at_.find(place.node); found != at_.end()) read.insert(found->second);
    return read;
}

std::optional<Arrows::At> Arrows::find(std::size_t part, std::size_t step) const {
    const std::vector<Column>& columns = parts_[part].columns;
    for (std::size_t c = 0; c < columns.size(); ++c)
        for (std::size_t i = 0; i < columns[c].items.size(); ++i)
            if (columns[c].items[i].step == step) return At{c, i};
    return std::nullopt;
}

std::optional<std::size_t> Arrows::part_before(std::size_t part) const {
    std::optional<std::size_t> before;
    for (std::size_t p = 0; p < part; ++p)
        if (parts_[p].lane == parts_[part].lane) before = p;
    return before;
}

// The steps from which lines lead to one: all terms of a sum; else what is nearest.
std::vector<std::size_t> Arrows::followed(std::size_t part, const At& to) const {
    const std::size_t step = item(part, to).step;
    const std::optional<std::size_t> before = part_before(part);
    std::vector<std::size_t> own, others;
    for (const std::size_t read : flow_.nearest(step))
        if (part_of_[read] == part) own.push_back(read);
        else if (before && part_of_[read] == *before) others.push_back(read);
    if (flow_.is_sum(step)) {
        own.insert(own.end(), others.begin(), others.end());
        return own;
    }
    if (!own.empty()) return {own.back()};
    if (!others.empty()) return {others.back()};
    return {};
}

bool Arrows::takes_bus(std::size_t part, std::size_t read, const At& to) const {
    if (part_of_[read] != part) return to.column > 0;
    return find(part, read)->column + 1 < to.column;
}

void Arrows::choose_buses() {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        Part& part = parts_[p];
        part.buses.clear();
        const auto add = [&](Bus bus) {
            const auto same = [&](const Bus& other) { return other.from == bus.from && other.to == bus.to; };
            if (std::any_of(part.buses.begin(), part.buses.end(), same)) return;
            const auto meets = [&](const Bus& other) {
                return other.level == bus.level && bus.from <= other.to && other.from <= bus.to;
            };
            while (std::any_of(part.buses.begin(), part.buses.end(), meets)) ++bus.level;
            part.buses.push_back(bus);
        };
        for (std::size_t c = 0; c < part.columns.size(); ++c)
            for (std::size_t i = 0; i < part.columns[c].items.size(); ++i)
                for (const std::size_t read : followed(p, {c, i}))
                    if (takes_bus(p, read, {c, i}))
                        add({part_of_[read] == p ? find(p, read)->column + 1 : 0, c});
        for (std::size_t other = p + 1; other < parts_.size(); ++other)
            for (const std::size_t step : parts_[other].steps)
                for (const std::size_t read : flow_.nearest(step))
                    if (part_of_[read] == p)
                        if (const std::optional<At> at = find(p, read);
                            at && at->column + 1 < part.columns.size())
                            add({at->column + 1, part.columns.size()});
    }
}

double Arrows::bus_y(std::size_t part, std::size_t from, std::size_t to) const {
    for (const Bus& bus : parts_[part].buses)
        if (bus.from == from && bus.to == to)
            return parts_[part].foot() + bus_gap * static_cast<double>(bus.level + 1);
    return parts_[part].foot() + bus_gap;
}

// Right of a map, where its line turns: in the gap before the next column.
double Arrows::track(std::size_t part, const At& from) const {
    const std::vector<Column>& columns = parts_[part].columns;
    if (from.column + 1 == columns.size()) return parts_[part].x + parts_[part].width + box_gap / 2;
    const bool is_last = from.item + 1 == columns[from.column].items.size();
    return columns[from.column + 1].items[0].x - (is_last ? way_up : way_in + 3);
}

std::vector<Mark> Arrows::draw() && {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        for (std::size_t c = 0; c < parts_[p].columns.size(); ++c)
            for (std::size_t i = 0; i < parts_[p].columns[c].items.size(); ++i) draw_within(p, {c, i});
        draw_between(p);
    }
    return std::move(made_);
}

void Arrows::draw_within(std::size_t part, const At& to) {
    const Item& target = item(part, to);
    for (const std::size_t read : followed(part, to)) draw_read(part, read, to);
    if (!flow_.is_sum(target.step)) return;
    const double x = target.x + sum_middle, y = target.y + name_middle;
    made_.push_back(CircleMark{x, y, sum_radius, paper, quiet_ink});
    made_.push_back(LineMark{x - 3, y, x + 3, y, quiet_ink, 1.2});
    made_.push_back(LineMark{x, y - 3, x, y + 3, quiet_ink, 1.2});
}

void Arrows::draw_read(std::size_t part, std::size_t read, const At& to) {
    const Item& target = item(part, to);
    const double y = target.y + name_middle, side = target.x - way_in;
    if (part_of_[read] != part) {
        const double edge = parts_[part].x, top = parts_[part].y + box_pad + 6;
        const double down = parts_[part].columns[0].items[0].x - way_in;
        if (!takes_bus(part, read, to)) return enter({{edge, top}, {down, top}, {down, y}}, target);
        const double foot = bus_y(part, 0, to.column);
        return enter({{edge, top}, {down, top}, {down, foot}, {side, foot}, {side, y}}, target);
    }
    const At from = *find(part, read);
    const Item& source = item(part, from);
    const double middle = source.y + label_height + source.maps_height / 2;
    if (from.column == to.column && from.item + 1 == to.item)
        return enter({{target.x + sum_middle, target.y - item_gap + 4}}, target, true);
    if (from.column == to.column)
        return enter({{source.x - 1, middle}, {source.x - 5, middle}, {source.x - 5, y}}, target);
    const double right = source.x + source.maps_width + 1, turn = track(part, from);
    if (takes_bus(part, read, to)) {
        const double foot = bus_y(part, from.column + 1, to.column);
        return enter({{right, middle}, {turn, middle}, {turn, foot}, {side, foot}, {side, y}}, target);
    }
    const bool is_step = to.item == 0 && from.item + 1 == parts_[part].columns[from.column].items.size();
    if (is_step && flow_.is_sum(target.step)) {
        const double above = target.y - above_name;
        return enter({{right, middle}, {turn, middle}, {turn, above}, {target.x + sum_middle, above}}, target,
                     true);
    }
    enter({{right, middle}, {turn, middle}, {turn, y}}, target);
}

// To the name of a map, or to the ⊕ before it: from the left, or from above.
void Arrows::enter(std::vector<Chart::Point> way, const Item& to, bool from_above) {
    const bool is_sum = flow_.is_sum(to.step);
    const double x = to.x + sum_middle, y = to.y + name_middle;
    if (from_above) way.push_back({x, is_sum ? y - sum_radius : y + 5});
    else way.push_back({is_sum ? x - sum_radius : to.x + 10, y});
    draw_arrow(std::move(way));
}

// From the map that is read to the right edge of its part, and into the gap behind.
std::vector<Chart::Point> Arrows::way_out(std::size_t part, std::size_t step) const {
    const Part& from = parts_[part];
    const double beside = from.x + from.width + box_gap / 2;
    const std::optional<At> at = find(part, step);
    if (!at) return {{from.x + from.width, from.y + from.height / 2}, {beside, from.y + from.height / 2}};
    const Item& source = item(part, *at);
    const double right = source.x + source.maps_width + 1,
                 middle = source.y + label_height + source.maps_height / 2;
    if (at->column + 1 == from.columns.size()) return {{right, middle}, {beside, middle}};
    const double turn = track(part, *at), foot = bus_y(part, at->column + 1, from.columns.size());
    return {{right, middle}, {turn, middle}, {turn, foot}, {beside, foot}};
}

void Arrows::draw_between(std::size_t to) {
    const Part& part = parts_[to];
    std::set<std::size_t> drawn{to};
    for (const std::size_t step : part.steps)
        for (const std::size_t read : flow_.nearest(step)) {
            const std::size_t from = part_of_[read];
            const Part& other = parts_[from];
            if (!drawn.insert(from).second) continue;
            std::vector<Chart::Point> way = way_out(from, read);
            if (part_before(to) == from) {
                const double y = part.y + box_pad + 6;
                way.push_back({way.back().x, y});
                way.push_back({part.x - 1, y});
            } else if (other.lane != part.lane) {
                const bool is_down = other.y < part.y;
                const double end = is_down ? part.y : part.y + part.height,
                             between = is_down ? end - lane_gap / 2 : end + lane_gap / 2,
                             at = middle_of_reader(part, step);
                way.push_back({way.back().x, between});
                way.push_back({at, between});
                way.push_back({at, is_down ? end - 1 : end + 1});
            } else {
                continue;
            }
            draw_arrow(std::move(way));
        }
}

double Arrows::middle_of_reader(const Part& part, std::size_t step) const {
    for (const Column& column : part.columns)
        for (const Item& item : column.items)
            if (item.step == step) return item.x + item.maps_width / 2;
    return part.x + part.width / 2;
}

void Arrows::draw_arrow(std::vector<Chart::Point> points) {
    const Chart::Point tip = points.back(), before = points[points.size() - 2];
    const double length = std::hypot(tip.x - before.x, tip.y - before.y), head = 5.5;
    const double right = (tip.x - before.x) / length, down = (tip.y - before.y) / length;
    const Chart::Point base{tip.x - head * right, tip.y - head * down};
    points.back() = base;
    made_.push_back(PathMark{std::move(points), pale_ink, 1.5});
    made_.push_back(PolygonMark{
        {{base.x - 3.5 * down, base.y + 3.5 * right}, tip, {base.x + 3.5 * down, base.y - 3.5 * right}},
        pale_ink,
        pale_ink});
}

}  // namespace glassbox::tracer::drawing
