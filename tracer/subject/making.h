#pragma once
#include <memory>
#include <optional>
#include <string>

#include <glassbox/conventions/made.h>
#include <glassbox/layers/mask.h>

#include "subject/model_input.h"
#include "subject/model_settings.h"
#include "subject/weight_file.h"

namespace tracer {

// All that a command needs to make its model.
struct Making {
    const ModelSettings& settings;
    const glassbox::Convention& convention;
    const WeightFile& weights;
    ModelInput& input;
    glassbox::Stream& stream;  // inputs first, then weights

    // --heads and the like: what was given, else axis `axis` of this weight, where the file has it, else the
    // default.
    index_t size(const Size& size, const std::string& weight, int axis) const;
    // The input's last axis, where a file has it; else as size() says.
    index_t width(const std::string& array, const Size& size, const std::string& weight, int axis) const;
    // How many blocks: prefix.0, prefix.1, … in the weights.
    index_t layers(const std::string& prefix) const;
    // The array `name`, from the file or made now and kept in `input`: standard normal, [batch,] positions ×
    // width; with --text a random row for each word. The file's must be as wide, and no larger than memory
    // allows.
    void sequence(const std::string& name, index_t positions, index_t width) const;
    // Reads the file's tokens, which the model's sizes depend on, if memory allows them.
    void read_tokens() const;
    // A block whose parameters in files begin with `first_block`, "layers.0."; its d_model is that of the
    // array `as_wide_as` where a file has it. UsageError for more than memory holds.
    glassbox::BlockChoices block(const std::string& first_block, const char* as_wide_as = nullptr) const;
    // A stack of such blocks, whose parameters in files begin with `prefix`, "encoder." or "".
    glassbox::StackChoices stack(const std::string& prefix, const char* as_wide_as = nullptr) const;
    // The model as the convention makes it.
    template <class Model>
    std::shared_ptr<Model> made(const typename glassbox::LayerTraits<Model>::Choices& choices) const {
        return std::make_shared<Model>(glassbox::made<Model>(convention, choices, stream));
    }
    // Of the other sequence, the memory or the target: what --memory-lengths or --target-lengths asks for.
    glassbox::Mask other_mask() const;
    // What --mask and --lengths ask for, and the padding of --text: for the attention of x, or of tokens, to
    // itself, or to the array `keys`.
    glassbox::Mask mask(const char* keys = nullptr) const;
    // The same for scores of this shape, if it is known. Throws UsageError that names the option that does
    // not fit.
    glassbox::Mask mask_for(const std::optional<glassbox::Shape>& scores) const;

  private:
    bool has_in_file(const std::string& array) const;
    std::optional<glassbox::Shape> scores(const char* keys) const;  // of x, or of tokens
    std::optional<glassbox::Shape> scores(const char* queries, const char* keys) const;
    void check_given(const std::string& name, index_t width) const;
    void check_blocks(const glassbox::BlockConfig& block) const;
};

// Refuses at once, with UsageError, what the machine's memory cannot hold.
void check_memory(const std::string& what, double numbers);

}  // namespace tracer
