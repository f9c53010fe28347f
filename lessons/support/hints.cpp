#include "hints.h"

#include <algorithm>

#include <glassbox/mistakes/diagnosis_text.h>
#include <glassbox/mistakes/right_pass.h>
#include <glassbox/tensor/format.h>

namespace lesson {

using glassbox::PlacedMistake;
using glassbox::RightPass;

namespace {

// "in head 1" → "In head 1 only: ".
std::string place_of(const PlacedMistake& placed) {
    std::string text;
    if (!placed.place.empty()) text = fmt::format("In {}: ", placed.place);
    if (placed.part) text += fmt::format("I{} only: ", placed.part->name().substr(1));
    return text;
}

// The mistakes of one step, in words.
class Telling {
  public:
    // `here`: what is computed on the way to this step, and no other of the lesson's.
    Telling(const Lesson& lesson, std::string step, std::vector<RightPass::Step> here)
        : lesson_(lesson), step_(std::move(step)), here_(std::move(here)) {}

    Hint explanations(const std::vector<glassbox::Explanation>& all) {
        constexpr std::size_t max_shown = 3;  // more would not help
        Hint hint;
        for (const glassbox::Explanation& each : all) {
            const Hint one = together(each);
            if (contains(hint.text, one.text)) continue;
            hint.name += (hint.name.empty() ? "" : " | ") + one.name;
            hint.text += (hint.text.empty() ? "" : " Or: ") + one.text;
            for (const PlacedMistake& placed : each.mistakes) hint.mistakes.push_back(named(placed));
            if (++told_ == max_shown) break;
        }
        if (needs_general_) hint.text += " " + lesson_.hint(step_);
        return hint;
    }

  private:
    static bool contains(const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    }

    static std::string named(const PlacedMistake& placed) {
        const std::string text = mistake_text(placed);  // with its sentence below
        const std::size_t begin = text.find_first_not_of(' ');
        return text.substr(begin, text.find('\n') - begin);
    }

    Hint together(const glassbox::Explanation& explanation) {
        Hint hint;
        for (std::size_t i = 0; i < explanation.mistakes.size(); ++i) {
            const PlacedMistake& placed = explanation.mistakes[i];
            const Hint one = of(placed, i, explanation);
            hint.name += (hint.name.empty() ? "" : " + ") + one.name;
            if (placed.part) hint.name += " " + placed.part->name();
            hint.text += (hint.text.empty() ? "" : " And: ") + place_of(placed) + one.text;
        }
        return hint;
    }

    // Its own hint, or that of one with the same numbers, in the same place of its explanation, or of the
    // same mistake with another constant.
    Hint of(const PlacedMistake& placed, std::size_t i, const glassbox::Explanation& explanation) {
        if (const std::string name = name_for(placed); !name.empty()) return {name, lesson_.hints.at(name)};
        for (const std::vector<PlacedMistake>& other : explanation.alike)
            if (i < other.size() && other[i].mistake->effect == placed.mistake->effect)
                if (const std::string name = name_for(other[i]); !name.empty())
                    return {name, lesson_.hints.at(name)};
        for (const glassbox::Mistake& other : glassbox::all_mistakes())
            if (is_of_family(other, *placed.mistake))
                if (const std::string name = name_for({&other, placed.place}); !name.empty())
                    return {name, lesson_.hints.at(name)};
        needs_general_ = true;
        return {placed.mistake->key, placed.mistake->sentence};
    }

    static bool is_of_family(const glassbox::Mistake& a, const glassbox::Mistake& b) {
        const glassbox::EffectClass* const of = glassbox::effect_class_of(a);
        return of && of->is_family && a.effect == b.effect;
    }

    // Of lesson.json's hint; empty without one. The step's own is for what is made there.
    std::string name_for(const PlacedMistake& placed) const {
        const std::string& key = placed.mistake->key;
        const std::string own = step_ + "/" + key.substr(key.find('/') + 1);
        if (lesson_.hints.count(own) && is_made_here(placed)) return own;
        return lesson_.hints.count(key) ? key : "";
    }

    // "The encoder is missing" is not for what is left out within it: that is made at the step itself.
    bool is_made_here(const PlacedMistake& placed) const {
        const bool is_left_out = placed.mistake->key.ends_with("/left-out") && !here_.empty();
        const auto first = is_left_out ? here_.end() - 1 : here_.begin();
        return std::any_of(first, here_.end(), [&](const RightPass::Step& step) {
            return glassbox::is_within(step.path, placed.place) &&
                   std::any_of(placed.mistake->lines.begin(), placed.mistake->lines.end(),
                               [&](const auto& line) { return line.at.is(*step.info, step.operation); });
        });
    }

    const Lesson& lesson_;
    std::string step_;
    std::vector<RightPass::Step> here_;
    bool needs_general_ = false;
    std::size_t told_ = 0;
};

}  // namespace

Hint hint_of(const Lesson& lesson, const std::string& name) { return {name, lesson.hint(name)}; }

namespace {

Hint no_size_hint(const Lesson& lesson, const std::string& step) {
    const std::string name = step + "/no-size";
    if (lesson.hints.count(name)) return hint_of(lesson, name);
    return {name, fmt::format(
                      "{} has no rows and no columns yet: a step has to be given its size before its numbers "
                      "can be set or read. {}",
                      step, lesson.hint(step + "/missing"))};
}

}  // namespace

Hint stopped_hint(const Lesson& lesson, const std::string& step, const Ended& ended) {
    const std::string name = step.empty() ? "stopped" : step + "/stopped";
    switch (ended.kind) {
        case Stop::no_size:
            return step.empty() ? hint_of(lesson, name) : no_size_hint(lesson, step);
        case Stop::endless:
            return {name,
                    "A loop does not end, or does far too much: correct steps take less than a second. Check "
                    "what each loop changes, and whether that ends it."};
        case Stop::crash:
            return {name,
                    "A Matrix and a Vector check every index. What crashes is an array or pointer of your "
                    "own, an integer division by 0, or endless recursion."};
        case Stop::other:
            return {
                name,
                fmt::format(
                    "It stopped with an error, and what comes after it has no value. Fix the error first: {}",
                    ended.early)};
        default:
            break;
    }
    // The valid places help more than the step's formula, which follows.
    const auto sizes = lesson.hints.find("stopped");
    if (step.empty() || lesson.hints.count(name) || sizes == lesson.hints.end()) return hint_of(lesson, name);
    return {name, sizes->second + " " + lesson.hint(step)};
}

Hint mistake_hint(const Lesson& lesson, const std::string& step, const glassbox::StepDiagnosis& diagnosis,
                  const glassbox::Computation& computation, const std::vector<std::string>& paths,
                  const std::string& place) {
    if (!diagnosis.explanations.empty()) {
        const RightPass right(computation);
        std::vector<RightPass::Step> here;
        for (const RightPass::Step& each : right.steps()) {
            here.push_back(each);
            if (each.path == diagnosis.path) break;
            if (std::find(paths.begin(), paths.end(), each.path) != paths.end()) here.clear();
        }
        Hint hint = Telling(lesson, step, here).explanations(diagnosis.explanations);
        hint.is_known = true;
        return hint;
    }
    Hint hint = hint_of(lesson, step);
    if (!diagnosis.looks_like.empty())
        hint.text = fmt::format("In {}, {}. {}", place, diagnosis.looks_like, hint.text);
    return hint;
}

}  // namespace lesson
