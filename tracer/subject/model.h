#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/conventions/made.h>
#include <glassbox/io/npz.h>
#include <glassbox/layers/mask.h>
#include <glassbox/tasks/vocabulary.h>

#include "cli/options.h"
#include "figures/figure.h"
#include "subject/weight_file.h"

// What the commands that show a model have in common: `tracer multihead`, `encoder-block`, `transformer` …
// A command says how its model and its input are made; the rest is here, written once.
namespace tracer {

using glassbox::index_t;
using glassbox::Tensor;

// A command's options as they were typed.
struct ModelTyped {
    std::string seq, batch, memory, dmodel, heads, dff, layers, din, classes, width, shift;
    std::string norm = "post", activation = "relu", pooling = "none", kind = "encoder-decoder",
                positions = "yes";
    std::string dropout, text, target, rng, seed = "42", input, weights, save_weights;
    std::string convention = glassbox::conventions().front().name, diff, compare, products = "fp32",
                mask = "none", lengths, other_lengths, backend = "cpu", scalar;
    std::string explain, depth, scope, only, precision = "8", color = "auto", format, output, map;
    bool dot = false, learned = false, final_norm = false, no_bias = false, grad = false, step = false,
         predict = false, summary = false;
};

// The numbers that a model is given, by name: x, memory, source, target, time; and the words they stand for.
struct ModelInput {
    std::vector<std::pair<std::string, Tensor>> arrays;
    std::vector<std::string> words, target_words;  // of the first sentence; empty without --text
    glassbox::Vocabulary vocabulary, target_vocabulary;
    std::vector<index_t> lengths, target_lengths;  // of sentences that were padded; empty otherwise
    std::string origin, rng;
    std::uint64_t seed = 0;
    // The --input file, until read(): as long as it is there its arrays have shapes alone (stand_in.h).
    std::shared_ptr<const glassbox::Npz> file;

    void read();
    bool has(const std::string& name) const;
    const Tensor& operator[](const std::string& name) const;
};

// A model on its input, ready to run as often as one likes.
struct Subject {
    std::string title;                // "Multi-head attention"
    std::vector<std::string> header;  // formula and sizes
    std::shared_ptr<void> model;      // keeps alive what `forward` and `parameters` look at
    std::function<void()> forward;    // whoever listens sees every step
    glassbox::ListParameters parameters = [] { return glassbox::Parameters(); };
    std::string result;  // the step that --grad sums unless told otherwise: "output"
    const glassbox::Vocabulary* answers = nullptr;  // the words that logits choose from
    bool classifies = false;         // each word, or with pooling the sentence: then a class may have no name
    std::function<Figure()> figure;  // what --map draws; empty: the attention of every layer
};

// All that a command needs to make its model.
struct Making {
    const ModelTyped& typed;
    const glassbox::Convention& convention;
    const WeightFile& weights;
    ModelInput& input;
    glassbox::Stream& stream;  // inputs first, then weights

    // --heads and the like: what was typed, else what the weights say, else the default.
    index_t size(const char* option, const std::string& text, index_t otherwise) const;
    // The input's last axis, where a file has it; else as size() says.
    index_t width(const std::string& array, const char* option, const std::string& text,
                  index_t otherwise) const;
    // The array `name`, from the file or made now and kept in `input`: standard normal, [batch,] positions ×
    // width; with --text a random row for each word. The file's must be as wide, and no larger than memory
    // allows.
    void sequence(const std::string& name, index_t positions, index_t width) const;
    // Reads the file's tokens, which the model's sizes depend on, if memory allows them.
    void read_tokens() const;
    void check_blocks(const glassbox::BlockConfig& block) const;  // UsageError for more than memory holds
    glassbox::BlockChoices block(const std::string& first_block, index_t d_model, index_t heads,
                                 index_t d_ff) const;
    // The model as the convention makes it.
    template <class Model>
    std::shared_ptr<Model> made(const typename glassbox::Making<Model>::Choices& choices) const {
        return std::make_shared<Model>(glassbox::made<Model>(convention, choices, stream));
    }
    // d_model where the input is as wide as the model: what a file's array has, else `otherwise`.
    index_t model_width(const std::string& array, index_t otherwise) const {
        return width(array, "--dmodel", typed.dmodel, otherwise);
    }
    // Of the other sequence, the memory or the target: what --memory-lengths or --target-lengths asks for.
    glassbox::Mask other_mask() const;
    // What --mask and --lengths ask for, and the padding of --text: for the attention of x, or of tokens, to
    // itself, or to the array `keys`.
    glassbox::Mask mask(const char* keys = nullptr) const;

  private:
    std::optional<glassbox::Shape> scores(const char* keys) const;
    void check_given(const std::string& name, index_t width) const;
};

struct ModelCommand {
    std::string name, summary;
    std::vector<std::pair<std::string, std::string>> examples;
    std::vector<std::string> options;  // which of the options that differ: "--memory", "--layers"
    std::vector<std::string> inputs;   // which arrays --input must have: {"x"}; "memory?" may be left out
    ModelTyped defaults;
    Subject (*make)(const Making& making);
};

std::shared_ptr<const Options> declared_options(const ModelCommand& command);
void run_model(const ModelCommand& command, const Arguments& arguments);

// "--dropout: a number from 0 up to, not including, 1 expected, got '2'"
double probability(const std::string& option, const std::string& text);

}  // namespace tracer
