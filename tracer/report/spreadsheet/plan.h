#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/tensor/words.h>

#include "report/report.h"
#include "report/spreadsheet/graph.h"

namespace glassbox::tracer::spreadsheet {

// The numbers of a node, or its gradient.
struct Item {
    std::size_t node = Computation::none;
    bool is_gradient = false;
    auto operator<=>(const Item&) const = default;
};

// A column beside the numbers: a letter of the formulas, such as μ, that is the same in a whole row; or the
// sum of the row.
struct Side {
    std::string heading;
    const Equation* equation = nullptr;  // null: the sum
    const Expression* let = nullptr;
};

// The numbers of a tensor, before they have a place.
struct Table {
    enum class Kind { step, parameter, input, between, gradient, right };
    std::string title;  // "encoder/0/norm1", "∂sum(values)/∂norm1"
    std::string path;   // of the step, or name of the parameter; of a gradient, whose it is
    Kind kind = Kind::step;
    Item item;  // no node: a step that was not computed here
    Tensor tensor;
    const Report::Step* step = nullptr;
    const Report::Parameter* parameter = nullptr;
    std::vector<Side> sides{};

    index_t width() const { return tensor.rank() > 0 ? tensor.size(-1) : 1; }
    index_t height() const { return tensor.rank() > 1 ? tensor.size(-2) : 1; }
    index_t blocks() const;  // of the leading axes
    // The meanings of numbers stand above a row of them, but beside several rows.
    bool has_words_beside() const {
        return !item.is_gradient && step && !step->words.empty() && height() > 1;
    }
    index_t columns_beside() const {
        return static_cast<index_t>(sides.size()) + (has_words_beside() ? width() : 0);
    }
};

// Which tensors have cells. A number that has none is written into the formulas that use it: constants, views
// without a name, and values without a name where that makes a formula little longer.
class Plan {
  public:
    // UsageError if the report is too large.
    Plan(const Report& report, const Graph& graph);

    // In the order of the report: inputs, steps, parameters, gradients from the last to the first.
    const std::vector<Table>& tables() const { return tables_; }
    index_t numbers() const;

    // Where a number is: in a table, a constant, or to be written out.
    struct Found {
        enum { cell, constant, inlined } kind;
        std::size_t table = 0;  // of a cell
        std::size_t node = Computation::none;
        index_t element = 0;  // of the table, else of the node
    };
    Found find(Item item, index_t element) const;
    // Which column beside a table has the letter's values.
    std::optional<std::size_t> side(std::size_t table, const Equation& equation, const Expression& let) const;
    // Whether all that adds to the gradient has a formula.
    bool knows_gradient(std::size_t node) const;

  private:
    bool is_moved(std::size_t node) const;  // by a view or a concatenation without a name
    std::size_t weight(const Item& item) const;
    bool is_inlined(const Item& item) const;
    bool owns(const Item& item) const;
    void need(const Item& item);
    void add(Table table);
    void add_item(const Item& item, Table::Kind kind);
    std::string name_of(const Item& item) const;
    std::string first_step_of(std::size_t node) const;
    std::string between_name(std::size_t node);
    const Computation::Node* named_by(std::size_t node) const;  // a step that is the same numbers
    void check_size() const;

    const Report& report_;
    const Graph& graph_;
    std::vector<std::size_t> alias_;  // a step that only names a parameter: the parameter
    std::map<Item, bool> needed_;
    mutable std::map<Item, std::size_t> weights_;
    std::vector<Table> tables_;
    std::map<Item, std::size_t> by_item_;
    int between_ = 0;
};

}  // namespace glassbox::tracer::spreadsheet

template <>
struct glassbox::EnumWords<glassbox::tracer::spreadsheet::Table::Kind> {
    static constexpr const char* what = "kind";
    static constexpr Word<glassbox::tracer::spreadsheet::Table::Kind> all[] = {
        {glassbox::tracer::spreadsheet::Table::Kind::step, "step"},
        {glassbox::tracer::spreadsheet::Table::Kind::parameter, "parameter"},
        {glassbox::tracer::spreadsheet::Table::Kind::input, "input"},
        {glassbox::tracer::spreadsheet::Table::Kind::between, "between steps"},
        {glassbox::tracer::spreadsheet::Table::Kind::gradient, "gradient"},
        {glassbox::tracer::spreadsheet::Table::Kind::right, "without the mistake"}};
};
