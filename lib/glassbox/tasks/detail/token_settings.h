#pragma once
#include <glassbox/tasks/settings.h>
#include <glassbox/tasks/task.h>
#include <glassbox/text/tokenizer.h>

namespace glassbox {

// The settings of tasks that learn a tokenizer: --tokens, --vocabulary, --min-count, and --tie for its
// embeddings.
std::vector<TaskSetting> token_settings();
TokenizerConfig tokenizer_config(const Settings& settings);

}  // namespace glassbox
