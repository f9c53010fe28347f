#include <glassbox/series/windows.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/views.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::windows;

// x = series[t − L + 1 … t],  targets = series[t + 1 … t + H]
Window window_at(const Tensor& series, index_t t, const WindowConfig& config) {
    const index_t L = config.window, H = config.horizon;
    if (series.rank() != 2 || t < L - 1 || t + H >= series.size(0))
        fail("window: {} values up to t = {} and {} after it needed, got a series of shape {}", L, t, H,
             series.shape());
    Tensor x = named(step::x, slice(series, 0, t - L + 1, t + 1));              // (L, c)
    Tensor targets = named(step::targets, slice(series, 0, t + 1, t + 1 + H));  // (H, c)
    return {x, targets};
}

namespace {

void check(const WindowConfig& config) {
    if (config.window < 1 || config.horizon < 1)
        fail<UsageError>("windows: a window and a horizon of at least 1 needed, got {} and {}", config.window,
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
        fail("windows: values and known of one shape (T, c) with the rows [{}, {}) needed, got {} and {}",
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
