#include "subject/input.h"

#include <charconv>
#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/backend/products.h>
#include <glassbox/io/detail/file.h>
#include <glassbox/io/npy.h>
#include <glassbox/io/npz.h>
#include <glassbox/random/qkv.h>
#include <glassbox/tensor/format.h>

#include "cli/nearest.h"
#include "subject/stand_in.h"

namespace tracer {
namespace {

using glassbox::fail;
using glassbox::FileError;
using glassbox::real;
using glassbox::Score;
using glassbox::Shape;
using glassbox::UsageError;

bool has_all(const glassbox::Npz& npz, std::initializer_list<const char*> names) {
    for (const char* name : names)
        if (!npz.contains(name)) return false;
    return true;
}

real parse_number(const std::string& option, const std::string& word) {
    const char *const begin = word.data() + (word[0] == '+'), *const end = word.data() + word.size();
    double value = 0;
    const auto [after, error] = std::from_chars(begin, end, value);
    if (error == std::errc::invalid_argument || after != end)
        fail<UsageError>("{}: numbers expected, rows separated by ';', such as '1 0; 0 1': cannot read '{}'",
                         option, word);
    const real number = static_cast<real>(value);
    if (error == std::errc::result_out_of_range || (std::isinf(number) && !std::isinf(value)))
        fail<UsageError>("{}: '{}' is beyond the numbers that can be computed with", option, word);
    return number;
}

}  // namespace

std::string drawn_as(glassbox::Rng rng, std::uint64_t seed) {
    const char* who = rng == glassbox::Rng::jax ? "JAX" : rng == glassbox::Rng::torch ? "PyTorch" : "NumPy";
    return fmt::format("random numbers as {} draws them, seed {}", who, seed);
}

void check_memory(const Sizes& sizes, Score score, bool with_gradients) {
    const auto d = [](index_t n) { return static_cast<double>(n); };
    double batch = 1;
    for (index_t size : sizes.leading) batch *= d(size);
    const double pairs = d(sizes.queries) * d(sizes.keys) * (score == Score::additive ? d(sizes.d_a) : 1);
    const double numbers =
        batch * (4 * pairs + 2 * d(sizes.queries) * d(sizes.d_k) + 2 * d(sizes.keys) * d(sizes.d_k) +
                 2 * d(sizes.keys) * d(sizes.d_v) + d(sizes.queries) * d(sizes.d_v));
    const double bytes = (numbers + sizes.others) * sizeof(real) * (with_gradients ? 3 : 1);
    const double have = machine_memory();
    if (bytes > have / 2)
        fail<UsageError>(
            "attention: {} queries, {} keys, d_k {}, d_v {}{} need {:.3g} GB to show every step, "
            "half of this machine's {:.3g} GB may be used",
            sizes.queries, sizes.keys, sizes.d_k, sizes.d_v,
            sizes.leading.rank() ? fmt::format(" in a batch of {}", sizes.leading) : "", bytes / 1e9,
            have / 1e9);
}

AttentionInput draw_input(const Sizes& sizes, glassbox::Rng rng, std::uint64_t seed, Score score) {
    const std::unique_ptr<glassbox::Stream> stream = glassbox::make_stream(rng, seed);
    const glassbox::Qkv drawn =
        glassbox::draw_qkv(*stream, sizes.leading, sizes.queries, sizes.keys, sizes.d_k, sizes.d_v);
    AttentionInput input;
    input.Q = drawn.Q;
    input.K = drawn.K;
    input.V = drawn.V;
    input.origin = drawn_as(rng, seed);
    input.rng = glassbox::name(rng);
    input.seed = seed;
    if (score == Score::additive)
        input.additive = {stream->normal({sizes.d_k, sizes.d_a}), stream->normal({sizes.d_k, sizes.d_a}),
                          stream->normal({sizes.d_a})};
    return input;
}

namespace {

// The arrays that the command takes, each made by `make` from its name.
template <class Make>
AttentionInput arrays_of(const glassbox::Npz& npz, const std::string& file, Score score, Make make) {
    AttentionInput input;
    input.origin = glassbox::shown_name(file);
    if (has_all(npz, {"x", "W_Q", "W_K", "W_V"})) {
        input.x = make("x");
        input.W_Q = make("W_Q");
        input.W_K = make("W_K");
        input.W_V = make("W_V");
    } else if (has_all(npz, {"Q", "K", "V"})) {
        input.Q = make("Q");
        input.K = make("K");
        input.V = make("V");
    } else {
        fail<FileError>("{}: neither Q, K, V nor x, W_Q, W_K, W_V; it holds {}", file,
                        npz.names().empty() ? "nothing" : fmt::format("{}", fmt::join(npz.names(), ", ")));
    }
    if (score == Score::additive) {
        if (!has_all(npz, {"W_q", "W_k", "v"}))
            fail<FileError>("{}: the additive score needs W_q, W_k and v", file);
        input.additive = {make("W_q"), make("W_k"), make("v")};
    }
    return input;
}

}  // namespace

AttentionInput read_input(const std::string& file, Score score,
                          const std::function<void(const AttentionInput& shapes)>& check) {
    const glassbox::Npz npz(file);
    check(arrays_of(npz, file, score, [&](const char* name) { return stand_in(npz.shape(name)); }));
    return arrays_of(npz, file, score, [&](const char* name) { return npz.read(name); });
}

Tensor parse_matrix(const std::string& option, const std::string& text) {
    std::vector<std::vector<real>> rows(1);
    int depth = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == ' ' || c == ',' || c == '\n' || c == '\t') {
            ++at;
        } else if (c == '[' || c == ']' || c == ';') {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            if (depth < 0 || depth > 2) break;
            if (c != '[' && !rows.back().empty()) rows.emplace_back();
            ++at;
        } else {
            const std::size_t end = std::min(text.find_first_of(" ,;[]\n\t", at), text.size());
            rows.back().push_back(parse_number(option, text.substr(at, end - at)));
            at = end;
        }
    }
    if (depth != 0)
        fail<UsageError>("{}: brackets do not match: rows such as '[[1, 0], [0, 1]]' expected, got '{}'",
                         option, text);
    if (rows.back().empty()) rows.pop_back();
    if (rows.empty()) fail<UsageError>("{}: a matrix expected, such as '1 0; 0 1', got nothing", option);
    std::vector<real> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].size() != rows[0].size())
            fail<UsageError>("{}: rows differ in length: row 0 has {} numbers, row {} has {}", option,
                             rows[0].size(), i, rows[i].size());
        values.insert(values.end(), rows[i].begin(), rows[i].end());
    }
    return Tensor(Shape{static_cast<index_t>(rows.size()), static_cast<index_t>(rows[0].size())}, values);
}

Values mask_values() { return Values::file({".npy", ".npz"}, {"none", "causal", "window:1"}); }

std::vector<index_t> parse_lengths(const std::string& option, const std::string& text) {
    std::vector<index_t> lengths;
    for (const std::string& word : comma_list(text)) lengths.push_back(whole_number(option, word, 0));
    return lengths;
}

glassbox::Device device_of(const std::string& name) {
    const glassbox::Device device = name == "cpu" ? glassbox::Device::cpu : glassbox::Device::cuda;
    glassbox::backend(device);  // says why when there is none
    return device;
}

void declare_products(Options& o, std::string& typed) {
    o.value("--products", typed, "NAME", "How cuda multiplies: fp32, or faster with fewer digits (fp32).",
            Values::one_of({"fp32", "tf32", "bf16"}));
}

void use_products(const std::string& products, const std::string& backend, const std::string& compare) {
    using glassbox::Products;
    if (products != "fp32" && backend != "cuda" && compare != "cuda")
        fail<UsageError>("--products: {} is for a GPU: add --backend cuda", products);
    glassbox::set_products(products == "tf32"   ? Products::tf32
                           : products == "bf16" ? Products::bf16
                                                : Products::fp32);
}

namespace {

// The array of 0 and 1 in an .npy or .npz file. `check` sees its shape before its numbers are read.
Tensor read_mask(const std::string& file, const glassbox::ShapeCheck& check) {
    if (file.ends_with(".npy")) return glassbox::read_npy(file, check);
    const glassbox::Npz npz(file);
    if (npz.names().size() != 1 && !npz.contains("mask"))
        fail<FileError>("{}: an array named mask expected; it holds {}", file, fmt::join(npz.names(), ", "));
    const std::string name = npz.contains("mask") ? "mask" : npz.names()[0];
    check(npz.shape(name));
    return npz.read(name);
}

}  // namespace

glassbox::Mask parse_mask(const std::string& text, const std::optional<Shape>& scores) {
    using glassbox::Mask;
    if (text == "none") return Mask::none();
    if (text == "causal") return Mask::causal();
    if (text.starts_with("window:")) return Mask::window(whole_number("--mask window", text.substr(7), 0));
    if (!text.ends_with(".npy") && !text.ends_with(".npz"))
        fail<UsageError>("--mask: none, causal, window:N, or an .npy or .npz file expected, got '{}'{}", text,
                         did_you_mean(text, {"none", "causal", "window:1"}));
    const Tensor given = read_mask(text, [&](const Shape& shape) {
        blame_file(text, [&] { Mask::check_given(shape); });
        if (scores) blame_option("--mask " + text, [&] { Mask::check_fits(shape, *scores); });
    });
    Mask mask;
    blame_file(text, [&] { mask = Mask::given(given); });
    return mask;
}

}  // namespace tracer
