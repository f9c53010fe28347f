#include <glassbox/mistakes/layout.h>

#include <algorithm>
#include <numeric>

#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace {

using Axes = std::vector<int>;
using Sizes = std::vector<index_t>;

Sizes without_ones(const Shape& shape) {
    Sizes sizes;
    for (const index_t size : shape)
        if (size != 1) sizes.push_back(size);
    return sizes;
}

Tensor as_tensor(const std::vector<double>& numbers, const Shape& shape) {
    return Tensor(shape, std::vector<real>(numbers.begin(), numbers.end()));
}

// The same views of the numbers and of their rounding.
class Rearranging {
  public:
    Rearranging(const SubmittedStep& submitted, const Shape& expected)
        : submitted_(submitted), expected_(expected) {}

    void as_shape(const std::string& how) {
        add([&](const Tensor& x) { return reshape(contiguous(x), expected_); }, how);
    }
    // Viewed as `sizes`, with these axes, then as expected.
    void permuted(const Sizes& sizes, const Axes& order, const std::string& how) {
        add(
            [&](const Tensor& x) {
                return reshape(contiguous(permute(reshape(contiguous(x), Shape(sizes)), order)), expected_);
            },
            how);
    }
    void repeated() {
        add([&](const Tensor& x) { return contiguous(broadcast_to(x, expected_)); },
            "the same for every entry of the leading axes");
    }
    std::vector<Rearranged> all;

  private:
    template <class View>
    void add(View view, const std::string& how) {
        const Shape& shape = submitted_.value.shape();
        std::vector<double> half_width;
        if (!submitted_.half_width.empty())
            for (const real width : view(as_tensor(submitted_.half_width, shape)).values())
                half_width.push_back(static_cast<double>(width));
        all.push_back({view(submitted_.value), std::move(half_width), how});
    }

    const SubmittedStep& submitted_;
    const Shape& expected_;
};

// Whether each axis of `given` is one of `expected`, or several that follow each other.
bool is_merged(const Shape& given, const Shape& expected) {
    const Sizes to = without_ones(given), from = without_ones(expected);
    std::size_t at = 0;
    for (const index_t size : to) {
        index_t merged = 1;
        while (merged < size && at < from.size()) merged *= from[at++];
        if (merged != size) return false;
    }
    return at == from.size();
}

// Whether the leading axes of `expected` are all that `given` lacks.
bool is_behind(const Shape& given, const Shape& expected) {
    if (given.rank() == 0 || given.rank() >= expected.rank()) return false;
    for (int back = 1; back <= given.rank(); ++back)
        if (given[-back] != expected[-back]) return false;
    return given.numel() < expected.numel();
}

std::string order_text(const Axes& order) {
    return fmt::format("with its axes in the order ({})", fmt::join(order, ", "));
}

std::string row_by_row(const Shape& expected) { return fmt::format("read as {}, row by row", expected); }

// Whether `order` turns axes of sizes `from` into `to`.
bool turns(const Sizes& from, const Axes& order, const Sizes& to) {
    for (std::size_t i = 0; i < order.size(); ++i)
        if (from[static_cast<std::size_t>(order[i])] != to[i]) return false;
    return true;
}

// An exchange of two equal last axes is a mistake, not an order of axes.
bool only_exchanges_the_last(const Axes& order) {
    const int n = static_cast<int>(order.size());
    for (int i = 0; i + 2 < n; ++i)
        if (order[static_cast<std::size_t>(i)] != i) return false;
    return true;
}

void add_orders(Rearranging& found, const Shape& given, const Shape& expected) {
    const Sizes from = without_ones(given), to = without_ones(expected);
    if (from.size() != to.size() || from.size() < 2 || from.size() > 5) return;
    Axes order(from.size());
    std::iota(order.begin(), order.end(), 0);
    while (std::next_permutation(order.begin(), order.end()))
        if (turns(from, order, to) && !(from == to && only_exchanges_the_last(order)))
            found.permuted(from, order, order_text(order));
}

// (…, h, T, d) and (…, T, h d): one is the other with the heads side by side.
void add_heads(Rearranging& found, const Shape& given, const Shape& expected) {
    const int r = expected.rank();
    if (given.rank() == r - 1 && r >= 3) {
        const index_t h = expected[-3], T = expected[-2], d = expected[-1],
                      rest = expected.numel() / std::max<index_t>(1, h * T * d);
        if (given[-1] == h * d && given[-2] == T)
            found.permuted({rest, T, h, d}, {0, 2, 1, 3}, "with its heads side by side");
    }
    if (given.rank() == r + 1 && given.rank() >= 3) {
        const index_t h = given[-3], T = given[-2], d = given[-1],
                      rest = given.numel() / std::max<index_t>(1, h * T * d);
        if (expected[-1] == h * d && expected[-2] == T)
            found.permuted({rest, h, T, d}, {0, 2, 1, 3}, "with its own head axis");
    }
}

// R, MATLAB and Julia make a vector of a matrix column by column.
void add_columns(Rearranging& found, const Shape& expected) {
    if (without_ones(expected).size() < 2) return;
    const Sizes sizes(expected.begin(), expected.end());
    Axes order(sizes.size());
    std::iota(order.rbegin(), order.rend(), 0);
    found.permuted({sizes.rbegin(), sizes.rend()}, order,
                   fmt::format("read as {}, column by column", expected));
}

}  // namespace

bool is_same_but_for_ones(const Shape& a, const Shape& b) { return without_ones(a) == without_ones(b); }

std::vector<Rearranged> rearrangements(const SubmittedStep& submitted, const Shape& expected) {
    const Shape given = submitted.value.shape();
    Rearranging found(submitted, expected);
    if (given == expected) found.all.push_back({submitted.value, submitted.half_width, ""});
    if (submitted.layout == SubmittedLayout::exact) return found.all;
    const bool any = submitted.layout == SubmittedLayout::any;
    if (is_behind(given, expected) && any) found.repeated();
    if (given.numel() != expected.numel() || given.numel() == 0) return found.all;
    if (given != expected && is_same_but_for_ones(given, expected))
        found.as_shape(any ? fmt::format("as {}: axes of size 1 are ignored", expected) : "");
    if (!any) {
        if (found.all.empty() && is_merged(given, expected)) found.as_shape(row_by_row(expected));
        return found.all;
    }
    add_orders(found, given, expected);
    add_heads(found, given, expected);
    if (found.all.empty()) found.as_shape(row_by_row(expected));
    if (without_ones(given).size() == 1) add_columns(found, expected);
    return found.all;
}

}  // namespace glassbox
