#include <glassbox/series/detail/missing.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/words.h>

namespace glassbox::detail {
namespace {

std::string lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

// Those of FRED, the World Bank, Eurostat, spreadsheets, databases and programs.
bool is_word_for_missing(const std::string& cell) {
    constexpr std::array<std::string_view, 27> words{
        ".",      "..",      "...",     "-",     "--",    "---", "?",       ":",    "*",
        "n/a",    "#n/a",    "#na",     "<na>",  "none",  "nat", "n.a.",    "n.d.", "nil",
        "#null!", "#div/0!", "#value!", "#ref!", "#num!", "\\n", "missing", "–",    "—"};
    return std::find(words.begin(), words.end(), lower(cell)) != words.end();
}

// 99, 99.9, 999, 9999.99 …, or larger than anything that is measured: 1e20.
bool is_mark(double value) {
    const double size = std::abs(value);
    if (size >= 1e19) return true;
    if (size < 99) return false;
    std::string digits = fmt::format("{:.10g}", size);
    std::erase(digits, '.');
    return digits.find_first_not_of('9') == std::string::npos;
}

// The ends of what 16 and 32 bits hold, which programs write where they have no value.
bool is_end_of_integers(double value) {
    for (const double end : {-32768.0, 32767.0, -2147483648.0, 2147483647.0, 65535.0, 4294967295.0})
        if (value == end) return true;
    return false;
}

// Whether most values end in 9, as prices do: 99.99 is one beside 4.99 and 19.99.
bool are_prices(const std::map<double, index_t>& counts, double left_out) {
    index_t others = 0, nines = 0;
    for (const auto& [value, count] : counts) {
        if (value == left_out || value == 0) continue;
        others += count;
        if (fmt::format("{:.10g}", value).ends_with('9')) nines += count;
    }
    return others > 0 && 2 * nines >= others;
}

struct Range {
    double low = 0, high = 0;
    double spread() const { return high - low; }
};

std::optional<Range> range_without(const std::map<double, index_t>& counts, double left_out,
                                   bool without_marks) {
    std::optional<Range> range;
    for (const auto& [value, count] : counts) {
        if (value == left_out || (without_marks && is_mark(value))) continue;
        if (!range) range = Range{value, value};
        range->low = std::min(range->low, value), range->high = std::max(range->high, value);
    }
    return range;
}

// No measurement: farther from the others than these from each other, or the only one below 0.
bool is_far_mark(double value, index_t count, const Range& others) {
    const bool is_long = std::abs(value) > 100;  // 99 and 99.9 may be values more easily
    if (value < 0) {
        if (value >= others.low) return false;
        const bool is_far = others.low - value > std::max(others.spread(), 1e-9);
        return is_far || (others.low >= 0 && (is_long || count >= 3));
    }
    return value > others.high && others.spread() > 0 && value - others.high > 2 * others.spread() &&
           (is_long || count >= 3) && (count >= 2 || std::abs(value) > 1000);
}

// Numbers of nines beyond all others, again and again, and what occurs more often than any other value and is
// of nines or apart from them: these may be either.
bool may_be_mark(double value, index_t count, const Range& others, const std::map<double, index_t>& counts) {
    const bool is_long_mark = is_mark(value) && std::abs(value) > 100;
    if (is_long_mark && value < others.low && count >= 2) return true;
    if (is_long_mark && value > others.high && count >= 3 && others.spread() > 0) return true;
    if (count < 3 || value > -99) return false;
    const bool is_most_frequent = std::none_of(counts.begin(), counts.end(), [&](const auto& other) {
        return other.first != value && other.first != 0 && other.second >= count;
    });
    const bool is_apart = value < others.low && (others.low >= 0 || others.low - value > others.spread());
    return is_most_frequent && (is_mark(value) || is_apart);
}

// Values that repeat exactly, far below or above all others: −32768, 888.8. They may be real, as capped
// values are, so they are reported and kept. Columns of few different values, such as yes and no, have none.
std::vector<double> repeated_far_away(const std::map<double, index_t>& counts) {
    constexpr std::size_t min_values = 10;
    if (counts.size() < min_values + 1) return {};
    index_t all = 0;
    for (const auto& [value, count] : counts) all += count;
    const auto quantile = [&](double part, double left_out) {
        const auto without = static_cast<double>(all - counts.at(left_out));
        index_t passed = 0;
        for (const auto& [value, count] : counts)
            if (value != left_out && static_cast<double>(passed += count) >= part * without) return value;
        return counts.rbegin()->first;
    };
    std::vector<double> found;
    constexpr std::size_t few_values = 2000, outermost = 50;  // of very many, only those are far away
    std::size_t place = 0;
    for (const auto& [value, count] : counts) {
        const bool is_outer = ++place <= outermost || place + outermost > counts.size();
        if (count < 2 || (counts.size() > few_values && !is_outer)) continue;
        // From the others: a mark in a third of the rows would widen the range of all.
        const double low = quantile(0.25, value), high = quantile(0.75, value), width = 5 * (high - low);
        if (!(width > 0)) continue;
        const auto is_inside = [&](double each) { return each >= low - width && each <= high + width; };
        std::optional<Range> others;
        std::size_t different = 0;
        for (const auto& [other, unused] : counts) {
            if (other == value || !is_inside(other)) continue;
            if (!others) others = Range{other, other};
            others->high = other;
            ++different;
        }
        if (!others || different < min_values) continue;
        const double away = std::max(others->low - value, value - others->high);
        // Below all others, often: nearer than that, except for zeros of days without any.
        const bool is_often = 10 * count <= all || (value < 0 && 5 * count <= 2 * all);
        const bool is_floor =
            value <= 0 && others->low > 0 && count >= 3 && is_often && others->low - value > others->spread();
        if (away > 3 * others->spread() || is_floor) found.push_back(value);
    }
    return found.size() <= 2 ? found : std::vector<double>();
}

}  // namespace

bool MissingValues::is_missing(const std::string& cell) {
    const std::string word = lower(cell);
    if (cell.empty() || word == "na" || word == "nan" || word == "null") return true;
    const auto number = number_in(cell);
    const bool is_own = own_ && std::any_of(own_->begin(), own_->end(), [&](const std::string& own) {
                            return own == cell || (number && number_in(own) == number);
                        });
    if (!is_own && !is_word_for_missing(cell)) return false;
    ++words_[cell];
    return true;
}

void MissingValues::take_out(const std::string& column, std::vector<double*>& cells) {
    std::map<double, index_t> counts;
    for (const double* cell : cells)
        if (!std::isnan(*cell)) ++counts[*cell];
    const std::vector<double> far = repeated_far_away(counts);
    for (const auto& [value, count] : counts) {
        if (is_mark(value) && value > 0 && value < 1e5 && are_prices(counts, value)) continue;
        const bool marked = is_mark(value);
        const std::optional<Range> others = range_without(counts, value, marked);
        if (!others) continue;
        const std::string written = fmt::format("{:.10g}", value);
        if (marked && is_far_mark(value, count, *others)) {
            for (double* cell : cells)
                if (*cell == value) *cell = std::nan("");
            marks_.push_back(
                fmt::format("{}: {} in {} is read as missing, far from all other values, {:.6g} to "
                            "{:.6g}; {} none keeps it as a number",
                            column, written, counted(count, "row"), others->low, others->high, name_));
        } else if (may_be_mark(value, count, *others, counts) ||
                   (is_end_of_integers(value) && is_far_mark(value, count, *others)) ||
                   std::find(far.begin(), far.end(), value) != far.end()) {
            marks_.push_back(
                fmt::format("{}: {} occurs {} and is taken as a number; {} {} reads it as missing", column,
                            written, counted(count, "time"), name_, written));
        }
    }
}

void MissingValues::take_out_marks(const std::vector<std::string>& columns, std::vector<double>& values) {
    if (own_) return;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        std::vector<double*> cells;
        for (std::size_t at = c; at < values.size(); at += columns.size()) cells.push_back(&values[at]);
        take_out(columns[c], cells);
    }
}

std::vector<std::string> MissingValues::notes() const {
    std::vector<std::string> all;
    for (const auto& [word, count] : words_)
        all.push_back(fmt::format("{} with '{}' {} read as missing", counted(count, "cell"),
                                  printable(word, 60), count == 1 ? "is" : "are"));
    all.insert(all.end(), marks_.begin(), marks_.end());
    return all;
}

}  // namespace glassbox::detail
