#include <glassbox/tasks/copying.h>

#include "tasks/shared/number_tasks.h"

namespace glassbox {

Task copy() {
    Task task = writing_task(Writing::copy);
    task.summary = "Copies a sequence with an encoder–decoder, token by token.";
    task.order = 4;
    return task;
}

}  // namespace glassbox
