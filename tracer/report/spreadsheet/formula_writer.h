#pragma once
#include <map>

#include "report/spreadsheet/formula.h"
#include "report/spreadsheet/plan.h"

namespace glassbox::tracer::spreadsheet {

// Writes the equations as formulas of cells.
class FormulaWriter {
  public:
    FormulaWriter(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

    // For the cell of an element on its own sheet, without "=". Empty if the number is given.
    std::string of(std::size_t sheet, index_t element) const;
    // Of a letter, in the row of the element.
    std::string of(std::size_t sheet, const Side& side, index_t element) const;

  private:
    struct Scene;
    std::string checked(std::size_t sheet, index_t element, const Formula& formula) const;

    Formula of_cells(std::size_t sheet, const std::vector<Plan::Found>& found, const Scene& scene) const;
    Formula of_elements(std::size_t sheet, const Item& item, const std::vector<index_t>& elements,
                        const Scene& scene) const;
    Formula written_out(std::size_t sheet, const Item& item, const std::vector<index_t>& elements,
                        const Scene& scene) const;
    Formula gradient(std::size_t sheet, std::size_t node, const std::vector<index_t>& elements,
                     const Scene& scene) const;
    Formula equation(std::size_t sheet, const Equation& equation, const std::vector<index_t>& elements,
                     const Scene& scene) const;
    Formula expression(const Expression& e, const Scene& scene) const;
    Formula read(int n, const Scene& scene) const;
    Formula looked_up(const Read& read, const Scene& scene) const;
    Formula over_terms(const Expression& e, const Scene& scene) const;
    Formula over_terms(const Expression& e, const Scene& scene,
                       const std::vector<std::size_t>& as_range) const;
    Formula of_terms(const Expression& e, const Scene& scene, double count) const;

    const Graph& graph_;
    const Plan& plan_;
};

}  // namespace glassbox::tracer::spreadsheet
