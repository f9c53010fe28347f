#include <glassbox/tasks/copying.h>

#include "tasks/shared/number_tasks.h"

namespace glassbox {

Task sort() {
    Task task = writing_task(Writing::sort);
    task.summary = "Sorts a sequence with an encoder–decoder, token by token.";
    task.order = 5;
    return task;
}

}  // namespace glassbox
