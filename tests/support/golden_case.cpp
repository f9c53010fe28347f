#include "support/golden_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>

#include "support/catch.h"
#include "support/compare.h"

namespace glassbox_test {

using namespace glassbox;

GoldenCase::GoldenCase(const Npz& file, const std::string& name, const Convention& convention, Device device)
    : file_(file),
      name_(name),
      convention_(convention),
      device_(device),
      title_(convention.name + "/" + name) {
    std::string text;
    for (const real byte : read("config").values()) text += static_cast<char>(byte);
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        config_[word.substr(0, equals)] = std::stoi(word.substr(equals + 1));
    }
}

index_t GoldenCase::number(const std::string& key) const {
    const auto found = config_.find(key);
    return found == config_.end() ? 0 : found->second;
}

GoldenCase::Pair GoldenCase::pair(const std::string& rest) const {
    const Tensor both = read(rest);  // (2, …)
    return {select(both, 0, 0), select(both, 0, 1)};
}

Tensor GoldenCase::input(const std::string& name) {
    Tensor value = contiguous(pair("input/" + name).value).to(device_);
    inputs_[name] = value;
    return value;
}

Tensor GoldenCase::integers(const std::string& name) const { return read("input/" + name).to(device_); }

Tensor GoldenCase::step(const std::string& path) const { return read("step/" + path); }

std::vector<index_t> GoldenCase::lengths(const std::string& name) const {
    std::vector<index_t> lengths;
    for (const real length : read(name).values()) lengths.push_back(static_cast<index_t>(length));
    return lengths;
}

Mask GoldenCase::mask() const {
    Mask mask;
    if (is("causal")) mask = mask & Mask::causal();
    if (is("window")) mask = mask & Mask::window(number("reach"));
    if (has("mask")) mask = mask & Mask::given(read("mask"));
    if (has("lengths")) mask = mask & Mask::lengths(lengths("lengths"));
    return mask;
}

Mask GoldenCase::memory_mask() const {
    return has("memory_lengths") ? Mask::lengths(lengths("memory_lengths")) : Mask::none();
}

std::size_t GoldenCase::steps_in_file() const {
    const std::string front = key("step/");
    const auto& names = file_.names();
    return static_cast<std::size_t>(std::count_if(
        names.begin(), names.end(), [&](const std::string& name) { return name.rfind(front, 0) == 0; }));
}

// All weights in the file, named as in the convention's framework.
void GoldenCase::load(const ListParameters& parameters) const {
    NamedTensors weights;
    const std::string front = key("weights/");
    for (const std::string& name : file_.names())
        if (name.rfind(front, 0) == 0) {
            const std::string weight = name.substr(front.size());
            weights.emplace_back(weight, contiguous(pair("weights/" + weight).value));
        }
    parameters().load(weights, convention_.file_names());
    parameters().move_to(device_);
}

namespace {

// Whether this device's products round each term before they add it. Asked of the arithmetic, because BLAS
// chooses its kernels itself: with a² = c + 2⁻²⁴ and c the float next to it, a·a − c is 0 where a·a is
// rounded. The two terms are tried in all places, because a kernel may add every other term apart.
bool products_are_rounded(Device device) {
    constexpr real a = 1 + 0x1p-12, c = 1 + 0x1p-11;
    constexpr index_t n = 8;
    for (index_t first = 0; first < n; ++first)
        for (index_t second = 0; second < n; ++second) {
            if (first == second) continue;
            std::vector<real> row(n, 0), column(n, 0);
            row[first] = column[first] = a;
            row[second] = -c;
            column[second] = 1;
            const Tensor difference =
                matmul(Tensor({1, n}, row, device), Tensor({n, 1}, column, device)).to(Device::cpu);
            if (difference.item() != 0) return false;
        }
    return true;
}

}  // namespace

GoldenTolerances GoldenCase::tolerances() const {
    const bool has_positions =
        kind() == "positional" || is("positional") || kind() == "transformer" || kind() == "language_model";
    if (in_double && convention_.encoding_in_float && has_positions)
        return {golden_float_positions, golden_float_positions, golden_float_positions};
    const bool rounds_each_step = device_ == Device::xtensor || products_are_rounded(device_);
    return {golden_of_depth(number("layers"), rounds_each_step),
            device_ == Device::cuda ? golden_reordered_gradient : golden_gradient, golden_reordered_gradient};
}

void GoldenCase::compare(const ListParameters& parameters, const std::function<Tensor()>& run) const {
    compare_traced(parameters, run);
    compare_plain(parameters, run);
}

void GoldenCase::compare_traced(const ListParameters& parameters, const std::function<Tensor()>& run) const {
    Trace trace;
    Tape tape;
    tape.backward(run(), read("w").to(device_));
    CHECK(trace.steps().size() == steps_in_file());
    for (const Trace::Step& step : trace.steps()) {
        const Pair expected = pair("step/" + step.path);
        check_close(step.value, expected.value, tolerances().values, title_ + "/" + step.path);
        check_close(tape.gradient(step.value), expected.gradient, tolerances().gradients,
                    title_ + "/grad/" + step.path);
    }
    compare_ends(parameters, tape, tolerances().gradients, title_);
}

// Without a trace attention is fused; nothing else may change.
void GoldenCase::compare_plain(const ListParameters& parameters, const std::function<Tensor()>& run) const {
    Tape tape;
    tape.backward(run(), read("w").to(device_));
    compare_ends(parameters, tape, tolerances().plain_gradients, title_ + " (plain)");
}

void GoldenCase::compare_ends(const ListParameters& parameters, const Tape& tape, const Tolerance& tolerance,
                              const std::string& path) const {
    for (const Parameters::Entry& entry : parameters().entries()) {
        const std::string name = convention_.file_names().of(entry.name);
        check_close(tape.gradient(*entry.tensor), pair("weights/" + name).gradient, tolerance,
                    path + "/grad/" + name);
    }
    for (const auto& [name, value] : inputs_)
        check_close(tape.gradient(value), pair("input/" + name).gradient, tolerance, path + "/grad/" + name);
}

BlockChoices block_choices(const GoldenCase& golden_case) {
    BlockChoices config;
    config.d_model = golden_case.number("d_model");
    config.heads = golden_case.number("heads");
    config.d_ff = golden_case.number("d_ff");
    config.norm = golden_case.is("pre_norm") ? NormPlacement::pre : NormPlacement::post;
    config.activation = golden_case.is("gelu") ? Activation::gelu : Activation::relu;
    return config;
}

namespace {

std::string golden_file(const std::string& convention_name, int part) {
    return fmt::format("{}/layers_{}_{}.npz", GLASSBOX_GOLDEN, convention_name, part);
}

}  // namespace

std::vector<Convention> golden_conventions() {
    std::vector<Convention> there;
    for (const Convention& each : conventions())
        if (std::filesystem::exists(golden_file(each.name, 1))) there.push_back(each);
    return there;
}

int for_each_case(const std::string& convention_name, const std::vector<std::string>& kinds, Device device,
                  const std::function<void(GoldenCase&)>& compare) {
    int count = 0;
    for (int part = 1;; ++part) {
        const std::string path = golden_file(convention_name, part);
        if (!std::filesystem::exists(path)) return count;
        const Npz file(path);
        CHECK(file.contains("versions"));
        std::set<std::string> names;
        for (const std::string& key : file.names()) names.insert(key.substr(0, key.find('/')));
        for (const std::string& name : names) {
            if (std::count(kinds.begin(), kinds.end(), name.substr(0, name.find('.'))) == 0) continue;
            INFO(convention_name << "/" << name);
            GoldenCase golden_case(file, name, convention(convention_name), device);
            compare(golden_case);
            ++count;
        }
    }
}

}  // namespace glassbox_test
