#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <glassbox/tensor/words.h>

#include "report/report.h"
#include "report/spreadsheet/cell.h"
#include "report/spreadsheet/graph.h"

namespace glassbox::tracer::spreadsheet {

struct Worksheet;  // workbook.h

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

// A sheet before it is written: whose numbers it holds, and where.
struct Sheet {
    enum class Kind { step, parameter, input, between, gradient, right };
    std::string name;   // of the sheet
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
    index_t blocks() const;                                      // of the leading axes, one below another
    index_t rows_to_next_block() const { return height() + 3; }  // a caption, the columns' heads; empty
    Cell cell(std::size_t sheet, index_t element) const;
    index_t side_column(std::size_t side) const { return 1 + width() + 1 + static_cast<index_t>(side); }
};
constexpr index_t first_row = 7;                 // of the numbers
constexpr const char* read_me_name = "Read me";  // the sheet before them

// Which sheets there are. A number that has no cell is written into the formulas that use it: constants,
// views without a name, and values without a name where that makes a formula little longer.
class Plan {
  public:
    // UsageError if the report is too large.
    Plan(const Report& report, const Graph& graph);

    const std::vector<Sheet>& sheets() const { return sheets_; }
    bool has_sheet(const Item& item) const { return by_item_.contains(item); }

    // Where a number is: in a cell, a constant, or to be written out.
    struct Found {
        enum { cell, constant, inlined } kind;
        Cell at{};
        std::size_t node = Computation::none;
        index_t element = 0;
    };
    Found find(Item item, index_t element) const;
    std::optional<Cell> side(std::size_t sheet, const Equation& equation, const Expression& let,
                             index_t element) const;
    // Whether all that adds to the gradient has a formula.
    bool knows_gradient(std::size_t node) const;

  private:
    bool is_moved(std::size_t node) const;  // by a view or a concatenation without a name
    std::size_t weight(const Item& item) const;
    bool is_inlined(const Item& item) const;
    bool owns(const Item& item) const;
    void need(const Item& item);
    void add(Sheet sheet);
    void add_item(const Item& item, Sheet::Kind kind);
    std::string name_of(const Item& item) const;
    const Computation::Node* named_by(std::size_t node) const;  // a step that is the same numbers
    void check_size() const;

    const Report& report_;
    const Graph& graph_;
    std::vector<std::size_t> alias_;  // a step that only names a parameter: the parameter
    std::map<Item, bool> needed_;
    mutable std::map<Item, std::size_t> weights_;
    std::vector<Sheet> sheets_;
    std::map<Item, std::size_t> by_item_;
    SheetNames names_;
    int between_ = 0;
};

// The first sheet: what the workbook is, how to use it, and the list of the other sheets.
Worksheet read_me(const Report& report, const Plan& plan);

// A report as a workbook (sheets.cpp): the first sheet, then one for each step, parameter and gradient, in
// which every number that is computed is a formula. `precision` is the number of decimals shown. UsageError
// if it would be too large.
std::vector<Worksheet> sheets_of(const Report& report, int precision);

}  // namespace glassbox::tracer::spreadsheet

template <>
struct glassbox::EnumWords<glassbox::tracer::spreadsheet::Sheet::Kind> {
    static constexpr const char* what = "kind";
    static constexpr Word<glassbox::tracer::spreadsheet::Sheet::Kind> all[] = {
        {glassbox::tracer::spreadsheet::Sheet::Kind::step, "step"},
        {glassbox::tracer::spreadsheet::Sheet::Kind::parameter, "parameter"},
        {glassbox::tracer::spreadsheet::Sheet::Kind::input, "input"},
        {glassbox::tracer::spreadsheet::Sheet::Kind::between, "between steps"},
        {glassbox::tracer::spreadsheet::Sheet::Kind::gradient, "gradient"},
        {glassbox::tracer::spreadsheet::Sheet::Kind::right, "without the mistake"}};
};
