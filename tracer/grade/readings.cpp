#include "grade/readings.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>
#include <glassbox/tensor/format.h>

namespace glassbox::tracer {

namespace {

bool is_weight(const std::string& array) { return array.find('.') != array.npos; }

// The same task with other arrays, beside the first.
TaskInputs with_arrays(TaskInputs inputs, const std::string& folder, const NamedTensors& arrays) {
    const std::filesystem::path own = inputs.file.parent_path() / folder;
    std::filesystem::create_directories(own);
    inputs.file = own / inputs_name;
    write_npz(inputs.file, arrays);
    return inputs;
}

const Tensor* kept_of(const NamedTensors& kept, const std::string& name, const Tensor& value) {
    for (const auto& [path, ones] : kept)
        if (path == name && value.rank() == 1 && ones.shape() == value.shape()) return &ones;
    return nullptr;
}

// A student's process reports what was kept: only biases and norms, as a matrix is always kept.
TaskInputs with_kept(TaskInputs inputs, const NamedTensors& kept) {
    if (kept.empty()) return inputs;
    NamedTensors arrays = read_npz(inputs.file).arrays;
    for (auto& [name, value] : arrays) {
        const Tensor* const ones = is_weight(name) ? kept_of(kept, name, value) : nullptr;
        if (!ones) continue;
        const real without = name.ends_with("bias") ? 0 : 1;
        std::vector<real> numbers;
        const auto own = value.values(), has = ones->values();
        for (std::size_t i = 0; i < own.size(); ++i) numbers.push_back(has[i] == 1 ? own[i] : without);
        value = Tensor(value.shape(), numbers);
        inputs.left_out.push_back(name);
    }
    return with_arrays(std::move(inputs), "kept", arrays);
}

bool has_flag(const Arguments& words, const std::string& flag) {
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); });
}

// The rows of a matrix or bias of (3, h, d_h) as (h, 3, d_h).
Tensor by_heads(const Tensor& stacked, index_t heads) {
    const index_t rows = stacked.size(0), width = stacked.numel() / rows, per_head = rows / (3 * heads);
    const auto own = stacked.values();
    std::vector<real> numbers;
    for (index_t head = 0; head < heads; ++head)
        for (index_t which = 0; which < 3; ++which)
            for (index_t i = 0; i < per_head * width; ++i)
                numbers.push_back(
                    own[static_cast<std::size_t>((which * heads + head) * per_head * width + i)]);
    return Tensor(stacked.shape(), numbers);
}

// The first rows and columns of each matrix.
Tensor cut(const Tensor& x, index_t rows, index_t width) {
    const index_t height = x.size(-2), own = x.size(-1), count = x.numel() / (height * own);
    const auto values = x.values();
    std::vector<real> numbers;
    for (index_t i = 0; i < count; ++i)
        for (index_t row = 0; row < rows; ++row)
            for (index_t column = 0; column < width; ++column)
                numbers.push_back(values[static_cast<std::size_t>((i * height + row) * own + column)]);
    return Tensor(x.shape().with(-2, rows).with(-1, width), numbers);
}

// Queries, keys and values cut to one length and one width, for functions that exchange them or expect it.
TaskInputs of_one_shape(TaskInputs inputs) {
    NamedTensors arrays = read_npz(inputs.file).arrays;
    const auto is_one = [](const std::string& name) { return name == "Q" || name == "K" || name == "V"; };
    index_t rows = 0, width = 0;
    for (const auto& [name, value] : arrays)
        if (is_one(name)) {
            rows = rows == 0 ? value.size(-2) : std::min(rows, value.size(-2));
            width = width == 0 ? value.size(-1) : std::min(width, value.size(-1));
        }
    if (rows == 0) return inputs;
    for (auto& [name, value] : arrays)
        if (is_one(name)) value = cut(value, rows, width);
    for (std::size_t i = 0; i + 1 < inputs.check.size(); ++i) {
        if (inputs.check[i] != "--lengths") continue;
        std::istringstream lengths(inputs.check[i + 1]);
        std::string shorter;
        for (std::string length; std::getline(lengths, length, ',');)
            shorter +=
                fmt::format("{}{}", shorter.empty() ? "" : ",", std::min<index_t>(rows, std::stoll(length)));
        inputs.check[i + 1] = shorter;
    }
    return with_arrays(std::move(inputs), "cut", arrays);
}

// Only the first sequence: all have the same times.
TaskInputs of_one_sequence(TaskInputs inputs) {
    NamedTensors arrays = read_npz(inputs.file).arrays;
    for (auto& [name, value] : arrays)
        while (name == "x" && value.rank() > 2) value = *value.begin();
    return with_arrays(std::move(inputs), "one", arrays);
}

// By its name alone the tutorial's matrix of queries, keys and values looks like PyTorch's.
void add_stacked(const TaskInputs& inputs, std::vector<Reading>& readings) {
    const auto options = nlohmann::json::parse(inputs.options);
    const index_t heads = options.value("heads", index_t{1});
    NamedTensors arrays = read_npz(inputs.file).arrays;
    bool is_other = false;
    for (auto& [name, value] : arrays)
        if (name.find("qkv_proj.") != name.npos && heads > 1 && value.size(0) % (3 * heads) == 0)
            value = by_heads(value, heads), is_other = true;
    if (is_other)
        readings.push_back({with_arrays(inputs, "stacked", arrays),
                            "qkv_proj holds all queries, then all keys, then all values"});
}

// A loss of all labels in one row, as most functions get them: a softmax over all of them is then one
// mistake, and over a sequence's another.
void add_rows(const TaskInputs& inputs, std::vector<Reading>& readings) {
    NamedTensors arrays = read_npz(inputs.file).arrays;
    const auto is_flat = [](const std::string& name, const Tensor& value) {
        return value.rank() < 2 + (name == "logits");
    };
    bool is_other = false;
    for (auto& [name, value] : arrays) {
        if ((name != "logits" && name != "labels") || is_flat(name, value)) continue;
        const index_t width = name == "logits" ? value.size(-1) : 1;
        value = name == "logits" ? Tensor({value.numel() / width, width}, value.values())
                                 : Tensor({value.numel()}, value.values());
        is_other = true;
    }
    if (!is_other) return;
    TaskInputs own = with_arrays(inputs, "rows", arrays);
    take_out(own.check, "--lengths");
    readings.push_back({std::move(own)});
}

}  // namespace

std::vector<Reading> readings_of(const CourseTask& task, const TaskInputs& inputs,
                                 const FunctionParameters& parameters) {
    TaskInputs own = with_kept(without_options(inputs, parameters.not_taken), parameters.kept);
    const bool is_asked = has_flag(task.layer, "--schedule");
    if (parameters.take_width && !is_asked) {
        take_out(own.check, "--schedule");
        own.check.insert(own.check.end(), {"--schedule", "inverse-sqrt"});
    }
    // The paper's has no separate rate.
    const bool is_papers =
        !is_asked || nlohmann::json::parse(own.options).value("schedule", "") == "inverse-sqrt";
    if (parameters.take_width && is_papers && !has_flag(own.check, "--rate"))
        own.check.insert(own.check.end(), {"--rate", "1"});
    if (parameters.take_time_alone) own = of_one_sequence(std::move(own));
    std::vector<Reading> all{{own}};
    const auto flag = std::find(own.check.begin(), own.check.end(), "--optimiser");
    if (!own.is_optimiser_drawn || flag == own.check.end() || flag + 1 == own.check.end()) return all;
    TaskInputs& other = all.emplace_back(Reading{own}).inputs;
    std::string& name = other.check[static_cast<std::size_t>(flag - own.check.begin()) + 1];
    name = name == "adamw" ? "adam" : "adamw";
    return all;
}

Reading shown_as(Reading reading, const std::string& way) {
    const std::vector<std::string>& drawn = reading.inputs.drawn;
    Arguments& words = reading.inputs.check;
    const auto is = [padded = " " + way + " "](const char* kind) {
        return padded.find(fmt::format(" {} ", kind)) != padded.npos;
    };
    const auto say = [&](const char* what) {
        reading.remark += fmt::format("{}{}", reading.remark.empty() ? "" : "; ", what);
    };
    if (way == "minus rate") say("its velocity is read as including the rate: v = μ·v − η·g, w + v");
    if (way == "plus rate") say("its velocity is read as including the rate: v = μ·v + η·g, w − v");
    if (way == "from 1") say("its step is read as t = n + 1, from 1 on");
    if (is("add")) say("read with an additive mask: 0 where a key is visible, −∞ where it is hidden");
    for (const char* open : {"mask", "lengths"})  // what the course asks for stays
        if (std::find(drawn.begin(), drawn.end(), open) == drawn.end()) return reading;
    if (is("padding")) {
        take_out(words, "--mask");
        say("read with a mask of padding only: a row of keys for each sequence");
    }
    if (is("later")) {
        for (const char* flag : {"--lengths", "--memory-lengths", "--target-lengths"}) take_out(words, flag);
        say("read with a mask of later keys only: one for all sequences");
    }
    if (is("cut")) reading.inputs = of_one_shape(std::move(reading.inputs));
    return reading;
}

std::vector<Reading> other_readings(const CourseTask& task, const TaskInputs& inputs,
                                    const std::string& right_with) {
    std::vector<Reading> all;
    if (has_flag(task.layer, "--convention")) return all;
    constexpr std::string_view says = "--convention ";
    const std::string& layer = task.layer[0];
    const bool has_norms = layer.ends_with("-block") || layer == "encoder" || layer == "decoder";
    std::string convention = has_norms ? "uva-torch" : "";
    const std::vector<std::string> names = Npz(inputs.file).names();
    // For a function of only numbers a convention decides what it does: not to clip, say.
    const bool has_weights = std::any_of(names.begin(), names.end(), is_weight);
    if (const std::size_t at = right_with.find(says); has_weights && at != right_with.npos)
        convention = right_with.substr(at + says.size());
    if (!convention.empty()) {
        all.push_back({inputs, "read with the convention " + convention});
        all.back().inputs.check.insert(all.back().inputs.check.end(), {"--convention", convention});
    }
    add_stacked(inputs, all);
    add_rows(inputs, all);
    return all;
}

NamedTensors steps_without_input(const CourseTask& task, const TaskInputs& inputs, NamedTensors steps,
                                 bool only_series) {
    NamedTensors moved = read_npz(inputs.file).arrays;
    bool is_moved = false;
    for (auto& [name, value] : moved) {
        std::vector<real> numbers = value.values();
        const auto is_whole = [](real x) { return x == std::round(x); };
        // A mask, labels and tokens stay what they are.
        if (is_weight(name) || (only_series && name != "x") ||
            std::all_of(numbers.begin(), numbers.end(), is_whole))
            continue;
        for (real& x : numbers) x += 1;
        value = Tensor(value.shape(), numbers);
        is_moved = true;
    }
    if (!is_moved) return steps;
    const NamedTensors others = layer_steps(task, with_arrays(inputs, "moved", moved));
    for (std::size_t count = std::min(steps.size(), others.size()); count > 0; --count) {
        const auto own = steps[count - 1].second.values(), other = others[count - 1].second.values();
        if (!std::equal(own.begin(), own.end(), other.begin(), other.end())) continue;
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(count), steps.end());
        break;
    }
    return steps;
}

}  // namespace glassbox::tracer
