#include "subject/submitted_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "subject/axis_words.h"

namespace glassbox::tracer {

namespace {

std::string plain(std::string name) {
    for (char& c : name)
        if (c == '.' || c == '_') c = '/';
    return name;
}

// The path of the only step that the name may mean; "" if there is none.
std::string path_of(const std::string& name, const std::vector<std::string>& paths) {
    if (std::find(paths.begin(), paths.end(), name) != paths.end()) return name;
    std::string found;
    for (const std::string& path : paths) {
        if (plain(path) != plain(name) && !path.ends_with("/" + name)) continue;
        if (!found.empty()) return "";
        found = path;
    }
    return found;
}

bool is_computed(const std::string& path, const Trace& trace) {
    return std::any_of(trace.steps().begin(), trace.steps().end(),
                       [&](const auto& step) { return step.path == path && trace.operation_of(step.made); });
}

bool are_probabilities(const Tensor& x) {
    if (x.rank() == 0 || x.size(-1) < 2) return false;
    const std::vector<real> numbers = x.values();
    const auto width = static_cast<std::size_t>(x.size(-1));
    for (std::size_t row = 0; row < numbers.size(); row += width) {
        double sum = 0;
        for (std::size_t i = row; i < row + width; ++i) {
            if (!(numbers[i] >= 0)) return false;
            sum += static_cast<double>(numbers[i]);
        }
        if (std::abs(sum - 1) > 5e-3) return false;
    }
    return true;
}

// With its axes in the order used here, if their names give another.
void put_in_order(OtherReading& reading) {
    if (static_cast<int>(reading.axes.size()) != reading.value.rank()) return;
    const std::vector<int> order = order_of_axes(reading.axes);
    if (order.empty()) return;
    permute_axes(order, reading.value, reading.half_width);
    AxisNames axes;
    for (const int axis : order) axes.push_back(reading.axes[static_cast<std::size_t>(axis)]);
    reading.how += fmt::format("{}its axes are named {}, and taken as {}", reading.how.empty() ? "" : ", ",
                               axes_text(reading.axes), axes_text(axes));
    reading.axes = std::move(axes);
}

// How an array may be read, first as it is.
std::vector<OtherReading> readings_of(const SubmittedArray& array) {
    std::vector<OtherReading> readings{{array.value, array.half_width, array.how}};
    readings[0].axes = array.axes;
    readings.insert(readings.end(), array.others.begin(), array.others.end());
    for (OtherReading& each : readings) put_in_order(each);
    return readings;
}

// The reading that has the step's shape, else as many numbers, else as it is.
OtherReading reading_for(const SubmittedArray& array, const Shape& shape) {
    const std::vector<OtherReading> readings = readings_of(array);
    for (const OtherReading& each : readings)
        if (each.value.shape() == shape) return each;
    for (const OtherReading& each : readings)
        if (each.value.numel() == shape.numel()) return each;
    return readings.front();
}

// A single number is the loss, or another of the layer's single numbers: the nearest of them.
std::string number_like(double number, const Trace& trace) {
    std::string nearest;
    double least = std::numeric_limits<double>::infinity();
    for (const auto& step : trace.steps()) {
        if (!step.info || !trace.operation_of(step.made) || step.value.numel() != 1) continue;
        const double off = std::abs(number - static_cast<double>(step.value.values()[0]));
        if (nearest.empty() || off < least) nearest = step.path, least = off;
    }
    return nearest;
}

// The step of a single array: the result, or its softmax. If the result cannot have that many numbers, the
// last computed step that has its shape.
std::string result_like(const SubmittedArray& array, const Trace& trace, const std::string& result) {
    const std::string softmax = result.substr(0, result.rfind('/') + 1) + "softmax";
    if (trace.contains(softmax) && are_probabilities(reading_for(array, trace[softmax].shape()).value))
        return softmax;
    const std::vector<OtherReading> readings = readings_of(array);
    for (const OtherReading& each : readings)
        if (trace[result].numel() == each.value.numel()) return result;
    for (const OtherReading& each : readings) {
        std::string like;
        if (each.value.numel() == 1) like = number_like(each.value.values()[0], trace);
        for (const auto& step : trace.steps())
            if (step.info && trace.operation_of(step.made) && step.value.shape() == each.value.shape())
                like = step.path;
        if (!like.empty()) return like;
    }
    return result;
}

// If none of several arrays has a step's name: rows under the words of a sentence, "the [0.5 0.25]", are
// those of one array; others are identified by their shapes, like arrays without names, if these are of
// different steps.
std::vector<SubmittedArray> with_known_names(std::vector<SubmittedArray> arrays, const Shape& result,
                                             const std::function<bool(const SubmittedArray&)>& is_known,
                                             const std::function<std::string(const SubmittedArray&)>& like) {
    if (arrays.size() < 2 || std::any_of(arrays.begin(), arrays.end(), is_known)) return arrays;
    const Shape& first = arrays[0].value.shape();
    const bool are_rows = first.rank() == 1 && result.rank() > 1 && first[0] == result[-1] &&
                          std::all_of(arrays.begin(), arrays.end(), [&](const SubmittedArray& each) {
                              return each.value.shape() == first;
                          });
    if (are_rows) {
        arrays = {rows_of(arrays)};
        arrays[0].step.clear();
        return arrays;
    }
    std::set<std::string> steps;
    for (const SubmittedArray& each : arrays) steps.insert(like(each));
    if (steps.size() != arrays.size()) return arrays;
    for (SubmittedArray& each : arrays) {
        each.how = fmt::format("{} is identified by its shape{}{}", printable(each.step),
                               each.how.empty() ? "" : ", ", each.how);
        each.step.clear();
    }
    return arrays;
}

// Whether they are a step's numbers, in any order and not judged closely.
bool are_numbers_of(const OtherReading& reading, const Tensor& step) {
    if (reading.value.numel() != step.numel()) return false;
    constexpr double nearly = 2e-3;
    std::vector<real> own = reading.value.values(), right = step.values();
    double largest = 0, width = 0;
    for (const real x : right)
        if (std::isfinite(x)) largest = std::max(largest, std::abs(static_cast<double>(x)));
    for (const double each : reading.half_width) width = std::max(width, each);
    const auto is_nan = [](real x) { return std::isnan(x); };
    if (std::any_of(own.begin(), own.end(), is_nan) || std::any_of(right.begin(), right.end(), is_nan))
        return false;
    std::sort(own.begin(), own.end()), std::sort(right.begin(), right.end());
    return std::equal(own.begin(), own.end(), right.begin(), [&](real a, real b) {
        return a == b ||
               std::abs(static_cast<double>(a) - static_cast<double>(b)) <= width + nearly * largest;
    });
}

// A single array may have a variable's name that is also an earlier step's: values, x. Why it is the result;
// empty if it is not.
std::string why_result(const SubmittedArray& array, const std::string& path, const Trace& trace,
                       const std::string& result, bool is_input) {
    if (array.is_asked || path == result) return "";
    const OtherReading as_step = reading_for(array, trace[path].shape()),
                       as_result = reading_for(array, trace[result].shape());
    if (as_result.value.numel() != trace[result].numel() || are_numbers_of(as_step, trace[path])) return "";
    if (are_numbers_of(as_result, trace[result])) return "these are its numbers";
    const bool fits_step = as_step.value.shape() == trace[path].shape() && !is_input;
    return as_result.value.shape() == trace[result].shape() && !fits_step ? "it has its shape" : "";
}

// Right for float16, but not for the digits shown: the print does not tell which it is.
std::string question_about_half(const OtherReading& taken, const Tensor& step) {
    if (taken.value.shape() != step.shape() || !may_be_printed_half(taken.value, taken.half_width)) return "";
    const std::vector<real> own = taken.value.values(), right = step.values();
    double largest = 0;
    for (const real x : right)
        if (std::isfinite(x)) largest = std::max(largest, std::abs(static_cast<double>(x)));
    constexpr double of_half = 8;  // roundings
    const double most = of_half * half_precision().unit * largest;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (!(own[i] == right[i] ||
              std::abs(static_cast<double>(own[i]) - static_cast<double>(right[i])) <= most))
            return "";
    return "these may be float16 numbers, which have at most three digits, and would be right: print them "
           "with their type, as print(repr(x)) does, or submit more digits of float32";
}

}  // namespace

SubmittedSteps steps_of(const std::vector<SubmittedArray>& all, const Trace& trace, const std::string& result,
                        const std::vector<std::string>& not_steps, const std::string& file,
                        bool only_result) {
    std::vector<std::string> paths;
    for (const auto& step : trace.steps())
        if (step.info) paths.push_back(step.path);
    const auto like = [&](const SubmittedArray& array) {
        return only_result ? result : result_like(array, trace, result);
    };
    SubmittedSteps submitted;
    std::vector<SubmittedArray> readable;
    for (const SubmittedArray& each : all) {
        if (each.too_large.empty()) {
            readable.push_back(each);
            continue;
        }
        const std::string path = all.size() == 1 ? result : path_of(each.step, paths);
        if (!path.empty())
            fail<FileError>("{}: {} has the shape {}, and {} needs {}", file,
                            printable(each.step.empty() ? "it" : each.step), each.too_large, path,
                            trace[path].shape());
        submitted.remarks.push_back(fmt::format("{} is not a step, and is ignored", printable(each.step)));
    }
    const std::vector<SubmittedArray> arrays = with_known_names(
        readable, trace[result].shape(),
        [&](const SubmittedArray& each) {
            return each.step.empty() || !path_of(each.step, paths).empty() ||
                   std::find(not_steps.begin(), not_steps.end(), each.step) != not_steps.end();
        },
        like);
    for (const SubmittedArray& each : arrays) {
        const bool is_known = std::find(not_steps.begin(), not_steps.end(), each.step) != not_steps.end();
        std::string path = each.step.empty() ? like(each) : path_of(each.step, paths);
        // x is the layer's input, and not its norm, self_attn/x.
        if (is_known && path != each.step && is_computed(path, trace)) path.clear();
        if (!path.empty() && arrays.size() == 1 && !each.step.empty())
            if (const std::string why = why_result(each, path, trace, result, is_known); !why.empty()) {
                path = result;
                submitted.remarks.push_back(
                    fmt::format("{} is taken as {}: {}", printable(each.step), result, why));
            }
        const auto numbers = [&] { return reading_for(each, trace[path].shape()); };
        if (each.step.empty() && path != result)
            submitted.remarks.push_back(
                fmt::format("taken as {}, by its {}", path,
                            trace[result].numel() == numbers().value.numel() ? "sums of 1" : "shape"));
        if (path.empty() && arrays.size() == 1) {
            path = like(each);
            submitted.remarks.push_back(fmt::format("{} is taken as {}", printable(each.step), path));
        }
        if (path.empty()) {
            if (!is_known)
                submitted.remarks.push_back(fmt::format("{} is not a step, and is ignored{}",
                                                        printable(each.step),
                                                        did_you_mean(each.step, paths)));
            continue;
        }
        const bool is_double = std::any_of(submitted.steps.begin(), submitted.steps.end(),
                                           [&](const SubmittedStep& other) { return other.step == path; });
        if (is_double) fail<FileError>("{}: two arrays for the step {}: submit one", file, path);
        const OtherReading taken = numbers();
        if (!taken.question.empty()) fail<FileError>("{}: {}", file, taken.question);
        if (taken.value.numel() == 2 * trace[path].numel() && !each.comma_doubt.empty())
            fail<FileError>("{}: {}", file, each.comma_doubt);
        if (is_score(path, trace) && may_have_rows_of_keys(taken.axes))
            fail<FileError>(
                "{}: its axes are named {}, and {} has a row for each query: submit its transpose, or name "
                "both axes",
                file, axes_text(taken.axes), path);
        if (each.is_of_several && taken.value.numel() != trace[path].numel())
            fail<FileError>("{}: several arrays without names, which are not the rows of {}, {}", file, path,
                            trace[path].shape());
        if (!taken.how.empty()) submitted.remarks.push_back(taken.how);
        if (!each.stated_shape.empty() && taken.value.shape() != trace[path].shape() &&
            taken.value.numel() == trace[path].numel())
            submitted.question = fmt::format("the stated shape is {}, but {} needs {}", each.stated_shape,
                                             path, trace[path].shape());
        submitted.steps.push_back({path, taken.value, taken.half_width});
        submitted.steps.back().precision = written_precision(taken.value, taken.half_width, each.formats);
        if (!submitted.steps.back().precision && submitted.question.empty())
            submitted.question = question_about_half(taken, trace[path]);
    }
    if (submitted.steps.empty())
        fail<FileError>("{}: none of its arrays is a step; the steps are: {}", file, fmt::join(paths, ", "));
    return submitted;
}

}  // namespace glassbox::tracer
