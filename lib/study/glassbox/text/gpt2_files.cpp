#include <algorithm>

#include <glassbox/io/file.h>
#include <glassbox/io/json.h>
#include <glassbox/text/byte_pairs.h>
#include <glassbox/text/detail/lines.h>
#include <glassbox/text/detail/tokenizer_json.h>
#include <glassbox/text/detail/untrusted_json.h>

namespace glassbox {

using namespace detail;

namespace {

// The tokens in the order of their ids, which must be 0, 1, 2 and so on.
std::vector<std::string> tokens_in(const UntrustedJson& json) {
    const auto entries = json.entries();
    std::vector<std::string> tokens(entries.size());
    std::vector<bool> is_there(entries.size());
    for (const auto& [token, id] : entries) {
        const auto place = static_cast<std::size_t>(id);
        if (id < 0 || place >= tokens.size())
            json.refuse("'{}': expected an id of 0 to {}, got {}", printable(token), tokens.size() - 1, id);
        if (is_there[place])
            json.refuse("id {}: both '{}' and '{}' have it", id, printable(tokens[place]), printable(token));
        is_there[place] = true;
        tokens[place] = token;
    }
    return tokens;
}

index_t id_of(const Vocabulary& vocabulary, const std::string& token, const TextLine& line,
              const std::string& file) {
    const auto id = vocabulary.find(token);
    if (!id) fail_at(file, line, 0, "'{}' is not in the vocabulary", printable(token));
    return *id;
}

std::vector<BytePairTokenizer::Merge> merges_in(const std::filesystem::path& path,
                                                const Vocabulary& vocabulary) {
    const Bytes bytes = read_file(path);
    const std::string file = display_name(path);
    std::vector<BytePairTokenizer::Merge> merges;
    for_each_line(as_text(bytes), file, [&](const TextLine& line) {
        if (line.text.empty() || line.text.starts_with("#version")) return;
        const std::size_t space = line.text.find(' ');
        if (space == std::string_view::npos || line.text.find(' ', space + 1) != std::string_view::npos)
            fail_at(file, line, 0, "expected two tokens separated by a space, got '{}'",
                    printable(line.text));
        const std::string left(line.text.substr(0, space)), right(line.text.substr(space + 1));
        merges.push_back({id_of(vocabulary, left, line, file), id_of(vocabulary, right, line, file),
                          id_of(vocabulary, left + right, line, file)});
    });
    return merges;
}

}  // namespace

std::shared_ptr<const BytePairTokenizer> read_gpt2_files(const std::filesystem::path& vocabulary,
                                                         const std::filesystem::path& merges,
                                                         BytePairTokenizer::Config config) {
    const std::string file = display_name(vocabulary);
    const Bytes bytes = read_file(vocabulary);
    FileVocabulary read = vocabulary_from_file(tokens_in(UntrustedJson(as_text(bytes), file)), file);
    config.shift = read.shift;
    std::vector<BytePairTokenizer::Merge> all = merges_in(merges, read.vocabulary);
    try {
        return std::make_shared<BytePairTokenizer>(std::move(read.vocabulary), std::move(all), config);
    } catch (const Error& error) {
        fail<FileError>("{}: {}", file, error.what());
    }
}

void write_gpt2_files(const BytePairTokenizer& tokenizer, const std::filesystem::path& vocabulary,
                      const std::filesystem::path& merges) {
    const Vocabulary& words = tokenizer.vocabulary();
    JsonObject json(json_tight);
    std::string list = "#version: 0.2\n";
    for (index_t id = tokenizer.shift(); id < words.size(); ++id)
        json.add(words.word(id), id - tokenizer.shift());
    for (const auto& merge : tokenizer.merges())
        list += words.word(merge.left) + " " + words.word(merge.right) + "\n";
    write_file_atomically(vocabulary, json.text());
    write_file_atomically(merges, list);
}

}  // namespace glassbox
