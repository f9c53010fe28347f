#pragma once
#include <deque>
#include <vector>

#include "explain/computation.h"

namespace glassbox::tracer::spreadsheet {

// Where the numbers of a computation's nodes come from, and where they go.
struct Graph {
    explicit Graph(const Computation& computation);

    const Computation& c;
    std::vector<const Equation*> forward;            // by node; null where its numbers are given or moved
    std::vector<std::vector<const Equation*>> uses;  // by node: what adds to its gradient
    std::vector<std::vector<std::size_t>> views, concats;  // by node: made of its numbers

    // Writes what sums exp(x) as a sum of exp(x − m), m the row's largest: the same for the numbers at hand,
    // and right for whatever is typed in their place. Pointers to equations taken before are then of no use.
    void subtract_largest();

    // The element of the source that a view's element is.
    index_t below(std::size_t view, index_t element) const;
    // The part and the element of it that a concatenation's element is.
    std::pair<std::size_t, index_t> part(std::size_t concat, index_t element) const;
    // The elements of a view, or of a concatenation, that are this element of its source.
    std::vector<index_t> above(std::size_t view, std::size_t source, index_t element) const;

  private:
    std::deque<Equation> stable_;
    mutable std::vector<std::vector<std::vector<index_t>>> above_;  // by node made, on request
    void invert(std::size_t view) const;
};

}  // namespace glassbox::tracer::spreadsheet
