#include "grading.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <nlohmann/json.hpp>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/mistakes/diagnosis_json.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

#include "arrays.h"

namespace lesson {

using glassbox::NamedTensors;
using glassbox::real;

namespace {

// Settings, such as a rate or the number of heads, are single numbers; tokens, lengths and masks are whole
// ones.
bool may_be_other(const Tensor& input) {
    const std::vector<real> values = input.values();
    const auto is_whole = [](real x) { return !std::isfinite(x) || x == std::round(x); };
    return values.size() > 1 && !std::all_of(values.begin(), values.end(), is_whole);
}

// Each number within `share` of what it was: large ones stay large, and what hides a score still hides it.
Tensor other_numbers(const Tensor& input, std::mt19937_64& bits, double share) {
    std::vector<real> values = input.values();
    for (real& x : values) {
        const double unit = static_cast<double>(bits() >> 11) * 0x1p-53;
        x *= static_cast<real>(1 + share * (2 * unit - 1));
    }
    return Tensor(input.shape(), values);
}

NamedTensors other_inputs(const Lesson& lesson, NamedTensors arrays, std::mt19937_64& bits, double share) {
    for (auto& [name, value] : arrays)
        if (!is_step(lesson, name) && may_be_other(value)) value = other_numbers(value, bits, share);
    return arrays;
}

// The right steps of every case.
std::vector<Tensors> solved_steps(const Lesson& lesson, const Check& check, const NamedTensors& arrays) {
    std::vector<Tensors> all;
    for (const Lesson::Case& of : lesson.cases)
        all.push_back(check.solved(lesson, golden_case(arrays, of.name)));
    return all;
}

// By how much rounding moves a right step, in units of what is allowed; if that is too much, a lower bound.
// With nearly equal scores, or a norm of a row that hardly varies, one solution's rounding is another one's
// mistake.
double moved_by_rounding(const Lesson& lesson, const Check& check, const NamedTensors& arrays) {
    const std::vector<Tensors> right = solved_steps(lesson, check, arrays);
    for (const Tensors& steps : right)
        if (!check.is_clear(steps)) return INFINITY;
    constexpr int passes = 4;
    constexpr double rounding = 0x1p-22;  // four times that of a float
    std::mt19937_64 bits(1);
    double most = 0;
    for (int pass = 0; pass < passes && most <= 1; ++pass) {
        const std::vector<Tensors> moved =
            solved_steps(lesson, check, other_inputs(lesson, arrays, bits, rounding));
        for (std::size_t i = 0; i < right.size(); ++i)
            for (const std::string& step : lesson.steps)
                most = std::max(most, misfit(moved[i].at(step), right[i].at(step)));
    }
    return most;
}

using Stopped = std::map<std::string, Ended>;  // by the case

Stopped read_stopped(const std::filesystem::path& file) {
    const glassbox::Bytes bytes = glassbox::read_file(file);
    std::vector<std::string> texts{""};
    for (const auto byte : bytes)
        if (byte == decltype(byte){}) texts.emplace_back();
        else texts.back() += static_cast<char>(byte);
    Stopped stopped;
    for (std::size_t i = 0; i + 2 < texts.size(); i += 3)
        stopped[texts[i]] = {texts[i + 1], stop_of(texts[i + 2])};
    return stopped;
}

// The right values of every case, as "case/step", with the inputs.
NamedTensors solved_cases(const Lesson& lesson, const Check& check, const std::filesystem::path& inputs) {
    NamedTensors all;
    const NamedTensors given = glassbox::read_npz(inputs).arrays;
    for (const Lesson::Case& of : lesson.cases)
        for (const auto& [name, value] : check.solved(lesson, golden_case(given, of.name)))
            all.emplace_back(of.name + "/" + name, value);
    return all;
}

const Tensor* find(const NamedTensors& all, const std::string& name) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == name; });
    return found == all.end() ? nullptr : &found->second;
}

// NaN is equal to NaN here: it comes from no input.
bool are_equal(const Tensor& a, const Tensor& b) {
    const std::vector<real> x = a.values(), y = b.values();
    return a.shape() == b.shape() && std::equal(x.begin(), x.end(), y.begin(), glassbox::equal_or_nan<real>);
}

// The steps that were computed from the inputs: with others they differ if the right ones do.
class OwnWork {
  public:
    OwnWork(const Collection& own, const Collection& other, const NamedTensors& right,
            const NamedTensors& other_right)
        : own_(glassbox::read_npz(own.steps).arrays), right_(right), other_right_(other_right) {
        try {
            other_ = glassbox::read_npz(other.steps).arrays;
        } catch (const glassbox::Error&) {  // the second call left nothing
        }
    }

    bool has(const std::string& name) const {
        const Tensor *mine = find(own_, name), *changed = find(other_, name);
        const Tensor *right = find(right_, name), *other_right = find(other_right_, name);
        if (!mine || !changed || !right || !other_right) return false;
        return are_equal(*right, *other_right) || !are_equal(*mine, *changed);
    }

  private:
    NamedTensors own_, other_;
    const NamedTensors &right_, &other_right_;
};

nlohmann::ordered_json as_json(const Outcome& outcome, const OwnWork& work, bool expected) {
    nlohmann::ordered_json json = {{"name", outcome.of.name},       {"title", outcome.of.title},
                                   {"absent", outcome.absent},      {"passed", outcome.passed()},
                                   {"stopped", outcome.stopped},    {"mistake", outcome.hint.name},
                                   {"sentence", outcome.hint.text}, {"known", outcome.hint.is_known}};
    json.update(nlohmann::ordered_json::parse(to_json(outcome.diagnosis, expected).text()));
    std::vector<std::string> own;
    for (const StepDiagnosis& step : outcome.diagnosis.steps)
        if (work.has(outcome.of.name + "/" + step.path)) own.push_back(step.path);
    json["own"] = own;
    return json;
}

}  // namespace

// Drawn until no right solution loses points for its rounding; else the draw that comes nearest to it.
void write_inputs(const Lesson& lesson, const Check& check, std::uint64_t seed,
                  const std::filesystem::path& file) {
    constexpr int draws = 12;
    constexpr double tenth = 0.1;
    std::mt19937_64 bits(seed);
    NamedTensors golden = glassbox::read_npz(lesson.folder / "golden.npz").arrays, best;
    for (auto& [name, value] : golden)
        if (is_step(lesson, name)) value = Tensor(value.shape(), std::vector<real>(value.values().size()));
    double least = INFINITY;
    for (int draw = 0; draw < draws && least > 1; ++draw) {
        NamedTensors drawn = other_inputs(lesson, golden, bits, tenth);
        const double moved = moved_by_rounding(lesson, check, drawn);
        if (best.empty() || moved < least) best = std::move(drawn), least = moved;
    }
    glassbox::write_npz(file, best);
}

std::string judged(const Lesson& lesson, const Check& check, const Collection& own,
                   const std::filesystem::path& stopped, const Collection& other, bool expected) {
    const NamedTensors right = solved_cases(lesson, check, own.inputs),
                       other_right = solved_cases(lesson, check, other.inputs);
    const OwnWork work(own, other, right, other_right);
    const Stopped cases = read_stopped(stopped);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Outcome& outcome : check_arrays(lesson, check, right, own.steps, &cases))
        all.push_back(as_json(outcome, work, expected));
    const nlohmann::ordered_json json = {{"schema", 1},
                                         {"lesson", lesson.number},
                                         {"title", lesson.title},
                                         {"steps", lesson.steps},
                                         {"cases", all}};
    return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lesson
