#include "tasks/settings.h"

#include <glassbox/tensor/format.h>

namespace glassbox {

const std::string& Settings::text(const std::string& name) const {
    const auto found = texts_.find(name);
    if (found == texts_.end()) fail<UsageError>("--{}: not given, and this task has no default for it", name);
    return found->second;
}

}  // namespace glassbox
