#pragma once
#include <dlfcn.h>

#include <filesystem>
#include <string>

#include <glassbox/tensor/format.h>

namespace lesson {

// A student's exercise, compiled by itself to a shared library, so that its errors are its own.
class Exercise {
  public:
    explicit Exercise(const std::filesystem::path& library)
        : handle_(dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!handle_) glassbox::fail("{}: cannot be loaded: {}", library.string(), dlerror());
    }
    ~Exercise() { dlclose(handle_); }
    Exercise(const Exercise&) = delete;
    Exercise& operator=(const Exercise&) = delete;

    template <class Function>
    Function* function(const char* name) const {
        void* address = dlsym(handle_, name);
        if (!address) glassbox::fail("the exercise has no function {} as lesson.h declares it", name);
        return reinterpret_cast<Function*>(address);
    }

  private:
    void* handle_;
};

}  // namespace lesson
