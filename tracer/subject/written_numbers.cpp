#include "subject/written_numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <glassbox/io/detail/text.h>
#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

#include "subject/decimal_commas.h"
#include "subject/written_marks.h"
#include "subject/written_table.h"
#include "subject/written_text.h"

namespace tracer {

using glassbox::fail;
using glassbox::FileError;
using glassbox::index_t;
using glassbox::real;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

bool continues_word(char c) { return is_letter(c) || is_digit(c) || c == '/' || c == '.'; }

std::vector<index_t> sizes_of(std::string_view text) {  // "3,2", as with_marks writes it
    std::vector<index_t> sizes;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::from_chars(text.data(), text.data() + end, sizes.emplace_back(0));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return sizes;
}

double count_of(const std::vector<index_t>& sizes) {
    double numbers = 1;
    for (const index_t size : sizes) numbers *= static_cast<double>(size);
    return numbers;
}

// Numbers that stand column by column, in a shape's rows.
Tensor from_columns(const Tensor& x, const std::vector<index_t>& sizes) {
    std::vector<int> order;
    for (std::size_t i = sizes.size(); i-- > 0;) order.push_back(static_cast<int>(i));
    const std::vector<index_t> reversed(sizes.rbegin(), sizes.rend());
    return contiguous(permute(reshape(contiguous(x), Shape(reversed)), order));
}

// An array, or a tuple that may be the shape of the one beside it.
struct Found {
    HandInArray array;
    std::string hint = {};  // the word before it, which may be its name
    bool is_size = false;
};

class Reader {
  public:
    Reader(std::string_view text, const std::string& file)
        : text_(text), file_(file), is_masked_(text.find("masked_array(") != text.npos) {
        int separated = 0;  // lines in which ';' stands between numbers, not at the end
        for (std::size_t at = 0; (at = text.find(';', at)) != text.npos; ++at) {
            const std::size_t next = std::min(text.find_first_not_of(" \t\n", at + 1), text.size());
            if (next > at && text.substr(at, next - at).find('\n') == text.npos && next < text.size()) {
                ++separated;
                at = std::min(text.find('\n', at), text.size());
            }
        }
        has_cells_ = separated > 1 && text.find('[') == text.npos;
    }

    std::vector<HandInArray> arrays() {
        while (at_ < text_.size()) next();
        end_line();
        end_table();
        if (array_) refuse("a bracket is not closed");
        stack_rows();
        drop_sizes();
        std::vector<HandInArray> arrays = named_arrays();
        if (arrays.empty()) refuse("no numbers");
        return without_pandas_axes(std::move(arrays));
    }

  private:
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    [[noreturn]] void refuse(const std::string& why, std::size_t at) const {
        const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size()));
        fail<FileError>("{}:{}: {}", file_, std::count(text_.begin(), end, '\n') + 1, why);
    }
    [[noreturn]] void refuse(const std::string& why) const { refuse(why, at_); }
    [[noreturn]] void refuse_word(const std::string& word) const {
        refuse(fmt::format("numbers expected, got '{}'", glassbox::printable(word)));
    }

    void next() {
        const char c = here();
        if (c == '\n') {
            ++at_;
            if (!array_) end_line();
        } else if (c == ';') {
            ++at_;
            if (array_) array_->end_row(), check(*array_);
            else if (!has_cells_) end_line();
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
            refuse_cut();
        } else if (is_letter(c)) {
            word();
        } else if (is_digit(c) || c == '-' || c == '+' || c == '.') {
            number();
        } else if (c >= stands_for::columns && c <= stands_for::size) {
            marked();
        } else {
            refuse_word(std::string(1, c));
        }
    }

    [[noreturn]] void refuse_cut() const {
        const std::string_view way =
            !array_ ? "as frame.to_string() of pandas and show(stdout, x) of Julia do"
            : text_.find("tensor(") != text_.npos ? "as torch.set_printoptions(profile=\"full\") does"
                                                  : "as numpy.set_printoptions(threshold=sys.maxsize) does";
        refuse(fmt::format("the numbers are cut off by '...': print all of them, {}", way));
    }

    void open() {
        if (is_list_of_steps_ && !array_ && (key_ == "steps" || key_ == "parameters")) {
            end_table();
            ++at_;
            return;
        }
        if (!array_) {
            if (table_ && table_->has_begun_line()) refuse("numbers beside brackets");
            const std::string hint = hinted();
            end_table();
            array_.emplace();
            array_name_ = name_;
            hint_ = hint;
        }
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
        if (!is_list_of_steps_ || key_ == "values") put(array_->done(array_name_), hint_);
        array_.reset();
        hint_.clear();
        factor_ = 1;
        if (!is_list_of_steps_) name_.clear();
    }
    void end_line() {
        if (table_) table_->end_line(at_);
        if (!line_words_.empty()) last_words_ = std::exchange(line_words_, {});
    }
    void end_table() {
        if (!table_) return;
        table_->end_line(at_);
        line_words_.clear();
        if (table_->has_numbers()) {
            std::vector<HandInArray> arrays = table_->done();
            if (!table_->refusal().empty()) refuse(table_->refusal(), table_->refused_at());
            for (HandInArray& each : arrays) put(std::move(each), table_hint_);
            name_.clear();
            last_words_.clear();
        }
        table_.reset();
        table_hint_.clear();
        factor_ = 1;
    }
    void put(HandInArray array, const std::string& hint) {
        if (const std::vector<index_t> sizes = std::exchange(columns_of_, {}); !sizes.empty()) {
            if (count_of(sizes) != static_cast<double>(array.value.numel()) || sizes.size() > Shape::max_rank)
                refuse(fmt::format("the sizes ({}) do not fit {} numbers", fmt::join(sizes, ", "),
                                   array.value.numel()));
            if (!array.half_width.empty()) {
                const std::vector<real> widths(array.half_width.begin(), array.half_width.end());
                const std::vector<real> moved =
                    from_columns(Tensor(array.value.shape(), widths), sizes).values();
                array.half_width.assign(moved.begin(), moved.end());
            }
            array.value = from_columns(array.value, sizes);
            array.others.clear();
        }
        found_.push_back({std::move(array), hint});
    }
    // The word before an array: print("values") and then the numbers.
    std::string hinted() {
        const std::vector<std::string>& words = line_words_.empty() ? last_words_ : line_words_;
        const bool is_one = words.size() == 1 || (!line_words_.empty() && !words.empty());
        std::string hint = is_one ? words.back() : "";
        last_words_.clear();
        return hint;
    }
    void check(const BracketedArray& array) const {
        if (!array.refusal().empty()) refuse(array.refusal());
    }

    void marked() {
        const char which = here();
        const std::size_t end = text_.find(which, at_ + 1);
        if (which == stands_for::columns || end == text_.npos) {
            ++at_;
            if (array_) return;
            end_line();
            return table().further_columns();
        }
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (which == stands_for::factor) factor_ = number_of(inside).value_or(Number{1, 0}).value;
        if (which == stands_for::shape) end_table(), columns_of_ = sizes_of(inside);
        if (which == stands_for::slice && !array_) {
            end_line();
            factor_ = 1;
            table().slice({sizes_of(inside.substr(1)), inside[0] == 'L'});
        }
        if (which == stands_for::size && !array_) {
            const std::string hint = hinted();
            const std::string name = name_;
            end_table();
            const std::vector<index_t> sizes = sizes_of(inside);
            const std::vector<real> values(sizes.begin(), sizes.end());
            found_.push_back(
                {{{name, Tensor(Shape{static_cast<index_t>(sizes.size())}, values), {}}}, hint, true});
            name_.clear();
        }
    }

    // In the command's own JSON a step's numbers are its "values", under its "name".
    void set_name(const std::string& key) {
        if (!array_) end_table();
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
        const std::optional<Number> number = number_of(inside);
        if (here() == ':' || here() == '=') {
            ++at_;
            if (number && number->is_integer && !is_list_of_steps_)
                return;  // JavaScript's {"0": 0.5, "1": …}
            return set_name(inside);
        }
        if (is_list_of_steps_ && key_ == "name") {
            name_ = inside;
        } else if (number) {
            Number own = *number;
            own.is_quoted = true;
            add(own);
        } else if (!number_word(inside) && !array_ && !is_list_of_steps_) {
            table().add_word(inside);
        }
    }

    void word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && continues_word(text_[at_])) ++at_;
        const std::string word(text_.substr(begin, at_ - begin));
        if (here() == '\'' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1])) ++at_;  // Ada's values
        if (number_word(word)) return;
        if (here() == '!' && at_ + 1 < text_.size() && (text_[at_ + 1] == '[' || text_[at_ + 1] == '('))
            ++at_;                                            // Rust's vec![
        const bool is_type = here() == '[' || here() == '(';  // Float32[0.5 1.5], tensor([0.5, 1.5])
        skip_blanks();
        if (here() != '=' && here() != ':') {
            // tensor( and array( may stand before numbers, a column's name above them, a row's left of them.
            const bool is_among_numbers = array_ || (table_ && table_->has_begun_line());
            if (is_among_numbers && !is_type && here() != '(') refuse_word(word);
            skip_length(word);
            if (is_type || is_list_of_steps_ || array_) return;
            table().add_word(word);
            line_words_.push_back(word);
            return;
        }
        ++at_;
        for (const char* setting :
             {"dtype", "device", "grad_fn", "requires_grad", "shape", "size", "layout", "strides", "ndim"})
            if (word == setting) return skip_setting();
        if (is_masked_ && (word == "mask" || word == "fill_value")) return skip_setting();
        set_name(is_masked_ && word == "data" ? name_ : word);
    }
    // JavaScript's Float32Array(6) [0.5, …]; its Array(6) alone has no numbers.
    void skip_length(const std::string& word) {
        if (here() != '(') return;
        std::size_t end = at_ + 1;
        while (end < text_.size() && is_digit(text_[end])) ++end;
        if (end == at_ + 1 || end >= text_.size() || text_[end] != ')') return;
        const std::size_t behind = text_.find_first_not_of(" \t", end + 1);
        if (behind != text_.npos && text_[behind] == '[') at_ = behind;
        else if (word == "Array")
            refuse("Array(…) stands for numbers that are not printed: print them with JSON.stringify(x)");
    }
    // NaN and infinity, in JSON quoted.
    bool number_word(const std::string& written) {
        std::string word = written;
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const bool is_negative = word.starts_with('-');
        if (is_negative || word.starts_with('+')) word.erase(0, 1);
        if (word == "nan" || word == "null" || word == "nan32" || written == "NA" || written == "None")
            add({NAN, 0});
        else if (word == "inf" || word == "infinity" || word == "inf32")
            add({is_negative ? -INFINITY : INFINITY, 0});
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

    // The word of a number at `at`: a sign belongs to it behind the letter of an exponent.
    std::string number_text(std::size_t at) const {
        const auto char_at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
        const auto is_sign = [](char c) { return c == '-' || c == '+'; };
        std::string word;
        if (is_sign(char_at(at))) word += char_at(at++);
        for (;; ++at) {
            const char c = char_at(at), before = word.empty() ? '\0' : word.back();
            const bool is_exponent = std::string_view("eEfFdD").find(before) != std::string_view::npos &&
                                     before != '\0' && word.size() > 1 &&
                                     (is_digit(word[word.size() - 2]) || word[word.size() - 2] == '.');
            if (std::isalnum(static_cast<unsigned char>(c)) || c == '.' ||
                (c == '_' && std::isalnum(static_cast<unsigned char>(char_at(at + 1)))) ||
                (is_sign(c) && is_exponent && is_digit(char_at(at + 1))))
                word += c;
            else return word;
        }
    }
    void number() {
        const std::string word = number_text(at_);
        at_ += word.size();
        if (number_word(word)) return;
        const std::optional<Number> value = number_of(word);
        if (!value) refuse_number(word);
        if (text_.substr(at_).starts_with("*^")) return wolfram(*value);
        // Numbers of rows: R's "1: 0.5 0.2", and print(i, row)'s "1 [0.5 0.2]".
        if (value->is_integer && !array_ && !(table_ && table_->has_begun_line())) {
            const std::size_t behind = std::min(text_.find_first_not_of(" \t", at_), text_.size());
            if (here() == ':' && behind == at_ && at_ + 1 < text_.size() &&
                (is_blank(text_[at_ + 1]) || text_[at_ + 1] == '['))
                return void(++at_);
            if (behind < text_.size() && text_[behind] == '[') return void(at_ = behind);
        }
        add(*value);
    }
    void wolfram(const Number& number) {  // 1.5*^-5
        const std::string exponent = number_text(at_ += 2);
        at_ += exponent.size();
        const std::optional<Number> power = number_of(exponent);
        if (!power || !power->is_integer) refuse_word("*^" + exponent);
        const double factor = std::pow(10, power->value);
        add({number.value * factor, number.half_width * factor});
    }
    [[noreturn]] void refuse_number(const std::string& word) const {
        if (word == "-" && here() == '-')
            refuse("'--' is a masked number: hand in all of them, as x.filled(0) or x.data has them");
        std::size_t at = at_;
        while (at < text_.size() && text_[at] == ' ') ++at;
        const bool is_sign = word == "-" || word == "+";
        const std::string imaginary = is_sign && at < text_.size() ? number_text(at) : word;
        if (is_imaginary(imaginary))
            refuse(
                fmt::format("real numbers expected, got the imaginary part '{}' of a complex one: hand in "
                            "the real parts",
                            glassbox::printable(imaginary)));
        refuse_word(word);
    }

    WrittenTable& table() {
        if (!table_) table_.emplace(name_);
        return *table_;
    }
    void add(Number number) {
        number.value *= factor_, number.half_width *= std::abs(factor_);
        if (array_) {
            array_->add(number);
            return check(*array_);
        }
        if (is_list_of_steps_) return;  // "schema": 1
        if (table_hint_.empty() && !table().has_numbers() && last_words_.size() == 1)
            table_hint_ = last_words_[0];
        table().add(number);
    }

    // for row in x: print(row)
    void stack_rows() {
        std::vector<Found> all;
        for (std::size_t i = 0; i < found_.size();) {
            const std::size_t begin = i++;
            while (i < found_.size() && is_further_row(found_[i], found_[begin])) ++i;
            if (i - begin > 1) stack(begin, i);
            all.push_back(std::move(found_[begin]));
        }
        found_ = std::move(all);
    }
    static bool is_further_row(const Found& row, const Found& first) {
        return row.is_size == first.is_size && row.array.step.empty() && row.hint.empty() &&
               first.array.value.rank() == 1 && row.array.value.shape() == first.array.value.shape();
    }
    // A tuple is the shape of the array beside it if their sizes agree.
    void drop_sizes() {
        std::vector<Found> all;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const bool is_of_next = i + 1 < found_.size() && is_size_of(found_[i], found_[i + 1]);
            if (is_of_next) {
                if (found_[i + 1].array.step.empty()) found_[i + 1].array.step = found_[i].array.step;
                if (found_[i + 1].hint.empty()) found_[i + 1].hint = found_[i].hint;
            } else if (all.empty() || !is_size_of(found_[i], all.back())) {
                all.push_back(std::move(found_[i]));
            }
        }
        found_ = std::move(all);
    }
    static bool is_size_of(const Found& size, const Found& array) {
        if (!size.is_size || array.is_size) return false;
        const std::vector<real> own = size.array.value.values();
        return static_cast<double>(array.array.value.numel()) == count_of({own.begin(), own.end()});
    }
    std::vector<HandInArray> named_arrays() {
        std::vector<HandInArray> arrays;
        for (Found& each : found_) {
            arrays.push_back(std::move(each.array));
            if (arrays.back().step.empty() && found_.size() > 1) arrays.back().step = each.hint;
        }
        return arrays;
    }
    void stack(std::size_t begin, std::size_t end) {
        HandInArray& all = found_[begin].array;
        const index_t width = all.value.numel();
        std::vector<real> values;
        std::vector<double> widths;
        bool is_rounded = false;
        for (std::size_t i = begin; i < end; ++i) {
            const std::vector<real> own = found_[i].array.value.values();
            std::vector<double> half_width = found_[i].array.half_width;
            is_rounded = is_rounded || !half_width.empty();
            half_width.resize(own.size());
            values.insert(values.end(), own.begin(), own.end());
            widths.insert(widths.end(), half_width.begin(), half_width.end());
        }
        all.value = Tensor(Shape{static_cast<index_t>(end - begin), width}, values);
        all.half_width = is_rounded ? widths : std::vector<double>();
        all.others.clear();
        all.is_of_several = true;
        all.how = fmt::format("{} arrays of {} numbers are taken as the rows of one", end - begin, width);
    }
    // frame.to_json(orient="split")
    static std::vector<HandInArray> without_pandas_axes(std::vector<HandInArray> arrays) {
        const auto named = [&](std::string_view name) {
            return std::find_if(arrays.begin(), arrays.end(),
                                [&](const HandInArray& each) { return each.step == name; });
        };
        if (arrays.size() != 3 || named("columns") == arrays.end() || named("index") == arrays.end() ||
            named("data") == arrays.end())
            return arrays;
        HandInArray data = *named("data");
        data.step.clear();
        return {data};
    }

    std::string_view text_;
    const std::string& file_;
    bool is_masked_;          // NumPy's masked_array(data=…, mask=…)
    bool has_cells_ = false;  // ';' stands between numbers, not rows
    std::size_t at_ = 0;
    std::string name_, array_name_, key_, hint_, table_hint_;
    std::vector<std::string> line_words_, last_words_;  // of this line; of the last one with words alone
    bool is_list_of_steps_ = false;
    double factor_ = 1;
    std::vector<index_t> columns_of_;  // the shape of numbers that stand column by column
    std::optional<BracketedArray> array_;
    std::optional<WrittenTable> table_;
    std::vector<Found> found_;
};

// Where commas may be decimal points: read in both ways, if both can be read.
std::vector<HandInArray> in_two_readings(const std::string& text, const std::string& points,
                                         const std::string& file) {
    std::vector<HandInArray> other;
    try {
        other = Reader(points, file).arrays();
    } catch (const FileError&) {
        return Reader(text, file).arrays();
    }
    std::vector<HandInArray> arrays;
    try {
        arrays = Reader(text, file).arrays();
    } catch (const FileError&) {
        return other;
    }
    if (arrays.size() == 1 && other.size() == 1)
        arrays[0].others.push_back(
            {other[0].value, other[0].half_width, "commas are taken as decimal points"});
    return arrays;
}

}  // namespace

std::vector<HandInArray> parse_written(std::string_view bytes, const std::string& file) {
    const std::string text = with_marks(with_plain_characters(bytes));
    const DecimalCommas commas = decimal_commas(text);
    if (commas == DecimalCommas::none) return Reader(text, file).arrays();
    const std::string points = with_decimal_points(text);
    if (commas == DecimalCommas::certain) return Reader(points, file).arrays();
    return in_two_readings(text, points, file);
}

}  // namespace tracer
