#include <glassbox/mistakes/detail/changes.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

struct Word {
    std::string_view op, noun;
};
using Words = std::vector<Word>;
const Words functions{{"exp", "exp"},
                      {"log", "ln"},
                      {"sqrt", "the root"},
                      {"square", "the square"},
                      {"abs", "the absolute value"},
                      {"reciprocal", "the reciprocal"},
                      {"relu", "relu"},
                      {"negate", "the negative"},
                      {"tanh", "tanh"},
                      {"sigmoid", "the sigmoid"},
                      {"sin", "sin"},
                      {"cos", "cos"}};
const Words reductions{
    {"sum", "the sum"}, {"mean", "the mean"}, {"max", "the largest"}, {"min", "the smallest"}};
const Words signs{{"add", "added"}, {"sub", "subtracted"}, {"mul", "multiplied"}, {"div", "divided"}};

std::string_view noun_of(const Words& words, std::string_view op) {
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const Word& each) { return each.op == op; });
    return found == words.end() ? "" : found->noun;
}

class Changes {
  public:
    explicit Changes(const Formula& formula) : formula_(formula) {}

    template <class Make>
    std::vector<Change> of_all_parts(Make make) {
        for (std::size_t at = 0; at < formula_.parts().size(); ++at)
            if (formula_.is_within(at, formula_.whole())) (this->*make)(at);
        return std::move(found_);
    }

    void replace(std::size_t at) {
        const Part& is = part(at);
        if (is.is_value()) return other_value(at);
        leave_out(at);
        for (const Words* each : {&functions, &reductions}) other_op(at, *each);
        if (!noun_of(reductions, is.op).empty()) other_axis(at);
        if (!noun_of(signs, is.op).empty()) other_sign(at);
        if (is.op == "sub" || is.op == "div") exchange(at);
        if (is.op == "matmul") transpose_factors(at);
        if (const auto uses = uses_of(at); uses.size() > 1)
            for (const auto& [user, i] : uses) less_in_one_use(at, user, i);
    }

    void add_function(std::size_t at) {
        for (const Word& each : functions)
            change(at, {std::string(each.op), {what_was_there}},
                   fmt::format("{} of {} is taken", each.noun, text(at)));
        change(at, {"softmax", {what_was_there}}, fmt::format("a softmax of {} is taken", text(at)));
    }

    void add_operands(std::size_t at) {
        for (const auto& [value, name] : numbers())
            for (const char* op : {"mul", "div"}) add_operand(at, op, the_other, number(value, name));
        for (const char* op : {"add", "sub"}) add_operand(at, op, the_other, number(1, "1"));
        for (std::size_t other = 0; other < formula_.parts().size(); ++other)
            if (!formula_.is_within(at, other))
                for (const Word& each : signs) add_operand(at, each.op, static_cast<int>(other), part(other));
    }

    std::vector<std::pair<Change, Change>> moved() {
        std::vector<std::pair<Change, Change>> all;
        for (std::size_t from = 0; from < formula_.parts().size(); ++from)
            if (formula_.is_within(from, formula_.whole()) && !noun_of(signs, part(from).op).empty())
                for (const std::size_t i : {0, 1}) move(from, i, all);
        return all;
    }

  private:
    // The i-th operand of a part, to every other part that is not in it.
    void move(std::size_t from, std::size_t i, std::vector<std::pair<Change, Change>>& all) {
        const std::size_t what = of(from, i);
        for (std::size_t at = 0; at < formula_.parts().size(); ++at)
            if (formula_.is_within(at, formula_.whole()) && !formula_.is_within(at, what) && at != from)
                for (const Word& each : signs) {
                    found_.clear();
                    change(from, same(of(from, 1 - i)), "");  // told by where it goes
                    add_operand(at, each.op, static_cast<int>(what), part(what));
                    all.emplace_back(found_[0], found_[1]);
                }
    }

    const Part& part(std::size_t at) const { return formula_.parts()[at]; }
    std::size_t of(std::size_t at, std::size_t i) const { return static_cast<std::size_t>(part(at).of[i]); }
    std::string text(std::size_t at) const { return formula_.text(at); }
    // By its place: in another pass it has other numbers.
    static Part same(std::size_t at) { return {"is", {static_cast<int>(at)}}; }
    static Part number(double value, const std::string& name) {
        return {"", {}, 0, Tensor(static_cast<real>(value)), name};
    }
    void change(std::size_t at, Part becomes, std::string words, Part other = {}) {
        found_.push_back({{at, std::move(becomes), std::move(other)}, std::move(words)});
    }

    void leave_out(std::size_t at) {
        const bool is_alone = part(at).of.size() == 1;
        if (part(at).of.size() > 2) return;
        for (std::size_t i = 0; i < part(at).of.size(); ++i)
            change(at, same(of(at, i)),
                   is_alone ? fmt::format("{} is not taken of {}", said(at), text(of(at, 0)))
                            : fmt::format("{} is left out", text(of(at, 1 - i))));
    }

    // "the root", "exp"
    std::string said(std::size_t at) const {
        const std::string_view noun = noun_of(functions, part(at).op),
                               other = noun_of(reductions, part(at).op);
        return std::string(!noun.empty() ? noun : !other.empty() ? other : std::string_view(part(at).op));
    }

    // The parts that are of this one, and as which operand.
    std::vector<std::pair<std::size_t, std::size_t>> uses_of(std::size_t at) const {
        std::vector<std::pair<std::size_t, std::size_t>> uses;
        for (std::size_t user = 0; user < formula_.parts().size(); ++user)
            for (std::size_t i = 0; i < part(user).of.size(); ++i)
                if (formula_.is_within(user, formula_.whole()) && of(user, i) == at)
                    uses.emplace_back(user, i);
        return uses;
    }

    // What is used twice, without one of its operations in one of the places: exp(x − m) / Σ exp(x).
    void less_in_one_use(std::size_t at, std::size_t user, std::size_t i) {
        Part becomes = part(user);
        becomes.of[i] = the_other;
        const auto instead = [&](Part other, std::size_t lost, std::size_t left) {
            const std::string without =
                part(lost).of.size() == 2 ? text(of(lost, of(lost, 0) == left ? 1 : 0)) : said(lost);
            change(user, becomes, fmt::format("{} is without {} in {} alone", text(at), without, text(user)),
                   std::move(other));
        };
        if (part(at).of.size() > 2) return;
        for (const int left : part(at).of)
            instead(same(static_cast<std::size_t>(left)), at, static_cast<std::size_t>(left));
        for (std::size_t inner = 0; inner < part(at).of.size(); ++inner) {
            const Part& operand = part(of(at, inner));
            if (operand.is_value() || operand.of.size() > 2) continue;
            for (const int left : operand.of) {
                Part other = part(at);
                other.of[inner] = left;
                instead(std::move(other), of(at, inner), static_cast<std::size_t>(left));
            }
        }
    }

    void other_op(std::size_t at, const Words& words) {
        if (noun_of(words, part(at).op).empty()) return;
        for (const Word& each : words) {
            Part becomes = part(at);
            becomes.op = each.op;
            if (each.op != part(at).op && each.op != "negate" &&
                each.op != "reciprocal")  // which are not functions in its place
                change(at, becomes,
                       fmt::format("{} instead of {}, of {}", each.noun, said(at), text(of(at, 0))));
        }
    }

    void other_axis(std::size_t at) {
        for (const int axis : {-1, -2, -3, -4, all_axes}) {
            Part becomes = part(at);
            becomes.setting = axis, becomes.has_other_axis = true;
            const std::string over = axis == all_axes ? "all numbers" : fmt::format("axis {}", axis);
            if (axis != part(at).setting)
                change(at, becomes, fmt::format("{} of {} is over {}", said(at), text(of(at, 0)), over));
        }
    }

    void other_sign(std::size_t at) {
        for (const Word& each : signs) {
            Part becomes = part(at);
            becomes.op = each.op;
            if (each.op != part(at).op)
                change(
                    at, becomes,
                    fmt::format("{} is {}, not {}", text(of(at, 1)), each.noun, noun_of(signs, part(at).op)));
        }
    }

    void exchange(std::size_t at) {
        Part becomes = part(at);
        std::swap(becomes.of[0], becomes.of[1]);
        change(at, becomes, fmt::format("{} and {} are exchanged", text(of(at, 0)), text(of(at, 1))));
    }

    void transpose_factors(std::size_t at) {
        for (const std::size_t i : {of(at, 0), of(at, 1)})
            if (part(i).op == "transpose")
                change(i, same(of(i, 0)), fmt::format("{} is not transposed", text(of(i, 0))));
            else change(i, {"transpose", {what_was_there}}, fmt::format("{} is transposed", text(i)));
    }

    void other_value(std::size_t at) {
        const auto instead = [&](const Part& becomes, const std::string& name) {
            if (name != part(at).name)
                change(at, becomes, fmt::format("{} instead of {}", name, part(at).name));
        };
        const bool is_number = part(at).value.numel() == 1;
        for (std::size_t other = 0; other < formula_.parts().size(); ++other)
            if (part(other).is_value() && (part(other).value.numel() == 1) == is_number)
                instead(same(other), part(other).name);
        if (!is_number) return;
        const double c = static_cast<double>(part(at).value.values()[0]);
        const std::pair<double, const char*> others[] = {{0, "0"},
                                                         {1, "1"},
                                                         {-c, "−{}"},
                                                         {2 * c, "2 · {}"},
                                                         {c / 2, "{} / 2"},
                                                         {c * c, "{}²"},
                                                         {1 / c, "1 / {}"},
                                                         {std::sqrt(c), "√{}"},
                                                         {1 - c, "1 − {}"},
                                                         {c + 1, "{} + 1"},
                                                         {c - 1, "{} − 1"},
                                                         {10 * c, "10 · {}"},
                                                         {c / 10, "{} / 10"},
                                                         {100 * c, "100 · {}"},
                                                         {c / 100, "{} / 100"}};
        for (const auto& [value, form] : others)
            if (const std::string name = fmt::format(fmt::runtime(form), part(at).name);
                value != c && std::isfinite(value))
                instead(number(value, name), name);
    }

    void add_operand(std::size_t at, std::string_view op, int index, const Part& other) {
        const std::string what = index < 0 ? other.name : text(static_cast<std::size_t>(index));
        const std::string said = op == "mul"   ? fmt::format("{} is multiplied by {}", text(at), what)
                                 : op == "div" ? fmt::format("{} is divided by {}", text(at), what)
                                               : fmt::format("{} is {} {} {}", what, noun_of(signs, op),
                                                             op == "add" ? "to" : "from", text(at));
        change(at, {std::string(op), {what_was_there, index}}, said, index < 0 ? other : Part{});
    }

    // 2, and the sizes of what it is of, with their roots.
    std::vector<std::pair<double, std::string>> numbers() const {
        std::set<index_t> sizes{2};
        for (const Part& each : formula_.parts())
            for (int axis = 0; each.is_value() && axis < each.value.rank(); ++axis)
                if (each.value.size(axis) > 1) sizes.insert(each.value.size(axis));
        std::vector<std::pair<double, std::string>> all;
        for (const index_t n : sizes) {
            all.emplace_back(static_cast<double>(n), fmt::format("{}", n));
            all.emplace_back(std::sqrt(static_cast<double>(n)), fmt::format("√{}", n));
        }
        return all;
    }

    const Formula& formula_;
    std::vector<Change> found_;
};

}  // namespace

std::vector<Change> replaced_parts(const Formula& formula) {
    return Changes(formula).of_all_parts(&Changes::replace);
}
std::vector<Change> added_functions(const Formula& formula) {
    return Changes(formula).of_all_parts(&Changes::add_function);
}
std::vector<Change> added_operands(const Formula& formula) {
    return Changes(formula).of_all_parts(&Changes::add_operands);
}
std::vector<std::pair<Change, Change>> moved_parts(const Formula& formula) {
    return Changes(formula).moved();
}

}  // namespace glassbox::detail
