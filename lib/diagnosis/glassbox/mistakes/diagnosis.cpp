#include <glassbox/mistakes/diagnosis.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/mistakes/detail/difference.h>
#include <glassbox/mistakes/detail/evidence.h>
#include <glassbox/mistakes/detail/search.h>
#include <glassbox/mistakes/power.h>
#include <glassbox/ops/views.h>
#include <glassbox/tensor/detail/equal_or_nan.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace {

// The hidden score may be chosen freely, if its weight is 0 beside that of any visible key. `given`, with the
// right pass's choice in place of such scores.
Tensor with_our_hidden_scores(const RightPass::Step& masked, const Tensor& given) {
    const std::vector<real> mask = RightPass::mask_of(masked).values(), ours = masked.made.values();
    std::vector<real> scores = given.values();
    const std::size_t width = static_cast<std::size_t>(given.size(-1));
    constexpr real low = -40;  // exp(−40) is nothing beside 1
    for (std::size_t row = 0; row < scores.size(); row += width) {
        real largest = -INFINITY;
        for (std::size_t i = row; i < row + width; ++i)
            if (mask[i] != 0 && scores[i] > largest) largest = scores[i];
        if (std::isinf(largest)) largest = 0;  // nothing is visible
        for (std::size_t i = row; i < row + width; ++i)
            if (mask[i] == 0 && scores[i] < largest + low) scores[i] = ours[i];
    }
    return Tensor(given.shape(), scores);
}

// Somebody's numbers for one step, read in the order of axes that is ours.
struct Handed {
    const RightPass::Step* step;
    const HandedIn* as_given;
    Rearranged reading;
    Precision precision;
    bool fits;
    int decimals = 0;  // that the numbers were rounded to, where nobody wrote how many
};

class Work {
  public:
    Work(const Computation& computation, const std::vector<HandedIn>& handed_in,
         const DiagnosisOptions& options)
        : computation_(computation), options_(options), right_(computation) {
        for (const HandedIn& each : handed_in) add(each);
    }

    Diagnosis diagnosis() {
        const Pass own{&given_, &half_widths_};
        const StepValues made = own.values(computation_);
        Diagnosis all;
        for (const RightPass::Step& step : right_.steps()) {
            StepDiagnosis& said = all.steps.emplace_back();
            said.path = step.path;
            said.info = step.info;
            said.is_input = step.is_input;
            if (const Handed* handed = find(step.path)) judge(*handed, made, said, all);
        }
        if (!handed_.empty() && !has_work()) blame_result(all);
        if (options_.earned) set_earned(all);
        if (options_.unseen && all.all_right() && handed_.size() < right_.steps().size())
            all.unseen = unseen();
        return all;
    }

    WrongStep wrong_step(const Handed& handed) const {
        WrongStep wrong{&computation_,    &right_, handed.step->path, *handed.as_given,
                        handed.precision, given_,  half_widths_};
        wrong.given.erase(handed.step->path);
        return wrong;
    }
    bool reproduces(const std::string& path, const std::vector<PlacedMistake>& mistakes) const {
        const Handed* handed = find(path);
        if (!handed) return true;
        const WrongStep wrong = wrong_step(*handed);
        return Search(wrong, options_).reproduces(mistakes);
    }
    const Handed* find(const std::string& path) const {
        for (const Handed& each : handed_)
            if (each.step->path == path) return &each;
        return nullptr;
    }

  private:
    void add(const HandedIn& each) {
        const std::string& path = each.step.empty() ? computation_.result : each.step;
        const RightPass::Step* step = right_.find(path);
        if (!step) {
            std::vector<std::string> paths;
            for (const RightPass::Step& known : right_.steps()) paths.push_back(known.path);
            fail("check: there is no step '{}'; the steps are: {}", path, fmt::join(paths, ", "));
        }
        const Precision precision = precision_beside(*step, each);
        const int decimals = each.half_width.empty() && precision.unit <= library_precision().unit
                                 ? decimals_of(each.value)
                                 : 0;
        const HandedIn& own = *own_.emplace_back(with_decimals(each, decimals));
        Handed handed{step, &own, {own.value, own.half_width, ""}, precision, false, decimals};
        const std::vector<Rearranged> readings = rearrangements(own, step->made.shape());
        handed.fits = !readings.empty();
        if (handed.fits) handed.reading = best(readings, *step, handed.precision);
        handed_.push_back(handed);
        if (!handed.fits) return;
        given_[path] = handed.reading.value.to(step->made.device());
        if (!handed.reading.half_width.empty()) half_widths_[path] = handed.reading.half_width;
    }

    // Numbers that were rounded to decimals are as good as those written with so many.
    static std::unique_ptr<HandedIn> with_decimals(HandedIn handed, int decimals) {
        if (decimals > 0)
            handed.half_width.assign(static_cast<std::size_t>(handed.value.numel()),
                                     std::pow(10, -decimals) / 2);
        return std::make_unique<HandedIn>(std::move(handed));
    }

    bool has_work() const {
        return std::any_of(handed_.begin(), handed_.end(),
                           [](const Handed& each) { return !each.step->is_input; });
    }

    // Of inputs alone.
    void blame_result(Diagnosis& all) const {
        if (!all.all_right()) return;
        std::vector<std::string> inputs;
        for (const Handed& each : handed_) inputs.push_back(each.step->path);
        for (StepDiagnosis& step : all.steps) {
            if (step.path != computation_.result) continue;
            step.verdict = StepVerdict::wrong;
            step.difference = "not handed in";
            step.looks_like =
                fmt::format("There is {} alone, {}, unchanged: no step was computed", fmt::join(inputs, ", "),
                            inputs.size() == 1 ? "an input" : "inputs");
            step.is_evident = true;
        }
    }

    // "These are the numbers of V, an input, unchanged"; empty if they are of none.
    std::string input_like(const Handed& handed) const {
        for (const RightPass::Step& step : right_.steps())
            if (step.is_input && !handed.step->is_input &&
                step.made.shape() == handed.as_given->value.shape() &&
                (are_those(handed.as_given->value, step.made, handed.as_given->half_width) ||
                 is_rounded(*handed.as_given, step.made)))
                return fmt::format("These are the numbers of {}, an input, unchanged", step.path);
        return "";
    }

    // Whether these are the numbers, each of them: a small one that differs is not hidden by a large one.
    static bool are_those(const Tensor& given, const Tensor& numbers, const std::vector<double>& half_width) {
        if (digits_in_common(given, numbers) < 5) return false;
        double largest = 0;
        std::vector<double> allowed;
        for (const real x : numbers.values())
            if (const double size = std::abs(static_cast<double>(x)); std::isfinite(size) && size < 1e9)
                largest = std::max(largest, size);
        for (const real x : numbers.values())
            allowed.push_back(1e-6 * largest + 1e-5 * std::abs(static_cast<double>(x)));
        return compare(given, numbers, allowed, half_width).agrees;
    }

    bool is_unnamed_input(const Handed& handed) const {
        const HandedIn& given = *handed.as_given;
        const std::vector<Tensor> inputs = right_.unnamed_inputs();
        return std::any_of(inputs.begin(), inputs.end(), [&](const Tensor& x) {
            return x.shape() == given.value.shape() && given.value.numel() > 1 &&
                   (digits_in_common(given.value, x) >= 5 || is_rounded(given, x));
        });
    }

    // Whether these are the numbers, in fewer digits. A few may be so by chance, and zeros are of anything.
    static bool is_rounded(const HandedIn& given, const Tensor& numbers) {
        const std::vector<double> none(static_cast<std::size_t>(numbers.numel()), 0);
        return numbers.numel() >= 4 && !given.half_width.empty() &&
               compare(given.value, numbers, none, given.half_width).agrees &&
               !compare(Tensor::full(numbers.shape(), 0), numbers, none, given.half_width).agrees;
    }

    // "All numbers are 0", or another number, where the right ones are several; else empty. A few whole
    // numbers, such as tokens, may be equal by chance.
    static std::string constant_text(const Handed& handed) {
        const std::vector<real> given = handed.as_given->value.values(), right = handed.step->made.values();
        const auto is_constant = [](const std::vector<real>& numbers) {
            return std::all_of(numbers.begin(), numbers.end(),
                               [&](real x) { return equal_or_nan(x, numbers.front()); });
        };
        const bool are_whole =
            std::all_of(right.begin(), right.end(), [](real x) { return x == std::round(x); });
        if (given.size() < 2 || are_whole || !is_constant(given) || is_constant(right)) return "";
        return fmt::format("All numbers are {:.6g}", static_cast<double>(given.front()));
    }

    // How numbers that do not fit would be right in another layout; empty if they would not.
    std::string other_layout(const Handed& handed) {
        if (handed.as_given->layout == HandedLayout::any) return "";
        HandedIn free = *handed.as_given;
        free.layout = HandedLayout::any;
        const std::vector<double> tolerance = right_tolerance(*handed.step, handed.precision);
        for (const Rearranged& each : rearrangements(free, handed.step->made.shape()))
            if (compare(comparable(*handed.step, each.value), handed.step->made, tolerance, each.half_width)
                    .agrees)
                return fmt::format("The numbers would be right {}", each.how.substr(0, each.how.find(':')));
        return "";
    }

    // Which steps are worth points. Only what is right, or explained by known mistakes so far, can show that
    // others are right: numbers that were copied fit each other, too. A wrong step is worth its points where
    // the mistakes are of other steps, and its numbers show that only those went wrong. An input unchanged,
    // or one number everywhere, shows nothing.
    void set_earned(Diagnosis& all) const {
        bool is_explained = true, is_result_right = false;
        std::vector<Evidence> evidence;
        std::vector<PlacedMistake> made;
        std::set<std::string> asked, shown;  // what leads to steps that were handed in, and to right ones
        for (StepDiagnosis& said : all.steps) {
            const Handed* handed = find(said.path);
            if (said.is_input) is_explained = is_explained && said.verdict != StepVerdict::wrong;
            if (!handed || said.is_input) continue;
            const std::set<std::string> before = steps_before(said.path);
            asked.insert(before.begin(), before.end()), asked.insert(said.path);
            const bool is_work = is_own_work(*handed), is_right = said.verdict == StepVerdict::right;
            Evidence each{handed->step, handed->precision, handed->reading.half_width};
            if (!is_right) each.given = &given_;
            if (said.verdict == StepVerdict::wrong) {
                is_explained = is_explained && !said.explanations.empty();
                if (is_explained) each.mistakes = said.explanations.front().mistakes;
                made.insert(made.end(), each.mistakes.begin(), each.mistakes.end());
                said.is_mistaken = !is_explained || is_any_made_in(each.mistakes, *handed->step);
                said.earned = !said.is_mistaken && is_work && shows(computation_, each, before);
            } else {
                said.earned =
                    is_right || (is_explained && is_work && shows(computation_, each, given_before(*handed)));
            }
            if (is_right && is_work) shown.insert(before.begin(), before.end());
            is_result_right = is_result_right || (is_right && said.path == computation_.result);
            if (is_right || (is_explained && is_work)) evidence.push_back(std::move(each));
        }
        for (StepDiagnosis& said : all.steps) {
            said.is_asked = asked.count(said.path) > 0;
            if (said.verdict != StepVerdict::not_given || said.is_input) continue;
            const RightPass::Step& step = *right_.find(said.path);
            said.is_mistaken = is_any_made_in(made, step);
            said.earned = is_result_right ||
                          (!said.is_mistaken && (shown.count(said.path) > 0 || is_shown(step, evidence)));
        }
    }
    std::set<std::string> given_before(const Handed& handed) const {
        std::set<std::string> paths;
        for (const Handed& each : handed_)
            if (each.step < handed.step && each.fits && !each.step->is_input) paths.insert(each.step->path);
        return paths;
    }
    // The steps that this one is computed from, without the inputs.
    std::set<std::string> steps_before(const std::string& path) const {
        std::set<std::string> paths;
        for (const std::size_t at : right_.leading_to(path, {}))
            if (const RightPass::Step& step = right_.steps()[at]; !step.is_input && step.path != path)
                paths.insert(step.path);
        return paths;
    }
    bool is_own_work(const Handed& handed) const {
        return constant_text(handed).empty() && input_like(handed).empty() && !is_unnamed_input(handed);
    }
    static bool is_any_made_in(const std::vector<PlacedMistake>& mistakes, const RightPass::Step& step) {
        return std::any_of(mistakes.begin(), mistakes.end(),
                           [&](const PlacedMistake& each) { return is_made_in(each, step); });
    }
    bool is_shown(const RightPass::Step& step, const std::vector<Evidence>& evidence) const {
        return std::any_of(evidence.begin(), evidence.end(), [&](const Evidence& each) {
            return each.step > &step && shows(computation_, each, {step.path});
        });
    }

    // Numbers with few digits say nothing where the right ones have as few.
    static Precision precision_beside(const RightPass::Step& step, const HandedIn& given) {
        const Precision found = given.precision ? *given.precision : precision_of(given.value);
        return precision_of(step.made).unit < found.unit ? found : library_precision();
    }

    // The one that agrees with the right step, or in half of its numbers and more than the others, else the
    // most likely.
    Rearranged best(const std::vector<Rearranged>& readings, const RightPass::Step& step,
                    const Precision& precision) {
        if (readings.size() == 1) return readings.front();
        const std::vector<double> tolerance = right_tolerance(step, precision);
        const Rearranged* best = nullptr;
        std::size_t fewest = 0;
        for (const Rearranged& each : readings) {
            const WithinTolerance found =
                compare(comparable(step, each.value), step.made, tolerance, each.half_width);
            if (found.agrees) return each;
            if (!best || found.count < fewest) best = &each, fewest = found.count;
        }
        return 2 * fewest <= static_cast<std::size_t>(step.made.numel()) ? *best : readings.front();
    }

    std::vector<double> right_tolerance(const RightPass::Step& step, const Precision& precision) {
        const auto [at, is_new] = tolerances_.try_emplace(precision.name, nullptr);
        if (is_new) at->second = std::make_unique<Tolerances>(computation_, Pass{}, precision);
        return at->second->at(step.path, step.made);
    }
    std::vector<double> own_tolerance(const Handed& handed, const Tensor& made,
                                      const Precision& precision) const {
        const WrongStep own = wrong_step(handed);
        return Tolerances::at(computation_, {&own.given, &own.half_widths}, precision, handed.step->path,
                              made);
    }

    static Tensor comparable(const RightPass::Step& step, const Tensor& given) {
        return step.info == &steps::scaled_dot_product::masked ? with_our_hidden_scores(step, given) : given;
    }

    void judge(const Handed& handed, const StepValues& made, StepDiagnosis& said, Diagnosis& all) {
        const RightPass::Step& step = *handed.step;
        if (!handed.fits) {
            said.verdict = StepVerdict::wrong;
            said.difference = fmt::format("its shape is {}, {} is needed", handed.as_given->value.shape(),
                                          step.made.shape());
            if (const std::string entry = right_entry(handed); !entry.empty()) said.looks_like = entry;
            if (set_evident(other_layout(handed), said)) return;
            return explain(handed, said, all);
        }
        const Tensor given = comparable(step, handed.reading.value);
        const std::vector<double> tolerance = right_tolerance(step, handed.precision);
        const WithinTolerance found = compare(given, step.made, tolerance, handed.reading.half_width);
        said.accepted = handed.reading.how;
        if (found.agrees) {
            const std::string as_near = hidden_by_rounding(handed, tolerance);
            if (as_near.empty()) return accept(handed, tolerance, said);
            said.verdict = StepVerdict::wrong;
            said.is_too_coarse = true;
            said.difference = "is rounded too far to be judged";
            set_evident(fmt::format("In so few digits {} would pass as well", as_near), said);
            return;
        }
        said.difference = shown_difference(given, step.made, found);
        said.tolerance = tolerance[found.first];
        const auto own = made.find(step.path);
        if (own != made.end() && own->second.shape() == given.shape() && has_earlier(handed)) {
            const std::vector<double> allowed = own_tolerance(handed, own->second, handed.precision);
            const WithinTolerance from_own =
                compare(comparable(step, given), own->second, allowed, handed.reading.half_width);
            if (from_own.agrees) {
                said.verdict = StepVerdict::inherited;
                return;
            }
            said.difference = shown_difference(given, own->second, from_own);
            said.tolerance = allowed[from_own.first];
        }
        said.verdict = StepVerdict::wrong;
        if (is_list(handed.as_given->value) && set_evident(other_layout(handed), said)) return;
        explain(handed, said, all);
    }

    // All numbers along one axis.
    static bool is_list(const Tensor& x) {
        return std::any_of(x.shape().begin(), x.shape().end(),
                           [&](index_t size) { return size == x.numel(); });
    }

    // Whether small numbers were rounded to one decimal or none, and are right only because of that.
    static bool has_one_decimal(const Tensor& right, const std::vector<double>& tolerance,
                                const Rearranged& given) {
        constexpr double one_decimal = 0.05, least_steps = 50;
        double largest = 0, finest = INFINITY;
        for (const double width : given.half_width)
            if (width > 0) finest = std::min(finest, width);
        if (std::isinf(finest) || finest < 0.99 * one_decimal) return false;
        for (const real x : right.values())
            if (std::isfinite(x) && std::abs(x) < 1e7)  // not the score of a hidden key
                largest = std::max(largest, std::abs(static_cast<double>(x)));
        return largest < least_steps * finest && !compare(given.value, right, tolerance).agrees;
    }

    // Whether zeros would agree with a quarter of the numbers or more only because these were rounded so far.
    // Those that were rounded alike count together: of some of them one is larger.
    static bool zeros_pass(const std::vector<real>& right, const std::vector<double>& tolerance,
                           const std::vector<double>& half_width) {
        struct Alike {
            std::size_t count = 0;
            bool all_pass = true, by_rounding = false;
        };
        std::map<double, Alike> alike;
        for (std::size_t i = 0; i < right.size(); ++i) {
            const double size = std::abs(static_cast<double>(right[i]));
            if (size > 1e7) continue;  // the score of a hidden key
            Alike& all = alike[half_width[i]];
            ++all.count;
            all.all_pass = all.all_pass && size <= tolerance[i] + half_width[i];
            all.by_rounding = all.by_rounding || size > tolerance[i];
        }
        std::size_t passing = 0;
        for (const auto& [width, all] : alike) passing += all.all_pass && all.by_rounding ? all.count : 0;
        return passing > 0 && 4 * passing >= right.size();
    }

    // What would agree, too, with numbers that were rounded so far: "zeros", "before, an input,".
    std::string hidden_by_rounding(const Handed& handed, const std::vector<double>& tolerance) const {
        const Tensor& right = handed.step->made;
        const auto passes_by_rounding = [&](const Tensor& other) {
            return compare(other, right, tolerance, handed.reading.half_width).agrees &&
                   !compare(other, right, tolerance).agrees;
        };
        if (handed.step->is_input || handed.reading.half_width.empty()) return "";
        if (zeros_pass(right.values(), tolerance, handed.reading.half_width)) return "zeros";
        for (const RightPass::Step& step : right_.steps())
            if (step.is_input && step.made.shape() == right.shape() && passes_by_rounding(step.made))
                return step.path + ", an input,";
        return "";
    }

    // Of what is wrong, and needs no further search for a mistake.
    static bool set_evident(const std::string& what, StepDiagnosis& said) {
        if (what.empty()) return false;
        said.looks_like = what;
        return said.is_evident = true;
    }

    bool has_earlier(const Handed& handed) const {
        return std::any_of(handed_.begin(), handed_.end(),
                           [&](const Handed& each) { return each.fits && each.step < handed.step; });
    }

    void accept(const Handed& handed, const std::vector<double>& tolerance, StepDiagnosis& said) const {
        said.verdict = StepVerdict::right;
        if (handed.precision.unit > library_precision().unit) add_accepted(said, handed.precision.name);
        if (handed.decimals > 0) add_accepted(said, fmt::format("rounded to {} decimals", handed.decimals));
        if (has_one_decimal(handed.step->made, tolerance, handed.reading))
            add_accepted(said, "rounded to one decimal: two or more show more mistakes");
        for (const double each : tolerance) said.tolerance = std::max(said.tolerance, each);
    }

    static void add_accepted(StepDiagnosis& said, const std::string& what) {
        said.accepted += (said.accepted.empty() ? "" : ", ") + what;
    }

    void explain(const Handed& handed, StepDiagnosis& said, Diagnosis& all) {
        const WrongStep wrong = wrong_step(handed);
        Search search(wrong, options_);
        const bool all_mistakes = options_.explained < 0 || explained_++ < options_.explained;
        if (!all_mistakes) {
            said.explanations = search.choices();
            accept_choice(said);
            said.explanations.clear();
            return;
        }
        const std::string constant = constant_text(handed);
        if (!constant.empty() && !has_earlier(handed) && set_evident(constant, said)) return;
        said.explanations = search.single();
        if (said.explanations.empty()) said.explanations = without_rearranged(handed);
        keep_possible(handed, said);
        keep_named(said);
        keep_consistent(handed, said);
        for (const Explanation& each : said.explanations)
            if (each.mistakes.size() == 1) named_.insert(each.mistakes.front().mistake);
        const std::string plain = constant.empty() ? input_like(handed) : constant;
        if (!plain.empty()) keep_of_the_step(handed, said);
        if (said.explanations.empty() && set_evident(plain, said)) return;
        if (said.explanations.empty()) said.explanations = search.partial();
        const bool are_pairs_next = said.explanations.empty() && options_.pairs;
        if (are_pairs_next && wants_pairs()) said.explanations = search.pairs();
        else if (are_pairs_next) all.searched_all = false;
        all.searched_all = all.searched_all && search.is_complete();
        accept_choice(said);
        if (said.explanations.empty() && handed.fits) describe(handed, said);
    }

    // What is no work of anybody's is the effect of a mistake of this step or of none: many a mistake of an
    // earlier one leaves zeros, or the input as it is.
    static void keep_of_the_step(const Handed& handed, StepDiagnosis& said) {
        std::erase_if(said.explanations,
                      [&](const Explanation& each) { return !is_any_made_in(each.mistakes, *handed.step); });
    }

    bool wants_pairs() const { return !options_.before_pairs || options_.before_pairs(); }

    // An order of axes that was accepted at an earlier step may have been its mistake: the search without
    // those steps.
    std::vector<Explanation> without_rearranged(const Handed& handed) const {
        WrongStep wrong = wrong_step(handed);
        bool any = false;
        for (const Handed& each : handed_)
            if (each.step < handed.step && each.fits && !each.reading.how.empty())
                any = wrong.given.erase(each.step->path) > 0 || any;
        return any ? Search(wrong, options_).single() : std::vector<Explanation>{};
    }

    // A mistake that would have made an earlier step wrong, which was handed in and is right, is not it.
    void keep_possible(const Handed& handed, StepDiagnosis& said) const {
        if (said.explanations.size() < 2) return;
        std::vector<Explanation> possible;
        for (const Explanation& each : said.explanations)
            if (std::all_of(handed_.begin(), handed_.end(), [&](const Handed& earlier) {
                    return earlier.step >= handed.step || !earlier.fits ||
                           reproduces(earlier.step->path, each.mistakes);
                }))
                possible.push_back(each);
        if (!possible.empty()) said.explanations = possible;
    }

    // What explains an earlier step is the likelier one here, too.
    void keep_named(StepDiagnosis& said) const {
        std::vector<Explanation> again;
        for (const Explanation& each : said.explanations)
            if (each.mistakes.size() == 1 && named_.count(each.mistakes.front().mistake) > 0)
                again.push_back(each);
        if (!again.empty()) said.explanations = again;
    }

    // A mistake of several lines also says what later steps are: where they were handed in, it must give
    // them, and is then the better explanation. Else one of a single line is, and that one is said beside it.
    // A step's own mistake is named rather than the same one of a helper.
    void keep_consistent(const Handed& handed, StepDiagnosis& said) const {
        std::vector<Explanation> single_lines, of_helpers, with_later, undecided;
        for (Explanation& each : said.explanations) {
            const Mistake& mistake = *each.mistakes.front().mistake;
            if (is_by_one_line(handed, mistake)) {
                (mistake.lines.front().at.steps.empty() ? of_helpers : single_lines).push_back(each);
                continue;
            }
            const std::vector<const Handed*> later = later_steps(handed, mistake);
            if (later.empty()) undecided.push_back(each);
            else if (gives(later, each)) with_later.push_back(each);
        }
        std::vector<Explanation>& simplest = single_lines.empty() ? of_helpers : single_lines;
        if (!with_later.empty()) said.explanations = with_later;
        else if (!simplest.empty()) said.explanations = simplest;
        else if (!undecided.empty()) said.explanations = undecided;
        if (with_later.empty() && !simplest.empty())
            for (const Explanation& each : undecided)
                said.explanations.front().alike.push_back(each.mistakes);
    }

    static bool is_by_one_line(const Handed& handed, const Mistake& mistake) {
        return mistake.lines.size() == 1 ||
               (mistake.is_of_last_line && handed.step->info &&
                mistake.lines.back().at.is(*handed.step->info, handed.step->operation));
    }
    // The handed-in steps behind this one that other lines of the mistake are about.
    std::vector<const Handed*> later_steps(const Handed& handed, const Mistake& mistake) const {
        std::vector<const Handed*> steps;
        for (const Handed& later : handed_) {
            if (later.step <= handed.step || !later.fits) continue;
            if (std::any_of(mistake.lines.begin() + 1, mistake.lines.end(), [&](const Mistake::Line& line) {
                    return line.at.is(*later.step->info, later.step->operation);
                }))
                steps.push_back(&later);
        }
        return steps;
    }
    bool gives(const std::vector<const Handed*>& steps, const Explanation& explanation) const {
        return std::all_of(steps.begin(), steps.end(), [&](const Handed* each) {
            return reproduces(each->step->path, explanation.mistakes);
        });
    }

    // What may be chosen freely is no mistake.
    static void accept_choice(StepDiagnosis& said) {
        for (const Explanation& each : said.explanations) {
            const bool is_legal =
                std::all_of(each.mistakes.begin(), each.mistakes.end(),
                            [](const PlacedMistake& m) { return m.mistake->kind == MistakeKind::choice; });
            if (!is_legal) continue;
            said.verdict = StepVerdict::right;
            add_accepted(said, each.mistakes.front().mistake->sentence);
            said.explanations.clear();
            said.difference.clear();
            return;
        }
    }

    bool follows_from(const RightPass::Step& step, const RightPass::Step& earlier) const {
        if (&step < &earlier) return false;
        const std::vector<std::size_t> before = right_.leading_to(step.path, {});
        const auto place = static_cast<std::size_t>(&earlier - right_.steps().data());
        return std::find(before.begin(), before.end(), place) != before.end();
    }

    // One entry of the batch alone, and right.
    static std::string right_entry(const Handed& handed) {
        const Tensor &given = handed.as_given->value, &made = handed.step->made;
        if (made.rank() < 2 || given.shape() != made.shape().without(0)) return "";
        for (index_t i = 0; i < made.size(0); ++i)
            if (digits_in_common(given, select(made, 0, i)) >= 4)
                return fmt::format("it is entry {} of the first axis alone, and right; all {} are needed", i,
                                   made.size(0));
        return "";
    }

    // Another step's numbers in the place of these: "they are those of residual1". A step that follows from
    // this one has these numbers where it hands them on, whatever they are: of such only the right ones tell.
    std::string other_step(const Handed& handed, const Tensor& given) const {
        const StepValues all = Pass{&given_, &half_widths_}.values(computation_);
        for (const RightPass::Step& step : right_.steps()) {
            const auto found = all.find(step.path);
            if (found == all.end() || &step == handed.step || found->second.shape() != given.shape())
                continue;
            const Handed* other = find(step.path);
            const Tensor& value = follows_from(step, *handed.step) ? step.made
                                  : other && other->fits           ? other->reading.value
                                                                   : found->second;
            if (are_those(given, value, handed.reading.half_width))
                return fmt::format("its numbers are those of {}, which do not belong here", step.path);
        }
        return "";
    }

    void describe(const Handed& handed, StepDiagnosis& said) const {
        const WrongStep own = wrong_step(handed);
        const Tensor made = Pass{&own.given, &own.half_widths}.value_at(computation_, handed.step->path);
        const Tensor given = comparable(*handed.step, handed.reading.value);
        said.looks_like = other_step(handed, given);
        if (said.looks_like.empty() && made.defined() && made.shape() == given.shape())
            said.looks_like = looks_like(given, made, own_tolerance(handed, made, handed.precision));
    }

    // The mistakes that leave every handed-in step as it is, within what rounding allows.
    std::vector<const Mistake*> unseen() const {
        std::vector<std::string> paths;
        std::vector<HandedIn> rounded;
        for (const Handed& each : handed_) {
            paths.push_back(each.step->path);
            if (!each.reading.half_width.empty())
                rounded.push_back({each.step->path, each.reading.value, each.reading.half_width});
        }
        std::vector<const Mistake*> hidden;
        for (const MistakePower& each : test_power(computation_, paths, {}, rounded))
            if (!each.is_seen) hidden.push_back(each.mistake);
        return hidden;
    }

    const Computation& computation_;
    DiagnosisOptions options_;
    RightPass right_;
    std::vector<std::unique_ptr<HandedIn>> own_;  // what was handed in, with how it was rounded
    std::vector<Handed> handed_;
    StepValues given_;
    HalfWidths half_widths_;
    std::map<std::string, std::unique_ptr<Tolerances>> tolerances_;
    std::set<const Mistake*> named_;  // for the steps so far
    int explained_ = 0;               // wrong steps so far
};

}  // namespace

const StepDiagnosis* Diagnosis::first_wrong() const {
    const auto found = std::find_if(steps.begin(), steps.end(), [](const StepDiagnosis& step) {
        return step.verdict == StepVerdict::wrong;
    });
    return found == steps.end() ? nullptr : &*found;
}

Diagnosis diagnose(const Computation& computation, const std::vector<HandedIn>& handed_in,
                   const DiagnosisOptions& options) {
    return Work(computation, handed_in, options).diagnosis();
}

bool reproduces(const Computation& computation, const std::vector<HandedIn>& handed_in,
                const std::string& path, const std::vector<PlacedMistake>& mistakes) {
    return Work(computation, handed_in, {}).reproduces(path, mistakes);
}

}  // namespace glassbox
