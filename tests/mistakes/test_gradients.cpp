// A wrong line is differentiated as it is computed: else training with it would train something else.
#include <glassbox/conventions/made.h>
#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/observe/tape.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>

#include <cmath>
#include <functional>

#include "support/catch.h"

using namespace glassbox;

namespace {

using Function = std::function<Tensor(const Tensor&)>;

double dot(const Tensor& a, const Tensor& b) { return static_cast<double>(sum(a * b).item()); }

// What differs between the tape and a difference along `direction`, or nothing where it is not smooth there.
class Slopes {
  public:
    Slopes(Function f, Tensor x, Tensor weights)
        : f_(std::move(f)),
          x_(std::move(x)),
          weights_(std::move(weights)),
          direction_(make_stream(Rng::numpy, 8)->normal(x_.shape())) {}

    // A kink of ReLU at x itself shows only between the slopes on both sides.
    bool is_smooth() const {
        const double sides = (at(step) - 2 * at(0) + at(-step)) / step;
        return std::abs(difference(step) - difference(step / 2)) <= allowed() &&
               std::abs(sides) <= 4 * allowed();
    }
    bool agree() const { return std::abs(by_tape() - difference(step)) <= 2 * allowed(); }

  private:
    static constexpr double step = sizeof(real) == 4 ? 4e-3 : 1e-5;
    // Rounding in a difference of floats, and the curvature.
    double allowed() const { return 1e-2 + 1e-2 * std::abs(difference(step)); }

    double at(double along) const { return dot(f_(x_ + direction_ * along), weights_); }
    double difference(double h) const { return (at(h) - at(-h)) / (2 * h); }
    double by_tape() const {
        Tape tape;
        tape.backward(f_(x_), weights_);
        return dot(tape.gradient(x_), direction_);
    }

    Function f_;
    Tensor x_, weights_, direction_;
};

// How many mistakes act on f at x and have a slope to compare.
int compared(const Function& f, const Tensor& x) {
    const Tensor right = f(x), weights = make_stream(Rng::numpy, 9)->normal(right.shape());
    int count = 0;
    for (const Mistake& mistake : all_mistakes()) {
        std::vector<int> acted;
        {
            Trace trace;
            trace.set_hook(hook_of({{&mistake}}, &acted));
            try {
                if (f(x).shape() != right.shape()) continue;
            } catch (const Error&) {
                continue;  // a later step cannot take its shape
            }
        }
        if (acted.front() == 0) continue;
        const Slopes slopes(
            [&](const Tensor& at) {
                const MistakeScope mistaken({{&mistake}});
                return f(at);
            },
            x, weights);
        if (!slopes.is_smooth()) continue;
        INFO(mistake.key);
        CHECK(slopes.agree());
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("the gradient of a wrong line is its own, in blocks of an encoder and a decoder", "[exhaustive]") {
    const auto stream = make_stream(Rng::numpy, 5);
    const Tensor x = stream->normal({2, 4, 6}), memory = stream->normal({2, 4, 6});
    const BlockChoices choices{.d_model = 6, .heads = 2, .d_ff = 5};
    const auto encoder = made<EncoderBlock>(convention("uva-torch"), choices, *stream);
    CHECK(compared([&](const Tensor& at) { return encoder(at, Mask::lengths({4, 3})); }, x) > 100);
    const auto decoder = made<DecoderBlock>(convention("paper"), choices, *stream);
    CHECK(compared(
              [&](const Tensor& at) {
                  return decoder(at, memory, {}, Mask::lengths({3, 4}));
              },
              x) > 100);
    CHECK(compared(
              [&](const Tensor& at) {
                  return decoder(x, at, {}, Mask::lengths({3, 4}));
              },
              memory) > 100);
}
