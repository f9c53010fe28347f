// Reads the files whose names are given as lines of standard input, and says in one line of JSON for each
// what is in it: {"arrays": {"Q": {"shape": [2, 3], "bits": "0000803f…"}, "K": {"error": "…"}}}, or {"error":
// "…"} for the file. For tests/attack/readers.py, which asks NumPy the same.
#include <fmt/format.h>

#include <bit>
#include <iostream>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/safetensors.h>

using namespace glassbox;

namespace {

static_assert(std::endian::native == std::endian::little);

std::string array(const Tensor& tensor) {
    std::string bits;
    for (const real value : tensor.values())
        for (const auto byte : std::bit_cast<std::array<unsigned char, sizeof value>>(value))
            bits += fmt::format("{:02x}", byte);
    return JsonObject{{"shape", tensor.shape().to_vector()}, {"bits", bits}}.text();
}

std::string refusal(const Error& error) { return JsonObject{{"error", error.what()}}.text(); }

template <class Read>
std::string entry(const std::string& name, Read read) {
    std::string what;
    try {
        what = array(read());
    } catch (const Error& error) {
        what = refusal(error);
    }
    return fmt::format("{}: {}", json_string(name), what);
}

std::string content(const std::string& file) {
    std::vector<std::string> all;
    if (file.ends_with(".npy")) {
        const Tensor only = read_npy(file);
        all.push_back(entry("", [&] { return only; }));
    } else if (file.ends_with(".npz")) {
        const Npz npz{std::filesystem::path(file)};
        for (const std::string& name : npz.names())
            all.push_back(entry(name, [&] { return npz.read(name); }));
    } else {
        for (const auto& [name, tensor] : read_safetensors(file).tensors)
            all.push_back(entry(name, [&tensor = tensor] { return tensor; }));
    }
    return fmt::format("{{\"arrays\": {{{}}}}}", fmt::join(all, ", "));
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string file; std::getline(std::cin, file);) {
        try {
            std::cout << content(file) << "\n";
        } catch (const Error& error) {
            std::cout << refusal(error) << "\n";
        }
    }
    return 0;
}
