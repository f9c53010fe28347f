#include <glassbox/series/windows.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <glassbox/observe/record.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::windows;

namespace {

Tape::Gradients no_pullback(const Tensor&) { return {}; }

// begin, begin + 1, …, end − 1
Tensor range(index_t begin, index_t end) {
    Tensor all = Tensor::empty({end - begin});
    std::iota(all.writable().data, all.writable().data + (end - begin), static_cast<real>(begin));
    return all;
}

// x = series[t − L + 1 … t],  targets = series[t + 1 … t + H]         t (…, 1)
Window windows_at(const Tensor& series, const Tensor& t, const WindowConfig& config) {
    const Device device = series.device();
    const Tensor known = (t + range(1 - config.window, 1)).to(device);   // (…, L)
    const Tensor ahead = (t + range(1, config.horizon + 1)).to(device);  // (…, H)
    Tensor x = named(step::x, embedding(series, known));                 // (…, L, c)
    Tensor targets = named(step::targets, embedding(series, ahead));     // (…, H, c)
    return {x, targets};
}

// The times whose part this is, and around which there is a whole window: (n, 1).
Tensor times_of(const Tensor& part, int of, const WindowConfig& config) {
    const std::vector<real> parts = part.values();
    std::vector<real> times;
    for (index_t t = config.window - 1; t + config.horizon < part.size(0); ++t)
        if (parts[static_cast<std::size_t>(t)] == static_cast<real>(of))
            times.push_back(static_cast<real>(t));
    if (times.empty()) fail("windows: none has part {}", of);
    const Tensor found({static_cast<index_t>(times.size()), 1}, times);
    return record("times", found, {&part}, no_pullback, {{"of", of}});
}

}  // namespace

Window window_at(const Tensor& series, index_t t, const WindowConfig& config) {
    const index_t L = config.window, H = config.horizon;
    if (series.rank() != 2 || t < L - 1 || t + H >= series.size(0))
        fail("window: needs {} values up to t = {} and {} after it, got a series of shape {}", L, t, H,
             series.shape());
    return windows_at(series, Tensor({1}, {static_cast<real>(t)}), config);
}

// part[t] = 1 where t + H < training, 2 where t + 1 ≥ training, else 0
Tensor window_parts(index_t T, index_t training, const WindowConfig& config) {
    const index_t L = config.window, H = config.horizon;
    std::vector<real> part(static_cast<std::size_t>(T), part_none);
    for (index_t t = L - 1; t + H < T; ++t) {
        const auto at = static_cast<std::size_t>(t);
        if (t + H < training) part[at] = part_training;
        if (t + 1 >= training) part[at] = part_test;
    }
    return named(step::part, record("parts", Tensor({T}, part), {}, no_pullback,
                                    {{"training", training}, {"window", L}, {"horizon", H}}));
}

Window windows_of(const Tensor& series, const Tensor& part, int of, const WindowConfig& config) {
    return windows_at(series, times_of(part, of, config), config);
}

namespace {

void check(const WindowConfig& config) {
    if (config.window < 1 || config.horizon < 1)
        fail<UsageError>("windows: needs a window and a horizon of at least 1, got {} and {}", config.window,
                         config.horizon);
}

// Sizes that fit: half of what the shortest part has, and windows that are twice as many as they are long.
std::string way_out(index_t training, index_t shortest, const WindowConfig& config) {
    const index_t horizon = std::min({config.horizon, shortest / 2, training / 4});
    if (horizon < 1) return "";
    return fmt::format("; --window {} --horizon {} fit",
                       std::clamp<index_t>((training - horizon) / 3, 1, config.window), horizon);
}

}  // namespace

Split split_by_time(index_t length, double validation, double test, const WindowConfig& config) {
    check(config);
    const auto part = [length](double of) { return static_cast<index_t>(of * static_cast<double>(length)); };
    const Split split{length - part(test) - part(validation), length - part(test), length};
    const index_t shortest = std::min(split.validation - split.training, split.end - split.validation);
    if (split.training < config.window + config.horizon || shortest < config.horizon)
        fail<UsageError>(
            "series: {} values make parts of {} for training, {} for validation and {} for the test; a "
            "window "
            "of {} and a horizon of {} need at least {}, {} and {}{}",
            length, split.training, split.validation - split.training, split.end - split.validation,
            config.window, config.horizon, config.window + config.horizon, config.horizon, config.horizon,
            way_out(split.training, shortest, config));
    return split;
}

WindowData::WindowData(const Tensor& values, const Tensor& known, index_t begin, index_t end,
                       const WindowConfig& config, Targets targets)
    : config_(config) {
    check(config);
    if (values.rank() != 2 || values.shape() != known.shape() || begin < 0 || end > values.size(0))
        fail("windows: needs values and known of one shape (T, c) with the rows [{}, {}), got {} and {}",
             begin, end, values.shape(), known.shape());
    values_ = contiguous(slice(values, 0, 0, end)), known_ = contiguous(slice(known, 0, 0, end));
    for (index_t t = std::max(begin, config.window) - 1; t + config.horizon < end; ++t)
        if (targets == Targets::any || has_known_target(t)) t_.push_back(t);
        else ++left_out_;
}

bool WindowData::has_known_target(index_t t) const {
    const index_t c = known_.size(1);
    const real* first = known_.data() + (t + 1) * c;
    return std::any_of(first, first + config_.horizon * c, [](real known) { return known != 0; });
}

index_t WindowData::t(index_t row) const {
    if (row < 0 || row >= size()) fail("windows: no window {}: there are {}", row, size());
    return t_[static_cast<std::size_t>(row)];
}

Examples WindowData::at(const std::vector<index_t>& rows) const {
    const index_t n = static_cast<index_t>(rows.size()), L = config_.window, H = config_.horizon;
    const index_t c = values_.size(1);
    Tensor x = Tensor::empty({n, L, c}), targets = Tensor::empty({n, H, c}), known = Tensor::empty({n, H, c});
    Tensor time = Tensor::empty({n, L}), target_time = Tensor::empty({n, H});
    real *to_x = x.writable().data, *to_targets = targets.writable().data, *to_known = known.writable().data;
    real *to_time = time.writable().data, *to_target_time = target_time.writable().data;
    for (const index_t row : rows) {
        const index_t next = t(row) + 1;
        to_x = std::copy_n(values_.data() + (next - L) * c, L * c, to_x);
        to_targets = std::copy_n(values_.data() + next * c, H * c, to_targets);
        to_known = std::copy_n(known_.data() + next * c, H * c, to_known);
        std::iota(to_time, to_time + L, static_cast<real>(next - L));
        std::iota(to_target_time, to_target_time + H, static_cast<real>(next));
        to_time += L, to_target_time += H;
    }
    return {{{"x", x}, {"targets", targets}, {"known", known}, {"time", time}, {"target_time", target_time}}};
}

Examples WindowData::all() const {
    std::vector<index_t> rows(t_.size());
    std::iota(rows.begin(), rows.end(), 0);
    return at(rows);
}

}  // namespace glassbox
