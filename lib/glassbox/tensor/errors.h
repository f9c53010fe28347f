#pragma once
#include <stdexcept>
#include <string>

namespace glassbox {

// Every error of the library. The message names the op or option, the rule, and both shapes or values.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// A wrong option or a wrong argument: the command ends with 2.
class UsageError : public Error {
  public:
    using Error::Error;
};

// A file whose content is not what its format or the caller asks for: file, offset, reason. The command ends
// with 3.
class FileError : public Error {
  public:
    using Error::Error;
};

// Reading or writing itself failed (missing, no permission, disk full): the command ends with 4.
class IoError : public Error {
  public:
    using Error::Error;
};

}  // namespace glassbox
