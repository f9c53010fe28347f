#include "grade/given_steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace {

// What a loss or a layer may return beside its result, or instead.
constexpr const char* losses[] = {"loss", "losses"};

}  // namespace

bool is_path_of(const std::string& path, const std::string& name) {
    return path == name || path.ends_with("/" + name);
}

bool is_loss(const std::string& path) {
    return std::any_of(std::begin(losses), std::end(losses), [&](const char* each) { return path == each; });
}

bool have_one_shape(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() || (a.numel() == 1 && b.numel() == 1);
}

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

namespace {

const Tensor* find(const NamedTensors& all, const std::string& name) {
    for (const auto& [path, value] : all)
        if (path == name) return &value;
    return nullptr;
}

// Whether it has the numbers of a step, to identify it.
bool is_near(const Tensor& value, const Tensor& step) {
    constexpr double near = 1e-3;
    return step.shape() == value.shape() && distance(value, step) < near;
}

// For an array of the result's shape: another step whose numbers it has, as probabilities beside a loss.
std::string alike(const Tensor& value, const NamedTensors& right) {
    const std::string& result = right.back().first;
    std::string found;
    for (const auto& [path, step] : right) {
        if (!is_near(value, step)) continue;
        if (path == result) return result;
        if (found.empty()) found = path;
    }
    return found.empty() ? result : found;
}

// The same without leading axes of 1.
Tensor inner(const Tensor& x) {
    int ones = 0;
    while (ones < x.rank() && x.size(ones) == 1) ++ones;
    std::vector<index_t> sizes;
    for (int axis = ones; axis < x.rank(); ++axis) sizes.push_back(x.size(axis));
    return Tensor(Shape(sizes), x.values());
}

// A result of any numbers, if each of the others has those of a step before it, an encoding or a mean; else
// none.
NamedTensors beside_steps(const std::vector<Tensor>& values, const NamedTensors& right) {
    const auto& [result, numbers] = right.back();
    if (find(right, "m")) return {};  // an average with a wrong next update is not a step
    NamedTensors named;
    for (const Tensor& value : values) {
        const std::string own = alike(value, right);
        const std::string name =
            own == result && value.shape() != numbers.shape() ? alike(inner(value), right) : own;
        const bool is_result = name == result && value.shape() == numbers.shape();
        if (find(named, name) || (name == result && !is_result)) return {};
        named.emplace_back(name, is_result ? value : inner(value));
    }
    return find(named, result) ? named : NamedTensors{};
}

// From an update's output, the parameters and their averages in any order: (w, m, v), (w, velocity).
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
    double without_result = INFINITY;
    if (are_these) do {
            double sum = 0;
            for (std::size_t i = 0; i < values.size(); ++i)
                sum += std::min(1.0, distance(values[i], *find(right, steps[i])));
            const auto end = steps.begin() + static_cast<std::ptrdiff_t>(values.size());
            if (std::find(steps.begin(), end, right.back().first) != end) orders[{steps.begin(), end}] = sum;
            else without_result = std::min(without_result, sum);
        } while (std::next_permutation(steps.begin(), steps.end()));
    std::vector<std::string> best;
    double least = INFINITY, second = INFINITY;
    for (const auto& [names, sum] : orders) {
        second = std::min(second, std::max(least, sum));
        if (sum < least) least = sum, best = names;
    }
    if (const NamedTensors all = beside_steps(values, right); best.empty() && !all.empty()) return all;
    if (!(least < second / 2)) {
        const std::string why = fmt::format(
            "the function returned {} arrays, and it is unclear which steps they are: return the result "
            "alone or a dictionary of steps, or set \"returns\" in the course",
            values.size());
        constexpr double near = 1e-3;  // only the averages: the result is missing
        const bool has_result = std::any_of(values.begin(), values.end(), [&](const Tensor& x) {
            return x.shape() == right.back().second.shape();
        });
        if ((are_these || has_result) && !(without_result < near)) throw UnclearSteps(why);
        throw Error(why);
    }
    NamedTensors named;
    for (std::size_t i = 0; i < best.size(); ++i) named.emplace_back(best[i], values[i]);
    return named;
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

// If the layer has no loss, single numbers beside its result, a count or a norm, are not its arrays.
void leave_out_scalars(std::vector<Tensor>& values, const NamedTensors& right) {
    const auto is_scalar = [](const Tensor& value) { return value.rank() == 0; };
    const bool has_loss =
        std::any_of(right.begin(), right.end(), [](const auto& step) { return is_loss(step.first); });
    if (!has_loss && !std::all_of(values.begin(), values.end(), is_scalar))
        values.erase(std::remove_if(values.begin(), values.end(), is_scalar), values.end());
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

// A loss under another name, and which it is: among several the one with its numbers.
std::pair<std::string, const Tensor*> loss_in(const NamedTensors& known, const NamedTensors& given,
                                              const NamedTensors& right) {
    std::pair<std::string, const Tensor*> found{"", nullptr};
    double least = INFINITY;
    for (const char* path : losses)
        for (const auto& [name, value] : given) {
            const Tensor* const step = find(right, path);
            if (!step || find(known, name) || !have_one_shape(*step, value)) continue;
            const double by = distance(value, *step);
            if (!found.second || by < least) found = {path, &value}, least = by;
        }
    return found;
}

// Probabilities beside a loss, under a name that is not a gradient's: not a result.
bool is_beside_loss(const std::string& name, const Tensor& value, const NamedTensors& right) {
    const bool has_loss =
        std::any_of(right.begin(), right.end(), [](const auto& step) { return is_loss(step.first); });
    return has_loss && name.find_first_of("dgDG") != 0 && alike(value, right) != right.back().first;
}

// Of steps by their names, and a result under another name: the array with the result's shape, and among
// several also with its numbers.
NamedTensors with_result(NamedTensors known, const NamedTensors& given, const NamedTensors& right) {
    const auto& [result, numbers] = right.back();
    for (const auto& [name, value] : known)
        if (is_path_of(result, name) || is_loss(name)) return known;
    const Tensor* nearest = nullptr;
    for (const auto& [name, value] : given)
        if (!find(known, name) && value.shape() == numbers.shape() && !is_beside_loss(name, value, right) &&
            (!nearest || distance(value, numbers) < distance(*nearest, numbers)))
            nearest = &value;
    if (!nearest)
        if (const auto [path, loss] = loss_in(known, given, right); loss) {
            known.emplace_back(path, Tensor(find(right, path)->shape(), loss->values()));
            return known;
        }
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

// Beside the result by its own name another array that is called a result, and has the numbers of no step.
void refuse_two_results(const GivenArrays& given, const NamedTensors& right) {
    const auto& [result, numbers] = right.back();
    const auto is_known = [&](const std::string& name) {
        return std::any_of(right.begin(), right.end(),
                           [&](const auto& step) { return is_path_of(step.first, name); });
    };
    for (const auto& [own, chosen] : given)
        for (const auto& [name, other] : given)
            if (is_path_of(result, own.substr(1)) && name.starts_with("?") && !is_known(name.substr(1)) &&
                other.shape() == numbers.shape() && alike(other, right) == result &&
                !is_near(other, numbers) && distance(other, chosen) > 0)
                throw UnclearSteps(fmt::format(
                    "the function returned '{}' and '{}', and both are named like the result: which is it?",
                    printable(own.substr(1)), printable(name.substr(1))));
}

// The entries of a list of arrays, [w, m, v], which NumPy turns into one array.
std::vector<Tensor> entries_of(const Tensor& list, const NamedTensors& right) {
    const Tensor& result = right.back().second;
    if (list.rank() != result.rank() + 1 || list.size(0) < 2 || list.shape() == result.shape()) return {};
    std::vector<Tensor> entries;
    for (const Tensor& entry : list) entries.push_back(entry);
    return entries.front().shape() == result.shape() ? entries : std::vector<Tensor>{};
}

}  // namespace

NamedTensors steps_in(const GivenArrays& given, const NamedTensors& right) {
    NamedTensors named;
    std::vector<Tensor> values;
    for (const auto& [name, value] : given)
        if (name.starts_with("=") || name.starts_with("?")) named.emplace_back(name.substr(1), value);
        else values.push_back(value);
    refuse_two_results(given, right);
    if (!named.empty()) return of_names(named, right);
    leave_out_scalars(values, right);
    if (values.size() > 1) return of_tuple(values, right);
    if (const std::vector<Tensor> entries = entries_of(values.front(), right); !entries.empty()) try {
            return of_tuple(entries, right);
        } catch (const Error&) {  // not several arrays, but one of another shape
        }
    return of_array(values.front(), right);
}

}  // namespace glassbox::tracer
