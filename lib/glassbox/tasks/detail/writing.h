#pragma once
#include <glassbox/tasks/copying.h>
#include <glassbox/tasks/task.h>

namespace glassbox {

// A task in which an encoder–decoder writes about the symbols that it has read, token by token. The rest,
// name, summary and order, is each task's own.
Task writing_task(Writing writing);

}  // namespace glassbox
