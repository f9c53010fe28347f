#include <glassbox/series/read_series.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/series/detail/csv.h>
#include <glassbox/series/detail/marks_of_thousands.h>
#include <glassbox/series/detail/missing.h>
#include <glassbox/series/detail/time_column.h>
#include <glassbox/series/detail/written_time.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace {

using Row = std::vector<std::string>;

// The places of the chosen columns in a row.
struct Places {
    std::size_t time = 0;
    std::vector<std::size_t> values{};
};

std::size_t place_of(const std::string& file, const Row& header, const std::string& column) {
    const auto found = std::find(header.begin(), header.end(), column);
    if (found == header.end())
        fail<FileError>("{}: no column '{}'; there are {}", file, printable(column),
                        printable(fmt::format("{}", fmt::join(header, ", "))));
    if (std::find(found + 1, header.end(), column) != header.end())
        fail<FileError>("{}: two columns are named '{}'", file, printable(column));
    return static_cast<std::size_t>(found - header.begin());
}

Places places_of(const std::string& file, const Row& header, const SeriesColumns& columns) {
    Places places;
    if (!columns.time.empty()) places.time = place_of(file, header, columns.time);
    for (const std::string& column : columns.values) {
        places.values.push_back(place_of(file, header, column));
        if (places.values.back() == places.time)
            fail<FileError>("{}: column '{}' holds the times, not values", file, printable(column));
    }
    if (columns.values.empty())
        for (std::size_t i = 0; i < header.size(); ++i)
            if (i != places.time) places.values.push_back(i);
    if (places.values.empty())
        fail<FileError>("{}: line 1: expected a column of times and one of values or more, got '{}'{}", file,
                        printable(fmt::format("{}", fmt::join(header, ", "))),
                        header.size() == 1 && header[0].find(' ') != std::string::npos
                            ? ": columns are separated by commas, semicolons or tabs"
                            : "");
    return places;
}

bool is_moment(const std::string& cell) {
    try {
        parse_moment(cell);
        return true;
    } catch (const Error&) {
        return false;
    }
}

std::optional<double> signed_number(std::string_view cell) {
    return number_in(cell.substr(cell.starts_with('+') ? 1 : 0));
}

// With semicolons between the cells a comma is the decimal point.
std::string with_decimal_point(const std::string& cell, bool has_decimal_comma) {
    if (!has_decimal_comma || std::count(cell.begin(), cell.end(), ',') != 1) return cell;
    std::string number = cell;
    std::replace(number.begin(), number.end(), ',', '.');
    return signed_number(number) ? number : cell;
}

std::optional<double> number_of(const std::string& written, bool has_decimal_comma) {
    const std::string cell = with_decimal_point(written, has_decimal_comma);
    const std::optional<double> number = signed_number(cell);
    // -3.4028235e+38, a mark for missing values, is the lowest float rounded to eight digits.
    if (!number || !std::isfinite(static_cast<float>(*number))) return {};
    return number;
}

// Marks of thousands before decimals: 1,234.5 and 1.234,5.
bool has_groups_and_decimals(std::string_view cell) {
    const std::size_t comma = cell.find(','), point = cell.find('.');
    if (comma == std::string_view::npos || point == std::string_view::npos) return false;
    return comma < point ? has_groups(cell.substr(0, point), ',')
                         : has_groups(cell.substr(0, cell.find(',')), '.');
}

// Blanks or apostrophes between thousands: "10 047,35", "1'234.5".
bool has_other_groups(const std::string& cell, bool has_decimal_comma) {
    std::string number = cell;
    for (const std::string_view mark : {" ", "\u00a0", "\u202f", "\u2009", "'", "’"})
        for (std::size_t at = 0; (at = number.find(mark, at)) != std::string::npos;)
            number.erase(at, mark.size());
    return number != cell && signed_number(with_decimal_point(number, has_decimal_comma)).has_value();
}

// The rows of a file as they are: times, and the values, NaN where one is missing.
struct Table {
    std::vector<std::string> columns;
    std::vector<Moment> moments{};
    std::vector<index_t> lines{};
    std::vector<double> values{};  // row-major
    std::vector<std::string> notes{};
};

// A file that is read several times: its header, its times, its values.
class SeriesFile {
  public:
    SeriesFile(std::string file, std::string_view text, const SeriesColumns& chosen)
        : file_(std::move(file)), text_(text), chosen_(chosen) {
        CsvReader csv = reader();
        const std::optional<Row> header = csv.next();
        if (!header) fail<FileError>("{}: is empty: expected a header and a row for each time", file_);
        header_ = *header;
        if (is_moment(header_.front()))
            fail<FileError>("{}: line {}: expected a header that names the columns, got '{}'", file_,
                            csv.line(), printable(header_.front(), 60));
    }

    Table table();
    // The hint after an error in the times: that another column has them.
    std::string advice_on_times() const;

  private:
    CsvReader reader() const { return CsvReader(file_, text_); }
    void for_each_row(const std::function<void(const Row& row, index_t line)>& f) const;
    TimeCells column(std::size_t place) const;
    void choose_times(Places& places, std::vector<std::string>& notes) const;
    void leave_out_empty_end(Places& places) const;
    std::optional<std::size_t> dates_beside(std::size_t place) const;
    void judge(const std::vector<MarksOfThousands>& all, const Places& places, bool has_comma_dates,
               std::vector<std::string>& notes) const;
    std::string advice_on_split_times() const;
    void name_apart(const Places& places, Table& table) const;
    [[noreturn]] void refuse_number(const std::string& cell, index_t line, std::size_t place) const;

    std::string file_;
    std::string_view text_;
    const SeriesColumns& chosen_;
    Row header_;
};

void SeriesFile::for_each_row(const std::function<void(const Row&, index_t)>& f) const {
    CsvReader csv = reader();
    csv.next();
    while (const std::optional<Row> row = csv.next()) {
        if (row->size() != header_.size())
            fail<FileError>("{}: line {}: {} cells, and the header has {}", file_, csv.line(), row->size(),
                            header_.size());
        f(*row, csv.line());
    }
}

TimeCells SeriesFile::column(std::size_t place) const {
    TimeCells cells{header_[place]};
    const bool has_comma = reader().separator() == ';';
    for_each_row([&](const Row& row, index_t line) {
        cells.texts.push_back(with_decimal_point(row[place], has_comma));
        cells.lines.push_back(line);
    });
    return cells;
}

// ---- which column has the times

// 0, 1, 2 … or 1, 2, 3 …
bool counts_rows(const std::vector<std::string>& texts) {
    const bool from_0 = !texts.empty() && texts[0] == "0";
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i] != std::to_string(i + (from_0 ? 0 : 1))) return false;
    return texts.size() > 1;
}

bool is_one_of(std::string word, std::initializer_list<std::string_view> words) {
    for (char& c : word)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return std::find(words.begin(), words.end(), word) != words.end();
}

// As R and pandas call the names of rows when they write them.
bool is_called_row_names(const std::string& column) {
    return is_one_of(column, {"", "unnamed: 0", "rownames", "row.names", "row_names", "index", "x1", "...1"});
}

bool is_called_time(const std::string& column) {
    return is_one_of(column, {"time", "times", "date", "dates", "datetime", "timestamp", "year", "years",
                              "month", "quarter", "week", "day", "period", "t", "ds"});
}

bool are_even_numbers(const TimeCells& cells) {
    try {
        return spacing_of(time_column(cells, TimesAs::automatic, "").moments, cells.lines, true).rows.size() >
               1;
    } catch (const Error&) {
        return false;
    }
}

std::optional<std::size_t> SeriesFile::dates_beside(std::size_t place) const {
    CsvReader csv = reader();
    csv.next();
    const std::optional<Row> first = csv.next();  // of a wide file few columns are examined further
    for (std::size_t i = 0; i < header_.size(); ++i)
        if (i != place && first && i < first->size() && may_be_date((*first)[i]) &&
            are_dates(column(i).texts))
            return i;
    return {};
}

// A first column that counts the rows is not the time where another one is.
void SeriesFile::choose_times(Places& places, std::vector<std::string>& notes) const {
    if (!chosen_.time.empty() || header_.size() < 2 || !counts_rows(column(0).texts)) return;
    const std::string& counter = header_[0];
    std::optional<std::size_t> times = dates_beside(0);
    for (std::size_t i = 1; i < header_.size() && !times && is_called_row_names(counter); ++i)
        if (is_called_time(header_[i]) && are_even_numbers(column(i))) times = i;
    const auto is_chosen = [&](std::size_t place) {
        return !chosen_.values.empty() &&
               std::find(places.values.begin(), places.values.end(), place) != places.values.end();
    };
    if (times && !is_chosen(*times)) {
        places.time = *times;
        std::erase(places.values, *times);
        notes.push_back(fmt::format("the times are those of {}; the first column{} only counts the rows",
                                    printable(header_[*times]),
                                    counter.empty() ? "" : ", " + printable(counter) + ","));
    } else if (is_called_row_names(counter)) {
        notes.push_back(
            fmt::format("the times are the numbers of the rows, of the first column; {} takes another",
                        chosen_.words.time));
    }
}

bool has_points_in_date(const std::string& text) {
    return std::count(text.begin(), text.end(), '.') == 2 && text.size() > 4 && text[text.size() - 5] == '.';
}

// A separator at the end of every line makes no column.
void SeriesFile::leave_out_empty_end(Places& places) const {
    const std::size_t last = header_.size() - 1;
    if (!chosen_.values.empty() || last == places.time || places.values.size() < 2 || !header_[last].empty())
        return;
    const std::vector<std::string> texts = column(last).texts;
    if (std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); }))
        std::erase(places.values, last);
}

// A date in separate columns: year, month and day; date and hour.
std::string SeriesFile::advice_on_split_times() const {
    std::vector<std::string> parts;
    for (const std::string& column : header_)
        if (is_one_of(column, {"year", "month", "day", "date", "hour", "time", "minute", "jahr", "monat",
                               "tag", "yyyy", "yr", "mm", "mo", "dd", "hh", "quarter"}))
            parts.push_back(printable(column));
    if (parts.size() < 2) return "";
    return fmt::format(
        "; the times are in the columns {}: write them in one, as 1958-03-29 or "
        "1958-03-29T12:00",
        fmt::join(parts, ", "));
}

std::string SeriesFile::advice_on_times() const {
    if (!chosen_.time.empty()) return "";
    if (const std::string split = advice_on_split_times(); !split.empty()) return split;
    if (const auto dates = dates_beside(0))
        return fmt::format("; column '{0}' has dates: {1} {0}", printable(header_[*dates]),
                           chosen_.words.time);
    return "";
}

// ---- values

// Whether the point or comma before three digits, the same in all columns, separates thousands: another
// column may show it, and the way in which dates are written.
void SeriesFile::judge(const std::vector<MarksOfThousands>& all, const Places& places, bool has_comma_dates,
                       std::vector<std::string>& notes) const {
    const auto any = [&](auto is) { return std::any_of(all.begin(), all.end(), is); };
    const bool has_other = any([](const auto& each) { return each.has_other_decimals(); });
    const bool is_decimal = any([](const auto& each) { return each.has_decimals(); });
    for (const std::size_t place : places.values) {
        const MarksOfThousands& marks = all[place];
        const bool is_unclear =
            marks.are_unclear() || (marks.are_all() && !is_decimal && (has_other || has_comma_dates));
        if (is_unclear && reader().separator() != ',')  // where they may be other countries' numbers
            fail<FileError>("{}: line {}, column '{}': '{}' may be {} or {}: write {}, or {}0 for the latter",
                            file_, marks.line(), printable(header_[place]), marks.example(),
                            marks.without_marks(), with_decimal_point(marks.example(), true),
                            marks.without_marks(), marks.example());
        if (marks.are_all() && !is_decimal)
            notes.push_back(
                fmt::format("{}: all numbers have three digits after a {}, as {}, which is taken as {}: for "
                            "thousands write {}",
                            printable(header_[place]), marks.word(), marks.example(),
                            with_decimal_point(marks.example(), true), marks.without_marks()));
    }
}

// A column of text, of dates, or a word for what is missing.
void SeriesFile::refuse_number(const std::string& cell, index_t line, std::size_t place) const {
    const std::vector<std::string> texts = column(place).texts;
    const bool has_comma = reader().separator() == ';';
    const bool has_numbers = std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return signed_number(with_decimal_point(text, has_comma)).has_value();
    });
    const std::string name = printable(header_[place]);
    std::string advice;
    if (!has_numbers && are_dates(texts) && chosen_.time.empty() && are_dates(column(0).texts))
        advice = fmt::format("; it has dates, and the times are those of {}: {} names the columns to read",
                             printable(header_[0]), chosen_.words.values);
    else if (!has_numbers && are_dates(texts))
        advice = fmt::format("; this column has dates: {} {}", chosen_.words.time, name);
    else if (const std::string split = advice_on_split_times();
             !split.empty() && split.find(" " + name) != std::string::npos)
        advice = split;
    else if (has_groups(cell, ',') || has_groups_and_decimals(cell) || has_other_groups(cell, has_comma) ||
             (has_comma && cell.find('.') != std::string::npos))
        advice = fmt::format("; write {} without marks between thousands and with a point before decimals",
                             printable(cell, 60));
    else if (!has_comma && std::count(cell.begin(), cell.end(), ',') == 1)
        advice = "; with decimal commas the cells are separated by semicolons";
    else if (!has_numbers)
        advice = fmt::format("; no cell of this column is one: {} names the columns to read",
                             chosen_.words.values);
    else if (std::none_of(cell.begin(), cell.end(), [](char c) { return c >= '0' && c <= '9'; }))
        advice = fmt::format("; where it stands for a missing value: {} '{}'", chosen_.words.missing,
                             printable(cell, 60));
    fail<FileError>("{}: line {}, column '{}': expected a number, got '{}'{}", file_, line, name,
                    printable(cell, 60), advice);
}

// Columns of one name get their places after it.
void SeriesFile::name_apart(const Places& places, Table& table) const {
    const std::vector<std::string> names = table.columns;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto same = std::count(names.begin(), names.end(), names[i]);
        if (same < 2) continue;
        table.columns[i] = fmt::format("{} (column {})", names[i], places.values[i] + 1);
        if (std::find(names.begin(), names.end(), names[i]) == names.begin() + static_cast<std::ptrdiff_t>(i))
            table.notes.push_back(
                fmt::format("{} columns are named '{}': each is identified by its position", same, names[i]));
    }
}

Table SeriesFile::table() {
    Table table;
    Places places = places_of(file_, header_, chosen_);
    choose_times(places, table.notes);
    leave_out_empty_end(places);
    for (const std::size_t place : places.values) table.columns.push_back(printable(header_[place]));
    name_apart(places, table);
    TimeCells cells = column(places.time);
    if (cells.texts.empty()) fail<FileError>("{}: a header, but no row with a time and values", file_);
    TimeColumn times = time_column(cells, chosen_.times_as, chosen_.words.times_as);
    table.moments = std::move(times.moments), table.lines = std::move(cells.lines);
    table.notes.insert(table.notes.end(), times.notes.begin(), times.notes.end());
    MissingValues missing(chosen_.missing, chosen_.words.missing);
    const bool has_comma = reader().separator() == ';';
    std::vector<MarksOfThousands> points(header_.size(), MarksOfThousands('.')),
        commas(has_comma ? header_.size() : 0, MarksOfThousands(','));
    for_each_row([&](const Row& row, index_t line) {
        for (std::size_t place = 0; place < row.size(); ++place) {
            if (place == places.time) continue;
            points[place].look_at(row[place], line);
            if (has_comma) commas[place].look_at(row[place], line);
        }
        for (const std::size_t place : places.values) {
            const std::string& cell = row[place];
            if (missing.is_missing(with_decimal_point(cell, has_comma))) {
                table.values.push_back(std::numeric_limits<double>::quiet_NaN());
                continue;
            }
            const std::optional<double> number = number_of(cell, has_comma);
            if (!number) refuse_number(cell, line, place);
            table.values.push_back(*number);
        }
    });
    // 01.01.2019 is written where commas precede decimals.
    const bool has_comma_dates = reader().separator() != ',' && has_points_in_date(cells.texts[0]);
    judge(points, places, has_comma_dates, table.notes);
    if (has_comma) judge(commas, places, false, table.notes);
    missing.take_out_marks(table.columns, table.values);
    const std::vector<std::string> notes = missing.notes();
    table.notes.insert(table.notes.end(), notes.begin(), notes.end());
    return table;
}

// The rows at their places on an even grid; NaN for missing ones.
std::vector<double> on_grid(const Table& table, const std::vector<index_t>& rows) {
    const std::size_t width = table.columns.size(), length = static_cast<std::size_t>(rows.back()) + 1;
    // A single row far away must not cost memory without end.
    if (length > 100 * rows.size() + 1000)
        fail("{} rows cover {} evenly spaced times: more than 100 for each", rows.size(), length);
    std::vector<double> grid(length * width, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(table.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    grid.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(rows[i]) * width));
    return grid;
}

// ": 2021-03-28T02:00, which summer time leaves out" where this explains all that have no row.
std::string of_summer_time(const Spacing& spacing, index_t absent) {
    constexpr index_t max_absent = 12;
    if (absent > max_absent) return "";
    std::vector<std::string> times;
    for (std::size_t i = 1; i < spacing.rows.size(); ++i)
        for (index_t row = spacing.rows[i - 1] + 1; row < spacing.rows[i]; ++row) {
            const Moment moment{spacing.times.unit,
                                spacing.times.first + spacing.times.step * static_cast<double>(row)};
            if (!may_be_clock_change(moment)) return "";
            times.push_back(written(moment));
        }
    return fmt::format(": {}, which summer time leaves out", fmt::join(times, ", "));
}

// A packed file, a spreadsheet, JSON, a page: named, with what to type.
void refuse_what_is_no_csv(const Bytes& bytes, const std::string& file) {
    if (const std::optional<FileKind> kind = kind_of_file(bytes, file, Sought::text))
        fail<FileError>("{}: expected a CSV file, got {}{}{}", file, kind->what,
                        kind->advice.empty() ? "" : ": ", kind->advice);
}

}  // namespace

Series read_series(const std::filesystem::path& path, const SeriesColumns& columns) {
    const std::string file = display_name(path);
    const Bytes bytes = read_file(path, text_check(path, "a CSV file"));
    refuse_what_is_no_csv(bytes, file);
    SeriesFile lines(file, as_text(bytes), columns);
    bool is_about_times = true;
    try {
        Table table = lines.table();
        const Spacing spacing = spacing_of(table.moments, table.lines);
        is_about_times = false;
        Series series = filled_series(file, table.columns, spacing.times, on_grid(table, spacing.rows));
        const index_t absent = spacing.rows.back() + 1 - static_cast<index_t>(spacing.rows.size());
        if (absent > 0)
            table.notes.push_back(fmt::format("{} of {} times have no row{}", absent, spacing.rows.back() + 1,
                                              of_summer_time(spacing, absent)));
        if (!spacing.note.empty()) table.notes.push_back(spacing.note);
        series.notes.insert(series.notes.begin(), table.notes.begin(), table.notes.end());
        return series;
    } catch (const FileError&) {
        throw;
    } catch (const Error& error) {
        fail<FileError>("{}: {}{}", file, error.what(), is_about_times ? lines.advice_on_times() : "");
    }
}

}  // namespace glassbox
