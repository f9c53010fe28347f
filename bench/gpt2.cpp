// Training steps of GPT-2 small: 12 pre-norm blocks, d_model 768, 12 heads, d_ff 3072, GELU by tanh, learned
// positions, vocabulary 50,257, and the embedding table also as the output's weights. Forward pass, mean
// cross-entropy, backward pass, AdamW with weight decay.
//     gpt2 [--seconds 8] [--steps 0] [--losses] [--batch 4] [--length 64] [--layers 12] [--dmodel 768]
//          [--heads 12] [--vocabulary 50257] [--weights FILE.safetensors] [--trainer] [--kernels]
// One line of JSON: median ms of a step by the clock, GFLOP/s of the matrix products, and the rate of one
// large product. --weights writes the initial parameters for the peer; with --steps that many steps are run,
// and --losses prints the loss of each. --trainer: by the library's Trainer, which cuts the batch into
// pieces; else the batch is one piece, whose kernels run on all threads. --kernels prints the time of each
// kernel as well.
#include <map>
#include <string>

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/models/stack.h>
#include <glassbox/ops/ops.h>
#include <glassbox/train/trainer.h>
#include <glassbox/train/training_step.h>

#include "noise.h"
#include "place.h"
#include "timed_backend.h"

namespace {

using namespace glassbox;

struct Options {
    std::map<std::string, double> all = {{"--seconds", 8}, {"--steps", 0},         {"--batch", 4},
                                         {"--length", 64}, {"--layers", 12},       {"--dmodel", 768},
                                         {"--heads", 12},  {"--vocabulary", 50257}};
    bool losses = false, trainer = false, kernels = false;
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
        else if (word == "--trainer") options.trainer = true;
        else if (word == "--kernels") options.kernels = true;
        else if (word == "--weights" && i + 1 < argc) options.weights = argv[++i];
        else if (options.place.parse(word, i + 1 < argc ? argv[i + 1] : "")) ++i;
    }
    return options;
}

constexpr index_t max_length = 1024;
constexpr double rate = 1e-4;

OptimiserConfig adamw() {
    OptimiserConfig config;
    config.kind = OptimiserKind::adamw;
    config.beta2 = 0.95;
    config.weight_decay = 0.1;
    return config;
}

StackConfig stack_of(const Options& options) {
    StackConfig stack;
    stack.block.attention.d_model = stack.block.mlp.d_model = options["--dmodel"];
    stack.block.attention.heads = options["--heads"];
    stack.block.attention.qkv_layout = QkvLayout::stacked;
    stack.block.mlp.d_ff = 4 * options["--dmodel"];
    stack.block.mlp.dropout = 0;
    stack.block.mlp.activation = Activation::gelu_tanh;
    stack.block.norm = {1e-5, Moments::two_pass};
    stack.block.placement = NormPlacement::pre;
    stack.layers = options["--layers"];
    stack.final_norm = true;
    return stack;
}

// logits = Blocks(table[tokens] + positions) tableᵀ
struct Gpt2 {
    explicit Gpt2(const Options& options)
        : table(Tensor::zeros({options["--vocabulary"], options["--dmodel"]})),
          positions(max_length, options["--dmodel"]),
          blocks(stack_of(options)) {}

    Tensor operator()(const Tensor& tokens) const {
        Tensor x = positions(embedding(table, tokens));  // (B, T, d_model)
        Tensor y = blocks(x, Mask::causal());            // (B, T, d_model)
        return linear(y, table);                         // (B, T, vocabulary)
    }
    void parameters(Parameters& all) {
        all("table", table), all("positions", positions), all("blocks", blocks);
    }

    Tensor table;
    LearnedPositions positions;
    Encoder blocks;
};

// Weights with a standard deviation of 0.02; norms and biases stay 1 and 0.
Gpt2 model_of(const Options& options) {
    Gpt2 model(options);
    std::uint64_t seed = 1;
    parameters_of(model).for_each([&](Tensor& w) {
        if (w.rank() == 2) w = noise(w.shape(), Device::cpu, seed++) * 0.02;
    });
    return model;
}

class Gpt2Learner final : public Learner {
  public:
    explicit Gpt2Learner(Gpt2 gpt2) : model(std::move(gpt2)) {}

    Parameters parameters() override { return parameters_of(model); }
    Outcome score(const Examples& examples) const override {
        return {sum(cross_entropy(model(examples["tokens"]), examples["labels"]))};
    }
    index_t counted(const Examples& examples) const override { return examples["labels"].numel(); }

    Gpt2 model;
};

// Tokens from a formula, which the peer has too: few are frequent and many rare. Batch n is the rows
// n · batch …
class Tokens final : public DataSet {
  public:
    explicit Tokens(const Options& options)
        : length_(options["--length"]), vocabulary_(options["--vocabulary"]) {}

    index_t size() const override { return 1 << 20; }
    Examples at(const std::vector<index_t>& rows) const override {
        const Shape shape{static_cast<index_t>(rows.size()), length_};
        std::vector<real> tokens, labels;
        for (const index_t row : rows)
            for (index_t t = 0; t < length_; ++t) {
                tokens.push_back(static_cast<real>(token(row, t)));
                labels.push_back(static_cast<real>(token(row, t + 1)));
            }
        return {{{"tokens", Tensor(shape, tokens)}, {"labels", Tensor(shape, labels)}}};
    }
    void arrange(std::vector<index_t>& rows, index_t) const override { std::sort(rows.begin(), rows.end()); }

  private:
    index_t token(index_t row, index_t t) const {
        const std::uint64_t x = (static_cast<std::uint64_t>(row) * 2654435761u +
                                 static_cast<std::uint64_t>(t) * 40503u * 65537u) &
                                0xffffffffu;
        const std::uint64_t rare = (x * x >> 32) * x >> 32;  // u³ of a number u from 0 to 1
        return static_cast<index_t>(rare * static_cast<std::uint64_t>(vocabulary_) >> 32);
    }

    index_t length_, vocabulary_;
};

// A step on a whole batch with one tape.
class WholeStep {
  public:
    explicit WholeStep(Gpt2Learner& learner)
        : learner_(learner),
          parameters_([&learner] { return learner.parameters(); }),
          gradient_(parameters_.new_block()),
          buffers_(gradient_buffers_in(gradient_, parameters_)),
          optimiser_(adamw(), parameters_.size(), parameters_.device()) {}

    double operator()(const Examples& batch) {
        buffers_->begin();
        const double counted = static_cast<double>(learner_.counted(batch));
        double loss = 0;
        {
            Tape tape(buffers_.get());
            const Tensor total = learner_.score(batch).loss;
            loss = static_cast<double>(total.item()) / counted;
            tape.backward(total, Tensor::full({}, static_cast<real>(1 / counted), total.device()));
        }
        buffers_->finish();
        optimiser_.step(parameters_.writable(), gradient_, rate);
        return loss;
    }

  private:
    Gpt2Learner& learner_;
    ParameterBlock parameters_;
    Tensor gradient_;
    std::unique_ptr<GradientBuffers> buffers_;
    Optimiser optimiser_;
};

// Two per multiply–add of the matrix products; the backward pass has two products for each.
double flops(const Options& o) {
    const double d = o.all.at("--dmodel"), T = o.all.at("--length");
    const double position =
        o.all.at("--layers") * (4 * d * d + 8 * d * d + 2 * T * d) + d * o.all.at("--vocabulary");
    return 3 * 2 * o.all.at("--batch") * T * position;
}

double sgemm_gflops(const Options& options) {
    const Tensor a = noise({2048, 2048}, options.place.device(), 1),
                 b = noise({2048, 2048}, options.place.device(), 2);
    const Times ms = options.place.time_of(1, [&] { static_cast<void>(matmul(a, b)); });
    return 2 * 2048.0 * 2048 * 2048 / ms.min / 1e6;
}

void print_kernels(const Options& options, const std::function<double()>& step) {
    Backend& kernels = options.place.backend();
    TimedBackend timed(kernels);
    set_backend(options.place.device(), &timed);
    long runs = 0;
    const Times ms = options.place.time_of(options.all.at("--seconds"), [&] { step(), ++runs; });
    set_backend(options.place.device(), &kernels);
    std::printf("%-24s %8.2f ms\n", "step", ms.median);
    for (const auto& [name, total] : timed.totals())
        std::printf("%-24s %8.2f ms %7.1f calls\n", name.c_str(),
                    total.nanoseconds / 1e6 / static_cast<double>(runs),
                    static_cast<double>(total.calls) / static_cast<double>(runs));
}

void measure(const Options& options) {
    Gpt2Learner learner(model_of(options));
    if (!options.weights.empty()) save(learner.model, options.weights);
    learner.parameters().move_to(options.place.device());
    Tokens data(options);
    std::unique_ptr<Trainer> trainer;
    std::unique_ptr<WholeStep> whole;
    if (options.trainer) {
        TrainerConfig training;
        training.batch = options["--batch"];
        training.epochs = 1'000;
        training.optimiser = adamw();
        training.schedule = {ScheduleKind::constant, rate, 0};
        trainer = std::make_unique<Trainer>(learner, data, training);
    } else {
        whole = std::make_unique<WholeStep>(learner);
    }
    index_t done = 0;
    const std::function<double()> step = [&] {
        if (trainer) return trainer->step().score.loss;
        std::vector<index_t> rows;
        for (index_t i = 0; i < options["--batch"]; ++i) rows.push_back(done * options["--batch"] + i);
        ++done;
        return (*whole)(data.at(rows).to(options.place.device()));
    };
    for (index_t n = 0; n < options["--steps"]; ++n) {
        const double loss = step();
        if (options.losses)
            std::printf("{\"step\": %lld, \"loss\": %.7f}\n", static_cast<long long>(n + 1), loss);
    }
    if (options["--seconds"] == 0) return;
    if (options.kernels) return print_kernels(options, step);
    const double before = sgemm_gflops(options);
    const Times ms = options.place.time_of(options.all.at("--seconds"), [&] { step(); });
    const double sgemm = std::max(before, sgemm_gflops(options));
    std::printf(
        "{\"way\": \"%s\", \"ms\": %.5g, \"least_ms\": %.5g, \"gflops\": %.1f, \"sgemm\": %.1f, \"share\": "
        "%.3f, %s}\n",
        trainer ? "trainer" : "whole batch", ms.median, ms.min, flops(options) / ms.median / 1e6, sgemm,
        flops(options) / ms.min / 1e6 / sgemm, options.place.about().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    return run_bench([&] {
        Options options = parse(argc, argv);
        options.place.start();
        measure(options);
    });
}
