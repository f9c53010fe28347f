#pragma once
#include <stdexcept>
#include <string>

namespace glassbox {

// Every error of the library. The message names the op or option, the rule, and both shapes or values.
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

}  // namespace glassbox
