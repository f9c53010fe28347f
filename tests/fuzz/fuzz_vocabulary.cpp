#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/word_vectors.h>
#include <glassbox/text/wordpiece.h>

#include "fuzz/fuzz.h"

using namespace glassbox;
using glassbox_fuzz::folder;

namespace {

void vectors(std::string_view text) {
    const Vocabulary vocabulary({{"the", "cat", "l'été", "new york"}});
    const std::unique_ptr<Stream> stream = make_stream(Rng::torch, 1);
    const WordVectors read = read_word_vectors(folder().put("vectors.txt", text), vocabulary, *stream);
    if (read.table.size(0) != vocabulary.size()) glassbox_fuzz::broken("a row for each word", text);
}

void use(const Tokenizer& tokenizer) {
    const std::string text = "e\u0301 l'homme 3.14 \U0001f642 \u6211";
    (void)tokenizer.decode(tokenizer.encode(text));
    const std::string json = tokenizer.json();
    glassbox_fuzz::require_same(json, tokenizer_from_json(json)->json(),
                                "a tokenizer is written as it was read");
}

void gpt2(std::string_view both) {
    const std::size_t bar = std::min(both.find('\0'), both.size());
    const std::string vocabulary = folder().put("vocab.json", both.substr(0, bar));
    const std::string merges = folder().put("merges.txt", both.substr(std::min(bar + 1, both.size())));
    use(*read_gpt2_files(vocabulary, merges));
}

}  // namespace

// The first byte says what the rest is: word vectors, WordPiece's vocabulary, or GPT-2's two files with a NUL
// between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view rest = glassbox_fuzz::text_of(data, size).substr(1);
    glassbox_fuzz::refuse_or([&] {
        if (data[0] == 'v') vectors(rest);
        else if (data[0] == 'w') use(*read_wordpiece(folder().put("vocab.txt", rest), size % 2));
        else gpt2(rest);
    });
    return 0;
}
