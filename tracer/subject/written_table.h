#pragma once
#include <optional>
#include <string>
#include <vector>

#include "subject/written_labels.h"
#include "subject/written_rows.h"

namespace glassbox::tracer {

// One matrix of a printed array of more axes: R's ", , 2", MATLAB's "ans(:,:,2)", LibTorch's "(2,.,.)".
struct Slice {
    std::vector<index_t> at;  // from 1
    bool is_leading;          // of the first axes, else of the last
};

// Lines of numbers without brackets, as they come: rows, with words and numbers that only count or name them
// above and beside, wide ones in several blocks, arrays of more axes in slices.
class WrittenTable {
  public:
    explicit WrittenTable(std::string name) : name_(std::move(name)) {}

    void add(const WrittenNumber& number) { row_.numbers.push_back(number); }
    void add_word(const std::string& word) { words_.push_back(word); }
    void number_row(index_t number) { row_.number = number; }
    void indices(std::vector<index_t> at) { row_.indices = std::move(at); }
    void end_line(std::size_t at);  // `at`: where the text is, for refusals
    // What follows are these columns, from the first to the last; those to the right if none are named.
    void columns(const std::vector<index_t>& which);
    void slice(const Slice& slice);  // what follows is one
    bool awaits_slice() const { return slice_.has_value(); }
    // As MATLAB prints it under its name, without numbers of rows and columns.
    void is_matrix() { is_matrix_ = true; }

    bool has_begun_line() const { return !row_.numbers.empty(); }
    bool has_numbers() const { return has_begun_line() || has_rows_; }
    // The arrays: one, or several under a word each.
    std::vector<SubmittedArray> done();
    // Why it cannot be read, else empty, and where.
    const std::string& refusal() const { return refuse_; }
    std::size_t refused_at() const { return refused_at_; }

  private:
    struct Block {
        std::vector<std::string> header = {};
        std::vector<std::string> above = {};  // the line of words above the header
        std::string below_corner = {};        // on a separate line below the numbers of the columns
        WrittenRows rows = {};
        bool is_to_the_right = false;
        std::vector<index_t> columns = {};  // the first and last, from the print
        std::optional<Slice> slice = {};

        bool says_numbers() const { return !columns.empty() || (!rows.empty() && rows[0].number); }
    };
    // Rows of one length, without what numbers them.
    struct Part {
        WrittenRows rows = {};
        std::string how = {};
        std::size_t width() const { return rows.empty() ? 0 : rows[0].numbers.size(); }
    };

    Block& block();
    Block& next_block();
    void refuse(const std::string& why, std::size_t at);
    void check_order(const Block& block);
    void check_columns(const Block& block, std::size_t before, std::size_t width);
    Part without_numbering(const Block& block, index_t columns_before);
    bool are_side_by_side() const;
    Part rows_beside(const std::vector<Block>& blocks);
    SubmittedArray beside(const std::vector<Block>& blocks);
    SubmittedArray stacked();
    SubmittedArray at_indices(const WrittenRows& rows);
    SubmittedArray with_other_readings(const Block& all);
    AxisNames axes_of(const Block& block, const WrittenRows& rows);

    std::string name_;
    WrittenRow row_;                                   // of this line
    std::vector<std::string> words_, header_, above_;  // of this line; of the last two of only words
    std::vector<Block> blocks_;
    bool has_rows_ = false, is_matrix_ = false, is_new_block_ = false, is_to_the_right_ = false;
    std::vector<index_t> columns_;
    bool is_in_pieces_ = false;     // wide, in blocks below each other
    bool is_header_alone_ = false;  // why a first column numbers the rows
    std::optional<Slice> slice_;
    std::string refuse_;
    std::size_t refused_at_ = 0;
};

}  // namespace glassbox::tracer
