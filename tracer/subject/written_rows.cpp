#include "subject/written_rows.h"

#include <algorithm>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

bool is_count(const WrittenNumber& number, index_t expected) {
    return (number.is_integer || number.is_whole) && number.value == static_cast<double>(expected);
}

bool starts_counting(const WrittenNumber& number) { return is_count(number, 0) || is_count(number, 1); }

index_t whole(const WrittenNumber& number) { return static_cast<index_t>(number.value); }

// "0, 1, 2", shortened.
std::string list_of(const std::vector<std::string>& words) {
    const std::vector<std::string> first(
        words.begin(),
        words.begin() + std::min<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(words.size())));
    return fmt::format("{}{}", fmt::join(first, ", "), words.size() > 3 ? ", …" : "");
}

// As Polars, JSON's records and databases call the numbers of rows.
bool is_called_index(const std::string& name) {
    for (const char* index : {"index", "row_nr", "row_index", "row", "idx", "level_0", "rowid", "id"})
        if (name == index) return true;
    return false;
}

WrittenRows without_column(WrittenRows rows, std::size_t column) {
    for (WrittenRow& row : rows) row.numbers.erase(row.numbers.begin() + static_cast<std::ptrdiff_t>(column));
    return rows;
}

bool are_different(std::vector<std::string> words) {
    std::sort(words.begin(), words.end());
    return words.size() > 1 && std::adjacent_find(words.begin(), words.end()) == words.end();
}

WrittenRows without_first(const WrittenRows& rows) { return {rows.begin() + 1, rows.end()}; }

std::string word_of(const WrittenNumber& number) { return fmt::format("{:.10g}", number.value); }

// The first `axes` numbers of each row as the indices of its last.
std::optional<SubmittedArray> by_indices(const WrittenRows& rows) {
    std::vector<std::vector<index_t>> indices;
    std::vector<WrittenNumber> numbers;
    for (const WrittenRow& row : rows) {
        if (row.numbers.size() < 2) return std::nullopt;
        std::vector<index_t>& at = indices.emplace_back();
        for (std::size_t i = 0; i + 1 < row.numbers.size(); ++i) {
            const WrittenNumber& each = row.numbers[i];
            if (!each.is_integer || each.value < 0 || each.value > 1e6) return std::nullopt;
            at.push_back(whole(each));
        }
        numbers.push_back(row.numbers.back());
    }
    Indexed found = array_at_indices("", indices, numbers);
    if (!found.why.empty()) return std::nullopt;
    return std::move(found.array);
}

}  // namespace

bool counts_rows(const WrittenRows& rows, std::size_t column) {
    if (rows.empty()) return false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::vector<WrittenNumber>& numbers = rows[i].numbers;
        if (numbers.size() < 2 || column >= numbers.size()) return false;
        if (i == 0 ? !starts_counting(numbers[column])
                   : !is_count(numbers[column], whole(rows[0].numbers[column]) + static_cast<index_t>(i)))
            return false;
    }
    return true;
}

bool counts_columns(const WrittenRow& row, index_t before) {
    if (row.numbers.empty()) return false;
    const WrittenNumber& start = row.numbers[0];
    if (before > 0 ? !is_count(start, before) && !is_count(start, before + 1) : !starts_counting(start))
        return false;
    for (std::size_t i = 0; i < row.numbers.size(); ++i)
        if (!is_count(row.numbers[i], whole(start) + static_cast<index_t>(i))) return false;
    return true;
}

bool may_name_rows(const WrittenRows& rows) {
    bool has_digits = false;
    for (const WrittenRow& row : rows) {
        if (row.numbers.size() < 2 || !row.numbers[0].is_integer) return false;
        has_digits = has_digits || std::any_of(row.numbers.begin() + 1, row.numbers.end(),
                                               [](const WrittenNumber& each) { return !each.is_integer; });
    }
    return has_digits;
}

std::string rows_text(const WrittenRows& rows) {
    const bool is_quoted = rows[0].numbers[0].is_quoted && !rows[0].numbers[1].is_quoted;
    if (is_quoted && !counts_rows(rows)) return "the first column, in quotes, is taken as names of rows";
    return fmt::format("the first column {} is taken as {}", list_of(first_words(rows)),
                       counts_rows(rows) ? "row numbers" : "names of rows");
}

std::string columns_text(const WrittenRow& row) {
    std::vector<std::string> words;
    for (const WrittenNumber& each : row.numbers) words.push_back(word_of(each));
    return fmt::format("the first row {} is taken as {}", list_of(words),
                       words.size() == 1 ? "a column's name" : "column numbers");
}

std::vector<std::string> first_words(const WrittenRows& rows) {
    std::vector<std::string> words;
    for (const WrittenRow& row : rows)
        if (!row.numbers.empty()) words.push_back(word_of(row.numbers[0]));
    return words;
}

namespace {

// The places of single letters in the alphabet, if they are its first, in any order: a, b, d, c.
std::vector<int> places_of_letters(const std::vector<std::string>& names) {
    std::vector<int> places;
    for (const std::string& name : names) {
        const char first = !names[0].empty() && names[0][0] >= 'a' ? 'a' : 'A';
        if (name.size() != 1 || name[0] < first || name[0] > first + 25) return {};
        places.push_back(name[0] - first);
    }
    std::vector<int> sorted = places;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
        if (sorted[i] != static_cast<int>(i)) return {};
    return places;
}

// The numbers of names that differ in nothing else, t0 and t2, and are small: else none.
std::vector<int> counting_numbers(const std::vector<std::string>& names) {
    constexpr std::size_t few_letters = 3;
    if (names.size() >= few_letters)
        if (std::vector<int> places = places_of_letters(names); !places.empty()) return places;
    std::vector<int> numbers;
    std::string stem;
    for (const std::string& name : names) {
        std::size_t digits = name.size();
        while (digits > 0 && is_digit(name[digits - 1])) --digits;
        if (digits == name.size() || name.size() - digits > 8) return {};
        if (&name != &names.front() && name.compare(0, digits, stem) != 0) return {};
        stem = name.substr(0, digits);
        numbers.push_back(std::stoi(name.substr(digits)));
    }
    return numbers;
}

}  // namespace

std::string out_of_order(const std::vector<std::string>& names) {
    const std::vector<int> numbers = counting_numbers(names);
    std::vector<int> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == numbers) return "";
    // Years from the last on are names.
    if (sorted.front() > 1 && std::equal(numbers.begin(), numbers.end(), sorted.rbegin())) return "";
    for (std::size_t i = 0; i < sorted.size(); ++i)  // others may be the names of what was chosen
        if (sorted[i] != sorted.front() + static_cast<int>(i)) return "";
    return printable(list_of(names));
}

std::string question_of_order(const std::string& what, const std::vector<std::string>& names) {
    if (const std::string order = out_of_order(names); !order.empty())
        return fmt::format("{} {}: submit them in the order of their numbers", what, order);
    std::vector<int> numbers = counting_numbers(names);
    if (numbers.size() < 2) return "";
    const bool is_sorted = std::is_sorted(numbers.begin(), numbers.end());
    std::sort(numbers.begin(), numbers.end());
    const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
    const int n = static_cast<int>(numbers.size()), missing = numbers.back() - numbers.front() + 1 - n;
    if (numbers.front() > 1) return "";  // names of what was chosen
    const std::string list = printable(list_of(names));
    if (twice != numbers.end()) {
        const bool is_once = std::adjacent_find(twice + 1, numbers.end()) == numbers.end();
        return is_once && numbers.back() <= n
                   ? fmt::format("{} {}, {} twice: submit each once, or drop these numbers", what, list,
                                 *twice)
                   : "";
    }
    if (missing <= 0 || 2 * missing > n) return "";
    int first = numbers.front();
    for (const int each : numbers)
        if (each == first) ++first;
    return is_sorted ? fmt::format("{} {}, without {}: submit all, or drop these numbers", what, list, first)
                     : fmt::format("{} {}: submit all, in the order of their numbers", what, list);
}

std::string not_in_steps(const std::vector<index_t>& numbers) {
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        if (numbers[i] - numbers[i - 1] == numbers[1] - numbers[0] && numbers[1] > numbers[0]) continue;
        const std::size_t from = i < 2 ? 0 : i - 2;
        return fmt::format("{}{}{}", from > 0 ? "…, " : "",
                           fmt::join(numbers.begin() + static_cast<std::ptrdiff_t>(from),
                                     numbers.begin() + static_cast<std::ptrdiff_t>(i) + 1, ", "),
                           i + 1 < numbers.size() ? ", …" : "");
    }
    return "";
}

SubmittedArray matrix_of(const std::string& name, const WrittenRows& rows) {
    std::vector<WrittenNumber> numbers;
    for (const WrittenRow& row : rows) numbers.insert(numbers.end(), row.numbers.begin(), row.numbers.end());
    const auto n = static_cast<index_t>(rows.size()), d = static_cast<index_t>(rows[0].numbers.size());
    return array_of(name, n == 1 ? Shape{d} : Shape{n, d}, numbers);
}

Indexed array_at_indices(const std::string& name, const std::vector<std::vector<index_t>>& indices,
                         const std::vector<WrittenNumber>& numbers) {
    const std::size_t axes = indices[0].size();
    if (axes > static_cast<std::size_t>(Shape::max_rank)) return {{}, "more than 8 axes"};
    std::vector<index_t> least(axes, 1), size(axes, 0);
    for (const std::vector<index_t>& at : indices) {
        if (at.size() != axes) return {{}, "expected the same number of indices for every number"};
        for (std::size_t i = 0; i < axes; ++i)
            least[i] = std::min(least[i], at[i]), size[i] = std::max(size[i], at[i]);
    }
    const index_t first = *std::min_element(least.begin(), least.end());  // 0 or 1, of all axes
    double places = 1;
    for (index_t& each : size) each += 1 - first, places *= static_cast<double>(each);
    if (places != static_cast<double>(numbers.size()))
        return {{},
                fmt::format("{} numbers with their indices, of an array of {}: print all of them, as "
                            "x.toarray() or x.to_dense() does of a sparse one",
                            numbers.size(), Shape(size))};
    std::vector<WrittenNumber> ordered(numbers.size());
    std::vector<bool> is_set(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        index_t place = 0;
        for (std::size_t k = 0; k < axes; ++k) place = place * size[k] + indices[i][k] - first;
        if (is_set[static_cast<std::size_t>(place)])
            return {{}, fmt::format("two numbers at the indices ({})", fmt::join(indices[i], ", "))};
        is_set[static_cast<std::size_t>(place)] = true;
        ordered[static_cast<std::size_t>(place)] = numbers[i];
    }
    return {array_of(name, Shape(size), ordered)};
}

std::vector<index_t> sizes_line(const WrittenRows& rows) {
    if (rows.size() < 2 || rows[0].numbers.size() > static_cast<std::size_t>(Shape::max_rank)) return {};
    double product = 1, count = 0;
    std::vector<index_t> sizes;
    for (const WrittenNumber& each : rows[0].numbers) {
        if (!each.is_integer || each.value < 1 || each.value > 1e9) return {};
        product *= each.value;
        sizes.push_back(whole(each));
    }
    for (std::size_t i = 1; i < rows.size(); ++i) count += static_cast<double>(rows[i].numbers.size());
    return product == count ? sizes : std::vector<index_t>();
}

std::vector<OtherReading> other_readings(const WrittenRows& rows, const std::vector<std::string>& header) {
    std::vector<OtherReading> others;
    const auto add_array = [&](SubmittedArray array, const std::string& how,
                               const std::string& question = {}) {
        others.push_back({std::move(array.value), std::move(array.half_width), how, question});
    };
    const auto add = [&](const WrittenRows& left, const std::string& how, const std::string& question = {}) {
        if (!left.empty() && !left[0].numbers.empty()) add_array(matrix_of("", left), how, question);
    };
    const std::size_t width = rows[0].numbers.size();
    const bool counts = counts_rows(rows), columns = rows.size() > 1 && counts_columns(rows[0], 0);
    if (counts) add(without_column(rows, 0), rows_text(rows));
    if (columns) add(without_first(rows), columns_text(rows[0]));
    // A separate corner, "0", above the row numbers: index, 0, 1.
    if (columns && width > 1)
        if (const WrittenRows rest = without_first(rows); counts_rows(rest))
            add(without_column(rest, 0), columns_text(rows[0]) + ", " + rows_text(rest));
    if (!counts && width >= 2 && may_name_rows(rows)) {
        const std::string question = question_of_order("the rows are numbered", first_words(rows));
        if (header.size() == width || !question.empty())
            add(without_column(rows, 0), rows_text(rows), question);
        else if (are_different(first_words(rows)))
            add(without_column(rows, 0), rows_text(rows),
                fmt::format("the first column {} may name the rows: submit the numbers without it",
                            list_of(first_words(rows))));
    }
    if (width >= 2 && rows.size() > 1 && counts_rows(rows, width - 1))
        add(without_column(rows, width - 1), "the last column is taken as row numbers");
    if (const std::vector<index_t> sizes = sizes_line(rows); !sizes.empty()) {
        SubmittedArray array = matrix_of("", without_first(rows));
        array.value = Tensor(Shape(sizes), array.value.values());
        add_array(std::move(array),
                  fmt::format("the first line {} is taken as the sizes", fmt::join(sizes, " ")));
    }
    const bool is_index = counts && header.size() == width && is_called_index(header[0]);
    if (is_index && !others.empty()) others.front().is_of_header = true;
    for (OtherReading& each : readings_by_indices(rows, "", header)) others.push_back(std::move(each));
    if (counts)
        for (OtherReading& each : readings_by_indices(without_column(rows, 0), rows_text(rows), header))
            others.push_back(std::move(each));
    return others;
}

WrittenRows with_repeated_indices(const WrittenRows& rows) {
    WrittenRows all = rows;
    const std::size_t width = rows[0].numbers.size();
    for (std::size_t i = 1; i < all.size(); ++i) {
        std::vector<WrittenNumber>& numbers = all[i].numbers;
        if (numbers.size() < 2 || numbers.size() > width) return {};
        const auto missing = static_cast<std::ptrdiff_t>(width - numbers.size());
        const std::vector<WrittenNumber>& before = all[i - 1].numbers;
        numbers.insert(numbers.begin(), before.begin(), before.begin() + missing);
    }
    return all;
}

std::vector<OtherReading> readings_by_indices(const WrittenRows& rows, const std::string& how,
                                              const std::vector<std::string>& header) {
    constexpr std::size_t least = 3;  // two, and a number
    const std::size_t width = rows[0].numbers.size();
    if (width < least) return {};
    std::optional<SubmittedArray> found = by_indices(rows);
    if (!found) return {};
    OtherReading reading{std::move(found->value), std::move(found->half_width),
                         fmt::format("{}{}the {} {} columns are taken as indices", how,
                                     how.empty() ? "" : ", ", how.empty() ? "first" : "next", width - 1)};
    // The numbers may have no name, and the rows one that were left out.
    if (header.size() + 1 >= width && header.size() <= width + 1) {
        const auto first = header.begin() + (header.size() > width ? 1 : 0);
        reading.axes = {first, first + static_cast<std::ptrdiff_t>(width) - 1};
        reading.is_of_header = true;
    }
    return {reading};
}

}  // namespace glassbox::tracer
