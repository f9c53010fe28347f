#include "grade/judge_function.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <glassbox/io/detail/text.h>
#include <glassbox/io/npz.h>
#include <glassbox/tensor/format.h>

#include "grade/readings.h"
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

// Of what an update gives, the parameters and their averages in any order: (w, m, v), (w, velocity).
NamedTensors by_numbers(const std::vector<Tensor>& values, const NamedTensors& right) {
    std::vector<std::string> steps;
    for (const std::string& name : {right.back().first, std::string("m"), std::string("v")})
        if (const Tensor* const step = find(right, name); step && step->shape() == values.front().shape())
            steps.push_back(name);
    const bool are_these = values.size() > 1 && values.size() <= steps.size() &&
                           std::all_of(values.begin(), values.end(),
                                       [&](const Tensor& x) { return x.shape() == values.front().shape(); });
    std::sort(steps.begin(), steps.end());
    std::map<std::vector<std::string>, double> orders;  // how far each is from right
    if (are_these) do {
            double sum = 0;
            for (std::size_t i = 0; i < values.size(); ++i)
                sum += std::min(1.0, distance(values[i], *find(right, steps[i])));
            const auto end = steps.begin() + static_cast<std::ptrdiff_t>(values.size());
            if (std::find(steps.begin(), end, right.back().first) != end) orders[{steps.begin(), end}] = sum;
        } while (std::next_permutation(steps.begin(), steps.end()));
    std::vector<std::string> best;
    double least = INFINITY, second = INFINITY;
    for (const auto& [names, sum] : orders) {
        second = std::min(second, std::max(least, sum));
        if (sum < least) least = sum, best = names;
    }
    if (!(least < second / 2))
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

// Of steps by their names, and a result by a name of its own: that with the result's shape, which beside
// others has its numbers, too.
NamedTensors with_result(NamedTensors known, const NamedTensors& given, const NamedTensors& right) {
    const auto& [result, numbers] = right.back();
    for (const auto& [name, value] : known)
        if (is_path_of(result, name) || is_loss(name)) return known;
    const Tensor* nearest = nullptr;
    for (const auto& [name, value] : given)
        if (!find(known, name) && value.shape() == numbers.shape() &&
            (!nearest || distance(value, numbers) < distance(*nearest, numbers)))
            nearest = &value;
    if (!nearest && known.empty()) nearest = &given.front().second;
    constexpr double near = 1e-2;
    const bool is_one_of_several = given.size() > known.size() + 1;
    if (nearest && !known.empty() && is_one_of_several && distance(*nearest, numbers) > near)
        nearest = nullptr;
    if (nearest) known.emplace_back(result, *nearest);
    return known;
}

NamedTensors of_names(const NamedTensors& given, const NamedTensors& right) {
    NamedTensors known;
    for (const auto& [name, value] : given)
        if (std::any_of(right.begin(), right.end(),
                        [&, &own = name](const auto& step) { return is_path_of(step.first, own); }))
            known.emplace_back(name, value);
    return with_result(std::move(known), given, right);
}

// Of a list of arrays, [w, m, v], which NumPy makes one array of: its entries.
std::vector<Tensor> entries_of(const Tensor& list, const NamedTensors& right) {
    const Tensor& result = right.back().second;
    if (list.rank() != result.rank() + 1 || list.size(0) < 2 || list.shape() == result.shape()) return {};
    std::vector<Tensor> entries;
    for (const Tensor& entry : list) entries.push_back(entry);
    return entries.front().shape() == result.shape() ? entries : std::vector<Tensor>{};
}

// What the function gave for a mask of this kind (run_function.cpp).
struct Way {
    std::string masking;
    GivenArrays arrays;
};

struct Returned {
    std::vector<Way> ways;
    Parameters parameters;
};

Returned returned(const std::string& bytes) {
    const ScratchFolder folder;
    put_file(folder / "returned.npz", bytes);
    constexpr std::size_t most_ways = 24;
    Returned all;
    std::map<std::string, std::size_t> places;
    for (const auto& [name, value] : glassbox::read_npz(folder / "returned.npz").arrays) {
        const std::size_t slash = std::min(name.find('/'), name.size());
        const std::string way = name.substr(0, slash), own = name.substr(std::min(slash + 1, name.size()));
        if (way == "not taken") all.parameters.not_taken.push_back(own);
        else if (way == "kept") all.parameters.kept.emplace_back(own, value);
        else if (way == "no input") all.parameters.take_no_input = true;
        else if (way == "by width") all.parameters.take_width = true;
        else if (places.count(way) > 0 || all.ways.size() < most_ways) {
            const auto [place, is_new] = places.emplace(way, all.ways.size());
            if (is_new) all.ways.push_back({way.substr(std::min(way.find(' '), way.size() - 1) + 1), {}});
            all.ways[place->second].arrays.emplace_back(own, value);
        }
    }
    if (all.ways.empty()) glassbox::fail("there is no array in it");
    return all;
}

// What one way gave, for one reading of the task, and how far its result, or its last step, is from right.
struct Attempt {
    std::string arrays;  // a file of its steps
    Reading reading;
    bool is_part = false;
    bool is_of_task = true;  // and not with a mask of another kind
    bool fits = true;        // as many numbers as are right, or the shape of another step
    int axes = 0;            // of what was returned
    double distance = INFINITY;
};

Attempt attempt_of(const Way& way, const Reading& reading, const NamedTensors& right) {
    const NamedTensors steps = steps_in(way.arrays, right);
    Attempt attempt{std::string(glassbox::as_text(glassbox::format_npz(steps))), reading};
    attempt.is_of_task = way.masking.empty() || way.masking == "from 1";
    const Tensor& result = right.back().second;
    attempt.fits = std::any_of(way.arrays.begin(), way.arrays.end(), [&](const auto& given) {
        const Tensor& own = given.second;
        return (own.numel() == result.numel() && own.rank() <= result.rank()) ||
               std::any_of(right.begin(), right.end(),
                           [&](const auto& step) { return step.second.shape() == own.shape(); });
    });
    for (const auto& [name, value] : way.arrays) attempt.axes = std::max(attempt.axes, value.rank());
    const std::string* last = nullptr;
    for (const auto& [path, value] : right)
        for (const auto& [name, own] : steps)
            if (is_path_of(path, name)) {
                constexpr double of_another_shape = 1e6;
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

// The one that speaks: what is right, or the nearest, of those with the task's own mask; with another where
// with that none fits. Where a mask with an axis too many has given the result one more, too, that way was
// not meant.
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
    if (has_own) erase([](const Attempt& each) { return !each.is_of_task; });
    int fewest = attempts.front().axes;
    for (const Attempt& each : attempts) fewest = std::min(fewest, each.axes);
    if (!has_labels) erase([&](const Attempt& each) { return each.axes > fewest; });
    return nearest_of(attempts);
}

}  // namespace

NamedTensors steps_in(const GivenArrays& given, const NamedTensors& right) {
    NamedTensors named;
    std::vector<Tensor> values;
    for (const auto& [name, value] : given)
        if (name.starts_with("=")) named.emplace_back(name.substr(1), value);
        else values.push_back(value);
    if (!named.empty()) return of_names(named, right);
    if (values.size() > 1) return of_tuple(values, right);
    if (const std::vector<Tensor> entries = entries_of(values.front(), right); !entries.empty()) try {
            return of_tuple(entries, right);
        } catch (const glassbox::Error&) {  // not several arrays, but one of another shape
        }
    return of_array(values.front(), right);
}

Judged judge_function(const Course& course, const CourseTask& task, const TaskInputs& inputs,
                      const std::string& bytes, bool expected) {
    Returned all;
    try {
        all = returned(bytes);
    } catch (const glassbox::IoError&) {  // not the student's doing
        throw;
    } catch (const glassbox::Error& error) {
        const std::string why = error.what(), file = "returned.npz: ";  // and its folder is nobody's business
        const std::size_t at = why.find(file);
        return {fmt::format("what {} returned cannot be read", task.function),
                at == why.npos ? why : why.substr(at + file.size()),
                {},
                {}};
    }
    std::vector<Attempt> attempts;
    std::string problem;
    for (const Reading& own : readings_of(task, inputs, all.parameters)) {
        std::map<std::string, std::pair<Reading, NamedTensors>> by_masking;
        for (const Way& way : all.ways) try {
                if (by_masking.count(way.masking) == 0) {
                    const Reading reading = shown_as(own, way.masking);
                    NamedTensors right = layer_steps(task, reading.inputs);
                    if (all.parameters.take_no_input)
                        right = steps_without_input(task, reading.inputs, std::move(right));
                    by_masking[way.masking] = {reading, std::move(right)};
                }
                const auto& [reading, right] = by_masking[way.masking];
                attempts.push_back(attempt_of(way, reading, right));
            } catch (const glassbox::IoError&) {
                throw;
            } catch (const glassbox::Error& error) {
                if (problem.empty()) problem = error.what();
            }
    }
    if (attempts.empty())
        return {fmt::format("what {} returned is not clear", task.function), problem, {}, {}};
    const bool has_labels = glassbox::Npz(inputs.file).contains("labels");
    const Attempt& chosen = chosen_of(attempts, has_labels);
    const auto judged = [&](const Reading& reading, bool is_searched) {
        Judged found = judge_arrays(course, task, reading.inputs, chosen.arrays, expected, is_searched);
        found.is_part = chosen.is_part || all.parameters.take_no_input;
        found.without = reading.inputs.left_out;
        found.remark = reading.remark;
        return found;
    };
    const Judged found = judged(chosen.reading, true);
    if (found.problem.empty() && !is_all_right(found))
        for (const Reading& other : other_readings(task, chosen.reading.inputs, found.right_with))
            if (Judged again = judged(other, false); is_all_right(again)) return again;
    return found;
}

}  // namespace tracer
