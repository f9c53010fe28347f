#include "report/drawing/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "explain/tensor_element.h"
#include "report/drawing/cells.h"
#include "tasks/answer.h"

namespace glassbox::tracer::drawing {
namespace {

constexpr index_t max_single = 24;  // numbers of products that are filled in one by one
constexpr index_t max_by_row = 8;   // rows of a matrix that is filled in row by row
constexpr index_t max_split = 24;   // rows of which one number comes before the others
constexpr double given_seconds = 2, number_seconds = 1.4, row_seconds = 2, worked_seconds = 1.6,
                 rest_seconds = 1, stage_seconds = 1.6, map_row_seconds = 1.2, expected_seconds = 3,
                 line_seconds = 1.5, closing_seconds = 2, explained_seconds = 3;
constexpr index_t max_written = 6;  // terms of a sum that are written
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

void light_in(const Layout& layout, std::size_t grid, const Place& place, std::vector<Light>& lights) {
    const Grid& cells = *layout.grids[grid].grid;
    const auto found = std::find(cells.places.begin(), cells.places.end(), place);
    if (found == cells.places.end()) return;
    const index_t at = found - cells.places.begin();
    lights.push_back({grid, at / cells.columns, at % cells.columns, 1, 1});
}

class Player {
  public:
    Player(const Source& source, const Layout& layout) : source_(source), layout_(layout) {
        index_t in_products = 0, rows = 0;
        for (const PlacedResult& result : layout.results) {
            const MadeOf& made = result.panel->made;
            if (made.is_product) in_products += static_cast<index_t>(result.panel->grid.places.size());
            if (made.is_product || made.is_by_row) rows += result.panel->grid.rows;
        }
        for (const PlacedGrid& placed : layout.grids)
            for (const Place& place : placed.grid->places)
                if (const std::optional<Place> winner = source.chosen_by(place))
                    tokens_[*winner].insert(place);
        goes_one_by_one_ = in_products <= max_single;
        splits_rows_ = rows <= max_split;
        made_.beats.push_back({.seconds = given_seconds});
        made_.expected.resize(layout.expected.size());
    }

    Timeline timeline() && {
        const auto is_wrong = [](const PlacedResult& result) { return result.panel->has_expected(); };
        const auto first = std::find_if(layout_.results.begin(), layout_.results.end(), is_wrong);
        bool is_told = first == layout_.results.end();  // what a mistake leaves right is there at once
        for (const PlacedResult& result : layout_.results) {
            const Grid& grid = result.panel->grid;
            const bool is_given = source_.numbers(grid.node).is_given && result.panel->made == MadeOf{};
            if (is_given || grid.places.empty()) continue;
            is_told = is_told || &result == &*first;
            if (!is_told) {
                made_.beats[0].step = ++made_.steps;
                continue;
            }
            ++made_.steps;
            if (layout_.is_overview) {
                add_map(result);
                continue;
            }
            const bool by_row = result.panel->made.is_product || result.panel->made.is_by_row;
            if (result.panel->made.is_product && goes_one_by_one_ && !result.beside.empty())
                for (index_t i = 0; i < grid.rows; ++i)
                    if (i > 0) add_row(result, i);  // as the first, whose numbers came one by one
                    else
                        for (index_t j = 0; j < grid.columns; ++j) add_number(result, i, j);
            else if (by_row && layout_.grids[result.own].look.is_map())
                for (index_t i = 0; i < grid.rows;)
                    if (const index_t end = padding_end(result, i); end > i + 1)
                        add_padding(result, std::exchange(i, end), end);
                    else add_map_row(result, i++);
            else if (by_row && grid.rows <= max_by_row)
                for (index_t i = 0; i < grid.rows; ++i) add_row(result, i);
            else add_all(result);
            add_expected(result);
            add_choices(result);
        }
        if (const std::string& answer = source_.report().answer; !answer.empty()) {
            Beat last = made_.beats.back();
            made_.beats.push_back({.seconds = closing_seconds,
                                   .strip = last.strip,
                                   .note = "the answer: " + answer,
                                   .step = last.step,
                                   .of = last.of});
        }
        double seconds = 0;
        for (const Beat& beat : made_.beats) seconds += beat.seconds;
        if (seconds > max_seconds)
            for (Beat& beat : made_.beats) beat.seconds *= max_seconds / seconds;
        return std::move(made_);
    }

  private:
    void add(const PlacedResult& result, double seconds, std::vector<Light> operands, Light filled,
             const std::string& note) {
        const Grid& grid = result.panel->grid;
        for (index_t i = filled.row; i < filled.row + filled.rows; ++i)
            for (index_t j = filled.column; j < filled.column + filled.columns; ++j)
                made_.appears.emplace(grid.at(i, j), static_cast<int>(made_.beats.size()));
        const auto more_lines = static_cast<double>(std::count(note.begin(), note.end(), '\n'));
        made_.beats.push_back({seconds + more_lines * line_seconds,
                               std::move(operands),
                               {filled},
                               result.strip,
                               note,
                               made_.steps,
                               result.panel->step});
    }
    std::string arithmetic(const PlacedResult& result, index_t i, index_t j) const {
        return source_.arithmetic(result.panel->grid.at(i, j));
    }
    // "each: scaled = logits / √d_k", for numbers that appear together.
    static std::string each(const PlacedResult& result) {
        const Report::Step& step = *result.panel->step;
        return step.formula.empty() ? "" : "each: " + result.panel->name + " = " + step.formula;
    }
    // What one number was made from.
    std::vector<Light> operands_of(const PlacedResult& result, index_t i, index_t j) const {
        const MadeOf& made = result.panel->made;
        const Place& place = result.panel->grid.at(i, j);
        std::vector<Place> read = source_.operands(place);
        if (const std::optional<Place> from = source_.moved_from(place); read.empty() && from)
            read.push_back(*from);
        std::vector<Light> lights;
        const auto add_cell = [&](std::size_t grid) {
            const std::size_t before = lights.size();
            for (const Place& each : read) light_in(layout_, grid, each, lights);
            return lights.size() > before;
        };
        std::vector<std::size_t> missed;
        for (const std::size_t beside : result.beside)
            if (made.is_product || made.is_by_row) lights.push_back(row_of(layout_, beside, i));
            else if (!add_cell(beside)) missed.push_back(beside);
        for (const std::size_t above : result.above)
            if (made.is_product || made.is_by_row) lights.push_back(column_of(layout_, above, j));
            else if (!add_cell(above)) missed.push_back(above);
        if (lights.empty())
            for (const std::size_t grid : missed) lights.push_back(all_of(layout_, grid));
        return lights;
    }
    void add_number(const PlacedResult& result, index_t i, index_t j) {
        add(result, number_seconds, operands_of(result, i, j), {result.own, i, j, 1, 1},
            arithmetic(result, i, j));
    }
    // The first number of a row that no mask hides.
    index_t first_seen(const PlacedResult& result, index_t i) const {
        const Grid& grid = result.panel->grid;
        for (index_t j = 0; j < grid.columns; ++j)
            if (!source_.is_hidden(grid.at(i, j))) return j;
        return 0;
    }
    void add_worked(const PlacedResult& result, index_t i) {
        const index_t j = first_seen(result, i);
        add(result, worked_seconds, operands_of(result, i, j), {result.own, i, j, 1, 1},
            arithmetic(result, i, j));
    }
    // All at once, from the maps that it was made of.
    void add_map(const PlacedResult& result) {
        std::vector<Light> operands;
        for (const std::size_t beside : result.beside) operands.push_back(all_of(layout_, beside));
        const Report::Step& step = *result.panel->step;
        add(result, row_seconds, std::move(operands), all_of(layout_, result.own),
            step.formula.empty() ? "" : last_part(step.path) + " = " + step.formula);
    }
    // A row of a map: what it takes most from.
    void add_map_row(const PlacedResult& result, index_t i) {
        const Grid& grid = result.panel->grid;
        index_t most = 0;
        for (index_t j = 1; j < grid.columns; ++j)
            if (source_.value(grid.at(i, j)) > source_.value(grid.at(i, most))) most = j;
        add(result, map_row_seconds, {{result.own, i, most, 1, 1}}, row_of(layout_, result.own, i),
            fmt::format("row {}: most from {}, {}", word_of(result, 2, i), word_of(result, 1, most),
                        cell_text(source_.value(grid.at(i, most)), {}, 4)));
    }
    // The first row from here on where the model answers more than padding.
    static index_t padding_end(const PlacedResult& result, index_t i) {
        const std::vector<Report::Axis>& axes = result.panel->step->axes;
        if (axes.size() < 2) return i;
        const std::vector<std::string>& answers = axes[axes.size() - 2].answers;
        while (i < static_cast<index_t>(answers.size()) &&
               answers[static_cast<std::size_t>(i)] == Prediction::padding)
            ++i;
        return i;
    }
    void add_padding(const PlacedResult& result, index_t from, index_t end) {
        add(result, row_seconds, {}, {result.own, from, 0, end - from, result.panel->grid.columns},
            fmt::format("rows {} to {}: padding, ∅", from, end - 1));
    }
    // What a row or a column is called, counted from the end; else its number.
    static std::string word_of(const PlacedResult& result, std::size_t from_end, index_t at) {
        const std::vector<Report::Axis>& axes = result.panel->step->axes;
        if (axes.size() < from_end) return std::to_string(at);
        return name_at(axes[axes.size() - from_end], static_cast<std::size_t>(at));
    }
    // Of a softmax, as one learns it: the exponentials, their sum, each by the sum. False where there is
    // none.
    bool add_stages(const PlacedResult& result, index_t i) {
        const Grid& grid = result.panel->grid;
        const std::vector<double> terms = source_.exponentials(grid.at(i, 0));
        const int decimals = layout_.grids[result.own].look.decimals;
        if (static_cast<index_t>(terms.size()) != grid.columns || grid.columns < 2) return false;
        std::vector<Light> scores;
        for (const std::size_t beside : result.beside) scores.push_back(row_of(layout_, beside, i));
        const auto text = [&](double x) { return cell_text(static_cast<real>(x), {}, decimals); };
        std::vector<std::string> seen;
        double total = 0, shown = 0;
        const double unit = std::pow(10, decimals);
        for (std::size_t j = 0; j < terms.size(); ++j) {
            total += terms[j], shown += std::round(terms[j] * unit) / unit;
            if (!source_.is_hidden(grid.at(i, static_cast<index_t>(j)))) seen.push_back(text(terms[j]));
        }
        const auto more = static_cast<index_t>(seen.size()) - max_written;
        const auto hidden = static_cast<index_t>(terms.size() - seen.size());
        if (more > 0) {
            seen.resize(static_cast<std::size_t>(max_written));
            seen.push_back("… (" + counted(more, "more term") + ")");
        }
        if (hidden > 0) seen.push_back(fmt::format("{} hidden: 0", hidden));
        const std::string sum = fmt::format("{}", fmt::join(seen, " + "));
        const Light row = row_of(layout_, result.own, i);
        const auto stage = [&](std::vector<Light> lit, const std::string& note) {
            made_.beats.push_back({stage_seconds,
                                   std::move(lit),
                                   {row},
                                   result.strip,
                                   note,
                                   made_.steps,
                                   result.panel->step,
                                   terms});
        };
        stage(scores, fmt::format("1. exp of each: {}", fmt::join(seen, ", ")));
        stage({}, fmt::format("2. their sum: {} {} {}", sum, text(shown) == text(total) ? "=" : "≈",
                              text(total)));
        add(result, stage_seconds, {}, row,
            "3. each by the sum: " + arithmetic(result, i, first_seen(result, i)));
        return true;
    }
    void add_row(const PlacedResult& result, index_t i) {
        if ((splits_rows_ || i == 0) && layout_.grids[result.own].look.has_numbers && add_stages(result, i))
            return;
        const bool is_split = (splits_rows_ || i == 0) && result.panel->grid.columns > 1;
        if (is_split) add_worked(result, i);
        std::vector<Light> operands;
        for (const std::size_t beside : result.beside) operands.push_back(row_of(layout_, beside, i));
        for (const std::size_t above : result.above) operands.push_back(read_above(result, above, i));
        const bool is_alone = result.panel->grid.columns == 1;
        add(result, is_split ? rest_seconds : row_seconds, std::move(operands),
            row_of(layout_, result.own, i), is_alone ? arithmetic(result, i, 0) : each(result));
    }
    // Of a table the row that is looked up.
    Light read_above(const PlacedResult& result, std::size_t above, index_t row) const {
        std::vector<Light> found;
        if (const std::optional<Place> place = source_.looked_up(result.panel->grid.at(row, 0)))
            light_in(layout_, above, *place, found);
        return found.empty() ? all_of(layout_, above) : row_of(layout_, above, found[0].row);
    }
    // The tokens that are chosen by its numbers: in its own view, after the numbers.
    void add_choices(const PlacedResult& result) {
        std::map<std::size_t, std::set<Place>> chosen;  // by their tensor
        for (const Place& winner : result.panel->grid.places)
            if (const auto found = tokens_.find(winner); found != tokens_.end())
                for (const Place& token : found->second) chosen[token.node].insert(token);
        for (const auto& [node, tokens] : chosen) {
            const Report::Step& step = *source_.numbers(node).step;
            Beat beat{.seconds = row_seconds, .strip = result.strip, .step = ++made_.steps, .of = &step};
            std::vector<std::string> ids;
            for (const Place& token : tokens) {
                made_.appears.emplace(token, static_cast<int>(made_.beats.size()));
                ids.push_back(cell_text(source_.value(token), {}, 0));
                light_in(layout_, result.own, *source_.chosen_by(token), beat.operands);
            }
            beat.note = fmt::format("{} = {} = {}", last_part(step.path), step.formula, fmt::join(ids, ", "));
            made_.beats.push_back(std::move(beat));
        }
    }
    void add_all(const PlacedResult& result) {
        add_worked(result, 0);
        if (result.panel->grid.places.size() == 1) return;
        std::vector<Light> operands;
        for (const std::size_t beside : result.beside) operands.push_back(all_of(layout_, beside));
        for (const std::size_t above : result.above)
            operands.push_back(result.panel->grid.rows == 1 ? read_above(result, above, 0)
                                                            : all_of(layout_, above));
        add(result, rest_seconds, std::move(operands), all_of(layout_, result.own), each(result));
    }
    // The wrong numbers stand alone for their time; then comes what was expected.
    void add_expected(const PlacedResult& result) {
        for (std::size_t i = 0; i < layout_.expected.size(); ++i) {
            if (layout_.expected[i].own != result.own) continue;
            made_.expected[i] = static_cast<int>(made_.beats.size());
            made_.beats.push_back({.seconds = expected_seconds,
                                   .strip = result.strip,
                                   .step = made_.steps,
                                   .of = result.panel->step});
        }
    }

    const Source& source_;
    const Layout& layout_;
    std::map<Place, std::set<Place>> tokens_;  // by the number that each was chosen by
    bool goes_one_by_one_ = false, splits_rows_ = false;
    Timeline made_;
};

// Where a number is drawn: as a result, else among the operands of the strip.
void light(const Layout& layout, const Place& place, std::vector<Light>& lights, bool results_only) {
    for (std::size_t g = 0; g < layout.grids.size(); ++g)
        if (!results_only || layout.grids[g].is_result) light_in(layout, g, place, lights);
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
        beat.of = source.numbers(each.place.node).step;
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
