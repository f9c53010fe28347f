#include "worksheet/column_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "explain/tensor_element.h"
#include "report/report.h"

namespace glassbox::tracer {
namespace {

// The column of the step `whole` that a number of `part` is; nullopt where it is computed.
std::optional<index_t> column_in(const Trace& trace, const Trace::Step& whole, const Trace::Step& part,
                                 index_t n) {
    Element element{part.made, place_of(part.made.shape(), n)};
    for (;;) {
        const Operation* op = trace.operation_of(element.tensor);
        const std::optional<Element> below = op ? below_view(element, *op) : std::nullopt;
        if (!below) return std::nullopt;
        element = *below;
        if (const Trace::Step* step = trace.step_of(element.tensor))
            return step->path == whole.path ? std::optional<index_t>(element.at.back()) : std::nullopt;
    }
}

struct Taken {
    std::string name;  // "Q"; empty: by no step, or by several
    index_t head = 0;
};

std::vector<Taken> taken_columns(const Trace& trace, const Trace::Step& whole) {
    std::vector<Taken> columns(static_cast<std::size_t>(whole.made.size(-1)));
    for (const Trace::Step& part : trace.steps()) {
        const int rank = part.made.rank();
        if (rank < 2 || part.path == whole.path || part.made.size(-1) >= whole.made.size(-1)) continue;
        for (index_t n = 0; n < part.made.numel(); ++n) {
            const std::optional<index_t> column = column_in(trace, whole, part, n);
            if (!column) break;
            const std::vector<index_t> at = place_of(part.made.shape(), n);
            columns[static_cast<std::size_t>(*column)] = {
                last_part(part.path), rank > 2 ? at[static_cast<std::size_t>(rank) - 3] : 0};
        }
    }
    return columns;
}

}  // namespace

std::vector<SheetMatrix::ColumnPart> column_parts(const Trace& trace, const std::string& path,
                                                  bool has_heads) {
    const Trace::Step& whole = trace.steps()[static_cast<std::size_t>(trace.position_of(path))];
    if (whole.made.rank() < 2 || whole.made.numel() == 0) return {};
    const std::vector<Taken> columns = taken_columns(trace, whole);
    std::vector<SheetMatrix::ColumnPart> parts;
    std::vector<index_t> heads;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].name.empty()) return {};
        if (parts.empty() || parts.back().words != columns[c].name) {
            parts.push_back({static_cast<index_t>(c), 0, columns[c].name});
            heads.push_back(columns[c].head);
        }
        ++parts.back().columns;
    }
    if (parts.size() < 2) return {};
    const bool repeats = std::count_if(parts.begin(), parts.end(),
                                       [&](const auto& each) { return each.words == parts[0].words; }) > 1;
    for (std::size_t i = 0; i < parts.size() && has_heads && repeats; ++i)
        parts[i].words += fmt::format(" of head {}", heads[i]);
    return parts;
}

}  // namespace glassbox::tracer
