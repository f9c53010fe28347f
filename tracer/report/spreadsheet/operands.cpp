#include "report/spreadsheet/operands.h"

#include <algorithm>

namespace glassbox::tracer::spreadsheet {
namespace {

class Finder {
  public:
    Finder(const Graph& graph, const Plan& plan, std::size_t table)
        : graph_(graph), plan_(plan), table_(table) {}

    Operands found() {
        const Item& item = plan_.tables()[table_].item;
        if (item.node == Computation::none || item.is_gradient) return {};
        const Computation::Node& node = graph_.c.nodes[item.node];
        if (node.tensor.numel() == 0) return {};
        if (node.source != Computation::none) add(node.source, graph_.below(item.node, 0));
        for (const std::size_t part : node.parts) add(part, 0);
        if (const Equation* is = graph_.forward[item.node]; is && node.source == Computation::none)
            for (const Read& read : is->reads) add(*is, read);
        std::erase_if(operands_.above, [&](const Operands::Above& each) { return is_beside(each.table); });
        return std::move(operands_);
    }

  private:
    bool is_beside(std::size_t table) const {
        return std::find(operands_.beside.begin(), operands_.beside.end(), table) != operands_.beside.end();
    }

    void add(std::size_t node, index_t element) {
        if (graph_.c.nodes[node].tensor.numel() == 0) return;
        const Plan::Found found = plan_.find({node}, element);
        if (found.kind == Plan::Found::cell) {
            if (!is_beside(found.table)) operands_.beside.push_back(found.table);
        } else if (found.kind == Plan::Found::inlined && graph_.forward[found.node]) {
            for (const Read& each : graph_.forward[found.node]->reads)
                add(graph_.c.find(each.tensor), each.base);
        }
    }

    void add(const Equation& equation, const Read& read) {
        if (const auto above = above_of(equation, read)) operands_.above.push_back(*above);
        else add(graph_.c.find(read.tensor), read.base);
    }

    // A whole matrix, of which each column of the result reads one column, or one row, and every row the
    // same.
    std::optional<Operands::Above> above_of(const Equation& equation, const Read& read) const {
        const Table& result = plan_.tables()[table_];
        const int rank = equation.of.rank();
        if (rank == 0 || !read.by.empty() ||
            (rank > 1 && read.strides[static_cast<std::size_t>(rank) - 2] != 0))
            return std::nullopt;
        index_t terms = 1, next_term = 0;
        for (std::size_t l = 0; l < equation.loops.size(); ++l) {
            if (read.loop_strides[l] == 0 || equation.loops[l] < 2) continue;
            if (next_term != 0) return std::nullopt;
            terms = equation.loops[l];
            next_term = read.loop_strides[l];
        }
        const index_t columns = result.width(), next_column = read.strides.back();
        if (columns > 1 ? next_column == 0 : result.height() < 2) return std::nullopt;
        const Item item{graph_.c.find(read.tensor)};
        const Plan::Found first = plan_.find(item, read.base);
        if (first.kind != Plan::Found::cell || first.table == table_) return std::nullopt;
        const Table& above = plan_.tables()[first.table];
        if (above.tensor.numel() == 0 || above.item.is_gradient ||
            first.element % (above.width() * above.height()) != 0)
            return std::nullopt;
        const bool is_same_place = next_term == 0 && result.height() < 2;  // of the only row
        if (is_same_place && above.kind != Table::Kind::parameter) return std::nullopt;
        const auto runs = [&](index_t next, index_t count, index_t step) {
            if (count < 2) return true;
            const Plan::Found found = plan_.find(item, read.base + next);
            return found.kind == Plan::Found::cell && found.table == first.table &&
                   found.element == first.element + step;
        };
        if (above.width() == columns && above.height() == terms && runs(next_column, columns, 1) &&
            runs(next_term, terms, above.width()))
            return Operands::Above{first.table, false};
        if (above.height() == columns && above.width() == terms &&
            runs(next_column, columns, above.width()) && runs(next_term, terms, 1))
            return Operands::Above{first.table, true};
        return std::nullopt;
    }

    const Graph& graph_;
    const Plan& plan_;
    std::size_t table_;
    Operands operands_;
};

}  // namespace

Operands operands_of(const Graph& graph, const Plan& plan, std::size_t table) {
    return Finder(graph, plan, table).found();
}

}  // namespace glassbox::tracer::spreadsheet
