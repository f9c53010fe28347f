#pragma once
#include <glassbox/tensor/errors.h>

namespace glassbox {

// Recorded device work that can be replayed at the cost of one launch.
class Recording {
  public:
    virtual ~Recording() = default;
    virtual void run() = 0;

    // Whether this thread is recording: the kernels it calls do not run yet, so their results are not
    // available.
    static bool is_on();
    // Called by operations that wait for the device or copy to or from the host, which `what` names: throws
    // NotRecordable while this thread is recording.
    static void refuse(const char* what);

    // Marks this thread as recording during its lifetime; for the backend that records.
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

// The function to be recorded reads the device's numbers, so it can only be run kernel by kernel.
class NotRecordable : public Error {
  public:
    using Error::Error;
};

}  // namespace glassbox
