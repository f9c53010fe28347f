#include <glassbox/text/detail/tokenizer_json.h>

#include <glassbox/tensor/format.h>

namespace glassbox::detail {

std::string tokenizer_json(const char* kind, const Vocabulary& vocabulary,
                           std::initializer_list<JsonObject::Field> fields) {
    std::vector<std::string> words;
    std::vector<index_t> counts;
    for (index_t id = 0; id < vocabulary.size(); ++id) {
        words.push_back(vocabulary.word(id));
        counts.push_back(vocabulary.count(id));
    }
    JsonObject json{{"tokenizer", kind}};
    json.add_all(fields).add("unknown", vocabulary.unknown()).add("words", words).add("counts", counts);
    return json.text() + "\n";
}

}  // namespace glassbox::detail
