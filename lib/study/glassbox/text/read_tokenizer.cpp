#include <glassbox/io/file.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/detail/untrusted_json.h>
#include <glassbox/text/wordpiece.h>

namespace glassbox {

using namespace detail;

namespace {

namespace fs = std::filesystem;

constexpr const char *vocabulary_end = "vocab.json", *merges_end = "merges.txt",
                     *wordpiece_file = "vocab.txt";

// The other of two files side by side: gpt2-vocab.json, gpt2-merges.txt.
fs::path beside(const fs::path& path, std::string_view end, const char* other_end) {
    std::string name = path.filename().string();
    if (!name.ends_with(end)) return path.parent_path() / other_end;
    name.resize(name.size() - end.size());
    return path.parent_path() / (name + other_end);
}

std::shared_ptr<const Tokenizer> read_byte_pairs(const fs::path& vocabulary, const fs::path& merges,
                                                 bool lower_case) {
    return read_gpt2_files(vocabulary, merges, {.nfc = false, .lower_case = lower_case});
}

fs::path file_in(const fs::path& folder) {
    for (const char* name : {vocabulary_end, wordpiece_file})
        if (fs::exists(folder / name)) return folder / name;
    fail<FileError>("{}: neither {} with {} nor {} is in this folder", display_name(folder), vocabulary_end,
                    merges_end, wordpiece_file);
}

std::shared_ptr<const Tokenizer> read_json(const fs::path& path, bool lower_case) {
    const std::string file = display_name(path);
    const Bytes bytes = read_file(path);
    {
        const UntrustedJson json(as_text(bytes), file);
        if (json.has_text("tokenizer")) return tokenizer_from_json(as_text(bytes), file);
        for (const char* key :
             {"tokenizer_class", "model_type", "cls_token", "bos_token", "unk_token", "pad_token"})
            if (json.has_text(key))
                json.refuse("settings ({}), without a vocabulary; {} with {}, or {}, can be read", key,
                            vocabulary_end, merges_end, wordpiece_file);
        if (json.has_text("version"))
            json.refuse("a tokenizer.json of Hugging Face; its model's {} with {}, or {}, can be read",
                        vocabulary_end, merges_end, wordpiece_file);
    }
    return read_byte_pairs(path, beside(path, vocabulary_end, merges_end), lower_case);
}

// A model of SentencePiece begins with its first piece, in Google's protocol buffers: a length, then <unk>.
void refuse_sentence_piece(const fs::path& path) {
    const Bytes bytes = read_file(path);
    const std::string_view start = as_text(bytes).substr(0, 64);
    if (start.size() < 8 || start[0] != '\n' || start[2] != '\n' ||
        start.find('\x15') == std::string_view::npos)
        return;
    fail<FileError>("{}: a SentencePiece model, which is not supported; {} with {}, or {}, can be read",
                    display_name(path), vocabulary_end, merges_end, wordpiece_file);
}

}  // namespace

std::shared_ptr<const Tokenizer> read_tokenizer(const std::filesystem::path& path, bool lower_case) {
    std::error_code ignored;
    const fs::path file = fs::is_directory(path, ignored) ? file_in(path) : path;
    const std::string name = file.filename().string();
    if (name.ends_with(".json")) return read_json(file, lower_case);
    if (name.ends_with(merges_end))
        return read_byte_pairs(beside(file, merges_end, vocabulary_end), file, lower_case);
    refuse_sentence_piece(file);
    return read_wordpiece(file, lower_case);
}

}  // namespace glassbox
