#pragma once

namespace glassbox {

class Trace;
class Tape;
class GradientHomes;

// Who listens to this thread. Behind functions, because a thread-local variable seen from several files is
// reached through a wrapper that sanitizers misread.
Trace*& listening_trace();
Tape*& listening_tape();
// Of this thread, the tape that plays backward right now, and its homes.
const Tape*& playing_tape();
GradientHomes*& playing_homes();

// Nobody listens while this lives: pullbacks are made of ops, and must not be recorded themselves.
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

// While this lives, pullbacks of this thread find this tape and these homes; none where null.
class Playing {
  public:
    Playing(const Tape* tape, GradientHomes* homes) : tape_(playing_tape()), homes_(playing_homes()) {
        playing_tape() = tape;
        playing_homes() = homes;
    }
    ~Playing() {
        playing_tape() = tape_;
        playing_homes() = homes_;
    }
    Playing(const Playing&) = delete;
    Playing& operator=(const Playing&) = delete;

  private:
    const Tape* tape_;
    GradientHomes* homes_;
};

}  // namespace glassbox
