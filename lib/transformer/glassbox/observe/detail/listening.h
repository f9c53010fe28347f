#pragma once

namespace glassbox {

class Trace;
class Tape;

}  // namespace glassbox

namespace glassbox::detail {

class GradientBuffers;

// The innermost Trace and Tape that record this thread's ops, or null. Functions rather than extern
// thread_local variables: those are accessed through a wrapper that sanitizers misread.
Trace*& listening_trace();
Tape*& listening_tape();
// The tape running backward on this thread, and its gradient buffers; else null.
const Tape*& active_tape();
GradientBuffers*& active_gradient_buffers();

// Makes this tape and these buffers (null for none) visible to pullbacks on this thread in a scope.
class ActiveTape {
  public:
    ActiveTape(const Tape* tape, GradientBuffers* buffers)
        : tape_(active_tape()), buffers_(active_gradient_buffers()) {
        active_tape() = tape;
        active_gradient_buffers() = buffers;
    }
    ~ActiveTape() {
        active_tape() = tape_;
        active_gradient_buffers() = buffers_;
    }
    ActiveTape(const ActiveTape&) = delete;
    ActiveTape& operator=(const ActiveTape&) = delete;

  private:
    const Tape* tape_;
    GradientBuffers* buffers_;
};

}  // namespace glassbox::detail
