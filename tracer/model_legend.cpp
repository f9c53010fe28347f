#include <map>

#include "legend.h"
#include "report.h"

namespace tracer {

using glassbox::Trace;

namespace {

// "encoder/0/" of "encoder/0/norm1"
std::string scope_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// "self_attn" of "encoder/0/self_attn/Q"; "" of "Q"
std::string parent_of(const std::string& path) {
    const std::string scope = scope_of(path);
    if (scope.empty()) return "";
    const std::string inner = scope.substr(0, scope.size() - 1);
    return inner.substr(inner.rfind('/') + 1);
}

const std::map<std::string, Legend>& by_name() {
    static const std::map<std::string, Legend> all = {
        {"memory", {"", "The other sequence: what keys and values are made of."}},
        {"qkv",
         {"x W_qkvᵀ + b",
          "Queries, keys and values of all heads at once: one product, three times as wide."}},
        {"q", {"x W_Qᵀ + b", "The queries of all heads, from the sequence that asks."}},
        {"kv", {"memory W_KVᵀ + b", "The keys and values of all heads, from the sequence that answers."}},
        {"concat", {"Concat(head_1, …, head_h)", "The heads' answers side by side, one row a position."}},
        {"input_net",
         {"x W_inᵀ + b",
          "Every element brought to the width of the model; a one-hot row picks a row of weights."}},
        {"cls",
         {"[CLS] ‖ input_net",
          "A learned token stands in front: its place gathers the sequence as a whole."}},
        {"residual1", {"x + SUBLAYER1", "The sublayer adds to its input: nothing that was there is lost."}},
        {"residual2", {"BEFORE2 + SUBLAYER2", "Added again: what came in goes straight through."}},
        {"residual3", {"norm2 + SUBLAYER3", "Added once more."}},
        {"norm1", {"LayerNorm(residual1)", "Each position brought to mean 0 and variance 1, then γ and β."}},
        {"norm2", {"LayerNorm(residual2)", "The same again, with its own γ and β."}},
        {"norm3", {"LayerNorm(residual3)", "The same again, with its own γ and β."}},
        {"dropout1", {"Dropout(SUBLAYER1)", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"dropout2", {"Dropout(SUBLAYER2)", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"dropout3", {"Dropout(SUBLAYER3)", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"norm_dropout1", {"Dropout(norm1)", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"norm_dropout2", {"Dropout(norm2)", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"input_dropout", {"Dropout", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"softmax", {"softmax(logits)", "Each row becomes probabilities."}},
        {"scores", {"logits", "One number an element, in a row: how much it stands out from its set."}},
        {"probabilities", {"softmax(scores)", "Over the elements: which one does not belong?"}},
        {"tokens", {"", "The words as numbers, by the vocabulary."}},
        {"embedding", {"table[tokens]", "Each word's row of the table."}},
        {"time", {"", "When each row of the series was measured."}},
        {"linear", {"ω τ + φ", "A straight line through time, one for every feature."}},
        {"M",
         {"[cos φω_i, sin φω_i; −sin φω_i, cos φω_i]",
          "One rotation for each frequency; no position in it."}},
        {"rotated", {"M PE(t)", "Every pair of sine and cosine, turned."}},
        {"later", {"PE(t + φ)", "The encoding itself, φ positions later."}},
        {"difference", {"rotated − later", "Nothing but rounding."}},
        {"dots", {"PE PEᵀ", "How alike two positions are; it depends on their distance alone."}},
        {"time2vec",
         {"linear[0], sin(linear[1…])", "The first stays as it is, the others come back again and again."}},
    };
    return all;
}

const std::map<std::string, Legend>& by_place() {
    static const std::map<std::string, Legend> all = {
        {"mlp/hidden", {"x W_1ᵀ + b_1", "A wider layer, each position on its own."}},
        {"mlp/relu", {"max(0, hidden)", "What is negative becomes 0."}},
        {"mlp/gelu", {"hidden · Φ(hidden)", "What is negative nearly vanishes, smoothly."}},
        {"mlp/dropout", {"Dropout", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"mlp/output", {"ACTIVE W_2ᵀ + b_2", "Back to the width of the model."}},
        {"positional/x", {"", "What the positions are added to."}},
        {"positional/encoding",
         {"sin(t ω_i), cos(t ω_i), ω_i = 10000^(−2i/d)", "One row a position: waves of ever longer period."}},
        {"positional/output", {"x + encoding", "Every element now says also where it stands."}},
        {"output_net/linear", {"h W_1ᵀ + b_1", "The output network's first layer."}},
        {"output_net/norm",
         {"LayerNorm(linear)", "Each position brought to mean 0 and variance 1, then γ and β."}},
        {"output_net/relu", {"max(0, norm)", "What is negative becomes 0."}},
        {"output_net/dropout", {"Dropout", "Some numbers are 0, the others are larger by 1/(1 − p)."}},
        {"source/scaled",
         {"√d_model · embedding", "Larger, so that the positions added next do not drown the words."}},
        {"target/scaled",
         {"√d_model · embedding", "Larger, so that the positions added next do not drown the words."}},
        {"encoder/norm", {"LayerNorm(the last block's output)", "One more norm behind the whole stack."}},
        {"decoder/norm", {"LayerNorm(the last block's output)", "One more norm behind the whole stack."}},
    };
    return all;
}

std::string replaced(std::string text, const std::string& word, const std::string& meaning) {
    if (const std::size_t at = text.find(word); at != std::string::npos)
        text.replace(at, word.size(), meaning);
    return text;
}

// Whether the block in this scope norms before its sublayers: then norm1 comes first.
bool is_pre_norm(const Trace& trace, const std::string& scope) {
    const auto norm = trace.position_of(scope + "norm1"), residual = trace.position_of(scope + "residual1");
    return norm >= 0 && (residual < 0 || norm < residual);
}

std::string pre_norm_formula(const std::string& name, const std::string& otherwise) {
    if (name == "norm1") return "LayerNorm(x)";
    if (name == "norm2") return "LayerNorm(residual1)";
    if (name == "norm3") return "LayerNorm(residual2)";
    if (name == "residual2") return "residual1 + SUBLAYER2";
    if (name == "residual3") return "residual2 + SUBLAYER3";
    return otherwise;
}

// The operation whose result a step is.
std::string made_by(const Trace& trace, const std::string& path) {
    const Trace::Operation* op = trace.operation_of(trace[path]);
    return op ? op->op : "";
}

// How a sequence becomes one row.
Legend pooled_legend(const Trace& trace, const std::string& path) {
    if (made_by(trace, path) == "select")
        return {"row 0, [CLS]", "The token in front has gathered what the others say."};
    if (made_by(trace, path) == "max")
        return {"max over positions", "Of every feature the largest, wherever it stands."};
    return {"mean over positions", "All positions become one: their average."};
}

// What a block's sublayer adds to its input: its output, or what dropout leaves of it.
std::string added_by(int sublayer, bool decodes, const Trace& trace, const std::string& scope, bool is_drop) {
    const std::string drop = "dropout" + std::to_string(sublayer);
    if (!is_drop && trace.contains(scope + drop)) return drop;
    if (sublayer == 1) return "self_attn/output";
    return decodes && sublayer == 2 ? "cross_attn/output" : "mlp/output";
}

// A head's part of the stacked projection.
Legend head_legend(const std::string& name, bool crosses) {
    const std::string from = crosses ? (name == "Q" ? "q" : "kv") : "qkv";
    const char* what = name == "Q"   ? "What each position looks for, head by head."
                       : name == "K" ? "What each position offers, head by head."
                                     : "What each position passes on, head by head.";
    return {from + ", " + name + "'s part, one matrix a head", what};
}

}  // namespace

Legend model_legend(const std::string& path, const std::string& before, const Trace& trace,
                    const glassbox::Convention& convention) {
    const std::string name = last_part(path), scope = scope_of(path), parent = parent_of(path);
    const auto beside = [&](const char* step) { return trace.contains(scope + step); };
    Legend legend;
    if (const auto found = by_place().find(parent + "/" + name); found != by_place().end())
        legend = found->second;
    else if (name == "encoding" && made_by(trace, path) == "slice")
        legend = {"table[0 … T − 1]", "One row a position, and no more positions than rows."};
    else if (name == "encoding") legend = by_place().at("positional/encoding");
    else if (name == "pooled") legend = pooled_legend(trace, path);
    else if (name == "output" && beside("encoding")) legend = by_place().at("positional/output");
    else if (name == "output" && beside("time2vec"))
        legend = {"Concat(x, time2vec)", "The encoding stands behind the series' own features."};
    else if (name == "output") legend = {"concat W_Oᵀ + b_O", "The heads' answers mixed by one more layer."};
    else if (name == "logits" && !beside("K"))
        legend = {"h W_outᵀ + b_out", "One score for each class or word; the largest is the answer."};
    else if ((name == "Q" || name == "K" || name == "V") && (beside("qkv") || beside("kv")))
        legend = head_legend(name, beside("kv"));
    else if (name == "scaled" && beside("tokens")) legend = by_place().at("source/scaled");
    else if (const auto found2 = by_name().find(name); found2 != by_name().end()) legend = found2->second;
    else return legend_of(path, last_part(before), convention.mask_fill);
    const bool decodes = beside("residual3");
    if (is_pre_norm(trace, scope)) legend.formula = pre_norm_formula(name, legend.formula);
    for (const int sublayer : {1, 2, 3})
        legend.formula = replaced(legend.formula, "SUBLAYER" + std::to_string(sublayer),
                                  added_by(sublayer, decodes, trace, scope, name.starts_with("dropout")));
    legend.formula = replaced(legend.formula, "BEFORE2", beside("norm_dropout1") ? "norm_dropout1" : "norm1");
    if (name == "norm2" && convention.shares_norm && !decodes)
        legend.sentence = "The same norm again: one γ and β serve both sublayers.";
    legend.formula = replaced(legend.formula, "ACTIVE", beside("gelu") ? "gelu" : "relu");
    return legend;
}

}  // namespace tracer
