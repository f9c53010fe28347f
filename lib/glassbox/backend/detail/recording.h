#pragma once
#include <glassbox/tensor/errors.h>

namespace glassbox {

// What was put into a device's queue while it was recorded, to be run again at the cost of one launch.
class Recording {
  public:
    virtual ~Recording() = default;
    virtual void run() = 0;

    // Whether this thread records: the kernels it calls do not run yet, and what they compute cannot be seen.
    static bool is_on();
    // For whatever waits for the device or copies from or to the host, which `what` names: throws
    // NotRecordable while this thread records.
    static void refuse(const char* what);

    // On as long as this lives; for the backend that records.
    class On {
      public:
        On();
        ~On();
        On(const On&) = delete;
        On& operator=(const On&) = delete;

      private:
        bool outer_;
    };
};

// A function that was to be recorded can be run kernel by kernel alone: it looks at numbers of the device.
class NotRecordable : public Error {
  public:
    using Error::Error;
};

}  // namespace glassbox
