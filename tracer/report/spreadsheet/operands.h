#pragma once
#include <vector>

#include "report/spreadsheet/plan.h"

namespace glassbox::tracer::spreadsheet {

// The tables that a table's numbers are computed from, as far as that says where they lie on paper.
struct Operands {
    struct Above {
        std::size_t table;
        bool is_turned;  // its rows are columns of the product: Kᵀ of Q Kᵀ
    };
    std::vector<Above> above;         // column by column: the right factor of a product, then a bias
    std::vector<std::size_t> beside;  // all others
};
Operands operands_of(const Graph& graph, const Plan& plan, std::size_t table);

}  // namespace glassbox::tracer::spreadsheet
