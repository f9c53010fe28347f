#include "subject/model_input.h"

#include <algorithm>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/batch.h>

#include "subject/model_settings.h"

// A model's input: from a file, from words, or random.
namespace glassbox::tracer {

namespace {

using Names = std::vector<std::string>;

// The sentences of one option as tokens. The tokens `first` and `last` are added to every sentence; −1: none.
PaddedBatch tokens_of(const char* option, const std::string& text, index_t first, index_t last,
                      Vocabulary& vocabulary, std::vector<std::string>& words) {
    std::vector<std::vector<index_t>> sentences;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t bar = std::min(text.find('|', begin), text.size());
        std::vector<index_t> ids;
        if (first >= 0) ids.push_back(first);
        for (const std::string& word : split_words(text.substr(begin, bar - begin)))
            ids.push_back(vocabulary.add(word));
        const bool is_blank = ids.empty() || (ids.size() == 1 && first >= 0);
        if (last >= 0) ids.push_back(last);
        if (is_blank && option == std::string("--text"))
            fail<UsageError>("{}: a sentence without words in '{}'", option, text);
        sentences.push_back(ids);
        begin = bar + 1;
    }
    for (const index_t id : sentences[0]) words.push_back(vocabulary.word(id));
    PaddedBatch batch = glassbox::padded(sentences);
    for (std::size_t i = static_cast<std::size_t>(batch.lengths[0]);
         i < static_cast<std::size_t>(batch.tokens.size(1)); ++i)
        words.push_back(vocabulary.word(Vocabulary::padding));
    return batch;
}

bool needs(const Names& names, const std::string& array) {
    return std::find(names.begin(), names.end(), array) != names.end();
}

// Converts --text and --target to tokens: source and target if the model has both, otherwise only source.
void read_words(const Names& names, const ModelSettings& s, ModelInput& input) {
    const bool translates = needs(names, "source") && s.kind == ModelKind::encoder_decoder;
    // As in the fourth document: the source without <start>, the target without <end>.
    const PaddedBatch source = tokens_of("--text", s.text,
                                         translates               ? -1
                                         : needs(names, "source") ? Vocabulary::start
                                                                  : -1,
                                         translates ? Vocabulary::end : -1, input.vocabulary, input.words);
    input.arrays.emplace_back("source", source.tokens);
    const bool is_padded = std::any_of(source.lengths.begin(), source.lengths.end(),
                                       [&](index_t length) { return length != source.tokens.size(1); });
    if (is_padded) input.lengths = source.lengths;
    if (!translates) return;
    std::string target = s.target;
    if (target.empty()) target = std::string(static_cast<std::size_t>(source.tokens.size(0)) - 1, '|');
    const PaddedBatch so_far =
        tokens_of("--target", target, Vocabulary::start, -1, input.target_vocabulary, input.target_words);
    if (so_far.tokens.size(0) != source.tokens.size(0))
        fail<UsageError>("--target: expected as many sentences as --text, {}, got {}", source.tokens.size(0),
                         so_far.tokens.size(0));
    input.arrays.emplace_back("target", so_far.tokens);
    if (std::any_of(so_far.lengths.begin(), so_far.lengths.end(),
                    [&](index_t length) { return length != so_far.tokens.size(1); }))
        input.target_lengths = so_far.lengths;
}

// Adds the file's arrays with their shapes only.
void open_file(const Names& names, const ModelSettings& s, ModelInput& input) {
    input.file = std::make_shared<const Npz>(s.input);
    const Npz& npz = *input.file;
    for (std::string name : names) {
        const bool optional = name.ends_with("?");
        if (optional) name.pop_back();
        if (optional && !npz.contains(name)) continue;
        if (!npz.contains(name))
            fail<FileError>(
                "{}: no array {}; it holds {}", s.input.string(), name,
                npz.names().empty() ? "nothing" : printable(fmt::format("{}", fmt::join(npz.names(), ", "))));
        input.arrays.emplace_back(name, shape_tensor(npz.shape(name)));
    }
}

}  // namespace

void ModelInput::read() {
    if (!file) return;
    for (auto& [name, value] : arrays)
        if (file->contains(name)) value = file->read(name);
    file.reset();
}

ModelInput read_arrays(const Names& names, const ModelSettings& s) {
    ModelInput input;
    if (!s.input.empty()) {
        open_file(names, s, input);
        input.origin = display_name(s.input);
        return input;
    }
    if (!s.text.empty()) read_words(names, s, input);
    input.rng = glassbox::name(s.random_numbers());
    input.seed = s.seed;
    input.origin = drawn_as(s.random_numbers(), s.seed);
    return input;
}

void ModelInput::set(const std::string& name, Tensor value) {
    for (auto& [key, old] : arrays)
        if (key == name) return void(old = std::move(value));
    arrays.emplace_back(name, std::move(value));
}

bool ModelInput::has(const std::string& name) const {
    return std::any_of(arrays.begin(), arrays.end(), [&](const auto& each) { return each.first == name; });
}

const Tensor& ModelInput::operator[](const std::string& name) const {
    for (const auto& [key, value] : arrays)
        if (key == name) return value;
    fail("input: no array {}", name);
}

std::string drawn_as(Rng rng, std::uint64_t seed) {
    const char* who = rng == Rng::jax ? "JAX" : rng == Rng::torch ? "PyTorch" : "NumPy";
    return fmt::format("random numbers as {} draws them, seed {}", who, seed);
}

}  // namespace glassbox::tracer
