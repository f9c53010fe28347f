#include "subject/submitted_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "subject/found_array.h"
#include "subject/number_style.h"
#include "subject/written_calls.h"
#include "subject/written_data.h"
#include "subject/written_marks.h"
#include "subject/written_rows.h"
#include "subject/written_table.h"
#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

// "×10⁻¹", perhaps after a word.
bool has_power_of_ten(std::string_view word) {
    for (const std::string_view superscript : {"10⁻", "10⁺", "10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"})
        if (word.find(superscript) != word.npos) return true;
    return false;
}

bool continues_word(char c) { return is_letter(c) || is_digit(c) || c == '/' || c == '.'; }

std::vector<index_t> sizes_of(std::string_view text) {  // "3,2", as with_marks writes it
    std::vector<index_t> sizes;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        sizes.push_back(any_size);  // "?"
        std::from_chars(text.data(), text.data() + end, sizes.back());
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return sizes;
}

std::vector<std::string> names_in(std::string_view text) {  // "query,key"
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        names.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return names;
}

class Reader {
  public:
    Reader(std::string_view text, const std::string& file)
        : text_(text), file_(file), is_masked_(text.find("masked_array(") != text.npos) {
        int separated = 0;  // lines in which ';' separates numbers, not at the end
        for (std::size_t at = 0; (at = text.find(';', at)) != text.npos; ++at) {
            const std::size_t next = std::min(text.find_first_not_of(" \t\n", at + 1), text.size());
            if (next > at && text.substr(at, next - at).find('\n') == text.npos && next < text.size()) {
                ++separated;
                at = std::min(text.find('\n', at), text.size());
            }
        }
        has_cells_ = separated > 1 && text.find('[') == text.npos;
    }

    std::vector<SubmittedArray> arrays() {
        while (at_ < text_.size()) next();
        end_line();
        end_table();
        if (array_) refuse("a bracket is not closed");
        if (const std::string order = stack_rows(found_); !order.empty())
            refuse(fmt::format("the rows are numbered {}: all are needed, in the order of their numbers",
                               order));
        take_sizes(found_);
        const auto is_empty = [](const FoundArray& each) { return each.array.value.numel() == 0; };
        if (!std::all_of(found_.begin(), found_.end(), is_empty)) std::erase_if(found_, is_empty);
        for (FoundArray& each : found_)
            if (const std::string why = as_stated(each); !why.empty()) fail<FileError>("{}: {}", file_, why);
        std::vector<SubmittedArray> arrays = named_arrays();
        if (arrays.empty()) refuse("no numbers");
        return of_data(std::move(arrays), is_by_columns_, file_);
    }

  private:
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    [[noreturn]] void refuse(const std::string& why, std::size_t at) const {
        const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size()));
        fail<FileError>("{}:{}: {}", file_, std::count(text_.begin(), end, '\n') + 1, why);
    }
    [[noreturn]] void refuse(const std::string& why) const { refuse(why, at_); }
    [[noreturn]] void refuse_word(const std::string& word) const {
        refuse(fmt::format("expected numbers, got '{}': print the array alone, as print(x.tolist()) does",
                           printable(word)));
    }

    void next() {
        if (at_ == decimals_ && at_ < decimals_end_) at_ = decimals_end_;
        const char c = here();
        if (c == '\n') {
            ++at_;
            if (!array_) end_line();
        } else if (c == ';') {
            ++at_;
            if (array_) array_->end_row(), check(*array_);
            else if (!has_cells_) end_line();
        } else if (text_.substr(at_).starts_with("|>")) {  // R's and Julia's pipes
            refuse("a function after |> changes the numbers: submit what it returns");
        } else if (text_.substr(at_).starts_with("->") || text_.substr(at_).starts_with("=>")) {
            at_ += 2;
        } else if (c == '{') {
            ++at_;
            records_.emplace_back();
        } else if (c == '}') {
            ++at_;
            end_record();
        } else if (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == '(' || c == ')' ||
                   c == '>') {  // > is a prompt's
            ++at_;
        } else if (c == '[') {
            open();
        } else if (c == ']') {
            close();
        } else if (is_transposed()) {
            refuse("' after the numbers transposes them: submit what it returns");
        } else if (c == '"' || c == '\'') {
            quoted(c);
        } else if (text_.substr(at_).starts_with("...") || text_.substr(at_).starts_with("…")) {
            refuse_cut();
        } else if (is_letter(c)) {
            word();
        } else if (is_digit(c) || c == '-' || c == '+' || c == '.') {
            number();
        } else if (is_mark(c)) {
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
            if (table_ && table_->has_begun_line()) refuse("numbers outside brackets");
            const std::string hint = hinted();
            array_row_ = std::exchange(row_, std::nullopt);
            if (item_) array_row_ = std::exchange(item_, std::nullopt);
            end_table();
            array_.emplace();
            array_name_ = name_;
            hint_ = hint;
            is_matrix_ = false;
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
        if (!is_list_of_steps_ || key_ == "values") {
            put(is_of_records() ? of_records() : array_->done(array_name_), hint_);
            found_.back().row = array_row_;
        }
        array_.reset();
        first_record_.clear(), records_ended_ = 0;
        hint_.clear();
        factor_ = 1;
        if (!is_list_of_steps_) name_.clear();
    }
    // [{"index": 0, "a": 0.5}, …]: a table under its keys.
    bool is_of_records() const {
        return array_->is_list() && first_record_.size() > 1 && records_ended_ > 0 &&
               array_->numbers().size() == records_ended_ * first_record_.size();
    }
    SubmittedArray of_records() const {
        WrittenRows rows(records_ended_);
        std::size_t i = 0;
        for (const WrittenNumber& each : array_->numbers())
            rows[i++ / first_record_.size()].numbers.push_back(each);
        SubmittedArray array = matrix_of(array_name_, rows);
        array.others = other_readings(rows, first_record_);
        return array;
    }
    void end_line() {
        const bool has_numbers = table_ && table_->has_begun_line();
        if (table_) table_->end_line(at_);
        if (has_numbers) line_words_.clear();  // they name what is beside them
        if (!line_words_.empty()) last_words_ = std::exchange(line_words_, {});
    }
    void end_table() {
        if (!table_) return;
        table_->end_line(at_);
        line_words_.clear();
        if (table_->has_numbers()) {
            std::vector<SubmittedArray> arrays = table_->done();
            if (!table_->refusal().empty()) refuse(table_->refusal(), table_->refused_at());
            // "Epoch 1" before an array is not a separate array, and "loss 0.5" may be.
            if (arrays.size() == 1 && arrays[0].value.numel() == 1 && table_hint_.empty())
                table_hint_ = number_hint_;
            for (SubmittedArray& each : arrays) put(std::move(each), table_hint_);
            name_.clear();
            last_words_.clear();
        }
        table_.reset();
        table_hint_.clear();
        row_.reset(), item_.reset();
        factor_ = 1;
        is_matrix_ = false;
    }
    void put(SubmittedArray array, const std::string& hint) {
        if (const std::string coarse = factor_text(array); !coarse.empty()) {
            array.how += (array.how.empty() ? "" : ", ") + coarse;
            for (OtherReading& each : array.others) each.how += (each.how.empty() ? "" : ", ") + coarse;
        }
        if (const std::vector<index_t> sizes = std::exchange(columns_of_, {}); !sizes.empty()) {
            if (count_of(sizes) != static_cast<double>(array.value.numel()) || sizes.size() > Shape::max_rank)
                refuse(fmt::format("the sizes ({}) do not fit {} numbers", fmt::join(sizes, ", "),
                                   array.value.numel()));
            set_by_columns(array, sizes);
        }
        if (!axes_.empty() && array.value.numel() > 0) array.axes = std::exchange(axes_, {});
        found_.push_back({std::move(array), hint, false, std::exchange(stated_, std::nullopt)});
    }
    // names=('query', 'key'), after an array of PyTorch
    void names_setting(std::string_view text) {
        AxisNames names;
        for (std::size_t at = 0; (at = text.find_first_of("'\"", at)) != text.npos;) {
            const std::size_t end = std::min(text.find(text[at], at + 1), text.size());
            names.emplace_back(text.substr(at + 1, end - at - 1));
            at = std::min(end + 1, text.size());
        }
        if (!array_ && !found_.empty()) found_.back().array.axes = names;
    }
    // MATLAB's common factor of numbers, one of them large, leaves small ones few digits or none.
    std::string factor_text(const SubmittedArray& array) const {
        if (factor_ == 1 || array.half_width.empty()) return "";
        const std::vector<real> numbers = array.value.values();
        std::size_t coarse = 0;
        double half_width = 0;
        constexpr double two_digits = 20;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (std::abs(static_cast<double>(numbers[i])) >= two_digits * array.half_width[i]) continue;
            ++coarse, half_width = std::max(half_width, array.half_width[i]);
        }
        if (coarse == 0) return "";
        return fmt::format(
            "the common factor {:g} rounds to {:g}, and leaves {} of {} numbers less than two "
            "digits: they are judged no further (format long g shows more)",
            factor_, 2 * half_width, coarse, numbers.size());
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
        if (end == std::string_view::npos) return void(++at_);
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (array_) return;
        switch (which) {
            case stands_for::columns: {
                const std::vector<index_t> columns = sizes_of(inside);
                end_line();
                const bool is_next = !columns.empty() && columns[0] == 1 && table_ && !table_->awaits_slice();
                if (is_next && table_->has_numbers()) end_table();
                return table().columns(columns);
            }
            case stands_for::factor:
                factor_ = number_of(inside).value_or(WrittenNumber{1, 0}).value;
                return;
            case stands_for::by_columns:
                return end_table(), void(columns_of_ = sizes_of(inside));
            case stands_for::slice:
                end_line();
                factor_ = 1;
                return table().slice({sizes_of(inside.substr(1)), inside[0] == 'L'});
            case stands_for::row:
                if (here() == '\n') return void(item_ = sizes_of(inside)[0]);  // R's [[2]] of a list
                return table().number_row(sizes_of(inside)[0]);
            case stands_for::names:
                return check_names(inside);
            case stands_for::axes:
                return void(axes_ = names_in(inside));
            case stands_for::index:
                return table().indices(sizes_of(inside));
            case stands_for::shape:
                if (inside[0] != 'W') return stated(sizes_of(inside.substr(1)), inside[0] == 'L');
                return size(inside.substr(1), true);
            default:
                return size(inside, false);
        }
    }
    // "query:1,0,2"
    void check_names(std::string_view inside) const {
        const std::size_t colon = inside.find(':');
        const std::vector<std::string> names = names_in(inside.substr(colon + 1));
        const std::string axis = printable(std::string(inside.substr(0, colon)));
        const std::string question = question_of_order(fmt::format("the coordinates of {} are", axis), names);
        if (!question.empty()) refuse(question);
    }
    // The shape of the array that follows, or came before.
    void stated(const std::vector<index_t>& sizes, bool is_next) {
        end_table();
        if (is_next) stated_ = sizes;
        else if (!found_.empty() && !found_.back().is_size) found_.back().stated = sizes;
    }
    // The shape of what is beside it, if its words state it, or perhaps.
    void size(std::string_view inside, bool is_stated) {
        const std::string hint = hinted();
        const std::string name = name_;
        end_table();
        const std::vector<index_t> sizes = sizes_of(inside);
        const std::vector<real> values(sizes.begin(), sizes.end());
        found_.push_back(
            {{{name, Tensor(Shape{static_cast<index_t>(sizes.size())}, values), {}}}, hint, true});
        if (is_stated) found_.back().stated = sizes;
        name_.clear();
    }

    // The keys of JSON's records, which may be in another order in each: their numbers would change places.
    void end_record() {
        if (records_.empty()) return;
        const std::vector<std::string> keys = std::move(records_.back());
        records_.pop_back();
        if (const std::string order = out_of_order(keys); !order.empty())
            refuse(fmt::format("the keys {} are not in the order of their numbers", order));
        if (!array_ || keys.empty()) return;
        ++records_ended_;
        if (first_record_.empty()) first_record_ = keys;
        if (keys != first_record_)
            refuse(fmt::format("a record with the keys {}, but the first has {}: write all in one order",
                               printable(fmt::format("{}", fmt::join(keys, ", ")), 60),
                               printable(fmt::format("{}", fmt::join(first_record_, ", ")), 60)));
    }
    void add_key(const std::string& key) {
        if (!records_.empty()) records_.back().push_back(key);
    }

    // In the command's own JSON a step's numbers are its "values", under its "name".
    void set_name(const std::string& key) {
        if (!array_) end_table();
        key_ = key;
        if (key == "steps") is_list_of_steps_ = true, found_.clear();
        if (!is_list_of_steps_) name_ = key;
    }

    // MATLAB's and Julia's […]' and […].'
    bool is_transposed() const {
        const std::string_view rest = text_.substr(at_);
        return !array_ && (rest.starts_with("'") || rest.starts_with(".'")) && at_ > 0 &&
               (text_[at_ - 1] == ']' || text_[at_ - 1] == ')');
    }
    void quoted(char mark) {
        const std::size_t end = text_.find(mark, at_ + 1);
        if (end == std::string_view::npos) refuse("a quotation mark is not closed");
        const std::string inside(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        skip_blanks();
        const std::optional<WrittenNumber> number = number_of(inside);
        if (here() == ':' || here() == '=') {
            ++at_;
            add_key(inside);
            if (number && number->is_integer && !is_list_of_steps_)
                return;  // JavaScript's {"0": 0.5, "1": …}
            return set_name(inside);
        }
        if (key_ == "order" && (inside == "F" || inside == "f" || inside.starts_with("col")))
            is_by_columns_ = true;
        if (is_list_of_steps_ && key_ == "name") {
            name_ = inside;
        } else if (number) {
            WrittenNumber own = *number;
            own.is_quoted = true;
            add(own);
        } else if (key_ == "dims" && !is_list_of_steps_) {  // xarray's to_dict()
            axes_.push_back(inside);
        } else if (!number_word(inside) && !array_ && !is_list_of_steps_) {
            table().add_word(inside);
        }
    }

    void word() {
        const std::size_t begin = at_;
        const auto is_corner = [&] {  // query\key
            return text_[at_] == '\\' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1]);
        };
        while (at_ < text_.size() && (continues_word(text_[at_]) || is_corner())) ++at_;
        const std::string word(text_.substr(begin, at_ - begin));
        if (here() == '\'' && at_ + 1 < text_.size() && is_letter(text_[at_ + 1])) ++at_;  // Ada's values
        if (number_word(word)) return;
        if (has_power_of_ten(word))
            refuse(fmt::format("'{0}' may be a factor of the numbers: write it on its own line, as ×10⁻¹, "
                               "or multiply them",
                               printable(word)),
                   begin);
        if (here() == '!' && at_ + 1 < text_.size() && (text_[at_ + 1] == '[' || text_[at_ + 1] == '('))
            ++at_;  // Rust's vec![
        else check_call(begin);
        const bool is_type = here() == '[' || here() == '(';  // Float32[0.5 1.5], tensor([0.5, 1.5])
        skip_blanks();
        if (here() == '[' && !is_type && begin > 0 && text_[begin - 1] == '(' && !is_constructor(word))
            refuse(question_about_call({word, "["}, true), begin);  // Clojure's (reverse [0.5 1.5])
        if (here() != '=' && here() != ':') {
            // tensor( and array( may precede numbers, a column's name is above them, a row's left of them.
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
            if (word == setting) {
                const std::size_t from = at_;
                skip_setting();
                if (word == "shape") shape_setting(text_.substr(from, at_ - from));
                return;
            }
        if (word == "names" && here() == '(') {
            const std::size_t from = at_;
            skip_setting();
            return names_setting(text_.substr(from, at_ - from));
        }
        if (is_masked_ && (word == "mask" || word == "fill_value")) return skip_setting();
        add_key(word);
        // MATLAB's and Octave's "values =" above the numbers
        const std::size_t behind = text_.find_first_not_of(" \t", at_);
        is_matrix_ = !array_ && text_[at_ - 1] == '=' && (behind == text_.npos || text_[behind] == '\n');
        set_name(is_masked_ && word == "data" ? name_ : word);
    }
    // A function's name before numbers: sqrt([0.5, 1.5]) has others. The decimals of round([0.5], 4) are not
    // among them.
    void check_call(std::size_t begin) {
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (here() == '[' && (name.ends_with(".c_") || name.ends_with(".r_")))
            refuse(fmt::format("{}[…] is around the numbers: submit what it returns", name), begin);
        if (here() != '(' || at_ < calls_checked_to_ || is_constructor(name)) return;
        if (is_rounding(name) && at_ < decimals_end_) return;
        const std::size_t end = std::min(closing_parenthesis(text_, at_), text_.size());
        const WrittenCall call{name, text_.substr(at_ + 1, end - at_ - 1)};
        if (is_rounding(name)) return void((decimals_end_ = end, decimals_ = end - length_of_decimals(call)));
        calls_checked_to_ = end;
        const bool is_among_numbers = array_ || (table_ && table_->has_begun_line());
        if (const std::string question = question_about_call(call, is_among_numbers); !question.empty())
            refuse(question, begin);
    }
    // JavaScript's Float32Array(6) [0.5, …]; a bare Array(6) has no numbers.
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
    // shape=(3, 2) after an array
    void shape_setting(std::string_view text) {
        std::vector<index_t> sizes;
        for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
            const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
            std::from_chars(text.data() + at, text.data() + end, sizes.emplace_back(0));
            at = end;
        }
        if (!array_ && text.find_first_of("([") != text.npos) stated(sizes, false);
    }
    void skip_blanks() {
        while (here() == ' ' || here() == '\t') ++at_;
    }

    // The word of a number at `at`: a sign belongs to it after the letter of an exponent.
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
        const std::optional<WrittenNumber> value = number_of(word);
        if (!value || (may_be_unit(word) && !has_type_of(word))) refuse_number(word);
        if (text_.substr(at_).starts_with("*^")) return wolfram(*value);
        if (const std::size_t end = std::min(text_.find(')', at_), text_.size());
            here() == '(' && end > at_ + 1 &&
            std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                        text_.begin() + static_cast<std::ptrdiff_t>(end), is_digit))
            refuse(fmt::format("'{0}{1}' is followed by its uncertainty: submit the number alone, {0}", word,
                               text_.substr(at_, end + 1 - at_)));
        // Numbers of rows: R's "1: 0.5 0.2", and print(i, row)'s "1 [0.5 0.2]".
        if (value->is_integer && !array_ && !(table_ && table_->has_begun_line())) {
            const std::size_t behind = std::min(text_.find_first_not_of(" \t", at_), text_.size());
            const std::string_view rest = text_.substr(behind);
            const bool is_colon = here() == ':' && at_ + 1 < text_.size() &&
                                  (is_blank(text_[at_ + 1]) || text_[at_ + 1] == '[');
            if (is_colon || rest.starts_with("->") || rest.starts_with("=>") || rest.starts_with('[')) {
                at_ = is_colon ? at_ + 1 : behind;
                row_ = static_cast<index_t>(value->value);
                return;
            }
        }
        add(*value);
    }
    // 349m and 348546u: thousandths and millionths, but for the numbers of C# and C that are of these types.
    static bool may_be_unit(std::string_view word) {
        return word.ends_with('m') || word.ends_with('u') || word.ends_with('U');
    }
    bool has_type_of(std::string_view word) const {
        if (word.ends_with('m')) return text_.find("decimal") != text_.npos;
        return text_.find("unsigned") != text_.npos || text_.find("uint") != text_.npos;
    }
    void wolfram(const WrittenNumber& number) {  // 1.5*^-5
        const std::string exponent = number_text(at_ += 2);
        at_ += exponent.size();
        const std::optional<WrittenNumber> power = number_of(exponent);
        if (!power || !power->is_integer) refuse_word("*^" + exponent);
        const double factor = std::pow(10, power->value);
        add({number.value * factor, number.half_width * factor});
    }
    [[noreturn]] void refuse_number(const std::string& word) const {
        if (word == "-" && here() == '-')
            refuse("'--' is a masked number: submit all of them, as x.filled(0) or x.data has them");
        std::size_t at = at_;
        while (at < text_.size() && text_[at] == ' ') ++at;
        const bool is_sign = word == "-" || word == "+";
        const std::string imaginary = is_sign && at < text_.size() ? number_text(at) : word;
        if (is_imaginary(imaginary))
            refuse(fmt::format(
                "expected real numbers, got the imaginary part '{}' of a complex one: submit the real parts",
                printable(imaginary)));
        refuse_word(word);
    }

    WrittenTable& table() {
        if (!table_) table_.emplace(name_);
        return *table_;
    }
    void add(WrittenNumber number) {
        number.value *= factor_, number.half_width *= std::abs(factor_);
        if (array_) {
            array_->add(number);
            return check(*array_);
        }
        if (is_list_of_steps_) return;  // "schema": 1
        if (table_hint_.empty() && !table().has_numbers() && last_words_.size() == 1)
            table_hint_ = last_words_[0];
        if (!table().has_numbers()) number_hint_ = line_words_.size() == 1 ? line_words_[0] : "";
        if (row_) table().number_row(*std::exchange(row_, std::nullopt));
        if (is_matrix_) table().is_matrix();
        table().add(number);
    }

    std::vector<SubmittedArray> named_arrays() {
        std::vector<SubmittedArray> arrays;
        for (FoundArray& each : found_) {
            arrays.push_back(std::move(each.array));
            if (arrays.back().step.empty() && found_.size() > 1) arrays.back().step = each.hint;
        }
        return arrays;
    }
    std::string_view text_;
    const std::string& file_;
    bool is_masked_;          // NumPy's masked_array(data=…, mask=…)
    bool has_cells_ = false;  // ';' separates numbers, not rows
    std::size_t at_ = 0;
    std::size_t decimals_ = 0, decimals_end_ = 0;  // of a rounding's call, after its numbers
    std::size_t calls_checked_to_ = 0;
    std::string name_, array_name_, key_, hint_, table_hint_, number_hint_;
    std::vector<std::string> line_words_, last_words_;  // of this line; of the last one with only words
    bool is_list_of_steps_ = false;
    double factor_ = 1;
    bool is_matrix_ = false;                         // the numbers that follow are under "name ="
    std::optional<index_t> row_, array_row_;         // a row's number, before its numbers
    std::optional<index_t> item_;                    // the same of an R list's item, a line before
    std::optional<std::vector<index_t>> stated_;     // the shape of the array that follows
    std::vector<std::vector<std::string>> records_;  // the keys of the open { }
    std::vector<std::string> first_record_;          // of an array's first
    std::size_t records_ended_ = 0;                  // of it
    bool is_by_columns_ = false;                     // from JSON's "order": "F"
    AxisNames axes_;                                 // of the array that follows, as stated
    std::vector<index_t> columns_of_;                // the shape of numbers given column by column
    std::optional<BracketedArray> array_;
    std::optional<WrittenTable> table_;
    std::vector<FoundArray> found_;
};

// Where commas may be decimal points or separate thousands: read in both ways, if both can be read.
std::vector<SubmittedArray> in_two_readings(const std::string& text, const NumberStyle& style,
                                            const std::string& file) {
    std::vector<SubmittedArray> other;
    try {
        other = Reader(with_plain_numbers(text, style), file).arrays();
    } catch (const FileError&) {
        return Reader(text, file).arrays();
    }
    std::vector<SubmittedArray> arrays;
    try {
        arrays = Reader(text, file).arrays();
    } catch (const FileError&) {
        return other;
    }
    if (arrays.size() == 1 && other.size() == 1)  // before a 1 may be a row's number
        arrays[0].others.insert(arrays[0].others.begin(),
                                OtherReading{other[0].value, other[0].half_width,
                                             style.group == ',' ? "commas are taken as thousands separators"
                                                                : "commas are taken as decimal points",
                                             style.question});
    return arrays;
}

// 0,5580,1,9608: where every number is whole, each second comma may be a decimal point.
std::string question_about_commas(const std::string& text) {
    const std::size_t begin = std::min(text.find_first_of("-0123456789"), text.size());
    const std::size_t end = std::min(text.find_first_not_of("-0123456789,", begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    std::vector<std::size_t> commas;
    for (std::size_t at = 0; (at = line.find(',', at)) != line.npos; ++at) commas.push_back(at);
    if (commas.size() < 3 || text.find('.') != text.npos) return "";
    if (commas.size() > 3) line = line.substr(0, commas[3]);
    std::string numbers(line);
    numbers[commas[0]] = numbers[commas[2]] = '.';
    numbers.replace(commas[1], 1, " and ");
    return fmt::format("'{}' may be {}: write points before decimals", line, numbers);
}

std::vector<SubmittedArray> parsed(const std::string& plain, const std::string& file) {
    const std::string text = with_marks(plain);
    const NumberStyle style = number_style(text);
    if (style.is_plain()) {
        std::vector<SubmittedArray> arrays = Reader(text, file).arrays();
        const std::string commas = question_about_commas(text);
        for (SubmittedArray& each : arrays) each.doubt = style.doubt, each.comma_doubt = commas;
        return arrays;
    }
    if (!style.is_certain) return in_two_readings(text, style, file);
    if (!style.question.empty()) {
        const auto asked_at = text.begin() + static_cast<std::ptrdiff_t>(style.asked_at);
        fail<FileError>("{}:{}: {}", file, std::count(text.begin(), asked_at, '\n') + 1, style.question);
    }
    return Reader(with_plain_numbers(text, style), file).arrays();
}

}  // namespace

std::vector<SubmittedArray> parse_written(std::string_view bytes, const std::string& file) {
    const std::string plain = with_plain_characters(bytes);
    const std::optional<OtherText> other = other_text(plain);
    const auto refuse = [&] { fail<FileError>("{}: {}", file, other->why); };
    if (other && other->is_certain) refuse();
    try {
        std::vector<SubmittedArray> arrays = parsed(plain, file);
        for (SubmittedArray& each : arrays) each.formats = formats_named_in(plain);
        return arrays;
    } catch (const FileError&) {
        if (other) refuse();
        throw;
    }
}

}  // namespace glassbox::tracer
