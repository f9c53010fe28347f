#pragma once
#include <memory>
#include <optional>
#include <string>

#include <glassbox/conventions/made.h>
#include <glassbox/layers/mask.h>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/weight_file.h"

namespace glassbox::tracer {

// Everything that a command needs to build its model.
struct ModelBuilder {
    const ModelSettings& settings;
    const Convention& convention;
    const WeightFile& weights;
    ModelInput& input;
    glassbox::Stream& stream;  // inputs first, then weights

    // A size: the given one, otherwise that of axis `axis` of this weight in the weight file, otherwise the
    // default.
    index_t size(const Size& size, const std::string& weight, int axis) const;
    // The last axis of the input file's array, otherwise as size().
    index_t width(const std::string& array, const Size& size, const std::string& weight, int axis) const;
    // The number of blocks: prefix.0, prefix.1, … in the weight file, unless given.
    index_t layers(const std::string& prefix) const;
    // Adds the array `name` to `input` unless it comes from the file: standard normal, [batch,] positions ×
    // width; with --text a random row for each word. Checks the width of the file's array, and that it fits
    // into memory.
    void sequence(const std::string& name, index_t positions, index_t width) const;
    // The rows of an embedding table: those of the weight file, otherwise the number of words. Numbers from a
    // file have no names: the largest determines the size. Invalid ones are left to the embedding, which
    // reports them.
    index_t vocabulary(const std::string& table, const Vocabulary& words, const char* tokens) const;
    // Reads the file's tokens, which determine the model's sizes, if they fit into memory.
    void read_tokens() const;
    // The choices of a block whose parameter names in files begin with `first_block`, "layers.0.". Its
    // d_model is the width of the array `width_from` if that is in the input file. Throws UsageError if it
    // does not fit into memory.
    BlockChoices block(const std::string& first_block, const char* width_from = nullptr) const;
    // The choices of a stack whose parameter names in files begin with `prefix`, "encoder." or "".
    StackChoices stack(const std::string& prefix, const char* width_from = nullptr) const;
    // The model, configured and initialised by the convention.
    template <class Model>
    std::shared_ptr<Model> made(const typename LayerTraits<Model>::Choices& choices) const {
        return std::make_shared<Model>(glassbox::made<Model>(convention, choices, stream));
    }
    // The mask of the other sequence, memory or target, from --memory-lengths or --target-lengths.
    Mask other_mask() const;
    // The mask from --mask, --lengths and the padding of --text, for attention of x, or of tokens, to itself;
    // or to the array `keys`, of which --lengths counts then.
    Mask mask(const char* keys = nullptr) const;
    // The same for scores of x with itself of this shape, if known. Throws UsageError that names the option.
    Mask mask_for(const std::optional<Shape>& scores) const;

  private:
    bool has_in_file(const std::string& array) const;
    Mask given_mask(const std::optional<Shape>& scores) const;  // --mask and --lengths
    std::optional<Shape> scores(const char* keys) const;        // of x, or of tokens
    std::optional<Shape> scores(const char* queries, const char* keys) const;
    void check_given(const std::string& name, index_t width) const;
    void check_blocks(const BlockConfig& block) const;
};

// Throws UsageError if this many numbers need more than an eighth of the machine's memory.
void check_memory(const std::string& what, double numbers);

}  // namespace glassbox::tracer
