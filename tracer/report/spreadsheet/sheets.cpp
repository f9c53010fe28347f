#include "report/spreadsheet/sheets.h"

namespace glassbox::tracer::spreadsheet {

std::vector<Worksheet> sheets_of(const Report& report, int precision) {
    static const Computation nothing;
    const Computation& c = report.computation ? *report.computation : nothing;
    Graph graph(c);
    graph.subtract_largest();
    const Plan plan(report, graph);
    const Layout layout(report, graph, plan);
    const FormulaWriter formulas(graph, plan, layout);
    const EquationValues values(c, EquationValues::Operands::evaluated);
    std::vector<TableNumbers> numbers;
    for (std::size_t n = 0; n < plan.tables().size(); ++n)
        numbers.push_back(numbers_of(plan, n, formulas, values));
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        const Item& item = plan.tables()[n].item;
        const bool is_computed = item.node != Computation::none && *c.nodes[item.node].op != '\0';
        numbers[n].is_fixed = numbers[n].is_given() && is_computed && !item.is_gradient;
    }
    std::vector<Worksheet> all;
    for (std::size_t s = 0; s < layout.sheets().size(); ++s)
        all.push_back(written(report, graph, plan, layout, s, numbers, formulas, values, precision));
    // Of several sheets the list comes first.
    all.insert(layout.is_on_one_sheet() ? all.end() : all.begin(),
               read_me(report, graph, plan, layout, numbers));
    return all;
}

}  // namespace glassbox::tracer::spreadsheet
