#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <glassbox/io/json.h>
#include <glassbox/layers/score_functions.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/stream.h>
#include <glassbox/tensor/format.h>

#include "cli/command.h"
#include "cli/data_format.h"
#include "cli/output.h"
#include "figures/terminal_color.h"
#include "subject/model_input.h"

// Why scores are divided by √d_k: the softmax and its gradient with and without the division, as d_k grows.
namespace glassbox::tracer::commands {
namespace {

struct ScalingFlags {
    index_t seq = 64, max_dk = 1024, repeats = 4;
    Rng rng = Rng::jax;
    std::uint64_t seed = 42;
    ColorWhen color = ColorWhen::automatic;
    std::optional<DataFormat> format;
    std::filesystem::path output;
};

void declare(Options& o, ScalingFlags& flags) {
    constexpr index_t max = 1 << 20;
    o.value("--seq", flags.seq, {.help = "Number of queries and of keys", .min = 2, .max = max});
    o.value("--max-dk", flags.max_dk,
            {.help = "Largest d_k; the values are 2, 4, 8 …", .min = 2, .max = max});
    o.value("--repeats", flags.repeats, {.help = "Number of draws to average over for each d_k", .max = max});
    o.value("--rng", flags.rng, {.help = "Random number generator"});
    o.value("--seed", flags.seed, {.help = "Seed of the random numbers"});
    declare_color(o, flags.color);
    o.value("--format", flags.format,
            {.help = "Output format", .default_text = "by the extension of -o, else text"});
    o.value("-o,--output", flags.output, {.help = "Write to this file instead of standard output"});
}

// Statistics of one score function over all rows drawn for one d_k.
struct Effect {
    double variance = 0;       // of the scores, the input of the softmax
    double entropy = 0;        // of a row of attention, in nats; mean over rows
    double largest = 0;        // largest weight of a row; mean over rows
    double gradient = 0;       // norm of a row of ∂ sum(values) / ∂ scores; median over rows
    double mean_gradient = 0;  // the same; mean over rows
};

struct Line {
    index_t d_k;
    Effect without, with;
};

// Collects the rows of one d_k and one score function.
class Rows {
  public:
    using Attend = decltype(&dot_product);

    Rows(Attend attend, const char* scores) : attend_(attend), scores_(scores) {}

    void add(const Tensor& Q, const Tensor& K, const Tensor& V) {
        const Trace trace;
        Tape tape;
        tape.backward(sum(attend_(Q, K, V, {}, {}).values));
        const NoRecording silence;  // the statistics are not steps
        const Tensor &S = trace[scores_], &A = trace["attention"];
        const Tensor dS = tape.gradient(S);
        append(all_scores_, S);                                // (n_q, n_k)
        append(entropies_, sum(-(A * log_softmax(S)), -1));    // (n_q)
        append(gradients_, glassbox::sqrt(sum(dS * dS, -1)));  // (n_q)
        const std::vector<real> weights = A.values();
        const auto n_k = static_cast<std::size_t>(A.size(-1));
        for (auto row = weights.begin(); row != weights.end(); row += static_cast<std::ptrdiff_t>(n_k))
            largest_.push_back(*std::max_element(row, row + static_cast<std::ptrdiff_t>(n_k)));
    }

    Effect effect() const {
        Effect e;
        const double center = mean(all_scores_);
        for (double s : all_scores_) e.variance += (s - center) * (s - center);
        e.variance /= static_cast<double>(all_scores_.size());
        e.entropy = std::max(0.0, mean(entropies_));
        e.largest = mean(largest_);
        e.gradient = median(gradients_);
        e.mean_gradient = mean(gradients_);
        return e;
    }

  private:
    static void append(std::vector<double>& list, const Tensor& x) {
        for (real value : x.values()) list.push_back(static_cast<double>(value));
    }
    static double mean(const std::vector<double>& list) {
        double total = 0;
        for (double value : list) total += value;
        return total / static_cast<double>(list.size());
    }
    static double median(std::vector<double> list) {
        std::sort(list.begin(), list.end());
        return (list[(list.size() - 1) / 2] + list[list.size() / 2]) / 2;
    }

    Attend attend_;
    const char* scores_;
    std::vector<double> all_scores_, entropies_, largest_, gradients_;
};

Line measure(glassbox::Stream& stream, index_t n, index_t d_k, index_t repeats) {
    Rows without(dot_product, "logits"), with(scaled_dot_product, "scaled");
    for (index_t i = 0; i < repeats; ++i) {
        const Tensor Q = stream.normal({n, d_k}), K = stream.normal({n, d_k}), V = stream.normal({n, 1});
        without.add(Q, K, V);
        with.add(Q, K, V);
    }
    return {d_k, without.effect(), with.effect()};
}

// ---- text ----------------------------------------------------------------------------------------------

std::string gradient_text(double gradient) {
    return gradient >= 0.001 || gradient == 0 ? fmt::format("{:.4f}", gradient)
                                              : fmt::format("{:.0e}", gradient);
}

std::string effect_text(const Effect& e, double max_entropy) {
    const double share = max_entropy > 0 ? 100 * e.entropy / max_entropy : 100;
    return fmt::format("{:>8.{}f} {:>4.2f} {:>3.0f}% {:>7.2f} {:>8}", e.variance, e.variance < 100 ? 2 : 0,
                       e.entropy, share, e.largest, gradient_text(e.gradient));
}

std::string table(const std::vector<Line>& lines, double max_entropy, Colors colors) {
    const char* names = "variance   entropy largest gradient";
    const bool color = colors != Colors::none;
    std::string text =
        styled(fmt::format("{:>5} {:<35} | {}", "", "without: softmax(Q Kᵀ)", "with: softmax(Q Kᵀ / √d_k)"),
               bold, color) +
        "\n" + styled(fmt::format("{:>5} {} | {}", "d_k", names, names), bold, color) + "\n";
    for (const Line& line : lines)
        text += fmt::format("{:>5} {} | {}\n", line.d_k, effect_text(line.without, max_entropy),
                            effect_text(line.with, max_entropy));
    return text;
}

// A bar with a resolution of an eighth of a character.
std::string bar(double share, int width) {
    static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int length = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width * 8));
    std::string text;
    for (int i = 0; i < length / 8; ++i) text += "█";
    return text + eighths[length % 8];
}

// Gradients differ by orders of magnitude: the bars are logarithmic.
std::string plot(const std::vector<Line>& lines, Colors colors) {
    constexpr int width = 35;
    double largest = 0, smallest = INFINITY;
    for (const Line& line : lines)
        for (double gradient : {line.without.gradient, line.with.gradient})
            if (gradient > 0) {
                largest = std::max(largest, gradient);
                smallest = std::min(smallest, gradient);
            }
    if (largest == 0) return "gradient: 0 everywhere\n";
    const double decades = std::max(1.0, std::ceil(std::log10(largest) - std::log10(smallest)));
    const auto drawn = [&](double gradient) {
        const double share = gradient > 0 ? 1 + (std::log10(gradient) - std::log10(largest)) / decades : 0;
        return bar(share, width);
    };
    std::string text = styled("gradient", bold, colors != Colors::none) +
                       fmt::format(", logarithmic: a full bar is {}, an empty one 10^{:.0f} times less\n",
                                   gradient_text(largest), decades);
    for (const Line& line : lines)
        text += fmt::format(
            "{:>5} {} | {}\n", line.d_k,
            in_color(fmt::format("{:<{}}", drawn(line.without.gradient), width), clear_red, colors),
            in_color(drawn(line.with.gradient), clear_blue, colors));
    return text;
}

std::string legend(index_t n, index_t repeats, double max_entropy) {
    return fmt::format(
        "variance  of the scores, the input of the softmax\n"
        "entropy   of a row of attention, and as a share of ln {} = {:.2f}: 100% is a\n"
        "          row of equal weights, 0% one that selects a single key\n"
        "largest   largest weight of a row\n"
        "gradient  norm of a row of d sum(values) / d scores, with V one column of\n"
        "          normal numbers; median over rows\n"
        "Entropy and largest weight are means over {} rows.\n",
        n, max_entropy, n * repeats);
}

std::string render_text(const std::vector<Line>& lines, const ScalingFlags& flags, Colors colors) {
    const index_t n = flags.seq;
    const double max_entropy = std::log(static_cast<double>(n));
    std::string text = styled("Attention with and without √d_k", bold, colors != Colors::none) +
                       fmt::format(" · {} queries, {} keys\n", n, n);
    text += drawn_as(flags.rng, flags.seed) + "\n";
    text += "Q, K: standard normal, so that q · k has variance d_k.\n\n";
    text += table(lines, max_entropy, colors) + "\n" + plot(lines, colors) + "\n";
    return text + legend(n, flags.repeats, max_entropy);
}

// ---- json ----------------------------------------------------------------------------------------------

JsonObject effect_json(const Effect& e, double max_entropy) {
    return {{"variance", e.variance},
            {"entropy", e.entropy},
            {"entropy_share", max_entropy > 0 ? e.entropy / max_entropy : 1},
            {"largest", e.largest},
            {"gradient", e.gradient},
            {"mean_gradient", e.mean_gradient}};
}

std::string render_json(const std::vector<Line>& lines, const ScalingFlags& flags) {
    const index_t n = flags.seq;
    const double max_entropy = std::log(static_cast<double>(n));
    const auto row = [&](const Line& line) {
        return JsonObject{{"d_k", line.d_k},
                          {"without", effect_json(line.without, max_entropy)},
                          {"with", effect_json(line.with, max_entropy)}};
    };
    const JsonObject json{{"schema", 1},
                          {"command", "scaling"},
                          {"rng", name(flags.rng)},
                          {"seed", flags.seed},
                          {"seq", n},
                          {"repeats", flags.repeats},
                          {"rows", JsonList(lines, row, json_rows)}};
    return json.text() + "\n";
}

// For one forward and backward pass, and the scores of all repeats.
void check_memory(index_t n, index_t d_k, index_t repeats) {
    constexpr double max_bytes = 2e9, copies = 8;
    const double size = static_cast<double>(n);
    const double bytes = copies * sizeof(real) * size * (static_cast<double>(d_k) + size) +
                         2 * sizeof(double) * static_cast<double>(repeats) * size * size;
    if (bytes > max_bytes)
        fail<UsageError>(
            "--seq {}, --max-dk {}, --repeats {}: about {:.1f} GB needed; the limit is 2 GB: choose smaller "
            "numbers",
            n, d_k, repeats, bytes / 1e9);
}

void run(const ScalingFlags& flags, const Options&) {
    const bool is_json = data_format(flags.format, flags.output) == DataFormat::json;
    check_memory(flags.seq, flags.max_dk, flags.repeats);
    const auto stream = make_stream(flags.rng, flags.seed);
    std::vector<Line> lines;
    for (index_t d_k = 2; d_k <= flags.max_dk; d_k *= 2)
        lines.push_back(measure(*stream, flags.seq, d_k, flags.repeats));
    const Colors colors = colors_for(flags.color, flags.output);
    deliver(is_json ? render_json(lines, flags) : render_text(lines, flags, colors), flags.output.string());
}

}  // namespace

Command scaling() {
    return command_with<ScalingFlags>(
        {.order = 130,
         .name = "scaling",
         .summary = "Shows why scores are divided by √d_k, in a table and a plot.",
         .examples = {{"tracer scaling", "A table and a plot for d_k = 2, 4 … 1024."},
                      {"tracer scaling --max-dk 64 --seq 8", "Fewer keys, and d_k up to 64."},
                      {"tracer scaling --seed 7 --repeats 16", "Other random numbers, and more of them."},
                      {"tracer scaling --format json -o scaling.json", "The numbers, for your own plot."}},
         .about = "Shows the softmax and its gradient with and without the division by √d_k, as d_k grows."},
        declare, run);
}

}  // namespace glassbox::tracer::commands
