#include "grade/judge_function.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <glassbox/io/detail/text.h>
#include <glassbox/io/npz.h>
#include <glassbox/tensor/format.h>

#include "grade/scratch.h"

namespace tracer {

using glassbox::NamedTensors;
using glassbox::Tensor;

namespace {

// What a loss or a layer may give beside its result, or in its place.
constexpr const char* losses[] = {"loss", "losses"};

bool is_path_of(const std::string& path, const std::string& name) {
    return path == name || path.ends_with("/" + name);
}

const Tensor* find(const NamedTensors& all, const std::string& name) {
    for (const auto& [path, value] : all)
        if (path == name) return &value;
    return nullptr;
}

bool is_loss(const std::string& path) {
    return std::any_of(std::begin(losses), std::end(losses), [&](const char* each) { return path == each; });
}

// One number is one number, as () or as (1).
bool have_one_shape(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() || (a.numel() == 1 && b.numel() == 1);
}

// How far from the right numbers, relative to the largest of them; only to tell which step it is.
double distance(const Tensor& given, const Tensor& right) {
    if (given.numel() != right.numel()) return INFINITY;
    const auto a = given.values(), b = right.values();
    double largest = 1e-6, most = 0;
    for (const auto x : b) largest = std::max(largest, std::abs(static_cast<double>(x)));
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double by = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
        if (std::isnan(by)) return INFINITY;
        most = std::max(most, by);
    }
    return most / largest;
}

// Of what Adam gives, w, m and v in any order.
NamedTensors by_numbers(const std::vector<Tensor>& values, const NamedTensors& right) {
    std::vector<std::string> names{"m", "v", right.back().first}, best;
    const bool are_these = values.size() == names.size() &&
                           std::all_of(names.begin(), names.end(), [&](const std::string& name) {
                               const Tensor* const step = find(right, name);
                               return step && std::all_of(values.begin(), values.end(), [&](const Tensor& x) {
                                          return x.shape() == step->shape();
                                      });
                           });
    std::sort(names.begin(), names.end());
    double least = INFINITY, second = INFINITY;
    if (are_these) do {
            double sum = 0;
            for (std::size_t i = 0; i < names.size(); ++i)
                sum += std::min(1.0, distance(values[i], *find(right, names[i])));
            second = std::min(second, std::max(least, sum));
            if (sum < least) least = sum, best = names;
        } while (std::next_permutation(names.begin(), names.end()));
    if (!are_these || !(least < second / 2))
        glassbox::fail(
            "the function returned {} arrays, and which steps they are cannot be told: the result alone is "
            "needed, a dictionary of steps, or \"returns\" in the course",
            values.size());
    NamedTensors named;
    for (std::size_t i = 0; i < best.size(); ++i) named.emplace_back(best[i], values[i]);
    return named;
}

// Of an array of the result's shape: another step whose numbers it has, as probabilities beside a loss.
std::string alike(const Tensor& value, const NamedTensors& right) {
    constexpr double near = 1e-3;
    const std::string& result = right.back().first;
    std::string found;
    for (const auto& [path, step] : right) {
        if (step.shape() != value.shape() || distance(value, step) >= near) continue;
        if (path == result) return result;
        if (found.empty()) found = path;
    }
    return found.empty() ? result : found;
}

std::size_t place_of_result(const std::vector<Tensor>& values, const Tensor& result) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const Tensor& x) { return x.shape() == result.shape(); });
    return found == values.end() ? 0 : static_cast<std::size_t>(found - values.begin());
}

// A result and attention weights, or a loss and its gradient, in either order: what has their shapes.
NamedTensors of_tuple(const std::vector<Tensor>& values, const NamedTensors& right) {
    const auto& [result_name, result] = right.back();
    std::vector<std::string> others;
    for (const auto& [path, step] : right)
        if (is_path_of(path, "attention") || is_loss(path)) others.push_back(path);
    const std::size_t chosen = place_of_result(values, result);
    NamedTensors named;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::vector<std::string> fitting;
        for (const std::string& path : others)
            if (!find(named, path) && have_one_shape(values[i], *find(right, path))) fitting.push_back(path);
        if (values[i].shape() != result.shape() && fitting.size() == 1)
            named.emplace_back(fitting.front(), values[i]);
        else if (i == chosen)
            named.emplace_back(
                !others.empty() && is_loss(others.front()) ? alike(values[i], right) : result_name,
                values[i]);
        else return by_numbers(values, right);
    }
    return named;
}

// The result, or the loss where it has the shape of that.
NamedTensors of_array(const Tensor& value, const NamedTensors& right) {
    const auto& [name, result] = right.back();
    if (value.shape() != result.shape())
        for (const char* loss : losses)
            if (const Tensor* step = find(right, loss); step && have_one_shape(*step, value))
                return {{loss, Tensor(step->shape(), value.values())}};
    return {{name, value}};
}

NamedTensors of_names(const NamedTensors& given, const NamedTensors& right) {
    NamedTensors known;
    std::vector<Tensor> values;
    for (const auto& [name, value] : given) {
        values.push_back(value);
        if (std::any_of(right.begin(), right.end(),
                        [&, &own = name](const auto& step) { return is_path_of(step.first, own); }))
            known.emplace_back(name, value);
    }
    if (!known.empty()) return known;
    // Its own names: what they call the result can only be told by its shape.
    return {{right.back().first, values[place_of_result(values, right.back().second)]}};
}

// What run_function.py kept.
struct Returned {
    std::vector<GivenArrays> ways;
    std::vector<std::string> not_taken;
};

Returned returned(const std::string& bytes) {
    const ScratchFolder folder;
    put_file(folder / "returned.npz", bytes);
    constexpr std::size_t most_ways = 12;
    constexpr std::string_view not_taken = "not taken/";
    std::map<std::string, GivenArrays> ways;
    std::vector<std::string> order;
    Returned all;
    for (const auto& [name, value] : glassbox::read_npz(folder / "returned.npz").arrays) {
        if (name.starts_with(not_taken)) {
            all.not_taken.push_back(name.substr(not_taken.size()));
            continue;
        }
        const std::string way = name.substr(0, name.find('/'));
        if (ways.count(way) == 0 && order.size() == most_ways) continue;
        if (ways.count(way) == 0) order.push_back(way);
        ways[way].emplace_back(name.substr(std::min(name.size(), way.size() + 1)), value);
    }
    for (const std::string& way : order) all.ways.push_back(ways[way]);
    if (all.ways.empty()) glassbox::fail("there is no array in it");
    return all;
}

// Of an optimiser that nobody names: adam and adamw.
std::vector<TaskInputs> readings_of(const TaskInputs& inputs) {
    std::vector<TaskInputs> all{inputs};
    const auto flag = std::find(inputs.check.begin(), inputs.check.end(), "--optimiser");
    if (!inputs.is_optimiser_drawn || flag == inputs.check.end() || flag + 1 == inputs.check.end())
        return all;
    TaskInputs& other = all.emplace_back(inputs);
    std::string& name = other.check[static_cast<std::size_t>(flag - inputs.check.begin()) + 1];
    name = name == "adamw" ? "adam" : "adamw";
    return all;
}

// What one way gave, for one reading of the task, and how far its result, or its last step, is from right.
struct Attempt {
    std::string arrays;  // a file of its steps
    TaskInputs inputs;
    bool is_part = false;
    double distance = INFINITY;
};

Attempt attempt_of(const GivenArrays& given, const TaskInputs& inputs, const NamedTensors& right) {
    const NamedTensors steps = steps_in(given, right);
    Attempt attempt{std::string(glassbox::as_text(glassbox::format_npz(steps))), inputs};
    const std::string* last = nullptr;
    for (const auto& [path, value] : right)
        for (const auto& [name, own] : steps)
            if (is_path_of(path, name)) {
                constexpr double of_another_shape = 1e6;
                last = &path;
                attempt.distance = distance(own, value) + (have_one_shape(own, value) ? 0 : of_another_shape);
            }
    attempt.is_part = !last || *last != right.back().first;
    return attempt;
}

}  // namespace

NamedTensors steps_in(const GivenArrays& given, const NamedTensors& right) {
    NamedTensors named;
    std::vector<Tensor> values;
    for (const auto& [name, value] : given)
        if (name.starts_with("=")) named.emplace_back(name.substr(1), value);
        else values.push_back(value);
    if (!named.empty()) return of_names(named, right);
    return values.size() == 1 ? of_array(values.front(), right) : of_tuple(values, right);
}

Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected) {
    Returned all;
    try {
        all = returned(bytes);
    } catch (const glassbox::IoError&) {  // not the student's doing
        throw;
    } catch (const glassbox::Error& error) {
        return {fmt::format("what {} returned cannot be read", task.function), error.what(), {}, {}};
    }
    std::optional<Attempt> nearest;
    std::string problem;
    for (const TaskInputs& reading : readings_of(without_options(inputs, all.not_taken))) {
        const NamedTensors right = layer_steps(task, reading);
        for (const GivenArrays& given : all.ways) try {
                Attempt attempt = attempt_of(given, reading, right);
                if (!nearest || attempt.distance < nearest->distance) nearest = std::move(attempt);
            } catch (const glassbox::Error& error) {
                if (problem.empty()) problem = error.what();
            }
    }
    if (!nearest) return {fmt::format("what {} returned is not clear", task.function), problem, {}, {}};
    Judged found = judge_arrays(course, task, nearest->inputs, nearest->arrays, expected);
    found.is_part = nearest->is_part;
    found.without = nearest->inputs.left_out;
    return found;
}

}  // namespace tracer
