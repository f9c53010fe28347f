#pragma once
#include <glassbox/backend/parallel.h>

namespace glassbox_test {

// Sets the number of threads for a scope.
class Threads {
  public:
    explicit Threads(int count) : before_(glassbox::num_threads()) { glassbox::set_num_threads(count); }
    ~Threads() { glassbox::set_num_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

  private:
    int before_;
};

}  // namespace glassbox_test
