#include <glassbox/text/detail/tokenizer_json.h>

#include <glassbox/io/json.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

std::string json_bool(bool value) { return value ? "true" : "false"; }

std::string tokenizer_json(const char* kind, const Vocabulary& vocabulary,
                           const std::vector<std::pair<const char*, std::string>>& fields) {
    std::vector<std::string> words;
    std::vector<index_t> counts;
    for (index_t id = 0; id < vocabulary.size(); ++id) {
        words.push_back(vocabulary.word(id));
        counts.push_back(vocabulary.count(id));
    }
    std::string json = fmt::format("{{\"tokenizer\": {}", json_string(kind));
    for (const auto& [key, value] : fields) json += fmt::format(", {}: {}", json_string(key), value);
    json += fmt::format(", \"unknown\": {}", vocabulary.unknown());
    return json + ", \"words\": " + json_list(words) + ", \"counts\": " + json_list(counts) + "}\n";
}

}  // namespace glassbox::detail
