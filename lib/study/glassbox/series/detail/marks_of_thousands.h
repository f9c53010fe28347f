#pragma once
#include <string>
#include <string_view>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// Whether a point or comma precedes each three digits from the right: 1.234, 12.345.678; those of 0.234 are
// decimals.
bool has_groups(std::string_view cell, char mark);

// What the cells of a column show about a point before three digits: decimals, or thousands. The same of a
// comma where that is the decimal mark.
class MarksOfThousands {
  public:
    explicit MarksOfThousands(char mark) : mark_(mark) {}
    void look_at(const std::string& cell, index_t line);

    // Beside 985, or beside 0,5, 1.001 is hardly a decimal number: as one it would be a thousandth.
    bool are_unclear() const { return line_ && !has_decimals_ && (has_whole_ || has_other_); }
    bool are_all() const { return line_ && !has_ungrouped_; }
    bool has_decimals() const { return has_decimals_; }              // 0.5, 1.23
    bool has_other_decimals() const { return has_other_decimals_; }  // 0,5
    index_t line() const { return line_; }
    const std::string& example() const { return example_; }
    std::string without_marks() const;
    const char* word() const { return mark_ == '.' ? "point" : "comma"; }

  private:
    char mark_;
    index_t line_ = 0;
    std::string example_;
    bool has_other_ = false, has_decimals_ = false, has_whole_ = false, has_other_decimals_ = false,
         has_ungrouped_ = false;
};

}  // namespace glassbox::detail
