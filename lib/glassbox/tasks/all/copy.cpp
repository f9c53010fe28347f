#include <glassbox/tasks/detail/writing.h>

namespace glassbox {

Task copy() {
    Task task = writing_task(Writing::copy);
    task.summary = "An encoder–decoder writes down what it has read.";
    task.order = 4;
    return task;
}

}  // namespace glassbox
