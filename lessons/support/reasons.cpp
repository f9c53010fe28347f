// Which of each other's mistakes the cases of a work confirm.
#include "reasons.h"

#include <algorithm>

#include <glassbox/decoding/decoding.h>
#include <glassbox/mistakes/right_pass.h>
#include <glassbox/tensor/format.h>

namespace lesson {

using glassbox::Diagnosis;
using glassbox::SubmittedStep;

namespace {

// Axis 0 of one sequence counts its positions, that of a batch its sequences: an array program that takes the
// first axis makes two mistakes of the catalogue, each in its cases.
std::vector<glassbox::PlacedMistake> over_axis_0(std::vector<glassbox::PlacedMistake> mistakes) {
    for (glassbox::PlacedMistake& placed : mistakes)
        for (const char* over_rows : {"/over-sequence", "/over-queries"}) {
            const std::string& key = placed.mistake->key;
            if (key.ends_with(over_rows))
                placed.mistake = &glassbox::mistake(key.substr(0, key.rfind('/')) + "/over-batch");
        }
    return mistakes;
}

// Its norms and sums have other numbers then.
bool is_of_block(const std::string& path) {
    return glassbox::is_within(path, "norm1") || glassbox::is_within(path, "norm2") ||
           glassbox::is_within(path, "norm3") || path.find("residual") != path.npos ||
           path.find("_attn/") != path.npos || path.find("mlp/") != path.npos;
}

// Neither where something is chosen, nor in the loop that writes tokens.
bool is_elsewhere(const glassbox::Explanation& explanation, const glassbox::RightPass& right) {
    const auto is_choosing = [&](const glassbox::PlacedMistake& placed) {
        return std::any_of(right.steps().begin(), right.steps().end(), [&](const auto& step) {
            return are_whole(step.made) && step.can_have(*placed.mistake);
        });
    };
    return std::any_of(explanation.mistakes.begin(), explanation.mistakes.end(), [&](const auto& placed) {
        return !is_choosing(placed) && placed.mistake->layer != glassbox::steps::decoding::layer &&
               placed.mistake->key != "embedding/only-last";
    });
}

}  // namespace

void Reasons::search(Judged& judged) const {
    cases_.search(judged, [this] { return !are_pre_norm(); });  // simpler than two mistakes
}

Known Reasons::explained(const std::string& name, const Judged& judged) const {
    Known known{cases_.diagnosis_of(name, judged), ""};
    std::optional<Judged> searched;
    if (!judged.is_searched) {
        searched.emplace(again(judged));
        known.diagnosis = cases_.diagnosis_of(name, *searched);
    }
    std::vector<glassbox::Explanation> confirmed = confirmed_of(known.diagnosis, name, judged);
    for (const Judged& other : cases_.all()) {
        if (known.diagnosis.explanations.empty() || !confirmed.empty()) break;
        if (&other == &judged || !cases_.is_wrong_at(name, other)) continue;
        confirmed = confirmed_of(cases_.diagnosis_of(name, again(other)), name, other);
    }
    if (confirmed.empty() && !cases_.are_choices(name, judged)) return made_somewhere(known, name, judged);
    if (cases_.are_choices(name, judged)) {  // many mistakes give a few whole numbers by chance
        const glassbox::RightPass right(judged.computation);
        std::erase_if(confirmed, [&](const auto& each) { return is_elsewhere(each, right); });
    }
    known.diagnosis.explanations = confirmed;
    return known;
}

Judged Reasons::again(const Judged& judged) const {
    Judged searched{judged.work, {}, {}, {}, {.of = judged.work->of}};
    searched.ordered = judged.ordered;
    search(searched);
    return searched;
}

std::vector<glassbox::Explanation> Reasons::confirmed_of(const StepDiagnosis& diagnosis,
                                                         const std::string& name,
                                                         const Judged& judged) const {
    std::vector<glassbox::Explanation> confirmed;
    for (const glassbox::Explanation& each : diagnosis.explanations)
        if (const auto found = confirmed_by_all(each, judged, name, diagnosis.path))
            confirmed.push_back(*found);
    return confirmed;
}

void Reasons::let_follow(const std::string& first, const Known& known, Judged& judged) const {
    if (known.diagnosis.explanations.empty()) return;
    for (StepDiagnosis& step : judged.outcome.diagnosis.steps)
        if (step.path != first && step.verdict == Verdict::wrong && cases_.are_choices(step.path, judged) &&
            explains({known.diagnosis.explanations.front().mistakes, 0}, judged, judged, step.path, ""))
            step = {.path = step.path, .verdict = Verdict::inherited, .difference = follows_from(first)};
}

Known Reasons::made_somewhere(Known known, const std::string& name, const Judged& judged) const {
    std::vector<glassbox::Explanation> made;
    std::size_t most = 0;
    for (const glassbox::Explanation& each : known.diagnosis.explanations) {
        std::vector<std::string> where;
        for (const Judged& other : cases_.all())
            if (cases_.is_wrong_at(name, other) && explains(each, other, judged, name, known.diagnosis.path))
                where.push_back(other.work->of.name);
        if (where.empty()) continue;
        const std::string cases = fmt::format("{}", fmt::join(where, ", "));
        if (where.size() > most) made.clear(), most = where.size(), known.where = cases;
        if (cases == known.where) made.push_back(each);
    }
    known.diagnosis.explanations = made;
    return known;
}

std::optional<glassbox::Explanation> Reasons::confirmed_by_all(glassbox::Explanation explanation,
                                                               const Judged& found, const std::string& name,
                                                               const std::string& at) const {
    explanation.alike.insert(explanation.alike.begin(), explanation.mistakes);
    std::erase_if(explanation.alike, [&](const std::vector<glassbox::PlacedMistake>& mistakes) {
        return !explains_all({mistakes, explanation.misfit}, found, name, at);
    });
    if (explanation.alike.empty()) return std::nullopt;
    explanation.mistakes = explanation.alike.front();
    return explanation;
}

bool Reasons::explains_all(const glassbox::Explanation& explanation, const Judged& found,
                           const std::string& name, const std::string& found_at) const {
    return std::all_of(cases_.all().begin(), cases_.all().end(), [&](const Judged& other) {
        return other.outcome.absent || explains(explanation, other, found, name, found_at);
    });
}

bool Reasons::explains(const glassbox::Explanation& explanation, const Judged& other, const Judged& found,
                       const std::string& name, const std::string& found_at) const {
    if (&other != &found && !other.work->answer.stopped.empty()) return true;
    if (has_own_nan(name, *other.work) && !has_own_nan(name, *found.work)) return true;
    const std::vector<std::string> paths = check_.judged_paths(name, other.work->golden);
    return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
        const auto made_with = [&](const std::vector<glassbox::PlacedMistake>& mistakes) {
            return reproduces(other.computation, other.submitted, path, mistakes);
        };
        return (&other == &found && path == found_at) || made_with(explanation.mistakes) ||
               made_with(over_axis_0(explanation.mistakes));
    });
}

bool Reasons::are_pre_norm() const {
    return std::all_of(cases_.all().begin(), cases_.all().end(),
                       [&](const Judged& judged) { return judged.outcome.absent || is_pre_norm(judged); });
}

bool Reasons::is_pre_norm(const Judged& judged) const {
    Tensors golden = judged.work->golden;
    golden[pre_norm_setting] = Tensor::ones({1});
    const glassbox::Computation pre_norm = check_.computation(golden);
    const glassbox::RightPass right(pre_norm);
    std::vector<SubmittedStep> submitted;
    for (SubmittedStep each : judged.submitted) {
        const bool is_result = each.step == judged.computation.result;
        if (is_result) each.step = pre_norm.result;
        else if (is_of_block(each.step)) continue;
        const glassbox::RightPass::Step* step = right.find(each.step);
        if (step && !are_whole(step->made)) submitted.push_back(each);
    }
    const Diagnosis found = diagnose(pre_norm, submitted, {.explained = 0, .unseen = false});
    return !submitted.empty() && found.all_right();
}

}  // namespace lesson
