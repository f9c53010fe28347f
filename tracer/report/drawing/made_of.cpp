#include "report/drawing/made_of.h"

#include <algorithm>

#include "explain/tensor_element.h"

namespace glassbox::tracer::drawing {
namespace {

using Kind = Expression::Kind;

bool is_read(const Expression& e, int n) { return e.kind == Kind::read && e.index == n; }

// Σ a·b, and what is added to it, if anything.
bool is_sum_of_products(const Expression& e) {
    if (e.kind == Kind::plus) return is_sum_of_products(e.of[0]) && e.of[1].kind == Kind::read;
    return e.kind == Kind::sum && e.of.size() == 1 && e.of[0].kind == Kind::times &&
           is_read(e.of[0].of[0], 0) && is_read(e.of[0].of[1], 1);
}

// How it joins two numbers that it reads.
std::string sign_of(const Expression& e) {
    const bool joins = e.of.size() == 2 && e.of[0].kind == Kind::read && e.of[1].kind == Kind::read;
    if (!joins) return "";
    return e.kind == Kind::plus ? "+" : e.kind == Kind::minus ? "−" : e.kind == Kind::times ? "·" : "";
}

index_t rows_of(const Shape& shape) { return shape.rank() > 1 ? shape[-2] : 1; }
index_t columns_of(const Shape& shape) { return shape.rank() > 0 ? shape[-1] : 1; }

// The rank-1 tensor as a column, for ids and other numbers of rows.
Grid as_column(Grid row) {
    std::swap(row.rows, row.columns);
    row.is_turned = true;
    return row;
}

// Whether the last number was made from the same matrix as the first.
bool has_all(const Source& source, const Grid& grid, const Grid& operand) {
    const auto is_in = [&](const Place& place) {
        return std::find(operand.places.begin(), operand.places.end(), place) != operand.places.end();
    };
    const std::vector<Place> last = source.operands(grid.places.back());
    return std::any_of(last.begin(), last.end(), is_in);
}

// Where it hides scores these are hatched.
bool is_mask(const Source& source, const Grid& grid, const Place& operand) {
    return source.numbers(grid.node).kind == Report::Kind::masked && !source.numbers(operand.node).step;
}

// Whether it reads these themselves: w − η m does not read m, but η m, which has no name.
bool reads(const Source& source, const Source::Computed& by, const std::vector<Grid>& grids) {
    for (std::size_t n = 0; n < grids.size(); ++n) {
        const std::optional<Place> read =
            n < by.equation->reads.size() ? source.operand(by, n, {}) : std::nullopt;
        if (!read || read->node != grids[n].node) return false;
    }
    return true;
}

class Product {
  public:
    Product(const Source& source, const Grid& grid) : source_(source), grid_(grid) {}

    // Nothing where the matrix is no product.
    std::optional<MadeOf> made_of() const {
        const std::optional<Source::Computed> first = source_.computed(grid_.at(0, 0));
        if (!first || first->equation->loops.size() != 1 || !is_sum_of_products(*first->equation->is))
            return std::nullopt;
        const index_t inner = first->equation->loops[0];
        if (inner == 0) return std::nullopt;
        const bool first_is_left = moves(0, 1, 0) || moves(1, 0, 1) || (!moves(0, 0, 1) && !moves(1, 1, 0));
        const std::size_t left = first_is_left ? 0 : 1, top = 1 - left;
        if (moves(left, 0, 1) || moves(top, 1, 0)) return std::nullopt;
        MadeOf made;
        made.is_product = true;
        made.beside = {
            operand_grid(grid_.rows, inner, [&](index_t i, index_t k) { return operand(i, 0, left, k); })};
        made.above = {
            operand_grid(inner, grid_.columns, [&](index_t k, index_t j) { return operand(0, j, top, k); })};
        if (first->equation->reads.size() > 2)
            made.above.push_back(
                operand_grid(1, grid_.columns, [&](index_t, index_t j) { return operand(0, j, 2, 0); }));
        return made;
    }

  private:
    Place operand(index_t i, index_t j, std::size_t n, index_t k) const {
        return source_.operand(*source_.computed(grid_.at(i, j)), n, {k}).value();
    }
    // Whether it reads another number one row below, or one column to the right.
    bool moves(std::size_t n, index_t i, index_t j) const {
        return i < grid_.rows && j < grid_.columns && operand(i, j, n, 0) != operand(0, 0, n, 0);
    }
    template <class At>
    Grid operand_grid(index_t rows, index_t columns, const At& at) const {
        Grid made{.rows = rows, .columns = columns};
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) made.places.push_back(at(i, j));
        made.node = made.places[0].node;
        const Shape& shape = source_.numbers(made.node).shape;
        std::vector<index_t> first = place_of(shape, made.places[0].element);
        // Along its rows the tensor's last index stays where it is.
        if (shape.rank() > 1 && columns > 1)
            made.is_turned = place_of(shape, made.at(0, 1).element).back() == first.back();
        else if (shape.rank() > 1 && rows > 1)
            made.is_turned = place_of(shape, made.at(1, 0).element).back() != first.back();
        first.resize(static_cast<std::size_t>(std::max(shape.rank() - 2, 0)));
        made.leading = first;
        return made;
    }

    const Source& source_;
    const Grid& grid_;
};

}  // namespace

std::vector<std::vector<index_t>> leading_places(const Shape& shape) {
    std::vector<std::vector<index_t>> all{{}};
    for (int axis = 0; axis + 2 < shape.rank(); ++axis) {
        std::vector<std::vector<index_t>> longer;
        for (const std::vector<index_t>& place : all)
            for (index_t i = 0; i < shape[axis]; ++i) {
                longer.push_back(place);
                longer.back().push_back(i);
            }
        all = std::move(longer);
    }
    return all;
}

Grid grid_of(const Source& source, std::size_t node, const std::vector<index_t>& leading) {
    const Shape& shape = source.numbers(node).shape;
    Grid grid{.node = node, .rows = rows_of(shape), .columns = columns_of(shape), .leading = leading};
    index_t base = 0;
    for (std::size_t axis = 0; axis < leading.size(); ++axis)
        base = base * shape[static_cast<int>(axis)] + leading[axis];
    base *= grid.rows * grid.columns;
    for (index_t i = 0; i < grid.rows * grid.columns; ++i) grid.places.push_back({node, base + i});
    return grid;
}

Grid grid_around(const Source& source, const Place& place) {
    const Shape& shape = source.numbers(place.node).shape;
    std::vector<index_t> leading = place_of(shape, place.element);
    leading.resize(static_cast<std::size_t>(std::max(shape.rank() - 2, 0)));
    return grid_of(source, place.node, leading);
}

MadeOf made_of(const Source& source, const Grid& grid) {
    if (grid.places.empty()) return {};
    if (std::optional<MadeOf> product = Product(source, grid).made_of()) return *product;
    MadeOf made;
    for (const Place& operand : source.operands(grid.at(0, 0))) {
        const Grid around = grid_around(source, operand);
        if (!has_all(source, grid, around) || is_mask(source, grid, operand)) continue;
        const bool is_row = source.numbers(operand.node).shape.rank() == 1;
        if (around.rows == grid.rows && !(is_row && around.columns == grid.columns && grid.rows > 1))
            made.beside.push_back(around);
        else if (is_row && around.columns == grid.rows && grid.rows != grid.columns)
            made.beside.push_back(as_column(around));
        else if (around.columns == grid.columns) made.above.push_back(around);
        else made.beside.push_back(around);
    }
    if (const auto by = source.computed(grid.at(0, 0))) {
        if (made.beside.size() == 2 && reads(source, *by, made.beside))
            made.sign = sign_of(*by->equation->is);
        made.is_by_row = !by->equation->loops.empty() && grid.rows > 1;
    }
    return made;
}

}  // namespace glassbox::tracer::drawing
