#include <algorithm>

#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/detail/explainers/explainer.h>
#include <glassbox/mistakes/detail/pass.h>
#include <glassbox/tensor/format.h>

// Right weights in the wrong place: those of norm1 and norm2 exchanged, or one in place of the other.
namespace glassbox::detail {

namespace {

using Entries = std::vector<Parameters::Entry>;

// A layer, or one parameter, by its place among the model's parameters.
struct LayerNode {
    std::string parent, name;  // "layers.0.", "norm1"
    std::map<std::string, Tensor*> parameters;

    bool is_like(const LayerNode& other) const {
        return std::equal(parameters.begin(), parameters.end(), other.parameters.begin(),
                          other.parameters.end(), [](const auto& a, const auto& b) {
                              return a.first == b.first && a.second->shape() == b.second->shape();
                          });
    }
    bool has_equal_numbers(const LayerNode& other) const {
        return std::equal(
            parameters.begin(), parameters.end(), other.parameters.begin(),
            [](const auto& a, const auto& b) { return a.second->values() == b.second->values(); });
    }
};

std::vector<LayerNode> nodes_of(const Entries& entries) {
    std::vector<LayerNode> nodes;
    const auto node_at = [&](const std::string& parent, const std::string& name) -> LayerNode& {
        for (LayerNode& each : nodes)
            if (each.parent == parent && each.name == name) return each;
        return nodes.emplace_back(LayerNode{parent, name, {}});
    };
    for (const Parameters::Entry& entry : entries) {
        std::size_t begin = 0;
        while (begin != std::string::npos) {
            const std::size_t dot = entry.name.find('.', begin);
            const std::string rest = dot == std::string::npos ? "" : entry.name.substr(dot + 1);
            node_at(entry.name.substr(0, begin), entry.name.substr(begin, dot - begin)).parameters[rest] =
                entry.tensor;
            begin = dot == std::string::npos ? dot : dot + 1;
        }
    }
    return nodes;
}

// Two layers that could take each other's weights, in one place or in every one of their kind.
struct LayerPair {
    std::vector<std::pair<const LayerNode*, const LayerNode*>> nodes;
    std::string first, second;
    const char* where = "";
};

std::vector<LayerPair> pairs_of(const std::vector<LayerNode>& nodes) {
    std::vector<LayerPair> single, everywhere;
    for (auto a = nodes.begin(); a != nodes.end(); ++a)
        for (auto b = a + 1; b != nodes.end(); ++b) {
            if (a->parent != b->parent || !a->is_like(*b) || a->has_equal_numbers(*b)) continue;
            single.push_back({{{&*a, &*b}}, a->parent + a->name, b->parent + b->name});
            const auto same = std::find_if(everywhere.begin(), everywhere.end(), [&](const LayerPair& each) {
                return each.first == a->name && each.second == b->name;
            });
            if (same == everywhere.end()) everywhere.push_back({{{&*a, &*b}}, a->name, b->name});
            else same->nodes.emplace_back(&*a, &*b);
        }
    std::erase_if(everywhere, [](const LayerPair& each) { return each.nodes.size() < 2; });
    for (LayerPair& each : everywhere) each.where = " everywhere";
    everywhere.insert(everywhere.end(), single.begin(), single.end());
    return everywhere;
}

// While it lives, the model has the weights in other places.
class InPlaceOf {
  public:
    void put(const Tensor& from, Tensor* at) {
        before_.emplace_back(at, *at);
        *at = from;
    }
    InPlaceOf() = default;
    InPlaceOf(const InPlaceOf&) = delete;
    InPlaceOf& operator=(const InPlaceOf&) = delete;
    ~InPlaceOf() {
        for (auto each = before_.rbegin(); each != before_.rend(); ++each) *each->first = each->second;
    }

  private:
    std::vector<std::pair<Tensor*, Tensor>> before_;
};

enum class Way { exchanged, first_twice, second_twice };

void place(const LayerPair& pair, Way way, InPlaceOf& places) {
    for (const auto& [first, second] : pair.nodes)
        for (const auto& [name, tensor] : first->parameters) {
            Tensor* const other = second->parameters.at(name);
            const Tensor a = *tensor, b = *other;
            if (way != Way::first_twice) places.put(b, tensor);
            if (way != Way::second_twice) places.put(a, other);
        }
}

std::string text_of(const LayerPair& pair, Way way) {
    const auto& [used, own] =
        way == Way::second_twice ? std::pair(pair.second, pair.first) : std::pair(pair.first, pair.second);
    const std::string weights = way == Way::exchanged ? fmt::format("{} and {} swapped", used, own)
                                                      : fmt::format("{} in place of those of {}", used, own);
    return fmt::format("every number is right with the weights of {}{}", weights, pair.where);
}

// Whether these are the numbers, within what rounding allows.
bool are_given(const Unexplained& step, const Tensor& made) {
    const Tensor given = comparable(*step.submitted.step, step.submitted.reading.value);
    const std::vector<double>& half_width = step.submitted.reading.half_width;
    if (!made.defined() || made.shape() != given.shape()) return false;
    if (half_width.empty() && digits_in_common(given, made) < 2) return false;  // a first, cheap look
    return compare(given, made, step.work.own_tolerance(step.submitted, made), half_width).agrees;
}

}  // namespace

Candidates exchanged_weights(const Unexplained& step) {
    constexpr double enough_digits = 12;
    const Computation& computation = step.work.computation();
    if (!computation.parameters || !step.submitted.fits ||
        decimal_digits_of(*step.submitted.as_given) < enough_digits)
        return {};
    const WrongStep wrong = step.work.wrong_step(step.submitted);
    const Entries entries = computation.parameters().entries();
    const std::vector<LayerNode> nodes = nodes_of(entries);
    index_t left = step.options.effort < 0 ? passes_in(computation, usual_seconds) : step.options.effort;
    for (const LayerPair& pair : pairs_of(nodes))
        for (const Way way : {Way::exchanged, Way::first_twice, Way::second_twice}) {
            if (left-- <= 0) return {.are_all = false};
            InPlaceOf places;
            place(pair, way, places);
            const Tensor made = Pass{&wrong.given, &wrong.half_widths}.value_at(computation, wrong.path);
            if (are_given(step, made)) return {{}, text_of(pair, way)};
        }
    return {};
}

}  // namespace glassbox::detail
