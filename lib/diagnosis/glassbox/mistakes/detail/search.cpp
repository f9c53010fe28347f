#include <glassbox/mistakes/detail/search.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include <glassbox/backend/parallel.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/detail/tolerance.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/real.h>

namespace glassbox::detail {

namespace {

double size_of(const std::vector<real>& values) {
    double sum = 0;
    for (const real v : values)
        if (std::abs(v) < 1e9F) sum += static_cast<double>(v) * static_cast<double>(v);
    return std::sqrt(sum / std::max<double>(1, static_cast<double>(values.size())));
}

bool same_numbers(const std::vector<real>& x, const std::vector<real>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal_or_nan<real>);
}

bool same_numbers(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() && same_numbers(a.values(), b.values());
}

// By the last axis.
std::size_t row_length(const Tensor& x) {
    return static_cast<std::size_t>(x.rank() > 0 ? std::max<index_t>(1, x.size(-1)) : 1);
}

std::vector<bool> rows_that_differ(const Tensor& a, const Tensor& b, double allowed) {
    const std::vector<real> x = a.values(), y = b.values();
    const std::size_t width = row_length(a);
    std::vector<bool> differ((x.size() + width - 1) / width);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) <= allowed) && x[i] != y[i] &&
            !(std::isnan(x[i]) && std::isnan(y[i])))
            differ[i / width] = true;
    return differ;
}

// "encoder/0/" and "encoder/" for "encoder/0/norm1", the inner scope first.
std::vector<std::string> scopes_of(const std::string& path) {
    std::vector<std::string> scopes;
    for (std::size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0;
         slash = path.rfind('/', slash - 1))
        scopes.push_back(path.substr(0, slash));
    return scopes;
}

}  // namespace

Search::Search(const WrongStep& wrong, const DiagnosisOptions& options)
    : wrong_(wrong), options_(options), sites_(wrong.right->leading_to(wrong.path, wrong.given)) {
    effort_ = options_.effort < 0 ? passes_in(*wrong_.computation, usual_seconds) : options_.effort;
    if (options_.threads <= 0)
        options_.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    Pass pass;
    pass.given = &wrong_.given;
    expected_ = pass.value_at(*wrong_.computation, wrong_.path);
    if (!expected_.defined()) return;
    readings_ = rearrangements(wrong_.submitted, expected_.shape());
    if (!readings_.empty()) {
        const double allowed = size_of(expected_.values()) * std::max(1e-5, 8 * wrong_.precision.unit);
        wrong_rows_ = rows_that_differ(readings_.front().value, expected_, allowed);
    }
}

// A first, cheap look: far wider than rounding.
bool Search::is_close(const Tensor& given, const Tensor& made, const std::vector<double>& half_width) const {
    const std::vector<real> s = given.values(), e = made.values();
    double width = 0, apart = 0;
    for (const double each : half_width) width = std::max(width, each);
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (std::isnan(s[i]) || std::isnan(e[i])) {
            if (std::isnan(s[i]) != std::isnan(e[i])) return false;
            continue;
        }
        if (s[i] == e[i]) continue;
        const double by = static_cast<double>(s[i]) - static_cast<double>(e[i]);
        if (std::isinf(by)) return false;
        apart += by * by;
    }
    const double size = size_of(e);
    const double allowed = size * std::max(1e-3, 64 * wrong_.precision.unit) + 4 * width;
    return std::sqrt(apart / std::max<double>(1, static_cast<double>(s.size()))) <= allowed;
}

// A float overflows where a double does not. If some of the given numbers also overflowed, the others may be
// right where ours are not.
Tensor Search::as_in_a_wider_format(const Tensor& made, const Tensor& given) const {
    if (!expected_.defined() || made.shape() != expected_.shape() || given.shape() != made.shape())
        return made;
    std::vector<real> numbers = made.values();
    const std::vector<real> theirs = given.values(), right = expected_.values();
    const auto is_finite = [](real x) { return std::isfinite(x); };
    if (std::all_of(theirs.begin(), theirs.end(), is_finite)) return made;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (!is_finite(numbers[i]) && is_finite(theirs[i])) numbers[i] = right[i];
    return Tensor(made.shape(), numbers, made.device());
}

// The score of a hidden key may be chosen freely: `made` with the given ones where both are low.
Tensor Search::with_low_scores_of(const Tensor& made, const Tensor& given) const {
    const RightPass::Step* step = wrong_.right->find(wrong_.path);
    if (step->info != &steps::scaled_dot_product::masked || made.shape() != given.shape()) return made;
    std::vector<real> numbers = made.values();
    const std::vector<real> theirs = given.values();
    real largest = 0;
    for (const real x : theirs)
        if (std::isfinite(x))
            largest = std::max(largest, std::abs(x) < real(-lowest_score / 1e4) ? std::abs(x) : real(0));
    constexpr real low = 40;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (static_cast<double>(numbers[i]) < lowest_score && theirs[i] < -largest - low)
            numbers[i] = theirs[i];
    return Tensor(made.shape(), numbers, made.device());
}

double Search::misfit_of(const Tensor& from, const Candidate& candidate) const {
    Tensor made = from;
    const bool overflows = std::any_of(candidate.begin(), candidate.end(),
                                       [](const PlacedMistake& each) { return each.mistake->is_overflow; });
    const bool as_expected = expected_.defined() && made.shape() == expected_.shape();
    const std::vector<Rearranged> others =
        as_expected ? std::vector<Rearranged>{} : rearrangements(wrong_.submitted, made.shape());
    double best = -1;
    std::vector<double> tolerance;
    for (const Rearranged& reading : as_expected ? readings_ : others) {
        made =
            with_low_scores_of(overflows ? as_in_a_wider_format(from, reading.value) : from, reading.value);
        if (!is_close(reading.value, made, reading.half_width)) continue;
        if (tolerance.empty()) {
            Pass pass;
            pass.given = &wrong_.given;
            pass.half_widths = &wrong_.half_widths;
            pass.mistakes = candidate;
            pass.infinite_fill = infinite_fill_;
            tolerance = Tolerances::at(*wrong_.computation, pass, wrong_.precision, wrong_.path, made);
        }
        const WithinTolerance found = compare(reading.value, made, tolerance, reading.half_width);
        if (found.agrees && (best < 0 || found.misfit < best)) best = found.misfit;
    }
    const bool is_possible =
        best < 0 || !options_.is_possible || options_.is_possible(wrong_.path, candidate);
    return is_possible ? best : -1;
}

Search::Result Search::result_of(const Candidate& candidate) const {
    Pass pass;
    pass.given = &wrong_.given;
    pass.mistakes = candidate;
    pass.infinite_fill = infinite_fill_;
    Result result;
    result.made = pass.value_at(*wrong_.computation, wrong_.path);
    if (!result.made.defined()) return result;
    result.acts = !expected_.defined() || !same_numbers(result.made, expected_);
    if (result.acts) result.misfit = misfit_of(result.made, candidate);
    return result;
}

std::vector<Search::Result> Search::results_of_all(const std::vector<Candidate>& candidates) {
    std::vector<Result> results(candidates.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < candidates.size(); i = next++) results[i] = result_of(candidates[i]);
    };
    const auto max_threads = static_cast<std::size_t>(options_.threads);
    on_threads(static_cast<int>(std::min(max_threads, candidates.size() / 16 + 1)) - 1, work);
    return results;
}

std::vector<Search::Result> Search::results_of(const std::vector<Candidate>& candidates, index_t max_tried) {
    const auto all = static_cast<index_t>(candidates.size()), some = std::clamp<index_t>(max_tried, 0, all);
    left_out_ += all - some;
    std::vector<Result> results = results_of_all({candidates.begin(), candidates.begin() + some});
    results.resize(candidates.size());
    return results;
}

namespace {

std::ptrdiff_t was_seen(const std::vector<PlacedMistake>& mistakes) {
    return std::count_if(mistakes.begin(), mistakes.end(),
                         [](const PlacedMistake& each) { return !each.mistake->source.empty(); });
}

bool of_one_class(const std::vector<PlacedMistake>& a, const std::vector<PlacedMistake>& b) {
    const auto alike = [](const PlacedMistake& x, const PlacedMistake& y) {
        return x.mistake == y.mistake ||
               (!x.mistake->effect.empty() && x.mistake->effect == y.mistake->effect);
    };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), alike);
}

}  // namespace

std::vector<Explanation> Search::explaining(const std::vector<Candidate>& candidates,
                                            const std::vector<Result>& results) {
    double best = INFINITY;
    for (const Result& each : results)
        if (each.misfit >= 0) best = std::min(best, each.misfit);
    std::vector<Explanation> found;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        // If one fits within actual rounding, others that barely fit are dropped.
        if (results[i].misfit < 0 || results[i].misfit > 20 * std::max(best, 0.005)) continue;
        const auto same = std::find_if(found.begin(), found.end(), [&](const Explanation& each) {
            return of_one_class(each.mistakes, candidates[i]);
        });
        if (same != found.end()) {
            same->alike.push_back(candidates[i]);
            // The one that was seen in public is the likelier.
            if (was_seen(candidates[i]) > was_seen(same->mistakes))
                std::swap(same->mistakes, same->alike.back());
        } else found.push_back({candidates[i], results[i].misfit});
    }
    return found;
}

bool Search::reproduces(const std::vector<PlacedMistake>& mistakes) const {
    Pass pass;
    pass.given = &wrong_.given;
    pass.mistakes = mistakes;
    const Tensor made = pass.value_at(*wrong_.computation, wrong_.path);
    if (made.defined() && misfit_of(made, mistakes) >= 0) return true;
    return mistakes.size() == 1 && is_shown(*mistakes.front().mistake);
}

bool Search::is_shown(const Mistake& mistake) const {
    const RightPass::Step& step = *wrong_.right->find(wrong_.path);
    if (!mistake.shown_by || readings_.empty() || !step.can_have(mistake)) return false;
    bool shown = false;
    const Pass pass{&wrong_.given};
    pass.look_at(*wrong_.computation, wrong_.path, [&](const Frame& frame, const Tensor& made) {
        shown = mistake.shown_by(frame, made, readings_.front().value);
    });
    return shown;
}

std::vector<Explanation> Search::shown() const {
    for (const Mistake& mistake : all_mistakes())
        if (is_shown(mistake)) return {{{{&mistake}}, 0}};
    return {};
}

// The paths of the steps that it can be made in.
std::vector<std::string> Search::places_of(const Mistake& mistake) const {
    std::vector<std::string> places;
    for (const std::size_t site : sites_)
        if (const RightPass::Step& step = wrong_.right->steps()[site]; step.can_have(mistake))
            places.push_back(step.path);
    return places;
}

// Whether a scope, or a step by itself, has all that the mistake needs.
bool Search::can_be_alone_at(const std::string& place, const Mistake& mistake) const {
    const RightPass::Step* step = wrong_.right->find(place);
    return !step || mistake.lines.back().at.is(*step->info, step->operation);
}

std::vector<Explanation> Search::choices() {
    std::vector<Candidate> candidates;
    for (const Mistake& mistake : all_mistakes())
        if (mistake.kind == MistakeKind::choice && !places_of(mistake).empty())
            candidates.push_back({{&mistake}});
    return explaining(candidates, results_of_all(candidates));
}

// The steps that it is made in, in the order of the computation.
std::vector<std::size_t> Search::sites_of(const PlacedMistake& placed) const {
    std::vector<std::size_t> sites;
    for (const std::size_t site : sites_)
        if (const RightPass::Step& step = wrong_.right->steps()[site];
            step.can_have(*placed.mistake) && is_within(step.path, placed.place))
            sites.push_back(site);
    return sites;
}

namespace {

bool has_nan(const Tensor& x) {
    const std::vector<real> values = x.values();
    return std::any_of(values.begin(), values.end(), [](real v) { return std::isnan(v); });
}

// The scopes that hold some of these places, one for each such set: the narrowest. So is a single place.
std::vector<std::string> distinct_scopes(const std::vector<std::string>& places, bool with_places) {
    std::map<std::string, std::vector<std::string>> held;  // by scope, the outer ones first
    for (const std::string& place : places)
        for (const std::string& scope : scopes_of(place)) held[scope].push_back(place);
    std::map<std::vector<std::string>, std::string> distinct;
    for (const auto& [scope, those] : held)
        if (those.size() < places.size()) distinct[those] = scope;
    for (const std::string& place : places)  // "norm1", of every block
        for (std::size_t slash = place.find('/'); slash != place.npos; slash = place.find('/', slash + 1)) {
            const std::string end = place.substr(slash + 1);
            std::vector<std::string> those;
            std::copy_if(places.begin(), places.end(), std::back_inserter(those),
                         [&](const std::string& each) { return is_within(each, end); });
            if (those.size() > 1 && those.size() < places.size()) distinct.try_emplace(those, end);
        }
    if (with_places)
        for (const std::string& place : places) distinct.try_emplace({place}, place);
    std::vector<std::string> scopes;
    for (const auto& [those, scope] : distinct) scopes.push_back(scope);
    return scopes;
}

}  // namespace

// The first of those with the same numbers; the others are its equals.
void Search::keep_distinct(const std::vector<Candidate>& candidates, const std::vector<Result>& results) {
    std::vector<std::pair<Shape, std::vector<real>>> seen;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!results[i].acts) continue;
        std::vector<real> numbers = results[i].made.values();
        const Shape& shape = results[i].made.shape();
        const auto same = std::find_if(seen.begin(), seen.end(), [&](const auto& other) {
            return other.first == shape && same_numbers(other.second, numbers);
        });
        if (same != seen.end()) {
            const Candidate& first = effective_[static_cast<std::size_t>(same - seen.begin())];
            equals_[first.front().mistake].push_back(candidates[i].front().mistake);
            continue;
        }
        seen.emplace_back(shape, std::move(numbers));
        effective_.push_back(candidates[i]);
    }
}

// A mistake that gives the same numbers alone may also do so with another: a few of these pairs.
std::vector<Search::Candidate> Search::with_equals(const std::vector<Candidate>& pairs) const {
    constexpr std::size_t max_pairs = 32;
    std::vector<Candidate> all;
    for (std::size_t i = 0; i < pairs.size() && all.size() < max_pairs; ++i) {
        std::vector<Candidate> ways{{}};
        for (const PlacedMistake& each : pairs[i]) {
            std::vector<Candidate> longer;
            const auto add = [&](const Mistake* mistake) {
                for (Candidate way : ways) {
                    way.push_back({mistake, each.place, each.part});
                    longer.push_back(std::move(way));
                }
            };
            add(each.mistake);
            if (const auto equals = equals_.find(each.mistake); equals != equals_.end())
                std::for_each(equals->second.begin(), equals->second.end(), add);
            ways = std::move(longer);
        }
        all.insert(all.end(), ways.begin() + 1, ways.end());  // the first is the pair itself
    }
    all.resize(std::min(all.size(), max_pairs));
    return all;
}

std::vector<Explanation> Search::single() {
    std::vector<Candidate> everywhere, narrower;
    for (const Mistake& mistake : all_mistakes()) {
        const std::vector<std::string> places = places_of(mistake);
        if (places.empty()) continue;
        everywhere.push_back({{&mistake}});
        if (places.size() == 1) continue;
        for (const std::string& scope :
             distinct_scopes(places, mistake.lines.size() == 1 || mistake.is_of_last_line))
            if (can_be_alone_at(scope, mistake)) narrower.push_back({{&mistake, scope}});
    }
    const std::vector<Result> results = results_of_all(everywhere);
    keep_distinct(everywhere, results);
    narrower_ = narrower;
    std::vector<Explanation> found = explaining(everywhere, results);
    if (found.empty() && has_nan(wrong_.submitted.value) && !infinite_fill_) {
        infinite_fill_ = true;  // a query without keys gives NaN
        found = explaining(everywhere, results_of_all(everywhere));
        if (found.empty()) infinite_fill_ = false;
    }
    constexpr double patience = 5;  // seconds
    const index_t max_tried = std::max(passes_in(*wrong_.computation, patience), effort_ / 2);
    return found.empty() ? explaining(narrower, results_of(narrower, max_tried)) : found;
}

// For a single number many parts would be right by chance.
std::vector<Explanation> Search::partial() {
    if (wrong_.submitted.value.numel() < 2) return {};
    std::vector<Candidate> candidates;
    for (const Candidate& whole : effective_) {
        const Mistake& mistake = *whole.front().mistake;
        std::set<std::string> tried;
        for (const std::size_t site : sites_) {
            const RightPass::Step& step = wrong_.right->steps()[site];
            if (!step.can_have(mistake)) continue;
            for (const StepPart& part : wrong_.right->parts_of(step))
                if (tried.insert(part.name()).second) candidates.push_back({{&mistake, "", part}});
        }
    }
    const index_t max_tried = 3 * effort_ / 10;
    effort_ -= std::min(max_tried, static_cast<index_t>(candidates.size()));
    return explaining(candidates, results_of(candidates, max_tried));
}

// A mistake with the steps that it is made in.
struct Search::Possible {
    PlacedMistake mistake;
    std::vector<std::size_t> sites;
    std::ptrdiff_t is_usual;  // 1 if it was seen in public, or is another source's choice
};
struct Search::PossibleOfTwo {
    std::vector<Possible> likely, others;
};

// In the order of the computation: those that change only what is wrong, and the others.
Search::PossibleOfTwo Search::possible_of_two(const std::vector<Candidate>& candidates) {
    PossibleOfTwo possible;
    const index_t max_tried = 3 * effort_ / 10;
    effort_ -= std::min(max_tried, static_cast<index_t>(candidates.size()));
    const std::vector<Result> results = results_of(candidates, max_tried);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Tensor& made = results[i].made;
        if (made.defined() && !results[i].acts) continue;
        const PlacedMistake& mistake = candidates[i].front();
        const bool is_choice = mistake.mistake->kind == MistakeKind::choice;
        std::vector<Possible>& of_its_kind =
            made.defined() && !changes_only_wrong_rows(made) ? possible.others : possible.likely;
        of_its_kind.push_back({mistake, sites_of(mistake), is_choice || was_seen(candidates[i]) > 0});
    }
    for (std::vector<Possible>* each : {&possible.likely, &possible.others})
        std::stable_sort(each->begin(), each->end(), [](const Possible& a, const Possible& b) {
            return std::lexicographical_compare(a.sites.begin(), a.sites.end(), b.sites.begin(),
                                                b.sites.end());
        });
    return possible;
}

std::vector<Explanation> Search::two_of(const std::vector<Possible>& some,
                                        const std::vector<Possible>& others) {
    // Skip pairs in which one mistake's sites are all the other's, unless it is of what that made.
    const auto covers = [](const Possible& a, const Possible& b) {
        return std::includes(a.sites.begin(), a.sites.end(), b.sites.begin(), b.sites.end());
    };
    const auto is_one = [&](const Possible& a, const Possible& b) {
        return (covers(a, b) || covers(b, a)) && !a.mistake.mistake->is_of_made &&
               !b.mistake.mistake->is_of_made;
    };
    const auto is_before = [](const Possible& a, const Possible& b) {
        return a.sites == b.sites ? b.mistake.mistake->is_of_made : a.sites < b.sites;
    };
    constexpr std::size_t batch = 2048;  // there may be millions of pairs
    std::vector<Candidate> candidates, fitting;
    std::vector<Result> results;  // of those that fit
    const auto try_them = [&] {
        const auto count = static_cast<index_t>(candidates.size());
        tried_ += count, effort_ -= count;
        std::vector<Result> found = results_of_all(candidates);
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (found[i].misfit >= 0)
                fitting.push_back(candidates[i]), results.push_back(std::move(found[i]));
        candidates.clear();
    };
    // There may not be effort enough for all: first the usual ones.
    for (std::ptrdiff_t usual = 2; usual >= 0; --usual)
        for (std::size_t b = 0; b < others.size(); ++b)
            for (std::size_t a = 0; a < (&some == &others ? b : some.size()); ++a) {
                const Possible &x = some[a], &y = others[b];
                if (x.is_usual + y.is_usual != usual || is_one(x, y)) continue;
                if (static_cast<index_t>(candidates.size()) == effort_) {
                    ++pairs_left_;
                    continue;
                }
                candidates.push_back(is_before(x, y) ? Candidate{x.mistake, y.mistake}
                                                     : Candidate{y.mistake, x.mistake});
                if (candidates.size() == batch) try_them();
            }
    try_them();
    for (const Candidate& each : with_equals(fitting))
        if (Result found = result_of(each); found.misfit >= 0)
            fitting.push_back(each), results.push_back(std::move(found));
    return explaining(fitting, results);
}

// Both everywhere, then one of them or both in one place only. For a few numbers many of these would be right
// by chance.
std::vector<Explanation> Search::pairs_of_all() {
    const auto [everywhere, unlikely] = possible_of_two(effective_);
    std::vector<Explanation> found = two_of(everywhere, everywhere);
    constexpr index_t few = 8;
    if (!found.empty() || effort_ == 0 || wrong_.submitted.value.numel() < few) return found;
    const std::vector<Possible> placed = possible_of_two(narrower_).likely;
    found = two_of(everywhere, placed);
    if (found.empty() && effort_ > 0) found = two_of(placed, placed);
    // A row may be right by chance: where softmax is saturated, both its axes give one key all weight.
    if (found.empty() && effort_ > 0) found = two_of(everywhere, unlikely);
    return found.empty() && effort_ > 0 ? two_of(unlikely, unlikely) : found;
}

std::vector<Explanation> Search::pairs() {
    std::vector<Explanation> found = pairs_of_all();
    if (!found.empty() || infinite_fill_ || !has_nan(wrong_.submitted.value)) return found;
    infinite_fill_ = true;  // a query without keys gives NaN
    return pairs_of_all();
}

// A mistake that also changes rows that are right is hardly one of two.
bool Search::changes_only_wrong_rows(const Tensor& made) const {
    if (readings_.size() != 1 || made.shape() != expected_.shape()) return true;
    const double allowed = size_of(expected_.values()) * 1e-3;
    const std::vector<bool> changed = rows_that_differ(made, expected_, allowed);
    for (std::size_t i = 0; i < changed.size() && i < wrong_rows_.size(); ++i)
        if (changed[i] && !wrong_rows_[i]) return false;
    return true;
}

}  // namespace glassbox::detail
