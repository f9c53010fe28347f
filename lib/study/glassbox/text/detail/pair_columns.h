#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// Which columns of a file of pairs are the sentences, and how they are written. Public lists have ids or
// scores before the sentences, codes of the languages, a header, and quotes around all cells.
struct PairColumns {
    std::size_t source = 0, target = 1;
    bool has_header = false;
    std::string header = {};                            // its line, which joined files have again
    bool source_quoted = false, target_quoted = false;  // every cell
    std::vector<std::string> notes{};
    std::string question{};  // not empty: another column is more likely a sentence, and is not guessed
};

// Sees each line that is not blank, in order.
class PairColumnsFinder {
  public:
    void look_at(std::string_view line);
    PairColumns found() const;
    std::size_t width() const { return width_; }  // columns that all lines have, of the first eight

  private:
    static constexpr std::size_t max_columns = 8;  // columns examined
    struct Column {
        index_t numbers = 0, codes = 0, ids = 0, quoted = 0;  // lines after the first
        index_t alike = 0;                                    // that differ from the second's only in digits
        index_t numbered = 0;                                 // "1. Je suis ici.", in all lines
        std::array<index_t, 2> in_quotes{}, quoted_by_comma{},
            quoted_otherwise{};  // in the first line; in the others
        index_t words = 0;
        std::unordered_set<std::size_t> different{};  // texts, of the first lines
        std::string first{}, second{};                // cells, without quotes around them
        bool first_is_number = false, first_is_quoted = false;
    };
    bool is_number(std::size_t column) const;
    bool is_beside(std::size_t column) const;  // numbers, ids, addresses, or codes of languages
    // By the header: "source" and "target", or two languages.
    std::optional<std::pair<std::size_t, std::size_t>> columns_by_header() const;
    std::string question_about(const PairColumns& found) const;
    std::string note_on_numbered(const PairColumns& found) const;

    std::array<Column, max_columns> columns_{};
    index_t lines_ = 0;
    std::string first_line_;
    std::size_t width_ = max_columns;  // columns that all lines have
};

std::vector<std::string_view> cells_of(std::string_view line);  // separated by tabs, without spaces around
std::size_t begin_of_cell(std::string_view line, std::size_t number);

// Whether a cell that begins with a quote ends with one after a tab: in CSV, both are one cell.
bool has_tab_in_quotes(const std::vector<std::string_view>& cells);

// The text of a cell in quotes, where "" means one: "He said ""hi""". `always`: every cell is in quotes; else
// only one with doubled quotes is.
std::string unquoted(std::string_view cell, bool always);

// The notes on pairs that are no translation (the same text on both sides) and on pairs whose sides are
// swapped. Each language has its own words, which identify its sentences. Empty without any.
std::vector<std::string> notes_on_sides(const std::vector<std::string>& source,
                                        const std::vector<std::string>& target);

}  // namespace glassbox::detail
