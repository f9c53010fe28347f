#include <glassbox/observe/trace.h>

namespace glassbox {
namespace {
std::string& current_path() {
    static thread_local std::string path;
    return path;
}
}  // namespace

Scope::Scope(std::string_view part) : length_before_(current_path().size()) {
    if (Trace::current()) current_path().append(part).append("/");
}

Scope::Scope(std::string_view part, int index) : length_before_(current_path().size()) {
    if (Trace::current()) current_path().append(part).append("/").append(std::to_string(index)).append("/");
}

Scope::~Scope() { current_path().resize(length_before_); }

const std::string& Scope::path() { return current_path(); }

}  // namespace glassbox
