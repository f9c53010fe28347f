// Training steps of the translation model: forward, backward, sum, Adam with the paper's schedule.
//     translate [--seconds 3] [--steps 0] [--batch 64] [--shortest 12] [--longest 20] [--vocabulary 8000]
//               [--dmodel 256] [--heads 4] [--layers 3] [--dff 1024] [--warmup 4000] [--weights
//               FILE.safetensors] [--losses]
// One line of JSON: median ms of a step by the clock, ms of the processor, GFLOP/s of the matrix products,
// and the rate of one large product. --weights writes the initial parameters for the peer; with --steps that
// many steps are run, and --losses prints the loss of each.
#include <ctime>
#include <map>
#include <string>

#include <glassbox/conventions/made.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tasks/sequence_learner.h>
#include <glassbox/train/trainer.h>

#include "noise.h"
#include "place.h"

namespace {

using namespace glassbox;

struct Options {
    std::map<std::string, double> all = {{"--seconds", 3},   {"--steps", 0},    {"--batch", 64},
                                         {"--shortest", 12}, {"--longest", 20}, {"--vocabulary", 8000},
                                         {"--dmodel", 256},  {"--heads", 4},    {"--layers", 3},
                                         {"--dff", 1024},    {"--warmup", 4000}};
    bool losses = false;
    std::string weights;
    Place place;

    index_t operator[](const char* name) const { return static_cast<index_t>(all.at(name)); }
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto known = options.all.find(word);
        if (known != options.all.end() && i + 1 < argc) known->second = std::atof(argv[++i]);
        else if (word == "--losses") options.losses = true;
        else if (word == "--weights" && i + 1 < argc) options.weights = argv[++i];
        else if (options.place.parse(word, i + 1 < argc ? argv[i + 1] : "")) ++i;
    }
    return options;
}

// Pairs from a formula, which the peer has too: few words are frequent and many rare, as in a language, and
// each word has one translation. Batch n is the rows n · batch …, whatever their order.
class Pairs final : public DataSet {
  public:
    explicit Pairs(const Options& options)
        : shortest_(options["--shortest"]),
          longest_(options["--longest"]),
          vocabulary_(options["--vocabulary"]) {}

    index_t size() const override { return 1 << 20; }

    Examples at(const std::vector<index_t>& rows) const override {
        const index_t n = static_cast<index_t>(rows.size());
        const std::size_t S = static_cast<std::size_t>(longest_), T = S + 1;  // <start> or <end> more
        std::vector<real> source(rows.size() * S, 0), target(rows.size() * T, 0), labels(rows.size() * T, -1);
        std::vector<real> source_lengths, target_lengths;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const index_t length = shortest_ + rows[i] % (longest_ - shortest_ + 1);
            target[i * T] = 1;
            for (index_t t = 0; t < length; ++t) {
                const std::size_t at = static_cast<std::size_t>(t);
                const index_t word = word_of(rows[i], t);
                const index_t translation = 3 + (word * 17 + 5) % (vocabulary_ - 3);
                source[i * S + at] = static_cast<real>(word);
                target[i * T + at + 1] = labels[i * T + at] = static_cast<real>(translation);
            }
            labels[i * T + static_cast<std::size_t>(length)] = 2;
            source_lengths.push_back(static_cast<real>(length));
            target_lengths.push_back(static_cast<real>(length + 1));
        }
        return {{{"source", Tensor({n, longest_}, source)},
                 {"target", Tensor({n, longest_ + 1}, target)},
                 {"labels", Tensor({n, longest_ + 1}, labels)},
                 {"source_lengths", Tensor({n}, source_lengths)},
                 {"target_lengths", Tensor({n}, target_lengths)}}};
    }

    void arrange(std::vector<index_t>& rows, index_t) const override { std::sort(rows.begin(), rows.end()); }

  private:
    index_t word_of(index_t row, index_t t) const {
        const std::uint64_t x = (static_cast<std::uint64_t>(row) * 2654435761u +
                                 static_cast<std::uint64_t>(t) * 40503u * 65537u) &
                                0xffffffffu;
        const std::uint64_t rare = (x * x >> 32) * x >> 32;  // u³ of a number u from 0 to 1
        return 3 + static_cast<index_t>(rare * static_cast<std::uint64_t>(vocabulary_ - 3) >> 32);
    }

    index_t shortest_, longest_, vocabulary_;
};

// Two per multiply–add of the matrix products, on all positions, padded ones included; the backward pass has
// two products for each.
double flops(const Options& o) {
    const double d = o.all.at("--dmodel"), ff = o.all.at("--dff"), S = o.all.at("--longest"), T = S + 1;
    const double encoder = S * (4 * d * d + 2 * d * ff + 2 * S * d);
    const double decoder = T * (4 * d * d + 2 * d * d + 2 * d * ff + 2 * T * d + 2 * S * d) + S * 2 * d * d;
    const double generator = T * d * o.all.at("--vocabulary");
    return 3 * 2 * o.all.at("--batch") * (o.all.at("--layers") * (encoder + decoder) + generator);
}

double sgemm_gflops(const Options& options) {
    const Tensor a = noise({2048, 2048}, options.place.device(), 1),
                 b = noise({2048, 2048}, options.place.device(), 2);
    const Times ms = options.place.time_of(1, [&] { static_cast<void>(matmul(a, b)); });
    return 2 * 2048.0 * 2048 * 2048 / ms.min / 1e6;
}

Transformer model_of(const Options& options) {
    TransformerChoices choices;
    choices.source_vocabulary = choices.target_vocabulary = options["--vocabulary"];
    choices.encoder = {
        {.d_model = options["--dmodel"], .heads = options["--heads"], .d_ff = options["--dff"], .dropout = 0},
        options["--layers"]};
    choices.decoder = choices.encoder;
    auto model = made<Transformer>(choices, *make_stream(Rng::jax, 42));
    scale_down_embeddings(model);
    return model;
}

void measure(const Options& options) {
    SequenceLearner learner(model_of(options), {.label_smoothing = 0.1});
    if (!options.weights.empty()) save(learner.model, options.weights);
    learner.parameters().move_to(options.place.device());
    Pairs data(options);
    TrainerConfig training;
    training.batch = options["--batch"];
    training.epochs = 1'000;
    training.optimiser.beta2 = 0.98;
    training.optimiser.epsilon = 1e-9;
    training.schedule = {ScheduleKind::inverse_sqrt, 1, options["--warmup"], 0, options["--dmodel"]};
    training.schedule.may_end_in_warmup = true;  // a few steps are timed
    Trainer trainer(learner, data, training);
    for (index_t n = 0; n < options["--steps"]; ++n) {
        const double loss = trainer.step().score.loss;
        if (options.losses)
            std::printf("{\"step\": %lld, \"loss\": %.7f}\n", static_cast<long long>(n + 1), loss);
    }
    if (options["--seconds"] == 0) return;
    const double sgemm = sgemm_gflops(options);
    const BatchCut cut = trainer.cut(trainer.next_batch());
    long steps = 0;
    const std::clock_t cpu = std::clock();
    const Times ms = options.place.time_of(options.all.at("--seconds"), [&] { trainer.step(), ++steps; });
    const double cpu_ms =
        1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / static_cast<double>(steps);
    std::printf(
        "{\"way\": \"glassbox\", \"ms\": %.5g, \"least_ms\": %.5g, \"cpu_ms\": %.5g, \"gflops\": %.1f, "
        "\"sgemm\": %.1f, "
        "\"share\": %.3f, \"pieces\": %lld, \"lanes\": %lld, %s}\n",
        ms.median, ms.min, cpu_ms, flops(options) / ms.median / 1e6, sgemm,
        flops(options) / ms.min / 1e6 / sgemm, static_cast<long long>(cut.pieces),
        static_cast<long long>(cut.lanes), options.place.about().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Options options = parse(argc, argv);
        options.place.start();
        measure(options);
    });
}
