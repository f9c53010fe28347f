// The numbers of every mistake, as PyTorch and NumPy compute them from the mistake's formula:
// golden/make_mistakes.py.
#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/mistakes/mistake_scope.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "mistakes/specimens.h"
#include "support/compare.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

constexpr std::size_t max_specimens = 2, fewest_places = 2;  // of one mistake

// A step that was made with a mistake, and what it was made of.
struct Made {
    std::string path;
    Tensor right, wrong;  // from the same operands
    std::string op;       // empty for a step that no op computed
    std::vector<Setting> settings;
    NamedTensors operands;
};

// What a value was computed from, "input 1", what that was computed from, "input 1 0", and so on.
void add_operands(NamedTensors& all, const Trace& trace, const Tensor& value, const std::string& name,
                  int depth) {
    const Operation* operation = trace.operation_of(value);
    if (!operation || depth == 0) return;
    for (std::size_t i = 0; i < operation->inputs.size(); ++i) {
        const Tensor& input = operation->inputs[i];
        if (!input.defined()) continue;
        const std::string of_input = fmt::format("{} {}", name, i);
        all.emplace_back(of_input, input);
        add_operands(all, trace, input, of_input, depth - 1);
    }
}

Made made_at(const Frame& frame, const Tensor& right, const Tensor& wrong) {
    constexpr int depth = 4;
    const Trace& trace = frame.trace();
    Made made{frame.path(), right, wrong, "", {}, {}};
    if (const Operation* operation = trace.operation_of(right)) {
        made.op = operation->op;
        for (const Setting& each : operation->settings) made.settings.push_back(each);
    }
    add_operands(made.operands, trace, right, "input", depth);
    for (const Trace::Step& step : trace.steps()) {
        made.operands.emplace_back("step " + step.path, step.value);
        add_operands(made.operands, trace, step.value, "step " + step.path, 1);
    }
    return made;
}

std::vector<Made> made_in(const specimens::Specimen& specimen, const Mistake& mistake) {
    std::vector<Made> found;
    const std::size_t max_places = std::max(fewest_places, mistake.lines.size());
    Trace trace;
    std::vector<int> acted;
    const Trace::Hook hook = hook_of({{&mistake}}, &acted);
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& made) {
        const int before = acted.front();
        const Tensor value = hook(frame, step, made);
        if (acted.front() > before && found.size() < max_places) found.push_back(made_at(frame, made, value));
        return value;
    });
    try {
        specimen.computation.forward();
    } catch (const Error&) {  // a later step could not take its shape
    }
    return found;
}

double size_of(const Tensor& x) {
    double largest = 0;
    for (const real v : x.values())
        if (std::isfinite(v)) largest = std::max(largest, std::abs(static_cast<double>(v)));
    return largest;
}

// NaN equals nothing, not even NaN.
Tensor with_nan_as_number(const Tensor& x) {
    std::vector<real> values = x.values();
    for (real& v : values)
        if (std::isnan(v)) v = -123;
    return Tensor(x.shape(), values);
}

std::string name_of(const Mistake& mistake, const specimens::Specimen& specimen, std::size_t place) {
    return fmt::format("{} | {} | {}", mistake.key, specimen.name, place);
}

bool differs(const Made& made) {
    return made.wrong.shape() != made.right.shape() || !all_close(made.wrong, made.right, golden_mistake);
}

// The first specimens in which a mistake changes a step, or in which it is made, and what is made there.
template <class Visit>
void for_each_place(const Mistake& mistake, Visit visit) {
    std::vector<std::pair<const specimens::Specimen*, std::vector<Made>>> changed, unchanged;
    for (const specimens::Specimen& specimen : specimens::all()) {
        std::vector<Made> found = made_in(specimen, mistake);
        if (found.empty()) continue;
        auto& of = std::any_of(found.begin(), found.end(), differs) ? changed : unchanged;
        of.emplace_back(&specimen, std::move(found));
        if (changed.size() == max_specimens) break;
    }
    for (const auto& [specimen, found] : changed.empty() ? unchanged : changed)
        for (std::size_t place = 0; place < found.size(); ++place) visit(*specimen, place, found[place]);
}

}  // namespace

TEST_CASE("the wrong numbers of every mistake are those of its formula, by PyTorch", "[exhaustive]") {
    const Npz numbers(GLASSBOX_GOLDEN "/mistakes.npz");
    for (const Mistake& mistake : all_mistakes())
        for_each_place(
            mistake, [&](const specimens::Specimen& specimen, std::size_t place, const Made& made) {
                const std::string name = name_of(mistake, specimen, place);
                INFO(name);
                REQUIRE(numbers.contains(name));
                // These are computed in float, in which exp of them overflows.
                if (in_double && specimen.name.ends_with("large scores")) return;
                const Tensor expected = with_nan_as_number(numbers.read(name));
                check_close(with_nan_as_number(made.wrong), expected,
                            {golden_mistake.absolute * size_of(expected), golden_mistake.relative}, name);
            });
}

// For make_mistakes.py: GLASSBOX_OPERANDS=FOLDER test_mistakes "write operands".
TEST_CASE("write operands", "[.]") {
    const char* const folder = std::getenv("GLASSBOX_OPERANDS");
    REQUIRE(folder);
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    int number = 0;
    for (const Mistake& mistake : all_mistakes()) {
        auto& said = all[mistake.key] = {{"formula", mistake.formula},
                                         {"sentence", mistake.sentence},
                                         {"layer", mistake.layer},
                                         {"class", mistake.effect},
                                         {"cases", nlohmann::json::array()}};
        for_each_place(mistake,
                       [&](const specimens::Specimen& specimen, std::size_t place, const Made& made) {
                           NamedTensors arrays{{"right", made.right}, {"wrong", made.wrong}};
                           arrays.insert(arrays.end(), made.operands.begin(), made.operands.end());
                           nlohmann::json settings = nlohmann::json::object();
                           for (const Setting& each : made.settings) settings[each.name] = each.value;
                           const std::string file = fmt::format("{}.npz", number++);
                           write_npz(std::filesystem::path(folder) / file, arrays);
                           said["cases"].push_back({{"name", name_of(mistake, specimen, place)},
                                                    {"specimen", specimen.name},
                                                    {"place", place},
                                                    {"path", made.path},
                                                    {"op", made.op},
                                                    {"settings", settings},
                                                    {"file", file}});
                       });
    }
    write_file_atomically(std::filesystem::path(folder) / "operands.json", all.dump(1));
}
