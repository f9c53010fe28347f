#include "legend.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "report.h"

namespace tracer {

namespace {

std::string with(std::string text, const std::string& word, const std::string& meaning) {
    if (const std::size_t at = text.find(word); at != std::string::npos)
        text.replace(at, word.size(), meaning);
    return text;
}

// "−9e15", "−∞": as the documents write it
std::string in_formula(double fill) {
    if (std::isinf(fill)) return "−∞";
    const std::string text = fmt::format("{:g}", fill);  // "-9e+15"
    return "−" + with(text.substr(1), "e+", "e");
}

}  // namespace

Legend legend_of(const std::string& path, const std::string& before, double fill) {
    static const std::map<std::string, Legend> legends = {
        {"x", {"", "The sequence itself: one position a row."}},
        {"Q", {"", "What each position looks for: one query a row."}},
        {"K", {"", "What each position offers: one key a row."}},
        {"V", {"", "What each position passes on: one value a row."}},
        {"W_Q", {"", "Makes a query of a position: one column for each of the d_k features."}},
        {"W_K", {"", "Makes a key of a position."}},
        {"W_V", {"", "Makes a value of a position: one column for each of the d_v features."}},
        {"W_q", {"", "What the hidden layer takes from a query: one column for each of its d_a units."}},
        {"W_k", {"", "What the hidden layer takes from a key."}},
        {"v", {"", "How much each unit of the hidden layer counts in the score."}},
        {"query_part", {"Q W_q", "The queries' share of the hidden layer."}},
        {"key_part", {"K W_k", "The keys' share of the hidden layer."}},
        {"hidden",
         {"tanh(query_part + key_part)", "The hidden layer, once for every pair of a query and a key."}},
        {"logits",
         {"Q Kᵀ", "How well each query (row) matches each key (column): a dot product for every pair."}},
        {"scaled", {"logits / √d_k", "Divided by √d_k: the spread of the scores no longer grows with d_k."}},
        {"masked",
         {"BEFORE, but FILL where the mask is 0",
          "A hidden key's score becomes so low that beside a key that is seen its weight is 0."}},
        {"attention",
         {"softmax(BEFORE)", "Each row becomes weights: how much a query takes from every value."}},
        {"values", {"attention V", "The weighted average of the values: one answer a query."}},
    };
    const std::string name = last_part(path);
    const auto found = legends.find(name);
    if (found == legends.end()) return {};
    Legend legend = found->second;
    legend.formula = with(with(legend.formula, "BEFORE", before), "FILL", in_formula(fill));
    if (name == "logits" && before == "hidden")
        legend = {"hidden v", "Each hidden layer becomes one score: how well a query matches a key."};
    return legend;
}

}  // namespace tracer
