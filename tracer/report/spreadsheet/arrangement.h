#pragma once
#include <set>
#include <vector>

#include "report/spreadsheet/layout.h"
#include "report/spreadsheet/operands.h"

namespace glassbox::tracer::spreadsheet {

// Rows of a table on its sheet above its first number: name, formula, and what its columns are.
constexpr index_t rows_of_caption = 3;

// Of a name or formula above a table with few columns: as wide as this, in characters, they are shown.
constexpr int caption_width = 30;

// The tables of one sheet in lines. A line holds matrices of equal height, or of a tensor of more axes the
// same lines again, one below another.
class Arrangement {
  public:
    // `operands` by table; `beside`, also by table, how many columns stand beside its numbers.
    Arrangement(const Plan& plan, const std::vector<Operands>& operands, const std::vector<index_t>& beside)
        : plan_(plan), operands_(operands), beside_(beside) {}

    void add(const std::vector<std::size_t>& tables);
    // The first row below them. `copies`: by table, see Layout::copies(). `starts`: where a page may begin.
    index_t lay(std::vector<Layout::Place>& places, std::vector<std::vector<Layout::Copy>>& copies,
                std::vector<index_t>& starts, std::size_t sheet, index_t first_row) const;
    index_t columns() const;

  private:
    struct Above {
        std::size_t table;
        bool is_turned, is_copy;
    };
    struct Slot {
        std::size_t table;
        std::vector<Above> above;
        index_t column, width;
    };
    struct Line {
        index_t blocks, height, columns, width;  // width: in characters
        std::vector<Slot> slots;
    };

    const Table& table(std::size_t n) const { return plan_.tables()[n]; }
    bool is_given(std::size_t n) const { return operands_[n].above.empty() && operands_[n].beside.empty(); }
    bool may_stand_above(std::size_t n, std::size_t result) const;
    bool may_be_copied(std::size_t n, std::size_t result) const;
    void place(std::size_t n);
    index_t width_of(const Slot& slot) const;
    index_t height_above(const Above& above) const;
    index_t rows_above(const Line& line) const;

    const Plan& plan_;
    const std::vector<Operands>& operands_;
    const std::vector<index_t>& beside_;
    std::set<std::size_t> waiting_;  // to be placed
    std::vector<Line> lines_;
};

}  // namespace glassbox::tracer::spreadsheet
