#pragma once

namespace glassbox {

class Trace;
class Tape;
class GradientBuffers;

// The innermost Trace and Tape that record this thread's ops, or null. Functions rather than extern
// thread_local variables: those are accessed through a wrapper that sanitizers misread.
Trace*& listening_trace();
Tape*& listening_tape();
// The tape running backward on this thread, and its gradient buffers; null when there is none.
const Tape*& active_tape();
GradientBuffers*& active_gradient_buffers();

// Pauses recording on this thread in a scope: pullbacks are made of ops that must not be recorded.
class NoRecording {
  public:
    [[nodiscard]] NoRecording() : trace_(listening_trace()), tape_(listening_tape()) {
        listening_trace() = nullptr;
        listening_tape() = nullptr;
    }
    ~NoRecording() {
        listening_trace() = trace_;
        listening_tape() = tape_;
    }
    NoRecording(const NoRecording&) = delete;
    NoRecording& operator=(const NoRecording&) = delete;

  private:
    Trace* trace_;
    Tape* tape_;
};

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

}  // namespace glassbox
