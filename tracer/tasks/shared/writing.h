#pragma once
#include <glassbox/tasks/copying.h>

#include "tasks/task.h"

namespace glassbox {

// A task in which an encoder–decoder reads symbols and writes its answer token by token. The caller sets
// summary and order.
Task writing_task(Writing writing);

}  // namespace glassbox
