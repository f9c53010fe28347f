#pragma once
#include <glassbox/layers/linear.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/time2vec.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

// How a model of time series is told the time: Time2Vec beside the values, a positional encoding added to the
// rows of the model's width, or not at all.
enum class TimeEncoding { time2vec, sinusoidal, none };
template <>
struct EnumWords<TimeEncoding> {
    static constexpr const char* what = "encoding";
    static constexpr Word<TimeEncoding> all[] = {{TimeEncoding::time2vec, "time2vec"},
                                                 {TimeEncoding::sinusoidal, "sinusoidal"},
                                                 {TimeEncoding::none, "none"}};
};

namespace steps::series_input {
inline constexpr const char* layer = "series_input";
inline constexpr StepInfo input_net{layer, "input_net", "{0} W_inᵀ{2? + b}",
                                    "The numbers of each time projected to the width of the model."};
}  // namespace steps::series_input

struct SeriesInputConfig {
    index_t columns = 1;  // c, the values at each time
    index_t d_model = 32;
    TimeEncoding encoding = TimeEncoding::time2vec;
    index_t time_width = 16;  // the width of Time2Vec
    PositionalConfig positions{};
};

// What a Transformer reads of a series: each time's values ‖ Time2Vec(τ) (fourth document), projected to the
// width of the model: x (…, T, c) and time (…, T) or (T) → (…, T, d_model). Steps: time2vec/… input_net, or
// input_net positional/…, or input_net.
class SeriesInput {
  public:
    explicit SeriesInput(const SeriesInputConfig& config);  // all parameters 0

    Tensor operator()(const Tensor& x, const Tensor& time) const;
    const SeriesInputConfig& config() const { return config_; }
    void parameters(Parameters& all);

    Time2Vec time2vec;  // with TimeEncoding::time2vec
    Linear input_net;   // (d_model, c + time_width), or (d_model, c)

  private:
    SeriesInputConfig config_;
    PositionalEncoding positional_;
};

}  // namespace glassbox
