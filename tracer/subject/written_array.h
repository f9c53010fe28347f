#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/mistakes/precision.h>

#include "subject/written_axes.h"
#include "subject/written_precision.h"

namespace glassbox::tracer {

// A number as it was written, with half a unit of its last digit.
struct WrittenNumber {
    double value, half_width;
    bool is_whole = false;      // written as "1." or "1.0"
    bool is_power = false;      // written as "1e-05"
    bool is_quoted = false;     // written as "\"1\""
    bool is_integer = false;    // written as "1"
    bool is_bare = false;       // written as "1.": NumPy leaves out the zeros after a point
    bool has_exponent = false;  // written as "1.5e-05"
};

// Half a unit of the last digit that was written: 0.005 for 1.25, 0.5e-5 for 1e-05. NumPy and PyTorch print 1
// as "1." and leave out zeros only, of 8 decimals or 4.
double half_width_of(std::string_view digits);

// By how much each number of an array may be rounded, by all of them together; empty: not at all.
std::vector<double> half_widths_of(const std::vector<WrittenNumber>& numbers);

// A number as a language writes it: 0.37f, 0.37_f32, 1.0f-5, 1.5d0, 3L, 1_000. No other words.
std::optional<WrittenNumber> number_of(std::string_view word);

// Whether a word is the imaginary part of a number: 2j, 0.1i, 0.5im.
bool is_imaginary(std::string_view word);

// Numbers that can be read in another way than as written: a first column of 0, 1, 2 may be row numbers.
struct OtherReading {
    Tensor value;
    std::vector<double> half_width;
    std::string how;            // "the first column 0, 1, 2 is taken as row numbers"
    std::string question = {};  // not empty: it is one of two meanings, and is not guessed
    bool is_of_header = false;  // a header calls what was left out the rows' numbers: "index"
    AxisNames axes = {};
};

// An array of a submission, and how it may be read where its shape does not fit.
struct SubmittedArray : SubmittedStep {
    std::string how = {};  // what was not taken as written, to be reported
    AxisNames axes = {};
    std::vector<OtherReading> others = {};
    bool is_asked = false;          // the user named the step: its own name is ignored
    bool is_of_several = false;     // of arrays without names, which are taken as its rows
    NamedFormats formats = {};      // that its text names
    std::string doubt = {};         // NumberStyle::doubt of its text
    bool has_row_words = false;     // each row has words: a separate column as printed
    std::string stated_shape = {};  // into which its numbers, in a row, were put
    std::string comma_doubt = {};   // what to ask where its whole numbers are twice as many as are needed
    std::string too_large = {};     // its shape, if it was not read because of that: it has no value
};

// Arrays of one length as the rows of one.
SubmittedArray rows_of(const std::vector<SubmittedArray>& arrays);

// The numbers with their rounding, by all of them together.
SubmittedArray array_of(const std::string& name, const Shape& shape,
                        const std::vector<WrittenNumber>& numbers);

// An array in brackets being read: its numbers, and the sizes of its axes as far as they are known.
class BracketedArray {
  public:
    void open();
    void close();
    void add(const WrittenNumber& number);
    void end_row();  // Julia's and MATLAB's ';'

    bool is_open() const { return !counts_.empty(); }
    // Why it cannot be read, else empty.
    const std::string& refusal() const { return refuse_; }
    const std::vector<WrittenNumber>& numbers() const { return numbers_; }
    bool is_list() const { return sizes_.size() == 1; }
    SubmittedArray done(const std::string& name) const { return array_of(name, Shape(sizes_), numbers_); }

  private:
    void check_size();

    std::vector<index_t> counts_, sizes_;
    std::size_t depth_ = 0;  // how many brackets are around every number
    std::vector<WrittenNumber> numbers_;
    std::string refuse_;
    std::size_t row_begin_ = 0;
    index_t rows_ = 0, width_ = 0;
};

}  // namespace glassbox::tracer
