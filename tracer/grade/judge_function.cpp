#include "grade/judge.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>
#include <glassbox/io/text.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

#include "grade/given_steps.h"
#include "grade/readings.h"
#include "grade/scratch.h"

namespace glassbox::tracer {

namespace {

// What the function returned for a mask of this kind (run_function.cpp).
struct Way {
    std::string masking;
    GivenArrays arrays;
};

// What it returned with its parameters set by one plan.
struct Returned {
    std::vector<Way> ways;
    FunctionParameters parameters;
    std::string taken_as{};    // what their names left open: "its parameter taux is rate"
    std::string not_judged{};  // what it was not called with: "causal=True"
    bool is_of_flags = false;  // only flags of the function's own are other than by default
};

struct AllReturned {
    std::string failed;  // Python's message if the first plan, from the names, gave nothing
    std::string asked;   // the parameter whose meaning has to be asked; empty if that is known
    std::vector<Returned> plans;
};

AllReturned returned(const std::string& bytes) {
    const ScratchFolder folder;
    put_file(folder / "returned.npz", bytes);
    constexpr std::size_t max_plans = 80, max_ways = 48;
    AllReturned all;
    std::map<std::string, std::size_t> plans, places;
    for (const auto& [name, value] : read_npz(folder / "returned.npz").arrays) {
        const std::size_t slash = std::min(name.find('/'), name.size());
        const std::string numbered = name.substr(0, slash),
                          own = name.substr(std::min(slash + 1, name.size()));
        if (numbered == "asks") all.asked = own;
        if (numbered == "failed")
            for (const real byte : value.values()) all.failed += static_cast<char>(static_cast<int>(byte));
        const std::size_t colon = numbered.find(':');
        if (colon == numbered.npos ||
            (plans.size() == max_plans && plans.count(numbered.substr(0, colon)) == 0))
            continue;
        const auto [number, is_new_plan] = plans.emplace(numbered.substr(0, colon), all.plans.size());
        if (is_new_plan) all.plans.emplace_back();
        Returned& plan = all.plans[number->second];
        const std::string way = numbered.substr(colon + 1);
        if (way == "not taken") plan.parameters.not_taken.push_back(own);
        else if (way == "kept") plan.parameters.kept.emplace_back(own, value);
        else if (way == "no input")
            (own.empty() ? plan.parameters.take_no_input : plan.parameters.take_time_alone) = true;
        else if (way == "by width") plan.parameters.take_width = true;
        else if (way == "of flags") plan.is_of_flags = true;
        else if (way == "not judged")
            plan.not_judged += fmt::format("{}{}", plan.not_judged.empty() ? "" : ", ", own);
        else if (way == "as")
            plan.taken_as += fmt::format("{}its parameter {}", plan.taken_as.empty() ? "" : ", ", own);
        else if (places.count(numbered) > 0 || plan.ways.size() < max_ways) {
            const auto [place, is_new] = places.emplace(numbered, plan.ways.size());
            if (is_new) plan.ways.push_back({way.substr(std::min(way.find(' '), way.size() - 1) + 1), {}});
            plan.ways[place->second].arrays.emplace_back(own, value);
        }
    }
    std::erase_if(all.plans, [](const Returned& plan) { return plan.ways.empty(); });
    if (all.plans.empty() && all.asked.empty()) fail("there is no array in it");
    return all;
}

// The output of one call, for one reading of the task, and how far its result, or last step, is from right.
struct Attempt {
    std::string arrays;  // a file of its steps
    Reading reading;
    bool is_part = false;
    bool is_of_task = true;  // and not with a mask of another kind
    bool is_added = false;   // with a mask of 0 and −∞
    bool is_behind = false;  // with the heads' axis after the sequence
    bool is_values = false;  // its result is V
    bool fits = true;        // as many numbers as are right, or the shape of another step
    int axes = 0;            // of what was returned
    double distance = INFINITY;
};

constexpr double of_another_shape = 1e6;

// Of gradient descent whose velocity has the learning rate in it: what of it, else 0.
int rate_in_velocity(const std::string& masking) {
    return masking == "minus rate" ? -1 : masking == "plus rate" ? 1 : 0;
}

NamedTensors with_velocity(NamedTensors steps, double factor) {
    for (auto& [name, value] : steps)
        if (is_path_of(name, "m")) value = value * static_cast<real>(factor);
    return steps;
}

// A call's output, by the layer's steps.
NamedTensors steps_of(const Way& way, const Reading& reading, const NamedTensors& right) {
    const int of_rate = rate_in_velocity(way.masking);
    if (of_rate == 0) return steps_in(way.arrays, right);
    const double factor = of_rate * nlohmann::json::parse(reading.inputs.options).value("rate", 1.0);
    return with_velocity(steps_in(way.arrays, with_velocity(right, factor)), 1 / factor);
}

Attempt attempt_of(const Way& way, const Reading& reading, const NamedTensors& right) {
    const NamedTensors steps = steps_of(way, reading, right);
    Attempt attempt{std::string(glassbox::as_text(format_npz(steps))), reading};
    const std::string_view behind = "behind";
    std::string masking = way.masking;
    attempt.is_behind = masking.ends_with(behind);
    if (attempt.is_behind) masking.resize(masking.size() - behind.size());
    while (masking.ends_with(' ')) masking.pop_back();
    attempt.is_added = masking.ends_with("add");
    attempt.is_of_task = masking.empty() || masking == "add" || masking == "far add" || masking == "from 1" ||
                         rate_in_velocity(masking) != 0;
    const Tensor& result = right.back().second;
    attempt.fits = std::any_of(way.arrays.begin(), way.arrays.end(), [&](const auto& given) {
        const Tensor& own = given.second;
        return (own.numel() == result.numel() && own.rank() <= result.rank()) ||
               std::any_of(right.begin(), right.end(),
                           [&](const auto& step) { return step.second.shape() == own.shape(); });
    });
    for (const auto& [name, value] : way.arrays) attempt.axes = std::max(attempt.axes, value.rank());
    for (const auto& [path, value] : right)
        for (const auto& [name, own] : way.arrays)
            attempt.is_values = attempt.is_values || (path == "V" && distance(own, value) < 1e-4);
    const std::string* last = nullptr;
    for (const auto& [path, value] : right)
        for (const auto& [name, own] : steps)
            if (is_path_of(path, name)) {
                last = &path;
                attempt.distance = distance(own, value) + (have_one_shape(own, value) ? 0 : of_another_shape);
            }
    attempt.is_part = last && is_loss(*last);  // a loss is a whole answer, without its gradient
    return attempt;
}

const Attempt& nearest_of(const std::vector<Attempt>& attempts) {
    return *std::min_element(attempts.begin(), attempts.end(),
                             [](const Attempt& a, const Attempt& b) { return a.distance < b.distance; });
}

// The attempt that decides: the right or nearest one with the task's own mask; with another mask if none
// fits. One whose mask has an axis too many, which also gave the result one more, was not meant.
const Attempt& chosen_of(std::vector<Attempt>& attempts, bool has_labels) {
    constexpr double near = 1e-4;
    const auto erase = [&](auto&& is_out) {
        attempts.erase(std::remove_if(attempts.begin(), attempts.end(), is_out), attempts.end());
    };
    const auto is_of_task = [](const Attempt& each) { return each.is_of_task; };
    std::stable_partition(attempts.begin(), attempts.end(), is_of_task);
    const bool has_own = is_of_task(attempts.front());
    if (std::any_of(attempts.begin(), attempts.end(),
                    [](const Attempt& each) { return each.is_of_task && each.fits; }))
        erase([](const Attempt& each) { return !each.is_of_task; });
    if (const Attempt& nearest = nearest_of(attempts); nearest.distance < near) return nearest;
    if (std::any_of(attempts.begin(), attempts.end(), [](const Attempt& each) { return !each.is_added; }))
        erase([](const Attempt& each) { return each.is_added; });
    if (has_own) erase([](const Attempt& each) { return !each.is_of_task; });
    // Among the heads, here one, every value is passed on as it is.
    if (std::any_of(attempts.begin(), attempts.end(),
                    [](const Attempt& each) { return each.is_behind && !each.is_values; }))
        erase([](const Attempt& each) { return !each.is_behind && each.is_values; });
    int fewest = attempts.front().axes;
    for (const Attempt& each : attempts) fewest = std::min(fewest, each.axes);
    if (!has_labels) erase([&](const Attempt& each) { return each.axes > fewest; });
    return nearest_of(attempts);
}

// How many mistakes it takes, of all wrong steps together, as Result.size() of the Python package counts
// them: at least `unnamed` where one has no name.
constexpr std::size_t unnamed = 1000;
std::size_t size_of(const Judged& found) {
    if (!found.problem.empty()) return 1000 * unnamed;
    if (is_all_right(found)) return 0;
    std::size_t size = found.mistakes.size();
    for (const StepMark& step : found.steps)
        if (step.verdict == Verdict::wrong && !step.is_known) size += unnamed;
    return size == 0 ? unnamed : size;
}

// One plan's output, in each way, for each reading of the task.
struct Tried {
    std::vector<Attempt> attempts;
    std::vector<Attempt> singles;  // in single precision: what these are called, the others may be
    std::string problem;           // if empty: why
    bool is_unclear = false;       // and that is not a mistake
};

// What is known about a function's result, for one plan.
class PlanJudge {
  public:
    PlanJudge(const Course& course, const CourseTask& task, const TaskInputs& inputs, bool expected)
        : course_(course), task_(task), inputs_(inputs), expected_(expected) {}

    // `is_searched`: mistakes in wrong results are searched. `only_near`: a result far from right is not
    // judged, but is not right.
    Judged operator()(const Returned& plan, bool is_searched, bool only_near = false) {
        Tried all = tried(plan);
        if (all.attempts.empty() && unclear_.empty() && all.is_unclear) unclear_ = all.problem;
        if (all.attempts.empty())
            return {fmt::format("what {} returned is not clear", task_.function), all.problem, {}, {}};
        const Attempt& chosen = chosen_of(all.attempts, Npz(inputs_.file).contains("labels"));
        constexpr double far = 1e-2;  // by another ε of a norm it is nearer
        if (only_near && !(chosen.distance < far)) return {"it is not right", "", {}, {}};
        const auto judged = [&](const Attempt& attempt, const Reading& reading, bool is_searched_so) {
            Judged found =
                judge_arrays(course_, task_, reading.inputs, attempt.arrays, expected_, is_searched_so);
            found.is_part = attempt.is_part || plan.parameters.take_no_input ||
                            plan.parameters.take_time_alone || !task_.returns.empty();
            found.without = reading.inputs.left_out;
            found.remark = plan.taken_as;
            if (!reading.remark.empty()) found.remark += (found.remark.empty() ? "" : "; ") + reading.remark;
            if (!plan.not_judged.empty() && is_all_right(found))
                found.remark += fmt::format("{}its behaviour with {} was not judged",
                                            found.remark.empty() ? "" : "; ", plan.not_judged);
            return found;
        };
        // Single mistakes are searched in every way and reading, pairs only in the best of them.
        const Attempt* best_attempt = &chosen;
        Reading best_reading = chosen.reading;
        Judged best = judged(chosen, chosen.reading, false);
        if (!best.problem.empty() || is_all_right(best)) return best;
        const auto take_if_better = [&](const Attempt& attempt, const Reading& reading) {
            Judged again = judged(attempt, reading, false);
            if (size_of(again) < size_of(best))
                best = std::move(again), best_attempt = &attempt, best_reading = reading;
            return is_all_right(best);
        };
        const std::string right_with = best.right_with;
        for (const Reading& other : other_readings(task_, chosen.reading.inputs, right_with))
            if (take_if_better(chosen, other)) return best;
        if (!is_searched) return best;
        constexpr std::size_t max_others = 8;
        for (std::size_t i = 0; i < std::min(max_others, all.attempts.size()) && size_of(best) >= unnamed;
             ++i) {
            const Attempt& other = all.attempts[i];
            // In the wrong order of axes it has another mistake.
            if (&other == &chosen || other.axes != chosen.axes || other.distance >= of_another_shape ||
                other.is_behind != chosen.is_behind)
                continue;
            (void)take_if_better(other, other.reading);
            for (const Reading& reading : other_readings(task_, other.reading.inputs, right_with))
                if (size_of(best) >= unnamed) (void)take_if_better(other, reading);
        }
        for (const Attempt& single : all.singles) {
            if (size_of(best) < unnamed) break;
            Judged again = judged(single, single.reading, false);
            if (size_of(again) < size_of(best) && !is_all_right(again)) best = std::move(again);
        }
        if (size_of(best) >= unnamed) {
            Judged again = judged(*best_attempt, best_reading, true);
            if (again.problem.empty()) best = std::move(again);
        }
        return best;
    }

    // Why the teacher has to name the steps a function returned; empty if they are known.
    const std::string& unclear() const { return unclear_; }

    // How far its result is from right.
    double distance(const Returned& plan) {
        const Tried all = tried(plan);
        return all.attempts.empty() ? INFINITY : nearest_of(all.attempts).distance;
    }

  private:
    // A reading of the task with a mask of one kind, and what is right then.
    using Shown = std::pair<Reading, NamedTensors>;

    Shown shown(const Reading& own, const Way& way, const FunctionParameters& parameters) const {
        const Reading reading = shown_as(own, way.masking);
        NamedTensors right = layer_steps(task_, reading.inputs);
        if (parameters.take_no_input || parameters.take_time_alone)
            right = steps_without_input(task_, reading.inputs, std::move(right), parameters.take_time_alone);
        return {reading, std::move(right)};
    }

    // Plans whose parameters take the same have the same readings.
    static std::string key_of(const FunctionParameters& parameters) {
        std::string key = fmt::format("{} {} {} {}", parameters.take_no_input, parameters.take_time_alone,
                                      parameters.take_width, fmt::join(parameters.not_taken, " "));
        for (const auto& [name, kept] : parameters.kept)
            key += fmt::format(" {} {}", name, fmt::join(kept.values(), ""));
        return key;
    }

    Tried tried(const Returned& plan) {
        const std::string key = key_of(plan.parameters);
        if (readings_.count(key) == 0) readings_[key] = readings_of(task_, inputs_, plan.parameters);
        Tried all;
        for (std::size_t i = 0; i < readings_[key].size(); ++i)
            for (const Way& way : plan.ways) try {
                    const std::string own = fmt::format("{} {} {}", key, i, way.masking);
                    if (shown_.count(own) == 0) shown_[own] = shown(readings_[key][i], way, plan.parameters);
                    const auto& [reading, right] = shown_[own];
                    (way.masking.ends_with("single") ? all.singles : all.attempts)
                        .push_back(attempt_of(way, reading, right));
                } catch (const IoError&) {
                    throw;
                } catch (const Error& error) {
                    if (all.problem.empty())
                        all.problem = error.what(),
                        all.is_unclear = dynamic_cast<const UnclearSteps*>(&error) != nullptr;
                }
        return all;
    }

    const Course& course_;
    const CourseTask& task_;
    const TaskInputs& inputs_;
    bool expected_;
    std::string unclear_{};
    std::map<std::string, std::vector<Reading>> readings_{};
    std::map<std::string, Shown> shown_{};
};

}  // namespace

Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected) {
    AllReturned all;
    try {
        all = returned(bytes);
    } catch (const IoError&) {  // not the student's doing
        throw;
    } catch (const Error& error) {
        const std::string why = error.what(), file = "returned.npz: ";  // and its folder is irrelevant
        const std::size_t at = why.find(file);
        return {fmt::format("what {} returned cannot be read", task.function),
                at == why.npos ? why : why.substr(at + file.size()),
                {},
                {}};
    }
    PlanJudge judged(course, task, inputs, expected);
    const bool is_open = all.plans.size() > 1 || !all.asked.empty();
    Judged first;
    for (const Returned& plan : all.plans) {
        const bool is_first = &plan == &all.plans.front();
        Judged found = judged(plan, is_first && !is_open, !is_first);
        if (is_all_right(found)) return found;
        if (is_first) first = std::move(found);
    }
    if (!all.asked.empty() && !inputs.is_other)  // of the first it was right
        fail<IoError>(
            "what does the parameter '{}' of {} take? Its name does not say, and nothing that was tried "
            "gives the right result: use a name such as those in docs/python.md",
            printable(all.asked), task.function);
    if (!judged.unclear().empty() && !inputs.is_other)
        fail<IoError>("{}: {}", task.function, judged.unclear());
    if (!all.failed.empty())
        return {task.file + " gave no result", printable_lines(all.failed) + "\n", {}, {}};
    if (!is_open) return first;
    // Names are the best evidence; what flags decide, or names leave open, the numbers do.
    const auto is_nearer = [&](const Returned& a, const Returned& b) {
        const auto has_say = [&](const Returned& plan) {
            return !all.asked.empty() || plan.is_of_flags || &plan == &all.plans.front();
        };
        return has_say(a) && (!has_say(b) || judged.distance(a) < judged.distance(b));
    };
    return judged(*std::min_element(all.plans.begin(), all.plans.end(), is_nearer), true);
}

}  // namespace glassbox::tracer
