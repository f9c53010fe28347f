#pragma once
#include <string>
#include <vector>

#include "report/drawing/numbers.h"

namespace glassbox::tracer::drawing {

// A matrix as it is drawn: which number stands where.
struct Grid {
    std::size_t node = Computation::none;
    index_t rows = 1, columns = 1;
    std::vector<Place> places;  // row-major
    bool is_turned = false;     // the tensor's rows are its columns
    std::vector<index_t> leading{};

    const Place& at(index_t row, index_t column) const {
        return places[static_cast<std::size_t>(row * columns + column)];
    }
    bool operator==(const Grid&) const = default;
};

// The matrices of a tensor: its last two axes, at each place of the others.
std::vector<std::vector<index_t>> leading_places(const Shape& shape);
Grid grid_of(const Source& source, std::size_t node, const std::vector<index_t>& leading);
// The one in which a number stands.
Grid grid_around(const Source& source, const Place& place);

// What a matrix was made from, as it is laid out on paper.
struct MadeOf {
    std::vector<Grid>
        beside;               // with a row for each of its rows: the left factor of a product; terms of a sum
    std::vector<Grid> above;  // with a column for each of its columns: the right factor, a bias
    std::string sign;         // between those beside it: "+"; empty: none
    bool is_product = false;  // each number by a row of the first beside it and a column of the first above
    bool is_by_row = false;   // each number from its whole row, as in a softmax
    bool operator==(const MadeOf&) const = default;
};
MadeOf made_of(const Source& source, const Grid& grid);

}  // namespace glassbox::tracer::drawing
