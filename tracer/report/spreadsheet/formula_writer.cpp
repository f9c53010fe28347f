#include "report/spreadsheet/formula_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/tensor/format.h>

#include "explain/equation_value.h"
#include "explain/tensor_element.h"

namespace glassbox::tracer::spreadsheet {

using Kind = Expression::Kind;

// Where an expression is written: once, or for all terms of a sum at the same time, which lie in `rows` rows
// of `columns`.
struct FormulaWriter::Scene {
    std::size_t table = 0;
    const Equation* equation = nullptr;
    std::vector<index_t> elements{};            // of the equation's tensor, one for each term
    std::vector<std::vector<index_t>> loops{};  // and the loops' letters
    index_t rows = 1, columns = 1;
    std::map<std::string, Formula> letters{};

    bool is_single() const { return rows * columns == 1; }
};

namespace {

Formula of_constant(double value) {
    const int square = square_meant_by(static_cast<real>(value));
    if (!square || std::sqrt(static_cast<double>(square)) != value) return number(value);
    return call("sqrt", {number(square)});
}

// The cells of terms that are in `columns` columns: one cell; a row, a column or a block of them.
Formula of_range(const std::string& prefix, const std::vector<Cell>& cells, index_t columns) {
    const auto runs = [&](index_t row, index_t column, index_t next_row, index_t next_column) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto at = static_cast<index_t>(i);
            const Cell expected{cells[0].sheet, cells[0].row + at / columns * next_row + at % columns * row,
                                cells[0].column + at / columns * next_column + at % columns * column};
            if (!(cells[i] == expected)) return false;
        }
        return true;
    };
    const bool is_block = static_cast<std::size_t>(columns) < cells.size();
    Formula f;
    if (runs(0, 0, 0, 0)) f.extent = Formula::single;
    else if (!is_block && runs(0, 1, 0, 0)) f.extent = Formula::row;
    else if (!is_block && runs(1, 0, 0, 0)) f.extent = Formula::column;
    else if (is_block && runs(0, 1, 1, 0)) f.extent = Formula::block;
    else if (is_block && runs(1, 0, 0, 1)) f.extent = Formula::turned;
    else throw NotARange();
    f.is_range = f.varies();
    f.text = prefix + range_name(cells.front(), f.varies() ? cells.back() : cells.front());
    return f;
}

void add_factors(const Expression& e, std::vector<const Expression*>& factors) {
    if (e.kind != Kind::times) return factors.push_back(&e);
    for (const Expression& each : e.of) add_factors(each, factors);
}

}  // namespace

std::string FormulaWriter::checked(std::size_t table, index_t element, const Formula& formula) const {
    const Table& on = plan_.tables()[table];
    if (formula.text.size() > max_formula)
        fail<UsageError>(
            "xlsx: the formula of {}{} has more than {} characters, which is all a cell holds: choose "
            "smaller sizes",
            on.title, shown_place(place_of(on.tensor.shape(), element)), max_formula);
    return formula.text;
}

std::string FormulaWriter::of(std::size_t table, index_t element) const {
    const Item& item = plan_.tables()[table].item;
    if (item.node == Computation::none) return "";
    Scene scene;
    scene.table = table;
    if (item.is_gradient) {
        if (!plan_.knows_gradient(item.node)) return "";
        return checked(table, element, gradient(table, item.node, {element}, scene));
    }
    const Computation::Node& node = graph_.c.nodes[item.node];
    if (node.source != Computation::none)
        return checked(table, element,
                       of_elements(table, {node.source}, {graph_.below(item.node, element)}, scene));
    if (!node.parts.empty()) {
        const auto [part, at] = graph_.part(item.node, element);
        return checked(table, element, of_elements(table, {part}, {at}, scene));
    }
    const Equation* from = graph_.forward[item.node];
    return from ? checked(table, element, equation(table, *from, {element}, scene)) : "";
}

Formula FormulaWriter::of_side(std::size_t table, std::size_t n, index_t element) const {
    const Cell at = layout_.side(table, n, element);
    return {cell_name(at.row, at.column), Formula::atom, Formula::single, false, {}};
}

std::string FormulaWriter::of(std::size_t table, const Side& side, index_t element) const {
    Scene scene;
    scene.table = table;
    scene.equation = side.equation;
    scene.elements = {element};
    scene.loops = {std::vector<index_t>(side.equation->loops.size())};
    for (const Expression* e = &*side.equation->is; e != side.let; e = &e->of[1]) {
        const std::size_t n = *plan_.side(table, *side.equation, *e);
        scene.letters[e->name] = of_side(table, n, element);
    }
    Formula formula = expression(side.let->of[0], scene);
    // The largest of a row that sees nothing is −∞, from which nothing can be subtracted.
    if (side.let->of[0].kind == Kind::max && hides_by_infinity())
        formula.text = fmt::format("IF({0}={1},NA(),{0})", formula.text, number_text(-infinite));
    return checked(table, element, formula);
}

bool FormulaWriter::hides_by_infinity() const {
    const auto has_infinity = [](const auto& self, const Expression& e) -> bool {
        return (e.kind == Kind::constant && std::isinf(e.value)) ||
               std::any_of(e.of.begin(), e.of.end(),
                           [&](const Expression& each) { return self(self, each); });
    };
    return std::any_of(graph_.forward.begin(), graph_.forward.end(), [&](const Equation* each) {
        return each && each->is && has_infinity(has_infinity, *each->is);
    });
}

Formula FormulaWriter::of_cells(std::size_t table, const std::vector<Plan::Found>& found,
                                const Scene& scene) const {
    std::vector<Cell> cells;
    for (const Plan::Found& each : found) {
        if (each.kind != Plan::Found::cell) throw NotARange();
        cells.push_back(layout_.cell_for(table, each.table, each.element));
        if (cells.back().sheet != cells[0].sheet) throw NotARange();
    }
    return of_range(layout_.prefix(table, cells[0]), cells, scene.columns);
}

Formula FormulaWriter::of_elements(std::size_t table, const Item& item, const std::vector<index_t>& elements,
                                   const Scene& scene) const {
    std::vector<Plan::Found> found;
    for (const index_t each : elements) found.push_back(plan_.find(item, each));
    const Plan::Found& first = found[0];
    if (first.kind == Plan::Found::cell) return of_cells(table, found, scene);
    std::vector<index_t> there;
    for (const Plan::Found& each : found) {
        if (each.kind != first.kind || each.node != first.node) throw NotARange();
        there.push_back(each.element);
    }
    if (first.kind == Plan::Found::inlined)
        return written_out(table, {first.node, item.is_gradient}, there, scene);
    return of_constant(meant_by(graph_.c.nodes[first.node].tensor.to(Device::cpu).item()));
}

Formula FormulaWriter::written_out(std::size_t table, const Item& item, const std::vector<index_t>& elements,
                                   const Scene& scene) const {
    if (item.is_gradient) return gradient(table, item.node, elements, scene);
    return equation(table, *graph_.forward[item.node], elements, scene);
}

// The sum over all uses.
Formula FormulaWriter::gradient(std::size_t table, std::size_t node, const std::vector<index_t>& elements,
                                const Scene& scene) const {
    if (node == graph_.c.loss) return number(1);
    Formula total = number(0);
    for (const Equation* use : graph_.uses[node]) total = total + equation(table, *use, elements, scene);
    for (const auto* made : {&graph_.views[node], &graph_.concats[node]})
        for (const std::size_t each : *made) {
            if (!scene.is_single()) throw NotARange();
            for (const index_t there : graph_.above(each, node, elements[0]))
                total = total + of_elements(table, {each, true}, {there}, scene);
        }
    return total;
}

Formula FormulaWriter::equation(std::size_t table, const Equation& equation,
                                const std::vector<index_t>& elements, const Scene& scene) const {
    Scene inner;
    inner.table = table;
    inner.equation = &equation;
    inner.elements = elements;
    inner.loops.assign(elements.size(), std::vector<index_t>(equation.loops.size()));
    inner.rows = scene.rows;
    inner.columns = scene.columns;
    return expression(*equation.is, inner);
}

Formula FormulaWriter::expression(const Expression& e, const Scene& scene) const {
    const auto of = [&](std::size_t n) { return expression(e.of[n], scene); };
    switch (e.kind) {
        case Kind::number:
            return number(e.value);
        case Kind::constant:
            return of_constant(e.value);
        case Kind::read:
            return read(e.index, scene);
        case Kind::place: {
            const auto place = [&](index_t element) {
                return place_of(scene.equation->of.shape(), element)[static_cast<std::size_t>(e.index)];
            };
            for (const index_t each : scene.elements)
                if (place(each) != place(scene.elements[0])) throw NotARange();
            return number(static_cast<double>(place(scene.elements[0])));
        }
        case Kind::terms: {
            double count = 1;
            for (const index_t n : scene.equation->loops) count *= static_cast<double>(n);
            return number(count);
        }
        case Kind::plus:
            return of(0) + of(1);
        case Kind::minus:
            return of(0) - of(1);
        case Kind::times:
            return of(0) * of(1);
        case Kind::over:
            return of(0) / of(1);
        case Kind::negative:
            return -of(0);
        case Kind::function: {
            std::vector<Formula> operands;
            for (const Expression& each : e.of) operands.push_back(expression(each, scene));
            return call(e.name, operands);
        }
        case Kind::sum:
        case Kind::max:
        case Kind::min:
            return over_terms(e, scene);
        case Kind::choice: {
            const Formula condition = of(0);
            if (condition.number) return of(*condition.number != 0 ? 1 : 2);
            return choice(condition, of(1), of(2));
        }
        case Kind::equal:
            return equal(of(0), of(1));
        case Kind::greater:
            return greater(of(0), of(1));
        case Kind::let: {
            Scene inner = scene;
            const auto side = plan_.side(scene.table, *scene.equation, e);
            inner.letters[e.name] = side ? of_side(scene.table, *side, scene.elements[0]) : of(0);
            return expression(e.of[1], inner);
        }
        case Kind::letter:
            return scene.letters.at(e.name);
    }
    return {};
}

Formula FormulaWriter::read(int n, const Scene& scene) const {
    const Read& read = scene.equation->reads[static_cast<std::size_t>(n)];
    if (!read.by.empty()) return looked_up(read, scene);
    std::vector<index_t> elements;
    for (std::size_t term = 0; term < scene.elements.size(); ++term) {
        const std::vector<index_t> place = place_of(scene.equation->of.shape(), scene.elements[term]);
        index_t at = read.base;
        for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * read.strides[axis];
        for (std::size_t l = 0; l < read.loop_strides.size(); ++l)
            at += scene.loops[term][l] * read.loop_strides[l];
        elements.push_back(at);
    }
    return of_elements(scene.table, {graph_.c.find(read.tensor), read.is_gradient}, elements, scene);
}

// The row of a table that an id names: the number of that row, among all rows.
Formula FormulaWriter::looked_up(const Read& row, const Scene& scene) const {
    if (!scene.is_single()) throw NotARange();
    if (row.by.size() != 1) fail("xlsx: {} reads by {} numbers", scene.equation->op->op, row.by.size());
    const auto [id, stride] = row.by[0];
    const Item table{graph_.c.find(row.tensor), row.is_gradient};
    const std::vector<index_t> place = place_of(scene.equation->of.shape(), scene.elements[0]);
    index_t start = row.base;
    for (std::size_t axis = 0; axis < place.size(); ++axis) start += place[axis] * row.strides[axis];
    for (std::size_t l = 0; l < row.loop_strides.size(); ++l)
        start += scene.loops[0][l] * row.loop_strides[l];
    std::vector<Cell> line;  // as far as they lie in one
    for (index_t at = start; at < row.tensor.numel(); at += stride) {
        const Plan::Found found = plan_.find(table, at);
        if (found.kind != Plan::Found::cell) break;
        const Cell cell = layout_.cell(found.table, found.element);
        const auto n = static_cast<index_t>(line.size());
        const bool is_row = n > 0 && (n > 1 ? line[1] : cell).row == line[0].row;
        if (n > 0 &&
            !(cell == Cell{line[0].sheet, line[0].row + (is_row ? 0 : n), line[0].column + (is_row ? n : 0)}))
            break;
        line.push_back(cell);
    }
    if (line.empty()) fail("xlsx: the table of {} has no cells", scene.equation->op->op);
    const Formula range =
        of_range(layout_.prefix(scene.table, line[0]), line, static_cast<index_t>(line.size()));
    const Formula place_in = read(id, scene) + number(1);
    const char* between = range.extent == Formula::row ? ",1," : ",";
    return {fmt::format("INDEX({}{}{})", range.text, between, place_in.text),
            Formula::atom,
            Formula::single,
            false,
            {}};
}

// A sum, a largest or smallest number: of two loops in a block where it lies so, of one in a row or a column,
// else term by term.
Formula FormulaWriter::over_terms(const Expression& e, const Scene& scene) const {
    if (!scene.is_single()) throw NotARange();
    const std::vector<index_t>& sizes = scene.equation->loops;
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return number(0);
    std::vector<std::size_t> active;
    for (std::size_t l = 0; l < sizes.size(); ++l)
        if (sizes[l] > 1) active.push_back(l);
    std::vector<std::vector<std::size_t>> ways;
    for (std::size_t b = active.size(); b-- > 0;)
        for (std::size_t a = b; a-- > 0;) ways.push_back({active[a], active[b]});
    std::stable_sort(active.begin(), active.end(),
                     [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
    for (const std::size_t l : active) ways.push_back({l});
    for (const std::vector<std::size_t>& as_range : ways) {
        try {
            return over_terms(e, scene, as_range);
        } catch (const NotARange&) {
        }
    }
    return over_terms(e, scene, {});
}

Formula FormulaWriter::over_terms(const Expression& e, const Scene& scene,
                                  const std::vector<std::size_t>& as_range) const {
    const std::vector<index_t>& sizes = scene.equation->loops;
    Scene terms = scene;
    if (!as_range.empty()) terms.columns = sizes[as_range.back()];
    if (as_range.size() > 1) terms.rows = sizes[as_range[0]];
    const index_t in_range = terms.rows * terms.columns;
    index_t count = 1;
    for (const index_t n : sizes) count *= n;
    std::vector<Formula> all;
    std::size_t length = 0;
    for (index_t i = 0; i < count / in_range && length <= max_formula; ++i) {
        std::vector<index_t> letters(sizes.size());
        index_t rest = i;
        for (std::size_t l = sizes.size(); l-- > 0;) {
            if (std::find(as_range.begin(), as_range.end(), l) != as_range.end()) continue;
            letters[l] = rest % sizes[l];
            rest /= sizes[l];
        }
        terms.elements.assign(static_cast<std::size_t>(in_range), scene.elements[0]);
        terms.loops.assign(static_cast<std::size_t>(in_range), letters);
        for (index_t term = 0; term < in_range; ++term) {
            if (!as_range.empty())
                terms.loops[static_cast<std::size_t>(term)][as_range.back()] = term % terms.columns;
            if (as_range.size() > 1)
                terms.loops[static_cast<std::size_t>(term)][as_range[0]] = term / terms.columns;
        }
        all.push_back(of_terms(e, terms, static_cast<double>(in_range)));
        length += all.back().text.size();
    }
    if (e.kind != Kind::sum) return joined(e.kind == Kind::max ? "MAX" : "MIN", all);
    Formula total = number(0);
    for (const Formula& each : all) total = total + each;
    return total;
}

Formula FormulaWriter::of_terms(const Expression& e, const Scene& scene, double count) const {
    if (e.kind != Kind::sum)
        return extreme_of(e.kind == Kind::max ? "MAX" : "MIN", expression(e.of[0], scene));
    if (e.of.size() > 1) {
        const Formula condition = expression(e.of[1], scene), term = expression(e.of[0], scene);
        if (condition.number) return *condition.number != 0 ? sum_of(term, count) : number(0);
        return scene.is_single() ? choice(condition, term, number(0)) : product_sum(condition, term, count);
    }
    if (scene.is_single()) return expression(e.of[0], scene);
    // Factors in rows and factors in columns make a product of matrices.
    std::vector<const Expression*> factors;
    add_factors(e.of[0], factors);
    std::vector<Formula> groups;
    for (const Expression* each : factors) {
        const Formula factor = expression(*each, scene);
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const Formula& group) {
            return !factor.varies() ? !group.varies() : group.extent == factor.extent && !group.is_range;
        });
        if (same == groups.end()) groups.push_back(factor);
        else *same = *same * factor;
    }
    std::vector<Formula> varying;
    Formula fixed = number(1);
    for (const Formula& each : groups) {
        if (each.varies()) varying.push_back(each);
        else fixed = fixed * each;
    }
    while (varying.size() > 2) {  // two ranges of one direction are joined where there are more
        bool joined_two = false;
        for (std::size_t a = 0; a < varying.size() && !joined_two; ++a)
            for (std::size_t b = a + 1; b < varying.size() && !joined_two; ++b)
                if (varying[a].extent == varying[b].extent) {
                    varying[a] = varying[a] * varying[b];
                    varying.erase(varying.begin() + static_cast<std::ptrdiff_t>(b));
                    joined_two = true;
                }
        if (!joined_two) throw NotARange();
    }
    if (varying.empty()) return sum_of(fixed, count);
    const Formula product =
        varying.size() == 1 ? sum_of(varying[0], count) : product_sum(varying[0], varying[1], count);
    return fixed.is(1) ? product : fixed * product;
}

}  // namespace glassbox::tracer::spreadsheet
