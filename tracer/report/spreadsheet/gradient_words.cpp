#include "report/spreadsheet/gradient_words.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "cli/number.h"
#include "explain/equation_value.h"
#include "explain/tensor_element.h"
#include "report/report.h"
#include "report/spreadsheet/formula.h"

namespace glassbox::tracer::spreadsheet {
namespace {

using Kind = Expression::Kind;

struct NoWords {};

// Text, and how strongly its last operator binds.
struct Words {
    enum Level { choice, sum, product, atom };
    std::string text;
    Level level = atom;
};

std::string within(const Words& words, Words::Level level) {
    return words.level < level ? "(" + words.text + ")" : words.text;
}

void add_factors(const Expression& e, std::vector<const Expression*>& factors) {
    if (e.kind != Kind::times) return factors.push_back(&e);
    for (const Expression& each : e.of) add_factors(each, factors);
}

class Writer {
  public:
    Writer(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

    // `corners`: the table's first element, the next one below it and the next one beside it; the first again
    // where there is none.
    Words gradient(std::size_t node, const std::vector<index_t>& corners) const {
        if (node == graph_.c.loss) return {"1"};
        std::optional<Words> total;
        const auto add = [&](const Words& words) {
            if (words.text == "0") return;  // of a name that nothing is computed from
            if (!total) total = words;
            else if ((" + " + total->text + " + ").find(" + " + words.text + " + ") == std::string::npos)
                total = Words{within(*total, Words::sum) + " + " + within(words, Words::sum), Words::sum};
        };
        for (const Equation* use : graph_.uses[node]) add(Place{*this, *use, corners}.words(*use->is));
        std::string others;  // of other columns: Q | K | V
        for (const auto* made : {&graph_.views[node], &graph_.concats[node]})
            for (const std::size_t each : *made) {
                std::vector<index_t> there;
                for (const index_t corner : corners)
                    for (const index_t above : graph_.above(each, node, corner)) there.push_back(above);
                if (there.empty()) others += " | " + of({each, true}, {0, 0, 0}).text;
                else if (there.size() == corners.size()) add(of({each, true}, there));
                else throw NoWords();
            }
        if (!total) total = Words{"0"};
        return others.empty() ? *total : Words{total->text + others, Words::sum};
    }

  private:
    // Named, or written out.
    Words of(const Item& item, const std::vector<index_t>& corners) const {
        const Plan::Found found = plan_.find(item, corners[0]);
        if (found.kind == Plan::Found::cell) {
            const Table& table = plan_.tables()[found.table];
            if (table.path.find(": ") != std::string::npos) throw NoWords();  // of an op between steps
            return {(item.is_gradient ? "∂" : "") + last_part(table.path)};
        }
        if (found.kind == Plan::Found::constant)
            return {root_or_number(graph_.c.nodes[found.node].tensor.to(Device::cpu).item())};
        std::vector<index_t> there;
        for (const index_t corner : corners) there.push_back(plan_.find(item, corner).element);
        if (item.is_gradient) return gradient(found.node, there);
        return Place{*this, *graph_.forward[found.node], there}.words(*graph_.forward[found.node]->is);
    }

    // An equation at the corners.
    struct Place {
        const Writer& writer;
        const Equation& equation;
        const std::vector<index_t>& corners;

        index_t element(const Read& read, index_t corner, std::size_t loop, index_t letter) const {
            const std::vector<index_t> place = place_of(equation.of.shape(), corner);
            index_t at = read.base;
            for (std::size_t axis = 0; axis < place.size(); ++axis) at += place[axis] * read.strides[axis];
            if (loop < read.loop_strides.size()) at += letter * read.loop_strides[loop];
            return at;
        }

        Item item(const Read& read) const { return {writer.graph_.c.find(read.tensor), read.is_gradient}; }

        Words read(const Expression& e) const {
            const Read& read = equation.reads[static_cast<std::size_t>(e.index)];
            if (!read.by.empty()) throw NoWords();
            std::vector<index_t> there;
            for (const index_t corner : corners)
                there.push_back(element(read, corner, read.loop_strides.size(), 0));
            return writer.of(item(read), there);
        }

        // Σ of a product of two matrices: A B, with ᵀ where the sum goes along rows of the second, or down
        // columns of the first.
        std::optional<Words> product(const Expression& e) const {
            std::vector<const Expression*> factors;
            add_factors(e.of[0], factors);
            if (e.of.size() > 1 || factors.size() != 2) return std::nullopt;
            std::vector<std::size_t> loops;
            for (std::size_t l = 0; l < equation.loops.size(); ++l)
                if (equation.loops[l] > 1) loops.push_back(l);
            if (loops.size() != 1) return std::nullopt;
            struct Factor {
                bool follows_row, follows_column, is_down;
                std::string name;
            };
            std::vector<Factor> of;
            for (const Expression* each : factors) {
                if (each->kind != Kind::read) return std::nullopt;
                const Read& r = equation.reads[static_cast<std::size_t>(each->index)];
                const auto find = [&](index_t corner, index_t letter) {
                    return writer.plan_.find(item(r), element(r, corner, loops[0], letter));
                };
                const Plan::Found first = find(corners[0], 0), next = find(corners[0], 1);
                if (first.kind != Plan::Found::cell || next.kind != Plan::Found::cell ||
                    next.table != first.table)
                    return std::nullopt;
                of.push_back({find(corners[1], 0).element != first.element,
                              find(corners[2], 0).element != first.element, next.element - first.element != 1,
                              read(*each).text});
            }
            const bool is_turned = of[0].follows_column || of[1].follows_row;
            const Factor &left = of[is_turned ? 1 : 0], &right = of[is_turned ? 0 : 1];
            const bool has_rows = corners[1] != corners[0], has_columns = corners[2] != corners[0];
            if (left.follows_column || right.follows_row || left.follows_row != has_rows ||
                right.follows_column != has_columns)
                return std::nullopt;
            return Words{fmt::format("{}{} {}{}", left.name, left.is_down ? "ᵀ" : "", right.name,
                                     right.is_down ? "" : "ᵀ"),
                         Words::product};
        }

        std::string condition(const Expression& e) const {
            return fmt::format("{} {} {}", within(words(e.of[0]), Words::product),
                               e.kind == Kind::equal ? "=" : ">", within(words(e.of[1]), Words::product));
        }

        static bool is_one(const Expression& e) { return e.kind == Kind::number && e.value == 1; }

        Words words(const Expression& e) const {
            switch (e.kind) {
                case Kind::number:
                    return {e.value == 0 ? "0" : number_text(e.value),
                            e.value < 0 ? Words::sum : Words::atom};
                case Kind::constant:
                    return {e.name};
                case Kind::read:
                    return read(e);
                case Kind::terms:
                    return {"n"};
                case Kind::plus:
                    return {within(words(e.of[0]), Words::sum) + " + " + within(words(e.of[1]), Words::sum),
                            Words::sum};
                case Kind::minus:
                    return {
                        within(words(e.of[0]), Words::sum) + " − " + within(words(e.of[1]), Words::product),
                        Words::sum};
                case Kind::times:
                    if (is_one(e.of[0]) || is_one(e.of[1])) return words(e.of[is_one(e.of[0]) ? 1 : 0]);
                    return {within(words(e.of[0]), Words::product) + " ∘ " +
                                within(words(e.of[1]), Words::product),
                            Words::product};
                case Kind::over:
                    return {
                        within(words(e.of[0]), Words::product) + " / " + within(words(e.of[1]), Words::atom),
                        Words::product};
                case Kind::negative:
                    return {"−" + within(words(e.of[0]), Words::product), Words::sum};
                case Kind::function:
                    if (e.name == "square") return {within(words(e.of[0]), Words::atom) + "²"};
                    if (e.name == "sqrt") return {"√" + within(words(e.of[0]), Words::atom)};
                    if (e.of.size() > 1) throw NoWords();
                    return {fmt::format("{}({})", e.name, words(e.of[0]).text)};
                case Kind::sum:
                    if (const auto found = product(e)) return *found;
                    if (e.of.size() > 1) throw NoWords();
                    return {"Σ " + within(words(e.of[0]), Words::product), Words::product};
                case Kind::choice:
                    return {fmt::format("{} where {}, else {}", words(e.of[1]).text, condition(e.of[0]),
                                        words(e.of[2]).text),
                            Words::choice};
                case Kind::let:
                    return words(e.of[1]);
                case Kind::letter:
                    return {e.name};
                default:
                    throw NoWords();
            }
        }
    };

    const Graph& graph_;
    const Plan& plan_;
};

}  // namespace

std::string gradient_words(const Graph& graph, const Plan& plan, std::size_t n) {
    const Table& table = plan.tables()[n];
    if (!table.item.is_gradient || !plan.knows_gradient(table.item.node) || table.tensor.numel() == 0)
        return "";
    const index_t below = table.height() > 1 ? table.width() : 0, beside = table.width() > 1 ? 1 : 0;
    try {
        return Writer(graph, plan).gradient(table.item.node, {0, below, beside}).text;
    } catch (const NoWords&) {
        return "";
    }
}

}  // namespace glassbox::tracer::spreadsheet
