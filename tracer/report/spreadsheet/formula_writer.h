#pragma once
#include <map>

#include "report/spreadsheet/formula.h"
#include "report/spreadsheet/layout.h"

namespace glassbox::tracer::spreadsheet {

// Writes the equations as formulas of cells.
class FormulaWriter {
  public:
    FormulaWriter(const Graph& graph, const Plan& plan, const Layout& layout)
        : graph_(graph), plan_(plan), layout_(layout) {}

    // For the cell of a table's element, without "=". Empty if the number is given.
    std::string of(std::size_t table, index_t element) const;
    // Of a letter, in the row of the element.
    std::string of(std::size_t table, const Side& side, index_t element) const;

  private:
    struct Scene;
    bool hides_by_infinity() const;
    std::string checked(std::size_t table, index_t element, const Formula& formula) const;

    Formula of_side(std::size_t table, std::size_t n, index_t element) const;
    Formula of_cells(std::size_t table, const std::vector<Plan::Found>& found, const Scene& scene) const;
    Formula of_elements(std::size_t table, const Item& item, const std::vector<index_t>& elements,
                        const Scene& scene) const;
    Formula written_out(std::size_t table, const Item& item, const std::vector<index_t>& elements,
                        const Scene& scene) const;
    Formula gradient(std::size_t table, std::size_t node, const std::vector<index_t>& elements,
                     const Scene& scene) const;
    Formula equation(std::size_t table, const Equation& equation, const std::vector<index_t>& elements,
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
    const Layout& layout_;
};

}  // namespace glassbox::tracer::spreadsheet
