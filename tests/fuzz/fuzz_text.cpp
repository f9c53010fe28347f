#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/corpus.h>

#include "fuzz/fuzz.h"

using namespace glassbox;

namespace {

// A tokenizer from outside must do its work on any text, and write itself as it was read.
void use(const Tokenizer& tokenizer) {
    const std::string text = "e\u0301 l'homme 3.14 \U0001f642 \u6211";
    if (tokenizer.tokens(text).size() != tokenizer.encode(text).size()) std::abort();
    (void)tokenizer.decode(tokenizer.encode(text));
    if (tokenizer_from_json(tokenizer.json())->json() != tokenizer.json()) std::abort();
}

// Byte pairs lose nothing but the normal form.
void round_trip(const std::string& text) {
    static const auto learned =
        learn_byte_pairs({"le chat et le chien, l'été"}, {.kind = TokenKind::bpe, .vocabulary = 280});
    if (learned->decode(learned->encode(text)) != learned->normalized(text)) std::abort();
}

void try_sentence(const std::string& sentence) try {
    round_trip(sentence);
    use(*learn_tokenizer({sentence}, {}));
    use(*learn_tokenizer({sentence}, {.kind = TokenKind::characters}));
} catch (const Error& error) {  // the one sentence of UTF-8 that is refused
    if (std::string(error.what()).find("combining marks in a row") == std::string::npos) throw;
}

}  // namespace

// The first byte says what the rest is: a tokenizer, or a corpus of pairs.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    glassbox_fuzz::refuse_or([&] {
        if (data[0] == '{') return use(*tokenizer_from_json(std::string("{") + text, "fuzz.json"));
        const SentencePairs pairs = parse_pairs(text, "fuzz.tsv");
        for (const std::string& sentence : pairs.source) try_sentence(sentence);
    });
    return 0;
}
