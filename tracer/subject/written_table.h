#pragma once
#include <optional>
#include <string>
#include <vector>

#include "subject/written_array.h"

namespace tracer {

// One matrix of a printed array of more axes: R's ", , 2", MATLAB's "ans(:,:,2)", LibTorch's "(2,.,.)".
struct Slice {
    std::vector<glassbox::index_t> at;  // from 1
    bool is_leading;                    // of the first axes, else of the last
};

// Lines of numbers without brackets, as they come: rows, with words and numbers that only count or name them
// above and beside, wide ones in several blocks, arrays of more axes in slices.
class WrittenTable {
  public:
    explicit WrittenTable(std::string name) : name_(std::move(name)) {}

    void add(const Number& number) { numbers_.push_back(number); }
    void add_word(const std::string& word) { words_.push_back(word); }
    void end_line(std::size_t at);   // `at`: where the text is, for refusals
    void further_columns();          // what follows stands to the right
    void slice(const Slice& slice);  // what follows is one

    bool has_begun_line() const { return line_begin_ < numbers_.size(); }
    bool has_numbers() const { return !numbers_.empty(); }
    // The arrays: one, or several under a word each.
    std::vector<HandInArray> done();
    // Why it cannot be read, else empty, and where.
    const std::string& refusal() const { return refuse_; }
    std::size_t refused_at() const { return refused_at_; }

  private:
    struct Line {
        std::size_t begin, end, at;
        std::string label;
        std::size_t width() const { return end - begin; }
    };
    struct Block {
        std::vector<std::string> header = {};
        std::vector<Line> lines = {};
        bool is_to_the_right = false;
        std::optional<Slice> slice = {};
    };
    // Numbers alone, in rows.
    struct Rows {
        std::size_t width = 0;
        std::vector<std::vector<Number>> rows = {};
        std::string how = {};
    };

    Block& block();
    Block& next_block();
    void refuse(const std::string& why, std::size_t at);
    bool counts_rows(const std::vector<Line>& lines) const;
    bool counts_columns(const Line& line, glassbox::index_t from) const;
    Rows without_numbering(const Block& block, glassbox::index_t columns_before);
    bool are_side_by_side() const;
    HandInArray beside(const std::vector<Block>& blocks);
    HandInArray stacked();
    void add_other_readings(HandInArray& array, const Block& all) const;

    std::string name_;
    std::vector<Number> numbers_;
    std::vector<std::string> words_, header_;  // of this line; of lines of words alone
    std::vector<Block> blocks_;
    std::size_t line_begin_ = 0;
    bool is_new_block_ = false, is_to_the_right_ = false;
    bool is_in_pieces_ = false;     // wide, in blocks below each other
    bool is_header_alone_ = false;  // what says that a first column numbers the rows
    std::optional<Slice> slice_;
    std::string refuse_;
    std::size_t refused_at_ = 0;
};

}  // namespace tracer
