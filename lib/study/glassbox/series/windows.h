#pragma once
#include <glassbox/observe/step.h>
#include <glassbox/series/series.h>
#include <glassbox/train/examples.h>

namespace glassbox {

namespace steps::windows {
inline constexpr const char* layer = "windows";
inline constexpr StepInfo series{layer, "series", "", "A row of values for each time."};
inline constexpr StepInfo x{layer, "x", "series[t − L + 1 … t]",
                            "What is known at time t: the last L values, and none after t."};
inline constexpr StepInfo targets{layer, "targets", "series[t + 1 … t + H]",
                                  "What is to be forecast: the H values that follow."};
inline constexpr StepInfo part{
    layer, "part", "of whole windows: 1 where t + H < n, 2 where t + 1 ≥ n; else 0",
    "Which part the window with last known value series[t] is for: 1 training, 2 test, 0 none."};
}  // namespace steps::windows

struct WindowConfig {
    index_t window = 96;   // L, the values known
    index_t horizon = 24;  // H, the values to be forecast
};

struct Window {
    Tensor x, targets;  // (L, c) and (H, c)
};

// The window whose last known value is series[t]. series (T, c). Steps: x targets. Throws Error unless
// L − 1 ≤ t < T − H.
Window window_at(const Tensor& series, index_t t, const WindowConfig& config);

// The use of a window, in part[t].
constexpr int part_none = 0, part_training = 1, part_test = 2;

// For each of T times, the first `training` for training, all others for the test: (T). Only by its targets:
// what a window knows may lie in the past of its part. Step: part.
Tensor window_parts(index_t T, index_t training, const WindowConfig& config);

// The windows whose part this is, in order: x (n, L, c), targets (n, H, c). Steps: x targets. Times around
// which there is no whole window are left out. Throws Error if no window is left.
Window windows_of(const Tensor& series, const Tensor& part, int of, const WindowConfig& config);

// A series cut by time: rows [0, training) are for training, [training, validation) for validation,
// [validation, end) for the test.
struct Split {
    index_t training, validation, end;
};

// The last `test` of the rows are the test, and `validation` of them before those the validation; both are
// fractions of the length, rounded down. Throws Error unless each part holds the targets of a window, and
// training a whole window.
Split split_by_time(index_t length, double validation, double test, const WindowConfig& config);

// Which windows are used: all, or those with a known target. Without any a window teaches nothing.
enum class Targets { any, some_known };

// The windows whose targets lie within the rows [begin, end), in order. What a window knows may reach back
// before `begin`, into the past, as it would in use; no value after its t is read for it, and none after
// `end` at all. Examples: x (n, L, c), targets and known (n, H, c), and the rows' numbers as time (n, L) and
// target_time (n, H).
class WindowData final : public DataSet {
  public:
    // values and known (T, c), as in Series, or scaled.
    WindowData(const Tensor& values, const Tensor& known, index_t begin, index_t end,
               const WindowConfig& config, Targets targets = Targets::any);

    index_t size() const override { return static_cast<index_t>(t_.size()); }
    index_t left_out() const { return left_out_; }  // windows without a known target
    Examples at(const std::vector<index_t>& rows) const override;
    Examples all() const;
    index_t t(index_t row) const;  // of the window: its last known row. Throws Error unless row < size()

  private:
    bool has_known_target(index_t t) const;

    Tensor values_, known_;  // the rows [0, end), so that later ones cannot be read
    WindowConfig config_;
    std::vector<index_t> t_;  // of each window
    index_t left_out_ = 0;
};

}  // namespace glassbox
