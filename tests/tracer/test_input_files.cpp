// Files with mismatched arrays are refused by their shapes: their numbers, damaged here, are never read.
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

#include "command.h"

using namespace glassbox_test;
using glassbox::NamedTensors;
using glassbox::Shape;
using glassbox::Tensor;

namespace {

// Every number is 7, then changed to 28 without updating the checksum: reading one gives "CRC error".
void write_damaged(const std::string& file, const std::vector<std::pair<std::string, Shape>>& arrays) {
    NamedTensors sevens;
    for (const auto& [name, shape] : arrays) sevens.emplace_back(name, Tensor::full(shape, 7));
    glassbox::write_npz(file, sevens);
    std::string bytes = content(file);
    const glassbox::real seven = 7, other = 28;
    const std::string from(reinterpret_cast<const char*>(&seven), sizeof seven),
        to(reinterpret_cast<const char*>(&other), sizeof other);
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + from.size()))
        bytes.replace(at, to.size(), to);
    write(file, bytes);
}

struct Refused {
    std::string arguments;  // after "--input x.npz", or with FILE for the file
    std::vector<std::pair<std::string, Shape>> arrays;
    int code;
    std::string message;  // part of the error
};

void check_refused(const std::vector<Refused>& table) {
    const Folder folder;
    const std::string file = folder / "x.npz";
    for (const Refused& each : table) {
        write_damaged(file, each.arrays);
        std::string line = each.arguments;
        const std::size_t place = line.find("FILE");
        if (place == std::string::npos) line += " --input " + file;
        else line.replace(place, 4, file);
        const Ran ran = tracer_run(words(line));
        INFO(each.arguments << ": " << ran.err);
        CHECK(ran.code == each.code);
        CHECK(ran.out.empty());
        CHECK(ran.err.find(each.message) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("input files: matching files are read, and damage in them is detected") {
    check_refused({
        {"attention", {{"Q", {3, 2}}, {"K", {3, 2}}, {"V", {3, 2}}}, 3, "member 'Q.npy': CRC error"},
        {"attention --mask FILE", {{"mask", {3, 3}}}, 3, "member 'mask.npy': CRC error"},
        {"multihead --mask FILE", {{"mask", {3, 3}}}, 3, "member 'mask.npy': CRC error"},
        {"encoder-block", {{"x", {3, 4}}}, 3, "member 'x.npy': CRC error"},
        {"decoder-block", {{"x", {3, 4}}, {"memory", {5, 4}}}, 3, "member 'x.npy': CRC error"},
        {"time2vec", {{"x", {3, 4}}, {"time", {3}}}, 3, "member 'x.npy': CRC error"},
        {"transformer", {{"source", {3, 4}}, {"target", {3, 2}}}, 3, "member 'source.npy': CRC error"},
        {"predictor", {{"x", {3, 4}}}, 3, "member 'x.npy': CRC error"},
    });
}

TEST_CASE("input files: attention's mismatched arrays are refused by their shapes") {
    check_refused({
        {"attention",
         {{"Q", {3, 5}}, {"K", {3, 2}}, {"V", {3, 2}}},
         3,
         "x.npz: scaled_dot_product: Q and K differ in d_k, their last size: (3, 5) and (3, 2)"},
        {"attention --score unscaled",
         {{"Q", {3, 2}}, {"K", {4, 2}}, {"V", {3, 2}}},
         3,
         "x.npz: dot_product: K and V differ in the number of keys: (4, 2) and (3, 2)"},
        {"attention",
         {{"x", {3, 5}}, {"W_Q", {4, 2}}, {"W_K", {5, 2}}, {"W_V", {5, 2}}},
         3,
         "x.npz: matmul: inner sizes differ: (3, 5) × (4, 2)"},
        {"attention",
         {{"x", {3, 5}}, {"W_Q", {5, 2}}, {"W_K", {5, 3}}, {"W_V", {5, 2}}},
         3,
         "x.npz: scaled_dot_product: Q and K differ in d_k, their last size: (3, 2) and (3, 3)"},
        {"attention --score additive",
         {{"Q", {3, 2}}, {"K", {3, 2}}, {"V", {3, 2}}, {"W_q", {3, 4}}, {"W_k", {2, 4}}, {"v", {4}}},
         3,
         "x.npz: additive_attention: W_q must be (2, d_a) for Q of shape (3, 2), got (3, 4)"},
    });
}

TEST_CASE("input files: masks that do not match the scores are refused by their shapes") {
    check_refused({
        {"attention --mask FILE",
         {{"mask", {4, 4}}},
         2,
         "x.npz: a mask of shape (4, 4) does not broadcast to (3, 3)"},
        {"attention --mask FILE",
         {{"mask", {4}}},
         3,
         "x.npz: mask: expected 2, 3 or 4 axes, (n_q, n_k), (batch, n_q, n_k) or (batch, heads, n_q, n_k), "
         "got (4,)"},
        {"multihead --heads 4 --mask FILE",
         {{"mask", {5, 5}}},
         2,
         "x.npz: a mask of shape (5, 5) does not broadcast to (4, 3, 3)"},
        {"multihead --memory 5 --mask FILE",
         {{"mask", {3, 3}}},
         2,
         "x.npz: a mask of shape (3, 3) does not broadcast to (2, 3, 5)"},
        {"transformer --mask FILE",
         {{"mask", {3, 3}}},
         2,
         "x.npz: a mask of shape (3, 3) does not broadcast to (1, 2, 4, 4)"},
        {"predictor --pooling cls --batch 2 --mask FILE",
         {{"mask", {3, 3, 3}}},
         2,
         "x.npz: a mask of shape (3, 1, 3, 3) does not broadcast to (2, 2, 3, 3)"},
    });
}

TEST_CASE("input files: a model's mismatched arrays are refused by their shapes") {
    const Folder folder;
    const std::string weights = folder / "w.safetensors";
    REQUIRE(tracer_run({"encoder-block", "--dmodel", "6", "--save-weights", weights}).code == 0);
    check_refused({
        {"encoder-block --dmodel 6", {{"x", {3, 4}}}, 3, "x.npz: needs x of shape (…, n, 6), got (3, 4)"},
        {"encoder-block --weights " + weights,
         {{"x", {3, 4}}},
         3,
         "x.npz: needs x of shape (…, n, 6), got (3, 4)"},
        {"multihead",
         {{"x", {3, 4}}, {"memory", {3, 5}}},
         3,
         "x.npz: needs memory of shape (…, n, 4), got (3, 5)"},
        {"decoder-block",
         {{"x", {2, 3, 4}}, {"memory", {5, 4}}},
         3,
         "x.npz: x and memory need the same leading axes: (2, 3, 4), (5, 4)"},
        {"time2vec",
         {{"x", {3, 4}}, {"time", {4}}},
         3,
         "x.npz: time2vec: a time of shape (4,) does not broadcast to (3,)"},
        {"transformer",
         {{"source", {3, 4}}, {"target", {2, 4}}},
         3,
         "x.npz: source and target need the same leading axes: (3, 4), (2, 4)"},
    });
}

TEST_CASE("input files: sizes beyond memory are refused before the numbers are read") {
    const Shape long_one{1'000'000, 1};
    check_refused({
        {"attention",
         {{"Q", long_one}, {"K", long_one}, {"V", long_one}},
         2,
         "attention: 1000000 queries, 1000000 keys, d_k 1, d_v 1 need"},
        {"encoder-block --heads 1", {{"x", long_one}}, 2, "--input: scores: 4e+12 numbers need"},
        {"decoder-block --heads 1",
         {{"x", long_one}, {"memory", long_one}},
         2,
         "--input: scores: 4e+12 numbers need"},
        {"transformer", {{"source", {1'000'000}}, {"target", {1}}}, 2, "--input: source: 8e+12 numbers need"},
    });
}

TEST_CASE("input files: a device is refused by its first bytes") {
    const auto refused = [](const std::string& line, const std::string& message) {
        const Ran ran = tracer_run(words(line));
        INFO(line << ": " << ran.err);
        CHECK(ran.code == 3);
        CHECK(ran.err == "error: " + message + "\n");
    };
    const auto zeros = [](const std::string& needed) {
        return "/dev/zero: expected " + needed +
               ", got zero bytes and nothing else: the copy or download failed: load it again";
    };
    const std::string zip = zeros("an .npz"), safetensors = zeros("a safetensors file");
    refused("attention --input /dev/zero", zip);
    refused("encoder-block --input /dev/zero", zip);
    refused("train anomaly --no-files --features /dev/zero", zip);
    refused("encoder-block --weights /dev/zero", safetensors);
    refused("train reverse --resume /dev/zero", safetensors);
}
