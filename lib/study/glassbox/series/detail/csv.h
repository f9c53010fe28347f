#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// The rows of a CSV text (RFC 4180), one after the other.
class CsvReader {
  public:
    // `file` names it in messages. The separator is the one that occurs first in the header, outside quotes.
    // A line sep=; and lines that begin with # before the header are skipped; the last of these is the header
    // where numbers follow it.
    CsvReader(std::string file, std::string_view text);

    // The next row that is not blank, or nothing at the end. Throws FileError for a quote that is not closed,
    // or is followed by other text.
    std::optional<std::vector<std::string>> next();
    index_t line() const { return line_; }  // where the last row began, from 1
    char separator() const { return separator_; }

  private:
    void skip_line();
    void skip_preamble();
    std::string quoted();
    std::string_view plain();

    std::string file_;
    std::string_view text_;
    std::size_t at_ = 0;
    index_t line_ = 0, next_line_ = 1;
    char separator_ = 0;
};

}  // namespace glassbox::detail
