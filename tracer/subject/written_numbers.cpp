#include "subject/written_numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include <glassbox/io/detail/numbers.h>
#include <glassbox/io/detail/text.h>
#include <glassbox/tensor/format.h>

namespace tracer {

using glassbox::fail;
using glassbox::FileError;
using glassbox::HandedIn;
using glassbox::index_t;
using glassbox::real;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80); }
bool continues_word(char c) {
    return starts_word(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '/' || c == '.';
}

struct Number {
    double value, half_width;
    bool is_whole = false;  // written as "1." or "1.0"
    bool is_power = false;  // written as "1e-05"
};

// What NumPy and PyTorch leave out of a number whose decimals are all 0, at the least.
constexpr std::size_t least_decimals = 4;

// Half a unit of the last digit that was written: 0.005 for 1.25, 0.5e-5 for 1e-05. NumPy and PyTorch print 1
// as "1." and leave out zeros only, of 8 decimals or 4.
double half_width_of(std::string_view digits) {
    const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
    int exponent = 0;  // stays 0 where it is out of range, and the number is 0 or infinite
    if (e < digits.size()) {
        const std::size_t from = e + 1 + (e + 1 < digits.size() && digits[e + 1] == '+');
        std::from_chars(digits.data() + from, digits.data() + digits.size(), exponent);
    }
    const std::size_t point = digits.substr(0, e).find('.');
    if (point == std::string_view::npos)  // whole numbers are exact
        return e < digits.size() ? 0.5 * std::pow(10.0, exponent) : 0;
    const std::size_t decimals = e - point - 1;
    return 0.5 * std::pow(10.0, exponent - static_cast<double>(decimals == 0 ? least_decimals : decimals));
}

// Python prints 1 as "1.0", also where other numbers of the list have 16 decimals.
bool is_whole(std::string_view digits) { return digits.ends_with(".0") || digits.ends_with('.'); }

// An array being read: its numbers, and the sizes of its axes as far as they are known.
class Array {
  public:
    explicit Array(std::string name) : name_(std::move(name)) {}

    void open() {
        if (counts_.size() == Shape::max_rank) refuse_ = "more than 8 brackets inside one another";
        counts_.push_back(0);
    }
    void close() {
        const std::size_t depth = counts_.size();
        if (depth == 1 && rows_ > 0) {  // Julia's [1 2; 3 4]
            end_line();
            counts_.pop_back();
            return check_size();
        }
        if (sizes_.size() < depth) sizes_.resize(depth, -1);
        index_t& size = sizes_[depth - 1];
        if (size >= 0 && size != counts_.back())
            refuse_ = fmt::format("rows differ in length: {} and {}", size, counts_.back());
        size = counts_.back();
        counts_.pop_back();
        if (counts_.empty()) check_size();
        else ++counts_.back();
    }
    void add(const Number& number) {
        values_.push_back(static_cast<real>(number.value));
        written_.push_back(number);
        is_whole_ = is_whole_ && (number.is_whole || number.is_power || number.half_width == 0);
        if (counts_.empty()) return;
        ++counts_.back();
        if (depth_ > 0 && depth_ != counts_.size()) refuse_ = "numbers beside brackets";
        depth_ = counts_.size();
    }
    bool is_open() const { return !counts_.empty(); }
    const std::string& refusal() const { return refuse_; }
    bool is_empty() const { return values_.empty(); }

    HandedIn done() const {
        const Shape shape{std::vector<index_t>(sizes_)};
        const std::vector<double> widths = half_widths();
        const bool is_exact = std::all_of(widths.begin(), widths.end(), [](double w) { return w == 0; });
        if (is_exact) return {name_, Tensor(shape, values_), {}};
        if (!is_whole_ || values_.size() < 2) return {name_, Tensor(shape, values_), widths};
        // [0.0, 1.0, 0.0] is what Python makes of whole numbers, and nobody's rounding to one decimal.
        return {
            name_, Tensor(shape, values_),
            std::vector<double>(values_.size(), 0.5 * std::pow(10.0, -static_cast<double>(least_decimals)))};
    }
    bool has_begun_line() const { return line_begin_ < values_.size(); }
    // Lines of numbers without brackets become rows.
    void end_line() {
        if (line_begin_ == values_.size()) return;
        const auto width = static_cast<index_t>(values_.size() - line_begin_);
        if (rows_ > 0 && width != width_)
            refuse_ = fmt::format("rows differ in length: {} and {}", width_, width);
        width_ = width, ++rows_, line_begin_ = values_.size();
        sizes_ = rows_ == 1 ? std::vector<index_t>{width_} : std::vector<index_t>{rows_, width_};
    }

  private:
    // Python writes 0.00000 as "0.0" and 0.00001 as "1e-05": where other numbers have their decimals, these
    // two were rounded no further.
    std::vector<double> half_widths() const {
        const auto is_cut = [](const Number& each) { return each.is_whole || each.is_power; };
        double largest = 0;
        for (const Number& each : written_)
            if (!is_cut(each)) largest = std::max(largest, each.half_width);
        std::vector<double> widths;
        for (const Number& each : written_)
            widths.push_back(is_cut(each) && (largest > 0 || each.is_power)
                                 ? std::min(each.half_width, largest)
                                 : each.half_width);
        return widths;
    }

    void check_size() {
        index_t numbers = 1;
        for (const index_t size : sizes_) numbers *= size;
        if (refuse_.empty() && numbers != static_cast<index_t>(values_.size()))
            refuse_ = "the brackets do not fit the numbers in them";
    }

    std::string name_;
    std::vector<index_t> counts_, sizes_;
    std::size_t depth_ = 0;  // how many brackets are around every number
    std::vector<real> values_;
    std::vector<Number> written_;
    bool is_whole_ = true;  // all are written as "1." or "1.0"
    std::string refuse_;
    std::size_t line_begin_ = 0;
    index_t rows_ = 0, width_ = 0;
};

class Reader {
  public:
    Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::vector<HandedIn> arrays() {
        while (at_ < text_.size()) next();
        end_rows();
        if (array_) refuse("a bracket is not closed");
        if (found_.empty()) refuse("no numbers");
        return found_;
    }

  private:
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    [[noreturn]] void refuse(const std::string& why) const {
        const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size()));
        fail<FileError>("{}:{}: {}", file_, std::count(text_.begin(), end, '\n') + 1, why);
    }

    void next() {
        const char c = here();
        if (c == '\n' || (c == ';' && !(array_ && array_->is_open()))) {
            ++at_;
            if (rows_) rows_->end_line(), check(*rows_);
        } else if (c == ';') {
            ++at_;
            array_->end_line();
            check(*array_);
        } else if (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == '(' || c == ')' ||
                   c == '{' || c == '}' || c == '>') {  // > is a prompt's
            ++at_;
        } else if (c == '[') {
            open();
        } else if (c == ']') {
            close();
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else if (text_.substr(at_).starts_with("...") || text_.substr(at_).starts_with("…")) {
            refuse(
                "the numbers are cut off by '...': print all of them, as "
                "numpy.set_printoptions(threshold=sys.maxsize) does");
        } else if (starts_word(c)) {
            word();
        } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.') {
            number();
        } else {
            refuse(fmt::format("numbers expected, got '{}'", glassbox::printable(std::string(1, c))));
        }
    }

    void open() {
        end_rows();
        if (is_list_of_steps_ && !array_ && (key_ == "steps" || key_ == "parameters")) {
            ++at_;
            return;
        }
        if (!array_) array_ = Array(name_);
        array_->open();
        check(*array_);
        ++at_;
    }
    void close() {
        ++at_;
        if (!array_) return;  // of the list of steps
        array_->close();
        check(*array_);
        if (array_->is_open()) return;
        if (!is_list_of_steps_ || key_ == "values") found_.push_back(array_->done());
        array_.reset();
        if (!is_list_of_steps_) name_.clear();
    }
    void end_rows() {
        if (!rows_) return;
        rows_->end_line();
        check(*rows_);
        found_.push_back(rows_->done());
        rows_.reset();
        name_.clear();
    }
    void check(const Array& array) const {
        if (!array.refusal().empty()) refuse(array.refusal());
    }

    // In the command's own JSON a step's numbers are its "values", under its "name".
    void set_name(const std::string& key) {
        end_rows();
        key_ = key;
        if (key == "steps") is_list_of_steps_ = true, found_.clear();
        if (!is_list_of_steps_) name_ = key;
    }

    void quoted(char mark) {
        const std::size_t end = text_.find(mark, at_ + 1);
        if (end == std::string_view::npos) refuse("a quotation mark is not closed");
        const std::string inside(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        skip_blanks();
        if (here() == ':' || here() == '=') {
            ++at_;
            return set_name(inside);
        }
        if (is_list_of_steps_ && key_ == "name") name_ = inside;
        else (void)number_word(inside);
    }

    void word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && continues_word(text_[at_])) ++at_;
        const std::string word(text_.substr(begin, at_ - begin));
        if (number_word(word)) return;
        skip_blanks();
        if (here() != '=' && here() != ':') {
            // tensor( and array( may stand before numbers, a column's name above them, a row's left of them.
            const bool is_among_numbers = array_ || (rows_ && rows_->has_begun_line());
            if (is_among_numbers && here() != '(')
                refuse(fmt::format("numbers expected, got '{}'", glassbox::printable(word)));
            return;
        }
        ++at_;
        for (const char* setting : {"dtype", "device", "grad_fn", "requires_grad", "shape", "size", "layout"})
            if (word == setting) return skip_setting();
        set_name(word);
    }
    // NaN and infinity, in JSON quoted.
    bool number_word(std::string word) {
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool is_negative = word.starts_with('-');
        if (is_negative) word.erase(0, 1);
        if (word == "nan" || word == "null") add({NAN, 0});
        else if (word == "inf" || word == "infinity") add({is_negative ? -INFINITY : INFINITY, 0});
        else if (word == "true" || word == "false") add({word == "true" ? 1.0 : 0.0, 0});
        else return false;
        return true;
    }
    void skip_setting() {  // dtype=torch.float32, grad_fn=<MulBackward0>
        int depth = 0;
        for (; at_ < text_.size(); ++at_) {
            const char c = here();
            if (depth == 0 && (c == ',' || c == ')' || c == '\n')) return;
            depth += (c == '<' || c == '(' || c == '[') - (c == '>' || c == ')' || c == ']');
        }
    }
    void skip_blanks() {
        while (here() == ' ' || here() == '\t') ++at_;
    }

    void number() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.' ||
                ((text_[at_] == '-' || text_[at_] == '+') &&
                 (at_ == begin || text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))))
            ++at_;
        const std::string word(text_.substr(begin, at_ - begin));
        if (number_word(word)) return;
        const char* const first = word.data() + (word[0] == '+');
        const std::optional<double> value = glassbox::number_in(first);
        if (!value) refuse(fmt::format("numbers expected, got '{}'", glassbox::printable(word)));
        const bool is_power = word.find('.') == word.npos && word.find_first_of("eE") != word.npos;
        add({*value, half_width_of(word), is_whole(word), is_power});
    }
    void add(const Number& number) {
        if (array_) {
            array_->add(number);
            return check(*array_);
        }
        if (is_list_of_steps_) return;  // "schema": 1
        if (!rows_) rows_ = Array(name_);
        rows_->add(number);
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::string name_, key_;
    bool is_list_of_steps_ = false;
    std::optional<Array> array_, rows_;
    std::vector<HandedIn> found_;
};

// A table as spreadsheets in many countries write it: 0,5;1,25 is two numbers.
bool has_decimal_commas(std::string_view text) {
    if (text.find_first_of("[.") != std::string_view::npos || text.find(';') == std::string_view::npos)
        return false;
    return text.find(',') != std::string_view::npos;
}

// MATLAB's and typesetters' minus sign is another character.
std::string with_plain_minus(std::string_view text) {
    constexpr std::string_view minus = "−";
    std::string plain;
    plain.reserve(text.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(minus), text.size());
        plain += text.substr(0, end);
        if (end == text.size()) break;
        plain += '-';
        text.remove_prefix(end + minus.size());
    }
    return plain;
}

}  // namespace

std::vector<HandedIn> parse_written(std::string_view text, const std::string& file) {
    const std::string plain = with_plain_minus(text);
    text = plain;
    if (has_decimal_commas(text)) {
        std::string points(text);
        for (char& c : points) c = c == ',' ? '.' : c == ';' ? ' ' : c;
        return Reader(points, file).arrays();
    }
    return Reader(text, file).arrays();
}

}  // namespace tracer
