#pragma once
#include <stdexcept>
#include <string>

namespace glassbox {

// Every error of the library. The message names the op or option, the rule, and both shapes or values.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A wrong option or a wrong argument: a name that is not in a list.
class UsageError : public Error {
  public:
    using Error::Error;
};

// A file whose content is not what its format or the caller asks for: file, offset, reason.
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
