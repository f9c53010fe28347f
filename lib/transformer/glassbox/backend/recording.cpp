#include <glassbox/backend/recording.h>

#include <string>
#include <utility>

namespace glassbox {
namespace {

bool& on() {
    static thread_local bool is_on = false;
    return is_on;
}

}  // namespace

Recording::On::On() : outer_(std::exchange(on(), true)) {}
Recording::On::~On() { on() = outer_; }
bool Recording::is_on() { return on(); }

void Recording::refuse(const char* what) {
    if (on()) throw NotRecordable(std::string(what) + ": not while kernels are recorded, which run later");
}

}  // namespace glassbox
