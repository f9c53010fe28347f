#include <glassbox/tasks/detail/writing.h>

namespace glassbox {

Task sort() {
    Task task = writing_task(Writing::sort);
    task.summary = "An encoder–decoder writes down in order what it has read.";
    task.order = 5;
    return task;
}

}  // namespace glassbox
