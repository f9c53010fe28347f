#include <fmt/format.h>

#include <cmath>

#include <glassbox/tensor/format.h>
#include <glassbox/tensor/print.h>
#include <glassbox/text/teacher_forcing.h>

#include "commands/shared/model_command.h"
#include "subject/words.h"

namespace glassbox::tracer::commands {
namespace {

namespace step = steps::teacher_forcing;
using Sentences = std::vector<std::vector<index_t>>;

// Only the words: without <start>, <end> and <pad>.
Sentences sentences_of(const ModelBuilder& m, const char* name) {
    const Tensor& tokens = m.input[name];  // (B, T) or (T)
    const index_t T = tokens.size(-1), B = tokens.numel() / T;
    const std::vector<real> ids = tokens.values();
    Sentences all(static_cast<std::size_t>(B));
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const real id = ids[i];
        if (!(id >= 0) || id != std::floor(id) || id > (1 << 24))
            fail<FileError>("{}: {}: ids are whole numbers from 0 to {}, got {}", m.settings.input.string(),
                            name, 1 << 24, without_nan_sign(static_cast<double>(id)));
        const auto token = static_cast<index_t>(id);
        if (token != Vocabulary::padding && token != Vocabulary::start && token != Vocabulary::end)
            all[i / static_cast<std::size_t>(T)].push_back(token);
    }
    return all;
}

// Ids padded with 0, (B, longest).
Tensor tokens_of(const Sentences& sentences) {
    const Tensor tokens = glassbox::padded(sentences).tokens;
    return tokens.numel() > 0 ? tokens : Tensor::zeros({static_cast<index_t>(sentences.size()), 1});
}

void read_input(const ModelBuilder& m) {
    for (const char* name : {"source", "target"}) {
        const Shape& shape = m.input[name].shape();
        if ((shape.rank() != 1 && shape.rank() != 2) || shape.numel() == 0)
            fail<FileError>("{}: needs {} of shape (sentences, T), got {}", m.settings.input.string(), name,
                            shape);
        check_memory(fmt::format("--input: {}", name), static_cast<double>(shape.numel()) * 60);
    }
    m.input.read();
}

Subject make(const ModelBuilder& m) {
    if (m.input.file) read_input(m);
    else m.input.origin = "tokens of --text and --target";
    m.input.rng = "";
    const Sentences source = sentences_of(m, "source"), target = sentences_of(m, "target");
    if (source.size() != target.size())
        fail<FileError>("{}: expected as many target sentences as sources, {}, got {}",
                        m.settings.input.string(), source.size(), target.size());
    m.input.set("source", tokens_of(source));
    m.input.set("target", tokens_of(target));
    m.input.lengths.clear();  // nothing is masked here: <pad> marks where a sentence ends
    m.input.target_lengths.clear();
    Subject subject;
    subject.title = "Teacher forcing: the shift";
    subject.header = {fmt::format("targets = {},  labels = {}", step::targets.formula, step::labels.formula)};
    const bool have_names = !m.input.words.empty();
    add_words(subject.header, "source", m.input["source"], m.input.vocabulary, have_names);
    add_words(subject.header, "target", m.input["target"], m.input.target_vocabulary, have_names);
    subject.result = step::labels.name;
    subject.forward = [=] { (void)glassbox::teacher_forcing(source, target); };
    return subject;
}

ModelCommand model() {
    ModelCommand command;
    command.order = 105;
    command.name = "shift";
    command.summary = "Inputs, targets and labels of a batch of sentences, as teacher forcing shifts them.";
    command.examples = {
        {"tracer shift --text 'je suis étudiant|bonjour' --target 'i am a student|hello'",
         "The padded batch, what the decoder reads, and what it is to predict."},
        {"tracer shift --input tokens.npz -o batch.npz", "The same for token ids of your own."},
        {"tracer shift --mistake labels/not-shifted",
         "A model that learns to repeat what it has just read."}};
    command.options = {.shared = {"--text", "--target"},
                       .input_help = "source and target by name, ids of words padded with 0",
                       .without = {"--rng", "--seed", "--weights", "--save-weights", "--products",
                                   "--backend", "--compare", "--convention", "--diff", "--scalar"}};
    command.inputs = {"source", "target"};
    command.defaults.text = "je suis étudiant|bonjour";
    command.defaults.target = "i am a student|hello";
    command.check = [](const ModelSettings& s, const Options&) {
        if (s.grad) fail<UsageError>("--grad: tokens are whole numbers, and have no gradient");
    };
    command.make = make;
    return command;
}

}  // namespace

Command shift() { return command_of(model); }

}  // namespace glassbox::tracer::commands
