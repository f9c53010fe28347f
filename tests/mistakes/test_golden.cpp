// The numbers of every mistake, as PyTorch and NumPy compute them from the mistake's formula: golden/make_mistakes.py.
#include <glassbox/io/detail/file.h>
#include <glassbox/io/npz.h>
#include <glassbox/mistakes/mistake_scope.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "mistakes/specimens.h"
#include "support/catch.h"

using namespace glassbox;

namespace {

constexpr std::size_t most_specimens = 2, most_places = 2;  // of one mistake

// A step that was made with a mistake, and what it was made of.
struct Made {
    std::string path;
    Tensor right, wrong;  // from the same operands
    Operation operation;  // empty for a step that no op computed
    std::vector<Trace::Step> earlier;
};

std::vector<Made> made_in(const specimens::Specimen& specimen, const Mistake& mistake) {
    std::vector<Made> found;
    Trace trace;
    std::vector<int> acted;
    const Trace::Hook hook = hook_of({{&mistake}}, &acted);
    trace.set_hook([&](const Frame& frame, const StepInfo& step, const Tensor& made) {
        const int before = acted.front();
        const Tensor value = hook(frame, step, made);
        if (acted.front() > before && found.size() < most_places) {
            const Operation* operation = frame.trace().operation_of(made);
            found.push_back({frame.path(), made, value, operation ? *operation : Operation{},
                             {frame.trace().steps().begin(), frame.trace().steps().end()}});
        }
        return value;
    });
    try {
        specimen.computation.forward();
    } catch (const Error&) {  // a later step could not take its shape
    }
    return found;
}

}  // namespace

TEST_CASE("write operands", "[.]") {
    const char* const folder = std::getenv("GLASSBOX_OPERANDS");
    REQUIRE(folder);
    nlohmann::json all = nlohmann::json::object();
    int number = 0;
    for (const Mistake& mistake : all_mistakes()) {
        auto& cases = all[mistake.key] = {{"formula", mistake.formula}, {"sentence", mistake.sentence}, {"layer", mistake.layer},
                                          {"class", mistake.effect}, {"cases", nlohmann::json::array()}};
        std::size_t specimens_of_it = 0;
        for (const specimens::Specimen& specimen : specimens::all()) {
            if (specimens_of_it == most_specimens) break;
            const std::vector<Made> found = made_in(specimen, mistake);
            if (found.empty()) continue;
            ++specimens_of_it;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const Made& made = found[i];
                NamedTensors arrays;
                const auto add = [&](const std::string& name, const Tensor& value) {
                    if (value.defined()) arrays.emplace_back(name, value.to(Device::cpu));
                };
                add("right", made.right);
                add("wrong", made.wrong);
                nlohmann::json settings = nlohmann::json::object();
                for (const Setting& each : made.operation.settings) settings[each.name] = each.value;
                for (std::size_t k = 0; k < made.operation.inputs.size(); ++k)
                    add("input " + std::to_string(k), made.operation.inputs[k]);
                for (const Trace::Step& step : made.earlier) add("step " + step.path, step.value);
                const std::string file = std::to_string(number++) + ".npz";
                write_npz(std::filesystem::path(folder) / file, arrays);
                cases["cases"].push_back({{"specimen", specimen.name}, {"place", i}, {"path", made.path},
                                          {"op", made.operation.op}, {"settings", settings}, {"file", file}});
            }
        }
    }
    write_file_atomically(std::filesystem::path(folder) / "operands.json", all.dump(1));
}
