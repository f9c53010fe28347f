#include "subject/explained_text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "cli/number.h"
#include "cli/output.h"
#include "report/heat.h"

namespace glassbox::tracer {
namespace {

// One number's lines: "logits[0,0] = …" and those below it.
struct Block {
    std::string text;
    int level = 0;                 // of what it is computed from: 0 the number itself, 1 its factors
    std::vector<Element> numbers;  // itself and what it is computed from
};

std::vector<std::string> blocks_in(const std::string& arithmetic) {
    std::vector<std::string> blocks;
    for (std::size_t from = 0; from < arithmetic.size();) {
        const std::size_t end = std::min(arithmetic.find("\n\n", from), arithmetic.size());
        blocks.push_back(arithmetic.substr(from, end - from));
        from = end + 2;
    }
    return blocks;
}

using Key = std::pair<Tensor::Id, std::vector<index_t>>;

Key key_of(const Element& element) { return {element.tensor.id(), element.at}; }

// The blocks that explain a number, in the order in which the explainer writes them.
std::vector<Block> explaining(const Explainer& explainer, const Element& number, std::size_t count) {
    const Explainer near = explainer.within_scope_of(number);
    std::vector<Block> blocks;
    for (int depth = 1, before = -1; blocks.size() < count; ++depth) {
        const auto behind = near.behind(number, depth);
        if (static_cast<int>(behind.size()) == before) break;  // down to the inputs
        before = static_cast<int>(behind.size());
        blocks.clear();
        std::map<Key, int> levels{{key_of(number), 0}};
        for (const auto& [element, steps] : behind) {
            const int level = levels.at(key_of(element));
            for (const Element& part : steps.parts) levels.emplace(key_of(part), level + 1);
            if (steps.symbols.empty()) continue;
            Block block{"", level, steps.parts};
            block.numbers.push_back(element);
            blocks.push_back(std::move(block));
        }
    }
    return blocks;
}

bool begins_number(const std::string& line, std::size_t at) {
    if (!std::isdigit(static_cast<unsigned char>(line[at]))) return false;
    if (at == 0) return true;
    const std::string_view before(line.data(), at);
    const char last = before.back();
    return last == ' ' || last == '(' || last == '-' || before.ends_with("·") || before.ends_with("√");
}

std::size_t end_of_number(const std::string& line, std::size_t at) {
    const auto digits = [&](std::size_t from) {
        return std::min(line.find_first_not_of("0123456789", from), line.size());
    };
    std::size_t end = digits(at);
    if (end < line.size() && line[end] == '.') end = digits(end + 1);
    if (end + 1 < line.size() && line[end] == 'e') {
        const std::size_t exponent = end + (line[end + 1] == '-' || line[end + 1] == '+' ? 2 : 1);
        if (digits(exponent) > exponent) end = digits(exponent);
    }
    return end;
}

// The colours of steps' numbers, as the trace has them.
class StepColors {
  public:
    StepColors(const Explainer& explainer, const Report& report, const TextStyle& style)
        : explainer_(&explainer), report_(&report), colors_(style.colors) {
        for (const Report::Step& step : report.steps)
            if (step.kind != Report::Kind::weight && step.kind != Report::Kind::word)
                largest_ = std::max(largest_, largest_visible(step.value));
    }

    // What is written of the numbers, in its colours; only those of steps have one.
    std::map<std::string, std::pair<Heat, real>> of(const std::vector<Element>& numbers) const {
        std::map<std::string, std::pair<Heat, real>> all;
        for (const Element& each : numbers) {
            const Trace::Step* made = explainer_->labels().trace().step_of(each.tensor);
            const Report::Step* step = made ? report_->find(made->path) : nullptr;
            if (!step) continue;
            const Heat heat{step->kind, step->kind == Report::Kind::weight ? 1 : largest_, colors_};
            all.emplace(number(each.value(), explainer_->labels().precision()),
                        std::pair{heat, each.value()});
        }
        return all;
    }

  private:
    const Explainer* explainer_;
    const Report* report_;
    Colors colors_;
    double largest_ = 0;
};

std::string colored(const std::string& line, const std::map<std::string, std::pair<Heat, real>>& colors) {
    std::string result;
    for (std::size_t at = 0; at < line.size();) {
        if (!begins_number(line, at)) {
            result += line[at++];
            continue;
        }
        const std::size_t end = end_of_number(line, at);
        const std::string digits = line.substr(at, end - at);
        // "-0.35" at the start of a term is one number, " - 0.35" a term that is subtracted.
        const bool has_sign = at > 0 && line[at - 1] == '-';
        const bool is_taken_off = at > 1 && line[at - 1] == ' ' && line[at - 2] == '-';
        auto found = colors.find(has_sign ? "-" + digits : digits);
        if (found == colors.end() && is_taken_off) found = colors.find("-" + digits);
        const auto styled_as = [&](const std::string& text) {
            return found == colors.end() ? text : found->second.first(text, found->second.second);
        };
        if (has_sign && found != colors.end()) {
            result.pop_back();
            result += styled_as("-" + digits);
        } else {
            result += styled_as(digits);
        }
        at = end;
    }
    return result;
}

}  // namespace

std::string styled_arithmetic(const std::string& arithmetic, const Explainer& explainer,
                              const Element& number, const Report& report, const TextStyle& style) {
    const std::vector<std::string> texts = blocks_in(arithmetic);
    const std::vector<Block> blocks =
        style.is_on_terminal() ? explaining(explainer, number, texts.size()) : std::vector<Block>();
    const StepColors colors(explainer, report, style);
    std::string result;
    std::size_t next = 0;
    for (const std::string& text : texts) {
        if (!result.empty()) result += "\n";
        const std::size_t name = text.find(" = ");
        const bool explains = name != text.npos && name < text.find('\n') && text[0] != ' ';
        const Block* block = explains && next < blocks.size() ? &blocks[next++] : nullptr;
        const auto shown = block && style.has_color() ? colors.of(block->numbers)
                                                      : std::map<std::string, std::pair<Heat, real>>();
        const std::string indent(block ? 3 * static_cast<std::size_t>(block->level) : 0, ' ');
        for (std::size_t from = 0; from < text.size();) {
            const std::size_t end = std::min(text.find('\n', from), text.size());
            const std::string line = text.substr(from, end - from);
            const bool is_head = explains && from == 0;
            result += indent;
            result += is_head ? styled(line.substr(0, name), bold, style.has_color()) + line.substr(name)
                              : colored(line, shown);
            result += "\n";
            from = end + 1;
        }
    }
    return result;
}

}  // namespace glassbox::tracer
