#include <glassbox/mistakes/detail/evidence.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>

namespace glassbox::detail {

namespace {

using Numbers = std::vector<double>;

Numbers numbers_of(const Tensor& x) {
    const std::vector<real> values = x.values();
    return Numbers(values.begin(), values.end());
}

std::string place(std::size_t at, const Shape& shape) {
    std::vector<index_t> position(static_cast<std::size_t>(shape.rank()));
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        position[static_cast<std::size_t>(axis)] = static_cast<index_t>(at) % shape[axis];
        at /= static_cast<std::size_t>(shape[axis]);
    }
    return fmt::format("[{}]", fmt::join(position, ", "));
}

// Both tensors' numbers, and what is allowed between them.
struct Both {
    Tensor s, e;
    std::vector<double> tolerance;
    Numbers given = numbers_of(s), right = numbers_of(e);

    bool are_close(std::size_t i, double value) const {
        return std::abs(given[i] - value) <= tolerance[i] + 1e-4 * std::abs(value);
    }
    bool differs(std::size_t i) const {
        if (std::isnan(given[i]) && std::isnan(right[i])) return false;
        return !(given[i] == right[i] || std::abs(given[i] - right[i]) <= tolerance[i]);
    }
    bool gives(const Tensor& other) const {
        if (other.shape() != s.shape()) return false;
        const Numbers numbers = numbers_of(other);
        for (std::size_t i = 0; i < given.size(); ++i)
            if (!are_close(i, numbers[i])) return false;
        return true;
    }
    std::size_t width() const {
        return static_cast<std::size_t>(s.rank() > 0 ? std::max<index_t>(1, s.size(-1)) : 1);
    }
};

bool are_whole(const Numbers& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x == std::round(x); });
}

// Tokens, classes and labels, with −1 or −100 for those that do not count, or two numbers that encode others,
// as in masks and rows of 0 and 1.
bool are_codes(const Numbers& numbers) {
    const bool are_ids =
        std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0 || x == -1 || x == -100; });
    return (are_ids && are_whole(numbers)) ||
           (numbers.size() > 2 && std::set<double>(numbers.begin(), numbers.end()).size() <= 2);
}

std::string not_finite(const Both& both) {
    std::size_t nan = 0, infinite = 0, first = both.given.size();
    for (std::size_t i = both.given.size(); i-- > 0;) {
        if (!std::isfinite(both.right[i]) || std::isfinite(both.given[i])) continue;
        nan += std::isnan(both.given[i]), infinite += std::isinf(both.given[i]);
        first = i;
    }
    if (nan + infinite == 0) return "";
    return fmt::format("{} of {} numbers {} {}, the first at {}", nan ? nan : infinite, both.given.size(),
                       (nan ? nan : infinite) == 1 ? "is" : "are", nan ? "NaN" : "infinite",
                       place(first, both.s.shape()));
}

std::string constant(const Both& both) {
    std::size_t most = 0;
    for (std::size_t i = 0; i < both.right.size(); ++i)
        if (std::isfinite(both.right[i]) && std::abs(both.right[i]) < 1e9 &&
            std::abs(both.right[i]) > std::abs(both.right[most]))
            most = i;
    const bool all_zero = std::all_of(both.given.begin(), both.given.end(), [](double v) { return v == 0; });
    if (all_zero) return "all numbers are 0";
    if (both.right[most] == 0) return "";
    const double factor = both.given[most] / both.right[most], more = both.given[most] - both.right[most];
    bool is_factor = true, is_more = true;
    for (std::size_t i = 0; i < both.given.size(); ++i) {
        is_factor = is_factor && both.are_close(i, factor * both.right[i]);
        is_more = is_more && both.are_close(i, both.right[i] + more);
    }
    if (is_factor && both.given.size() > 1)
        return factor == -1 ? "every number has the wrong sign"
                            : fmt::format("every number is {:.4g} times the expected one", factor);
    return is_more && both.given.size() > 1 ? fmt::format("every number is {:.4g} {} the expected one",
                                                          std::abs(more), more > 0 ? "above" : "below")
                                            : "";
}

// Each row is a multiple of the right one, or off by a constant.
std::string constant_by_row(const Both& both) {
    const std::size_t width = both.width();
    if (width < 3 || both.given.size() == width || are_codes(both.right)) return "";
    bool factors = true, offsets = true;
    for (std::size_t row = 0; row < both.given.size(); row += width) {
        std::size_t most = row;
        for (std::size_t i = row; i < row + width; ++i)
            if (std::abs(both.right[i]) > std::abs(both.right[most])) most = i;
        const double factor = both.right[most] != 0 ? both.given[most] / both.right[most] : 1,
                     more = both.given[most] - both.right[most];
        for (std::size_t i = row; i < row + width; ++i) {
            factors = factors && both.are_close(i, factor * both.right[i]);
            offsets = offsets && both.are_close(i, both.right[i] + more);
        }
    }
    if (factors) return "each row is the expected one times its own factor";
    return offsets ? "each row is the expected one plus its own constant" : "";
}

// The numbers of each entry of an axis.
std::vector<Numbers> entries(const Tensor& x, int axis) {
    std::vector<Numbers> all;
    for (index_t i = 0; i < x.size(axis); ++i) all.push_back(numbers_of(slice(x, axis, i, i + 1)));
    return all;
}

bool are_alike(const Numbers& given, const Numbers& right) {
    return std::equal(given.begin(), given.end(), right.begin(),
                      [](double x, double y) { return std::abs(x - y) <= 1e-4 * std::abs(y); });
}

// Which right entry each is, every one once; empty if they are not all of them. What is in its place stays
// there: equal entries cannot be distinguished, and by themselves show no order.
std::vector<index_t> order_of(const std::vector<Numbers>& given, const std::vector<Numbers>& right) {
    const std::size_t n = right.size();
    std::vector<index_t> order(n, -1);
    std::vector<bool> is_used(n, false);
    for (std::size_t i = 0; i < n; ++i)
        if (are_alike(given[i], right[i])) order[i] = static_cast<index_t>(i), is_used[i] = true;
    bool is_shown = false;
    for (std::size_t i = 0; i < n; ++i) {
        if (order[i] >= 0) continue;
        std::size_t alike = 0;
        for (std::size_t j = n; j-- > 0;) {
            if (!are_alike(given[i], right[j])) continue;
            ++alike;
            if (!is_used[j]) order[i] = static_cast<index_t>(j);
        }
        if (order[i] < 0) return {};
        is_used[static_cast<std::size_t>(order[i])] = true;
        is_shown = is_shown || alike == 1;
    }
    return is_shown ? order : std::vector<index_t>{};
}

// The entries of one axis in another order.
std::string exchanged(const Both& both) {
    const int rank = both.s.rank();
    if (rank >= 2 && both.s.size(-1) == both.s.size(-2) && both.gives(contiguous(transpose(both.e))))
        return "it is transposed";
    if (are_codes(both.right)) return "";  // wrong ones are often some others' right ones
    const char* const names[] = {"columns", "rows", "heads or batch entries", "batch entries"};
    for (int back = 1; back <= std::min(rank, 4); ++back) {
        const index_t n = both.s.size(-back);
        if (n < 2 || n > 64) continue;
        const std::vector<index_t> order = order_of(entries(both.s, -back), entries(both.e, -back));
        if (!order.empty())
            return fmt::format("its {} are the expected ones in the order {}", names[back - 1],
                               fmt::join(order, ", "));
    }
    return "";
}

// Which entries of an axis differ, if not all do.
std::string only_some(const Both& both) {
    const int rank = both.s.rank();
    const char* const names[] = {"column", "row", "head or batch entry", "batch entry"};
    const Strides strides = contiguous_strides(both.s.shape());
    for (int back = std::min(rank, 4); back >= 1; --back) {
        const index_t n = both.s.size(-back);
        if (n < 2) continue;
        std::vector<bool> differs(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < both.given.size(); ++i)
            if (both.differs(i))
                differs[static_cast<std::size_t>(
                    (static_cast<index_t>(i) / strides[static_cast<std::size_t>(rank - back)]) % n)] = true;
        std::vector<index_t> wrong;
        for (index_t i = 0; i < n; ++i)
            if (differs[static_cast<std::size_t>(i)]) wrong.push_back(i);
        if (wrong.size() == static_cast<std::size_t>(n)) continue;
        const bool is_run = wrong.back() - wrong.front() + 1 == static_cast<index_t>(wrong.size());
        if (wrong.size() == 1) return fmt::format("only {} {} differs", names[back - 1], wrong[0]);
        if (is_run && wrong.back() == n - 1)
            return fmt::format("it differs from {} {} on", names[back - 1], wrong[0]);
        if (wrong.size() <= 8)
            return fmt::format("only these differ, on the axis of size {}: {} {}", n, names[back - 1],
                               fmt::join(wrong, ", "));
    }
    return "";
}

}  // namespace

std::string shown_difference(const Tensor& given, const Tensor& expected, const WithinTolerance& found) {
    const auto at = [&](const Tensor& x) {
        return without_nan_sign(static_cast<double>(x.values()[found.first]));
    };
    if (given.numel() == 1) return fmt::format("is {:.6g}, expected {:.6g}", at(given), at(expected));
    return fmt::format("{} is {:.6g}, expected {:.6g} ({} of {} numbers differ)",
                       place(found.first, given.shape()), at(given), at(expected), found.count,
                       given.numel());
}

std::string looks_like(const Tensor& given, const Tensor& expected, const std::vector<double>& tolerance) {
    const Both both{given, expected, tolerance};
    if (!both.gives(expected))  // numbers so near would also be the right ones times 1, or in the same order
        for (const auto& what : {not_finite, constant, exchanged, constant_by_row})
            if (std::string text = what(both); !text.empty()) return text;
    if (std::string text = only_some(both); !text.empty()) return text;
    if (are_codes(both.right) && are_whole(both.given)) return "";  // another code is not nearly right
    const int digits = digits_in_common(given, expected);
    return digits >= 2 ? fmt::format("the numbers agree to {} digits", digits) : "";
}

int digits_in_common(const Tensor& given, const Tensor& expected) {
    const Numbers s = numbers_of(given), e = numbers_of(expected);
    double apart = 0, size = 0;
    bool any = false;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (std::isnan(s[i]) != std::isnan(e[i])) return 0;
        if (!std::isfinite(s[i]) || !std::isfinite(e[i])) continue;
        if (std::abs(e[i]) > 1e9) continue;
        any = true;
        apart = std::max(apart, std::abs(s[i] - e[i])), size = std::max(size, std::abs(e[i]));
    }
    if (!any) return 0;
    return apart == 0 ? 15 : static_cast<int>(std::floor(std::log10(std::max(size, 1e-300) / apart)));
}

}  // namespace glassbox::detail
