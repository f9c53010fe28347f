#include "report/drawing/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/number.h"
#include "cli/option_value.h"
#include "figures/palette.h"
#include "figures/panel_box.h"
#include "report/heat.h"

namespace glassbox::tracer::drawing {
namespace {

using Kind = Report::Kind;

// Between two cells; none where they are so small that it would take their colour.
double gap_of(const CellLook& look) { return look.has_numbers || look.width >= 7 ? 1 : 0; }
constexpr Color empty_color{243, 243, 240}, word_color{236, 236, 233}, pale_ground{246, 246, 244},
    pale_text{150, 150, 146};

RectMark ground(const CellLook& look, double x, double y, Color color) {
    return {x, y, look.width - gap_of(look), look.height - gap_of(look), color};
}

Color color_of_number(const Numbers& of, real value) {
    if (of.kind == Kind::word) return word_color;
    if (!std::isfinite(value)) return not_finite_color;
    const HeatPlace place = heat_place(of.kind, of.largest, value);
    return color_at(place.palette, place.position);
}

void draw_number(std::vector<Mark>& marks, const std::string& text, const CellLook& look, double x, double y,
                 Color color) {
    if (!look.has_numbers) return;
    TextMark mark = text_at(x + (look.width - gap_of(look)) / 2, y + look.height / 2 + baseline_offset, text,
                            Anchor::middle, color);
    // Drawn smaller rather than over its neighbour; max_width is for the widest common font.
    const double room = look.width - 3, usual = 0.88 * mark.max_width;
    if (usual > room) mark.size = room / usual;
    mark.max_width = room;
    marks.push_back(mark);
}

// Lines from bottom left to top right.
void draw_hatch(std::vector<Mark>& marks, const CellLook& look, double x, double y) {
    marks.push_back(ground(look, x, y, hidden_color));
    const double width = look.width - gap_of(look), height = look.height - gap_of(look),
                 step = look.has_numbers ? 7 : 4;
    for (double at = step; at < width + height; at += step) {
        const double from = std::min(at, height), to = std::min(at, width);
        marks.push_back(LineMark{x + at - from, y + from, x + to, y + at - to, hatch_color});
    }
}

}  // namespace

std::string power_of_ten(const std::string& digits, int power) {
    static constexpr const char* above[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = (digits == "1" ? "10" : digits + "·10") + std::string(power < 0 ? "⁻" : "");
    for (const char digit : std::to_string(std::abs(power))) text += above[digit - '0'];
    return text;
}

namespace {

// Below it the decimals would leave no more than two digits, or none.
double few_digits_below(int decimals) { return std::max(0.01, std::pow(10, -decimals)); }

// Two digits and a power of ten: "-9·10¹⁵", "2.5·10⁻⁵".
std::string with_power(double x) {
    const std::string text = fmt::format("{:.1e}", std::abs(x));
    const std::size_t e = text.find('e');
    std::string digits = text.substr(0, e);
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return (x < 0 ? "-" : "") + power_of_ten(digits, std::stoi(text.substr(e + 1)));
}

// As many digits as another number of these decimals has, so that 0.00025 is not half of 0.0005.
std::string with_digits(double x, int decimals) {
    const int digits = decimals >= 4 ? 3 : 2;
    const int places = std::max(decimals, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(x)))));
    std::string text = fmt::format("{:.{}f}", x, places);
    for (int i = places; i > decimals && text.ends_with("0"); --i) text.pop_back();
    return text;
}

}  // namespace

std::string cell_text(real value, const Numbers& of, int decimals) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
    if (value == 0) return "0";
    const auto x = static_cast<double>(value);
    const double size = std::abs(x);
    std::string text = of.are_whole                        ? fmt::format("{:.0f}", x)
                       : size >= 10000 || size < 1e-4      ? with_power(x)
                       : size < few_digits_below(decimals) ? with_digits(x, decimals)
                                                           : fmt::format("{:.{}f}", x, decimals);
    if (text.starts_with("-")) text = "−" + text.substr(1);
    return text;
}

void draw_cell(std::vector<Mark>& marks, const Source& source, const Place& place, const CellLook& look,
               double x, double y, Emphasis emphasis) {
    const Numbers& numbers = source.numbers(place.node);
    const real value = source.value(place);
    const bool is_word = numbers.kind == Kind::word && numbers.step && !numbers.step->words.empty();
    const std::string text =
        is_word ? shortened(printable(numbers.step->words[static_cast<std::size_t>(place.element)]), 8)
                : cell_text(value, numbers, look.decimals);
    if (source.is_hidden(place)) {
        draw_hatch(marks, look, x, y);
        return look.is_map() ? void() : draw_number(marks, text, look, x, y, quiet_ink);
    }
    const Color color = emphasis == Emphasis::pale ? pale_ground : color_of_number(numbers, value);
    marks.push_back(ground(look, x, y, color));
    if (!is_word && std::abs(value) < look.least) return;
    draw_number(marks, text, look, x, y, emphasis == Emphasis::pale ? pale_text : text_on(color));
}

void draw_empty_cell(std::vector<Mark>& marks, const CellLook& look, double x, double y) {
    marks.push_back(ground(look, x, y, empty_color));
}

void draw_passing(std::vector<Mark>& marks, double value, const CellLook& look, double x, double y) {
    draw_number(marks, cell_text(static_cast<real>(value), {}, look.decimals), look, x, y, quiet_ink);
}

void draw_expected_cell(std::vector<Mark>& marks, const Numbers& numbers, real expected, const CellLook& look,
                        double x, double y) {
    const Color color = color_of_number(numbers, expected);
    marks.push_back(ground(look, x, y, color));
    draw_number(marks, cell_text(expected, numbers, look.decimals), look, x, y, text_on(color));
}

// Without colours, which are for the numbers themselves.
void draw_difference(std::vector<Mark>& marks, const Numbers& numbers, real difference, const CellLook& look,
                     double x, double y) {
    marks.push_back(ground(look, x, y, empty_color));
    draw_number(marks, cell_text(difference, numbers, look.decimals), look, x, y,
                difference == 0 ? pale_text : ink);
}

namespace {

std::vector<Chart::Point> around(double left, double top, double right, double bottom) {
    return {{left, top}, {right, top}, {right, bottom}, {left, bottom}, {left, top}};
}

}  // namespace

void draw_mark(std::vector<Mark>& marks, double x, double y, double width, double height, Color color) {
    marks.push_back(PathMark{around(x + 2.5, y + 2.5, x + width - 2.5, y + height - 2.5), paper, 1});
    marks.push_back(PathMark{around(x + 1, y + 1, x + width - 1, y + height - 1), color, 2});
}

void draw_ring(std::vector<Mark>& marks, double x, double y, double width, double height, Color color) {
    const std::vector<Chart::Point> edge = around(x - 1, y - 1, x + width, y + height);
    marks.push_back(PathMark{edge, paper, 5});
    marks.push_back(PathMark{edge, color, 2.5});
}

void draw_frame(std::vector<Mark>& marks, double x, double y, double width, double height, Color color) {
    marks.push_back(PathMark{around(x, y, x + width, y + height), color, 1.5});
}

namespace {

// "−1.78 to 1.78 in every matrix"
std::string scale_text(const std::vector<double>& ends) {
    const auto text = [](double end) { return end == 0 ? "0" : number(static_cast<real>(end), 2); };
    if (ends.size() == 1) return fmt::format("−{0} to {0} in every matrix", text(ends[0]));
    std::vector<std::string> all;
    for (const double end : ends) all.push_back("±" + text(end));
    return fmt::format("to {}: the first that holds its matrix", either(all));
}

struct Key {
    enum { weights, numbers, hidden, wrong } what;
    std::string text;
};

std::vector<Key> keys_of(const Source& source, const std::vector<Strip>& strips) {
    bool has[4] = {};
    const auto look_at = [&](const Grid& grid) {
        const Numbers& numbers = source.numbers(grid.node);
        if (numbers.kind == Kind::weight) has[Key::weights] = true;
        else if (numbers.kind != Kind::word) has[Key::numbers] = true;
        for (const Place& place : grid.places) has[Key::hidden] = has[Key::hidden] || source.is_hidden(place);
    };
    for (const Strip& strip : strips)
        for (const Panel& panel : strip.panels) {
            look_at(panel.grid);
            for (const Grid& each : panel.above) look_at(each);
            has[Key::wrong] = has[Key::wrong] || panel.has_expected();
        }
    const Key all[] = {{Key::weights, "weights, 0 to 1"},
                       {Key::numbers, scale_text(source.scales())},
                       {Key::hidden, "hidden by the mask"},
                       {Key::wrong, "not as expected"}};
    std::vector<Key> keys;
    for (const Key& key : all)
        if (has[key.what]) keys.push_back(key);
    return keys;
}

}  // namespace

double draw_legend(std::vector<Mark>& marks, const Source& source, const std::vector<Strip>& strips, double x,
                   double y, double width) {
    constexpr double sample = 64, box = 16, height = 12;
    const double left = x, top = y;
    for (const Key& key : keys_of(source, strips)) {
        const bool is_bar = key.what == Key::weights || key.what == Key::numbers;
        const double room = (is_bar ? sample : box) + 7 + width_units(key.text) + 22;
        if (x > left && x + room > left + width) x = left, y += 20;
        Scene bar;
        if (key.what == Key::weights) draw_palette(bar, Palette::cividis, x, y, sample, height);
        if (key.what == Key::numbers) draw_palette(bar, Palette::red_blue, x, y, sample, height);
        marks.insert(marks.end(), bar.marks.begin(), bar.marks.end());
        if (key.what == Key::hidden) draw_hatch(marks, {box + 1, height + 1, 0, true}, x, y);
        if (key.what == Key::wrong) draw_mark(marks, x, y, box, height, wrong_color);
        marks.push_back(text_at(x + (is_bar ? sample : box) + 7, y + 10, key.text, Anchor::start, quiet_ink));
        x += room;
    }
    return y + height - top;
}

}  // namespace glassbox::tracer::drawing
