#pragma once
#include <string>

#include <glassbox/tensor/real.h>

namespace glassbox::tracer {

std::string rough_time(double seconds);  // "40 s", "12 min", "1.5 h"

// Prints what a command is doing to standard error when it has had no output for a while: after 6 seconds
// (GLASSBOX_PATIENCE sets another number; 0: never), then after doubling intervals. The program has one
// instance, which lives while it runs.
class Heartbeat {
  public:
    explicit Heartbeat(const std::string& command);  // "tracer encoder"
    ~Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

    static void note_output();  // to be called whenever something is written
    static void disable();      // disables it: there is a progress line, or the program waits for the user
};

// The activity that the heartbeat names while this object lives: "finite differences", with the number of
// parts where it is known.
class Activity {
  public:
    explicit Activity(const std::string& what, index_t parts = 0);
    ~Activity();
    Activity(const Activity&) = delete;
    Activity& operator=(const Activity&) = delete;

    static void done(index_t parts);              // this many parts of the innermost activity are done
    static void done(index_t parts, index_t of);  // also sets the total, if it was not known before
};

}  // namespace glassbox::tracer
