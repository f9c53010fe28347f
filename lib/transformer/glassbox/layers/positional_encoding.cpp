#include <glassbox/layers/positional_encoding.h>

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/record.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

using namespace detail;

namespace step = steps::positional_encoding;

namespace {

// ω_i = 10000^(−2i/d), as the sources' code computes it: exp(2i · (−ln 10000 / d)).
template <class Number>
Number frequency(index_t i, index_t d) {
    return std::exp(static_cast<Number>(2 * i) *
                    static_cast<Number>(-std::log(10000.0) / static_cast<double>(d)));
}

template <class Number>
void fill_encoding(std::vector<real>& PE, index_t length, index_t d, index_t first) {
    std::size_t at = 0;
    for (index_t t = first; t < first + length; ++t)
        for (index_t j = 0; j < d; ++j) {
            const Number angle =
                static_cast<Number>(t) * frequency<Number>(j / 2, d);  // t ω_i, j = 2i or 2i + 1
            PE[at++] = static_cast<real>(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
        }
}

void check_positions(const Tensor& x, index_t d_model) {
    if (x.rank() < 2 || x.size(-1) != d_model)
        fail("positional_encoding: needs x of shape (…, T, {}), got {}", d_model, x.shape());
}

}  // namespace

namespace {

Tensor recorded(const Tensor& PE, index_t first) {
    const auto no_pullback = [](const Tensor&) -> Tape::Gradients { return {}; };
    return record("sinusoidal_encoding", PE, {}, no_pullback, {{"first", first}, {"d_model", PE.size(-1)}});
}

}  // namespace

// PE[t, 2i] = sin(t ω_i),  PE[t, 2i+1] = cos(t ω_i),  ω_i = 10000^(−2i/d)
Tensor sinusoidal_encoding(index_t length, index_t d_model, bool in_float, index_t first) {
    if (length < 0 || d_model < 1)
        fail("positional_encoding: {} positions of {} features cannot be encoded", length, d_model);
    std::vector<real> PE(static_cast<std::size_t>(Shape({length, d_model}).numel()));
    if (in_float) fill_encoding<float>(PE, length, d_model, first);
    else fill_encoding<double>(PE, length, d_model, first);
    return recorded(Tensor(Shape{length, d_model}, PE), first);
}

// M_i = [ cos(φ ω_i)   sin(φ ω_i)]     M_i [sin(t ω_i)] = [sin((t + φ) ω_i)]
//       [−sin(φ ω_i)   cos(φ ω_i)]         [cos(t ω_i)]   [cos((t + φ) ω_i)]
Tensor shift_matrix(index_t shift, index_t d_model) {
    if (d_model < 2) fail("shift_matrix: a pair of sine and cosine needs a d_model of 2, got {}", d_model);
    std::vector<real> M;
    for (index_t i = 0; i < d_model / 2; ++i) {
        const double angle = static_cast<double>(shift) * frequency<double>(i, d_model);
        for (const double entry : {std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle)})
            M.push_back(static_cast<real>(entry));
    }
    return Tensor(Shape{d_model / 2, 2, 2}, M);
}

Tensor shifted_encoding(const Tensor& encoding, const Tensor& M) {
    check_positions(encoding, 2 * M.size(0));
    const Shape front = encoding.shape().leading(encoding.rank() - 1);
    const Tensor pairs = reshape(encoding, front.with_appended(M.size(0)).with_appended(2).with_appended(1));
    return reshape(matmul(M, pairs), encoding.shape());
}

Tensor PositionalEncoding::operator()(const Tensor& input, index_t first) const {
    check_positions(input, d_model_);
    const index_t T = input.size(-2);
    if (config_.max_len && first + T > config_.max_len)
        fail("positional_encoding: {} positions, and this convention's encoding ends at max_len = {}",
             first + T, config_.max_len);
    Tensor x = named(step::x, input);                                            // (…, T, d_model)
    Tensor encoding = named(step::encoding, encoding_of(first, T, x.device()));  // (T, d_model)
    return named(step::output, x + encoding);                                    // (…, T, d_model)
}

namespace {

constexpr index_t block = 64;  // encodings are computed for a whole number of blocks, and kept

index_t rounded_up(index_t length) { return (length + block - 1) / block * block; }

// On the CPU each thread keeps the last encoding, because computing the sines and cosines takes longer than a
// small model's layer; shorter sequences and later positions are rows of it.
Tensor kept_encoding(index_t length, index_t d_model, bool in_float) {
    struct Last {
        index_t length = -1, d_model = 0;
        bool in_float = false;
        Tensor encoding;
    };
    thread_local Last last;
    if (last.length < length || last.d_model != d_model || last.in_float != in_float)
        last = {rounded_up(length), d_model, in_float,
                sinusoidal_encoding(rounded_up(length), d_model, in_float)};
    return last.encoding;
}

// For devices other than the CPU: a cache that never evicts, because a recorded step reads the same memory on
// every run.
Tensor cached_encoding(index_t length, index_t d_model, bool in_float, Device device) {
    static std::mutex mutex;
    static auto& cache =
        *new std::map<std::tuple<index_t, index_t, bool, Device>, Tensor>;  // leaked: must outlive all users
    const std::lock_guard<std::mutex> lock(mutex);
    Tensor& encoding = cache[{length, d_model, in_float, device}];
    if (!encoding.defined()) encoding = sinusoidal_encoding(length, d_model, in_float).to(device);
    return encoding;
}

}  // namespace

// The operation is recorded on a Trace, although its numbers may have been computed earlier.
Tensor PositionalEncoding::encoding_of(index_t first, index_t T, Device device) const {
    const bool on_cpu = device == Device::cpu;
    if (Trace::current() && !on_cpu)
        return sinusoidal_encoding(T, d_model_, config_.in_float, first).to(device);
    const Tensor rows = [&] {
        const NoRecording silence;
        const Tensor all = on_cpu
                               ? kept_encoding(first + T, d_model_, config_.in_float)
                               : cached_encoding(rounded_up(first + T), d_model_, config_.in_float, device);
        return slice(all, 0, first, first + T);
    }();
    if (!Trace::current()) return rows;
    return recorded(rows.alias(rows.shape(), rows.strides()), first);
}

Tensor LearnedPositions::operator()(const Tensor& input) const {
    check_positions(input, weight.size(1));
    const index_t T = input.size(-2);
    if (T > weight.size(0))
        fail("positional_encoding: {} positions, and {} have been learned", T, weight.size(0));
    Tensor x = named(steps::learned_positions::x, input);                                 // (…, T, d_model)
    Tensor encoding = named(steps::learned_positions::encoding, slice(weight, 0, 0, T));  // (T, d_model)
    return named(steps::learned_positions::output, x + encoding);                         // (…, T, d_model)
}

}  // namespace glassbox
