#include "subject/written_axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>

#include "subject/written_text.h"

namespace glassbox::tracer {

namespace {

enum class Role { batch, head, query, key, feature };  // in the order of the axes

struct NamedRole {
    std::string_view name;
    Role role;
};
// A row and a column of a matrix mean a query and a key.
constexpr NamedRole roles[] = {
    {"batch", Role::batch},     {"sample", Role::batch},
    {"example", Role::batch},   {"head", Role::head},
    {"query", Role::query},     {"queries", Role::query},
    {"q", Role::query},         {"row", Role::query},
    {"r", Role::query},         {"i", Role::query},
    {"position", Role::query},  {"pos", Role::query},
    {"token", Role::query},     {"tok", Role::query},
    {"time", Role::query},      {"t", Role::query},
    {"key", Role::key},         {"k", Role::key},
    {"column", Role::key},      {"col", Role::key},
    {"c", Role::key},           {"j", Role::key},
    {"feature", Role::feature}, {"feat", Role::feature},
    {"d", Role::feature},       {"dim", Role::feature},
    {"channel", Role::feature}, {"embedding", Role::feature},
    {"d_model", Role::feature}, {"d_k", Role::feature},
    {"d_v", Role::feature},
};

// "query_index" and "Queries" are "query" and "queries".
std::string plain_name(std::string name) {
    for (char& c : name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (c == ' ' || c == '-' || c == '.') c = '_';
    }
    for (const std::string_view suffix : {"_index", "_idx", "_pos", "_position", "_id", "_token", "_no"})
        if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    return name;
}

std::optional<Role> role_of(const std::string& name) {
    const std::string plain = plain_name(name);
    if (plain.starts_with("seq")) return Role::query;  // seq_len and similar
    for (const NamedRole& each : roles)
        if (plain == each.name || (each.name.size() > 2 && plain == std::string(each.name) + "s"))
            return each.role;
    return std::nullopt;
}

struct Counted {
    std::string stem;
    int number;
};
std::optional<Counted> counted(const std::string& name) {
    std::size_t digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1])) --digits;
    if (digits == name.size() || name.size() - digits > 8) return std::nullopt;
    return Counted{name.substr(0, digits), std::stoi(name.substr(digits))};
}

// dim_0, dim_1: numbered, in the order of their array.
std::optional<std::vector<int>> numbers_of_one_stem(const AxisNames& names) {
    std::vector<int> numbers;
    std::string stem;
    for (const std::string& name : names) {
        const auto found = counted(name);
        if (!found || found->stem.empty() || (!numbers.empty() && found->stem != stem)) return std::nullopt;
        stem = found->stem;
        numbers.push_back(found->number);
    }
    return numbers;
}

}  // namespace

bool is_axis_name(const std::string& name) { return role_of(name).has_value(); }

std::string stem_of(const std::vector<std::string>& names) {
    std::string stem;
    for (const std::string& name : names) {
        const auto found = counted(name);
        if (!found || (&name != &names.front() && found->stem != stem)) return "";
        stem = found->stem;
    }
    while (!stem.empty() && !is_letter(stem.back())) stem.pop_back();
    while (!stem.empty() && stem.back() == '_') stem.pop_back();
    return stem;
}

std::vector<int> order_of_axes(const AxisNames& names) {
    std::vector<std::optional<int>> places;  // unknown axes stay where they are
    const auto numbers = numbers_of_one_stem(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (numbers) places.emplace_back((*numbers)[i]);
        else if (const auto role = role_of(names[i])) places.emplace_back(static_cast<int>(*role));
        else if (names.size() > 2 && (names[i] == "b" || names[i] == "h"))
            places.emplace_back(static_cast<int>(names[i] == "b" ? Role::batch : Role::head));
        else places.emplace_back();
    }
    std::vector<int> known;
    for (int i = 0; i < static_cast<int>(names.size()); ++i)
        if (places[static_cast<std::size_t>(i)]) known.push_back(i);
    std::vector<int> sorted = known;
    const auto place = [&](int axis) { return *places[static_cast<std::size_t>(axis)]; };
    std::sort(sorted.begin(), sorted.end(), [&](int a, int b) { return place(a) < place(b); });
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (place(sorted[i]) == place(sorted[i - 1])) return {};
    if (sorted == known) return {};
    std::vector<int> order(names.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i < known.size(); ++i) order[static_cast<std::size_t>(known[i])] = sorted[i];
    return order;
}

bool may_have_rows_of_keys(const AxisNames& names) {
    if (names.size() < 2) return false;
    const std::string rows = plain_name(names[names.size() - 2]), columns = plain_name(names.back());
    const auto is_of = [](const std::string& name, const char* word, const char* letter, const char* many) {
        return name == word || name == letter || name == many;
    };
    if (role_of(rows) && role_of(columns)) return false;  // both are known
    return is_of(rows, "key", "k", "keys") || is_of(columns, "query", "q", "queries");
}

void permute_axes(const std::vector<int>& order, Tensor& value, std::vector<double>& half_width) {
    if (!half_width.empty()) {
        const std::vector<real> widths(half_width.begin(), half_width.end());
        const std::vector<real> moved = contiguous(permute(Tensor(value.shape(), widths), order)).values();
        half_width.assign(moved.begin(), moved.end());
    }
    value = contiguous(permute(value, order));
}

std::string axes_text(const AxisNames& names) {
    std::vector<std::string> shown = names;
    for (std::string& name : shown)
        if (name.empty()) name = "…";
    return printable(fmt::format("({})", fmt::join(shown, ", ")));
}

}  // namespace glassbox::tracer
