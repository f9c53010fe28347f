#pragma once
#include <set>
#include <vector>

#include "report/spreadsheet/layout.h"
#include "report/spreadsheet/operands.h"

namespace glassbox::tracer::spreadsheet {

// Rows of a table on its sheet above its first number: name, formula, and what its columns are.
constexpr index_t rows_of_caption = 3;

// In characters: of a column of numbers, and at least of any other; of a name or formula above a table with
// few columns, which then leaves columns free beside it, as much as is shown.
constexpr int number_width = 9, narrow_width = 5, caption_width = 46;

// The tables of one sheet in lines. A line holds matrices of equal height. Of tensors of more axes the lines
// that follow each other are laid for the first of their matrices, and below that again for each of the
// others.
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
    int caption_of(std::size_t n) const;
    index_t free_beside(std::size_t n) const;
    void lay_line(const Line& line, std::vector<Layout::Place>& places,
                  std::vector<std::vector<Layout::Copy>>& copies, std::size_t sheet, index_t first_row,
                  index_t next_block) const;
    bool has_words(const Above& above) const;
    index_t height_above(const Above& above) const;
    index_t rows_of(const Line& line) const;
    index_t rows_above(const Line& line) const;

    const Plan& plan_;
    const std::vector<Operands>& operands_;
    const std::vector<index_t>& beside_;
    std::set<std::size_t> waiting_;  // to be placed
    std::vector<Line> lines_;
};

}  // namespace glassbox::tracer::spreadsheet
