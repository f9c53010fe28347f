#pragma once
#include <string>

#include "report/spreadsheet/plan.h"

namespace glassbox::tracer::spreadsheet {

// How a gradient's table is computed, of whole matrices: "∂values Vᵀ". Read off the equations, so that it is
// true of every one; empty where it would say less than a formula of a cell.
std::string gradient_words(const Graph& graph, const Plan& plan, std::size_t table);

}  // namespace glassbox::tracer::spreadsheet
