#pragma once

namespace glassbox {

class Trace;
class Tape;
class GradientHomes;

// The innermost Trace and Tape that record this thread's ops, or null. Functions rather than extern
// thread_local variables: those are accessed through a wrapper that sanitizers misread.
Trace*& listening_trace();
Tape*& listening_tape();
// The tape running backward on this thread, and its gradient buffers; null when there is none.
const Tape*& playing_tape();
GradientHomes*& playing_homes();

// Pauses recording on this thread in a scope: pullbacks are made of ops that must not be recorded.
class Silence {
  public:
    [[nodiscard]] Silence() : trace_(listening_trace()), tape_(listening_tape()) {
        listening_trace() = nullptr;
        listening_tape() = nullptr;
    }
    ~Silence() {
        listening_trace() = trace_;
        listening_tape() = tape_;
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    Trace* trace_;
    Tape* tape_;
};

// Makes this tape and these buffers (null for none) visible to pullbacks on this thread in a scope.
class Playing {
  public:
    Playing(const Tape* tape, GradientHomes* buffers) : tape_(playing_tape()), buffers_(playing_homes()) {
        playing_tape() = tape;
        playing_homes() = buffers;
    }
    ~Playing() {
        playing_tape() = tape_;
        playing_homes() = buffers_;
    }
    Playing(const Playing&) = delete;
    Playing& operator=(const Playing&) = delete;

  private:
    const Tape* tape_;
    GradientHomes* buffers_;
};

}  // namespace glassbox
