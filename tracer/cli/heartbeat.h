#pragma once
#include <string>

#include <glassbox/tensor/real.h>

namespace tracer {

using glassbox::index_t;

std::string rough_time(double seconds);  // "40 s", "12 min", "1.5 h"

// Says on standard error what a command is doing when it has been silent for a while: after 6 seconds
// (GLASSBOX_PATIENCE says otherwise; 0: never), and then whenever the silence has doubled. One for the
// program, alive while it runs.
class Heartbeat {
  public:
    explicit Heartbeat(const std::string& command);  // "tracer encoder"
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

    static void spoke();      // something has been written just now
    static void be_silent();  // from now on: somebody else speaks, or the user is waited for
};

// What is being done as long as this lives: "finite differences"; of how many parts, where that is known.
class Doing {
  public:
    explicit Doing(const std::string& what, index_t parts = 0);
    ~Doing();
    Doing(const Doing&) = delete;
    Doing& operator=(const Doing&) = delete;

    static void done(index_t parts);              // of what is being done
    static void done(index_t parts, index_t of);  // where that becomes known meanwhile
};

}  // namespace tracer
