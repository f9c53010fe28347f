#pragma once
#include <cstddef>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

namespace glassbox {

// Every error of the library but OutOfMemory. The message names the op or option, the rule, and both shapes
// or values.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A wrong option or argument, such as an unknown name.
class UsageError : public Error {
  public:
    using Error::Error;
};

// A file with content that its format or the caller does not allow: file, offset, reason.
class FileError : public Error {
  public:
    using Error::Error;
};

// Reading or writing itself failed: missing, no permission, disk full.
class IoError : public Error {
  public:
    using Error::Error;
};

// No memory for a tensor on the CPU. Deliberately not an Error, so that `catch (const Error&)` does not
// swallow it. The text is built without allocating.
class OutOfMemory : public std::bad_alloc {
  public:
    explicit OutOfMemory(std::size_t bytes) noexcept {
        std::snprintf(text_, sizeof text_, "memory: no %zu bytes left for a tensor", bytes);
    }
    const char* what() const noexcept override { return text_; }

  private:
    char text_[80];
};

}  // namespace glassbox
