// Every mistake of the catalogue is put into every specimen that contains its step: it must change a result,
// and no two may change all of them alike, except for the declared classes.
#include <glassbox/mistakes/mistake_scope.h>
#include <glassbox/mistakes/right_pass.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mistakes/specimens.h"
#include "support/catch.h"

using namespace glassbox;

namespace {

using Values = std::vector<real>;

// A specimen's pass with some mistakes.
struct Pass {
    bool acts = false;   // some step was made with the mistake
    bool stops = false;  // a later step could not take its shape
    Values result;       // empty if it stops
};

Pass pass_of(const specimens::Specimen& specimen, std::vector<PlacedMistake> mistakes) {
    Trace trace;
    std::vector<int> acted;
    trace.set_hook(hook_of(std::move(mistakes), &acted));
    Pass pass;
    try {
        specimen.computation.forward();
        pass.result = trace[specimen.computation.result].values();
    } catch (const Error&) {
        pass.stops = true;
    }
    pass.acts = std::any_of(acted.begin(), acted.end(), [](int count) { return count > 0; });
    return pass;
}

// How far apart two results are, in units of their size: far above rounding from 1e-4 on.
double apart(const Values& a, const Values& b) {
    if (a.size() != b.size()) return INFINITY;
    double largest = 0, size = 1e-30;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        if (std::isnan(x) != std::isnan(y)) return INFINITY;
        if (std::isnan(x) || x == y) continue;
        if (std::isinf(x) || std::isinf(y)) return INFINITY;
        largest = std::max(largest, std::abs(x - y));
        size = std::max({size, std::abs(x), std::abs(y)});
    }
    return largest / size;
}

constexpr double visible = 1e-4;

// By specimen, of one mistake: only where it acts.
using Passes = std::map<std::size_t, Pass>;

const std::vector<Passes>& all_passes() {  // by mistake, in the catalogue's order
    static const std::vector<Passes> all = [] {
        std::vector<Passes> found(all_mistakes().size());
        for (std::size_t i = 0; i < specimens::all().size(); ++i) {
            const RightPass right(specimens::all()[i].computation);
            for (std::size_t m = 0; m < found.size(); ++m) {
                if (!right.has_place_for(all_mistakes()[m])) continue;
                if (Pass pass = pass_of(specimens::all()[i], {{&all_mistakes()[m]}}); pass.acts)
                    found[m][i] = std::move(pass);
            }
        }
        return found;
    }();
    return all;
}

const Values& right_result(std::size_t specimen) {
    static std::map<std::size_t, Values> kept;
    const auto [at, is_new] = kept.try_emplace(specimen);
    if (is_new) at->second = pass_of(specimens::all()[specimen], {}).result;
    return at->second;
}

bool changes(std::size_t specimen, const Pass& pass) {
    return pass.stops || apart(pass.result, right_result(specimen)) > visible;
}

bool are_apart(const Passes& a, const Passes& b) {
    for (std::size_t i = 0; i < specimens::all().size(); ++i) {
        const auto in_a = a.find(i), in_b = b.find(i);
        if (in_a == a.end() && in_b == b.end()) continue;
        if (in_a == a.end() || in_b == b.end()) {
            const Pass& pass = in_a == a.end() ? in_b->second : in_a->second;
            if (changes(i, pass)) return true;
        } else if (in_a->second.stops != in_b->second.stops ||
                   apart(in_a->second.result, in_b->second.result) > visible) {
            return true;
        }
    }
    return false;
}

const EffectClass* class_of(const Mistake& mistake) {
    for (const EffectClass& each : effect_classes())
        if (each.name == mistake.effect) return &each;
    return nullptr;
}

}  // namespace

TEST_CASE("every specimen can be computed without mistakes, and has its result") {
    for (const specimens::Specimen& each : specimens::all()) {
        INFO(each.name);
        CHECK_FALSE(pass_of(each, {}).stops);
    }
}

// One case, since every case is a process and the passes take most of the time.
TEST_CASE(
    "every mistake can be made in a specimen, changes a result and is told from any other, but for its "
    "class",
    "[exhaustive]") {
    const auto& all = all_mistakes();
    for (std::size_t m = 0; m < all.size(); ++m) {
        const EffectClass* of = class_of(all[m]);
        bool any = false;
        for (const auto& [specimen, pass] : all_passes()[m]) any = any || changes(specimen, pass);
        INFO(all[m].key);
        CHECK_FALSE(all_passes()[m].empty());
        CHECK(any == !(of && of->has_no_effect));
    }
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            const EffectClass *of_a = class_of(all[a]), *of_b = class_of(all[b]);
            if (of_a && of_a == of_b && !of_a->is_family) continue;
            if (of_a && of_a->has_no_effect && of_b && of_b->has_no_effect) continue;
            if (all_passes()[a].empty() || all_passes()[b].empty()) continue;
            if (are_apart(all_passes()[a], all_passes()[b])) continue;
            FAIL_CHECK(all[a].key << " and " << all[b].key << " have the same results");
        }
}
