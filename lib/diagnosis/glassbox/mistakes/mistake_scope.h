#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <glassbox/mistakes/mistake.h>

namespace glassbox {

// A part of a step in which a mistake is made: entries begin … end − 1 of an axis.
struct StepPart {
    enum class Axis { entry, head, row, column };  // the first axis, the third from last, the last two
    Axis axis;
    index_t begin, end;

    std::string name() const;  // "in head 1", "in rows 0-2"
};

// A mistake at the places where it is made.
struct PlacedMistake {
    const Mistake* mistake;
    std::string place{};  // consecutive names of a path: "encoder/0", "norm1"; empty: everywhere
    std::optional<StepPart> part{};

    // "attention/over-queries"; "encoder/0/self_attn: attention/over-queries in head 1".
    std::string name() const;
};

// Whether a step's path is the place, or inside it: "encoder/0/self_attn/masked" is in "encoder/0", in
// "self_attn", of every block, and in "masked".
bool is_within(std::string_view path, std::string_view place);

// Reads such a name: "in head 1", "in rows 0-2"; also entry and column, counted from 0. Throws UsageError.
PlacedMistake parse_mistake(std::string_view text);

// Puts the mistakes into a computation through Trace::set_hook. `acted` counts the steps that were changed by
// each, if it is given; it must outlive the hook.
Trace::Hook hook_of(std::vector<PlacedMistake> mistakes, std::vector<int>* acted = nullptr);

// While it lives, every computation of this thread runs with these mistakes, under the Trace that is
// recording or, without one, under its own:
//     { const MistakeScope mistaken({parse_mistake("attention/over-queries")});  model(x); }
// Traces that are opened within it record the right computation.
class MistakeScope {
  public:
    [[nodiscard]] explicit MistakeScope(std::vector<PlacedMistake> mistakes);
    ~MistakeScope();
    MistakeScope(const MistakeScope&) = delete;
    MistakeScope& operator=(const MistakeScope&) = delete;

  private:
    std::unique_ptr<Trace> own_;
    Trace* trace_;
};

}  // namespace glassbox
