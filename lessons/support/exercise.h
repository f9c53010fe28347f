#pragma once
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include <glassbox/tensor/format.h>

namespace lesson {

// The name of an exercise's function in the library of a lesson's wrong solutions:
// "scaled_dot_product_of_no_scale". The right one is there too, as "solution".
inline std::string name_of_wrong(const std::string& function, const std::string& solution) {
    return function + "_of_" + solution;
}

// A student's exercise, compiled to a separate shared library.
class Exercise {
  public:
    // From the library of wrong solutions, the one of that name.
    explicit Exercise(const std::filesystem::path& library, const std::string& solution = "")
        : solution_(solution),
          handle_(dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!handle_) glassbox::fail("{}: cannot be loaded: {}", library.string(), dlerror());
    }
    ~Exercise() { dlclose(handle_); }
    Exercise(const Exercise&) = delete;
    Exercise& operator=(const Exercise&) = delete;

    template <class Function>
    Function* function(const char* name) const {
        void* address = dlsym(handle_, (solution_.empty() ? name : name_of_wrong(name, solution_)).c_str());
        if (!address) glassbox::fail("the exercise has no function {} as lesson.h declares it", name);
        return reinterpret_cast<Function*>(address);
    }

  private:
    std::string solution_;
    void* handle_;
};

}  // namespace lesson
