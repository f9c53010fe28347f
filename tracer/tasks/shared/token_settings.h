#pragma once
#include <glassbox/models/transformer.h>
#include <glassbox/text/tokenizer.h>

#include "tasks/task.h"

namespace glassbox {

// The settings of tasks that learn a tokenizer: --tokens, --vocabulary, --min-count, and --tie for its
// embeddings.
struct TokenSettings {
    TokenizerConfig tokenizer{};
    TiedTables tied = TiedTables::none;
};
void declare(SettingTable& table, TokenSettings& settings);

// "96 % of the tokens to be read of the validation are <unk>: …", if a fifth or more is, ten at least; else
// "".
std::string unknown_note(const Tokenizer& tokenizer, const std::vector<std::vector<index_t>>& sentences,
                         const std::string& which, const std::string& of);

}  // namespace glassbox
