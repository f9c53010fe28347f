// Every step of attention and every gradient, against real PyTorch and real JAX
// (tests/golden/make_attention.py).
#include <fmt/format.h>

#include <set>

#include <glassbox/io/numpy.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/random/stream.h>

#include "support/compare.h"
#include "support/devices.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

// The arrays of one case, on a device, by their short names.
class Case {
  public:
    Case(const Npz& file, std::string name, Device device)
        : file_(file), name_(std::move(name)), device_(device) {}
    bool has(const std::string& key) const { return file_.contains(name_ + "/" + key); }
    Tensor operator[](const std::string& key) const { return file_.read(name_ + "/" + key).to(device_); }

    Mask mask() const {
        Mask mask;
        if (has("causal")) mask = mask & Mask::causal();
        if (has("mask")) mask = mask & Mask::given((*this)["mask"]);
        if (has("lengths")) {
            std::vector<index_t> lengths;
            for (real length : (*this)["lengths"].values()) lengths.push_back(static_cast<index_t>(length));
            mask = mask & Mask::lengths(lengths);
        }
        return mask;
    }
    AttentionConfig config() const { return {static_cast<double>((*this)["fill"].item())}; }
    Score score() const { return static_cast<Score>(static_cast<int>((*this)["score"].item())); }

  private:
    const Npz& file_;
    std::string name_;
    Device device_;
};

std::set<std::string> cases_of(const Npz& file) {
    std::set<std::string> names;
    for (const std::string& name : file.names())
        if (name.rfind("case", 0) == 0) names.insert(name.substr(0, name.find('/')));
    return names;
}

Tensor run(const Case& golden, const Tensor& Q, const Tensor& K, const Tensor& V,
           const AdditiveWeights& weights) {
    switch (golden.score()) {
        case Score::scaled:
            return scaled_dot_product(Q, K, V, golden.mask(), golden.config()).values;
        case Score::unscaled:
            return dot_product(Q, K, V, golden.mask(), golden.config()).values;
        case Score::additive:
            return additive_attention(Q, K, V, weights, golden.mask(), golden.config()).values;
    }
    return {};
}

void compare(const Case& golden, const std::string& name) {
    const Tensor Q = golden["Q"], K = golden["K"], V = golden["V"], w = golden["w"];
    const Tolerance tolerance = golden_of_width(K.size(-1));
    AdditiveWeights weights;
    if (golden.score() == Score::additive) weights = {golden["W_q"], golden["W_k"], golden["v"]};
    {
        Trace trace;
        Tape tape;
        tape.backward(run(golden, Q, K, V, weights), w);
        for (const Trace::Step& step : trace.steps()) {
            check_close(step.value, golden[step.path], tolerance, name + "/" + step.path);
            check_close(tape.gradient(step.value), golden["grad/" + step.path], tolerance,
                        name + "/grad/" + step.path);
        }
        if (golden.score() == Score::additive) {
            check_close(tape.gradient(weights.W_q), golden["grad/W_q"], tolerance, name + "/grad/W_q");
            check_close(tape.gradient(weights.W_k), golden["grad/W_k"], tolerance, name + "/grad/W_k");
            check_close(tape.gradient(weights.v), golden["grad/v"], tolerance, name + "/grad/v");
        }
    }
    if (golden.score() != Score::scaled) return;
    Tape tape;
    const Tensor values = attend(Q, K, V, golden.mask(), golden.config());
    tape.backward(values, w);
    check_close(values, golden["values"], tolerance, name + "/values (fused)");
    check_close(tape.gradient(Q), golden["grad/Q"], tolerance, name + "/grad/Q (fused)");
    check_close(tape.gradient(K), golden["grad/K"], tolerance, name + "/grad/K (fused)");
    check_close(tape.gradient(V), golden["grad/V"], tolerance, name + "/grad/V (fused)");
}

void compare_all(const std::string& peer, Device device) {
    std::size_t count = 0;
    for (int part = 1; part <= 3; ++part) {
        const std::string path = fmt::format("{}/attention_{}_{}.npz", GLASSBOX_GOLDEN, peer, part);
        const Npz file(path);
        CHECK(file.contains("versions"));
        for (const std::string& name : cases_of(file)) {
            compare(Case(file, name, device), peer + "/" + name);
            ++count;
        }
    }
    CHECK(count == 40);
}

}  // namespace

DEVICE_TEST("every step and gradient of attention matches PyTorch") { compare_all("torch", device); }

DEVICE_TEST("every step and gradient of attention matches JAX") { compare_all("jax", device); }

DEVICE_TEST("the tutorials' numbers follow from the seed, for other seeds and sizes too") {
    const Npz file(std::string(GLASSBOX_GOLDEN) + "/seeds.npz");
    int count = 0;
    for (Rng rng : {Rng::jax, Rng::torch})
        for (std::uint64_t seed : {0ull, 1ull, 42ull, 43ull, 12345ull, 4294967295ull})
            for (const auto& [n, d] :
                 {std::pair<index_t, index_t>{3, 2}, {1, 1}, {2, 7}, {4, 4}, {5, 3}, {20, 5}}) {
                const std::string name = fmt::format("{}/{}/{}x{}", glassbox::name(rng), seed, n, d);
                const Qkv qkv = draw_qkv(*make_stream(rng, seed), {}, n, n, d, d);
                const AttentionResult result =
                    scaled_dot_product(qkv.Q.to(device), qkv.K.to(device), qkv.V.to(device));
                check_close(result.values, file.read(name + "/values"), printed_8_digits, name + "/values");
                check_close(result.attention, file.read(name + "/attention"), printed_8_digits,
                            name + "/attention");
                ++count;
            }
    CHECK(count == 72);
}
