#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox {

// Which columns of a file of pairs are the sentences, and how they are written. Public lists have ids or
// scores before the sentences, codes of the languages, a header, and quotes around all cells.
struct PairColumns {
    std::size_t source = 0, target = 1;
    bool has_header = false;
    std::string header = {};                            // its line, which joined files have again
    bool source_quoted = false, target_quoted = false;  // every cell
    std::vector<std::string> notes{};
};

// Sees each line that is not blank, in order.
class PairColumnsFinder {
  public:
    void look_at(std::string_view line);
    PairColumns found() const;

  private:
    static constexpr std::size_t most = 8;  // columns that are looked at
    struct Column {
        index_t numbers = 0, codes = 0, ids = 0, quoted = 0;  // lines after the first
        std::string first{}, second{};                        // cells, without quotes around them
        bool first_is_number = false, first_is_quoted = false;
    };
    bool is_number(std::size_t column) const;
    bool is_beside(std::size_t column) const;  // numbers, ids, addresses, or codes of languages

    std::array<Column, most> columns_{};
    index_t lines_ = 0;
    std::string first_line_;
    std::size_t width_ = most;  // columns that all lines have
};

std::vector<std::string_view> cells_of(std::string_view line);  // separated by tabs, without spaces around
std::size_t begin_of_cell(std::string_view line, std::size_t number);

// The text of a cell in quotes, of which "" is one: "He said ""hi""". `always`: every cell is in quotes; else
// only one with doubled quotes is.
std::string unquoted(std::string_view cell, bool always);

}  // namespace glassbox
