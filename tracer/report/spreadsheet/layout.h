#pragma once
#include <string>
#include <vector>

#include "report/spreadsheet/cell.h"
#include "report/spreadsheet/plan.h"

namespace glassbox::tracer::spreadsheet {

constexpr const char* read_me_name = "Read me";  // the sheet with the list of all numbers

// Where the tables lie, as on paper: a product has its right factor above it, what it is multiplied with to
// the left, and what is computed next to the right. Few numbers are on one sheet; of more, each block of the
// model has a sheet. Below them, in the same places, are their gradients and what they should be.
class Layout {
  public:
    // UsageError if a sheet cannot hold so much.
    Layout(const Report& report, const Graph& graph, const Plan& plan);

    static constexpr index_t rows_of_heading = 2;  // of a part, and an empty one
    struct Part {
        Table::Kind kind;  // step, gradient or right
        index_t row;       // where it begins: with a heading, but for the first
    };
    struct Sheet {
        std::string name{};               // of at most 31 characters
        std::string block{};              // "encoder/0"; empty: the model's own
        std::vector<std::string> head{};  // its first lines: a title, and what it is about
        std::vector<Part> parts{};
        std::vector<std::size_t> tables{};  // that lie on it
        std::vector<index_t> starts{};      // rows between matrices, where a page may begin
        index_t rows = 0, columns = 0;
    };
    const std::vector<Sheet>& sheets() const { return sheets_; }
    bool is_on_one_sheet() const { return sheets_.size() == 1; }

    struct Place {
        std::size_t sheet = 0;
        index_t row = 0, column = 0;  // of the first number
        index_t next_block = 0;       // from its row to the first row of the next block
        bool is_above = false;        // a result
        bool is_turned = false;       // rows are columns: Kᵀ
        bool has_words = false;       // above the columns of one that is turned
    };
    bool has_place(std::size_t table) const { return plan_.tables()[table].tensor.numel() > 0; }
    const Place& place(std::size_t table) const { return places_[table]; }
    Cell cell(std::size_t table, index_t element) const { return cell_in(places_[table], table, element); }
    Cell cell_in(const Place& place, std::size_t table, index_t element) const;

    // What stands above a product, but has its own place elsewhere, as the K of x W_K above Q Kᵀ.
    struct Copy {
        std::size_t table;
        Place place;
    };
    const std::vector<Copy>& copies(std::size_t product) const { return copies_[product]; }
    // Where the product's formulas read it.
    Cell cell_for(std::size_t product, std::size_t table, index_t element) const;
    // Of a letter beside the numbers.
    Cell side(std::size_t table, std::size_t n, index_t element) const;
    // What a formula of the table writes before a cell: the name of the other sheet.
    std::string prefix(std::size_t table, const Cell& cell) const;

  private:
    void add_parts(Sheet& sheet, const std::vector<std::size_t>& leaders, index_t begin, index_t end);
    void check_size(const Sheet& sheet, const std::vector<index_t>& beside) const;

    const Plan& plan_;
    std::vector<Sheet> sheets_;
    std::vector<Place> places_;              // by table
    std::vector<std::vector<Copy>> copies_;  // by product
};

}  // namespace glassbox::tracer::spreadsheet
