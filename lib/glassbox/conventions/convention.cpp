#include <glassbox/conventions/convention.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {

std::vector<Convention> every_conventions();  // the files of sources/, collected by CMake

const std::vector<Convention>& conventions() {
    static thread_local bool is_reading = false;
    if (is_reading)  // it would wait for itself
        fail(
            "conventions: a file of sources/ asks for a convention by name while these files are read; to "
            "begin with another's choices it calls that one's function: Convention c = paper();");
    static const std::vector<Convention> all = [] {
        is_reading = true;
        std::vector<Convention> found = every_conventions();
        is_reading = false;
        std::sort(found.begin(), found.end(),
                  [](const Convention& a, const Convention& b) { return a.order < b.order; });
        return found;
    }();
    return all;
}

namespace {

std::vector<FileNames> names_of_all() {
    std::vector<FileNames> names;
    for (const Convention& each : conventions()) names.push_back(each.file_names());
    return names;
}

}  // namespace

FileNames Convention::file_names() const { return {"convention " + name, renames, "", names_of_all}; }

std::vector<std::string> convention_names() {
    std::vector<std::string> names;
    for (const Convention& each : conventions()) names.push_back(each.name);
    return names;
}

const Convention& convention(std::string_view name) {
    for (const Convention& each : conventions())
        if (each.name == name) return each;
    fail<UsageError>("convention: no convention '{}'; there are {}", name,
                     fmt::join(convention_names(), ", "));
}

}  // namespace glassbox
