// Tokenizers on a million lines: reading, training and encoding, in seconds. The lines are made of 100,000
// words drawn by Zipf's law, with punctuation; `--write FILE` writes them for bench/text, which also runs
// others on them.
//     build/release/bench/text [lines] [--write FILE]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include <glassbox/glassbox.h>
#include <glassbox/study.h>

#include "measure.h"

using namespace glassbox;

namespace {

std::vector<std::string> made_words(std::mt19937_64& random) {
    const std::vector<std::string> syllables = {"le",   "tra", "mi", "son", "é",   "qua", "ti",
                                                "on",   "ver", "ça", "bu",  "ren", "oi",  "pla",
                                                "ment", "dé",  "fi", "cho", "al",  "ès"};
    std::vector<std::string> words(100000);
    for (std::string& word : words)
        for (std::size_t i = 0, n = 1 + random() % 4; i < n; ++i)
            word += syllables[random() % syllables.size()];
    return words;
}

std::vector<std::string> made_lines(std::size_t count) {
    std::mt19937_64 random(1);
    const std::vector<std::string> words = made_words(random);
    const double log_size = std::log(static_cast<double>(words.size()));
    std::vector<std::string> lines(count);
    for (std::string& line : lines) {
        for (std::size_t i = 0, n = 5 + random() % 12; i < n; ++i) {
            const double share = static_cast<double>(random() >> 11) / 9007199254740992.0;
            const auto rank = static_cast<std::size_t>(std::exp(share * log_size)) - 1;  // ∝ 1 / rank
            line += (i == 0 ? "" : random() % 12 == 0 ? ", " : " ") + words[std::min(rank, words.size() - 1)];
        }
        line += random() % 4 ? "." : " ?";
    }
    return lines;
}

template <class F>
auto timed(const char* what, F f) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = f();
    fmt::print("{{\"what\": \"{}\", \"seconds\": {:.2f}}}\n", what, ms_since(begin) / 1000);
    std::fflush(stdout);
    return result;
}

void measure(const std::vector<std::string>& lines, const char* name, const TokenizerConfig& config) {
    const auto tokenizer =
        timed(fmt::format("{}, training", name).c_str(), [&] { return learn_tokenizer(lines, config); });
    const auto ids =
        timed(fmt::format("{}, encoding", name).c_str(), [&] { return tokenizer->encode(lines); });
    std::size_t count = 0;
    for (const auto& line : ids) count += line.size();
    fmt::print("{{\"what\": \"{}, tokens\", \"count\": {}}}\n", name, count);
}

}  // namespace

int main(int count, char** arguments) {
    const std::vector<std::string> given(arguments + 1, arguments + count);
    const bool writes = given.size() >= 2 && given[given.size() - 2] == "--write";
    const std::size_t lines_wanted = given.empty() || given[0] == "--write" ? 1000000 : std::stoul(given[0]);
    const std::vector<std::string> lines = made_lines(lines_wanted);
    const std::string file =
        writes ? given.back() : (std::filesystem::temp_directory_path() / "glassbox-bench-text").string();
    {
        std::ofstream out(file);
        for (const std::string& line : lines) out << line << '\n';
    }
    if (writes) return 0;
    timed("reading", [&] { return read_lines(file); });
    std::filesystem::remove(file);
    measure(lines, "words", {.kind = TokenKind::words, .vocabulary = 32000});
    measure(lines, "bpe", {.kind = TokenKind::bpe, .vocabulary = 8000});
    fmt::print("{{\"what\": \"peak memory\", \"mb\": {:.0f}}}\n", peak_mb());
}
