#include <algorithm>

#include <glassbox/mistakes/catalogue/series_places.h>

namespace glassbox::catalogue {

using namespace wrong;

namespace {

// The windows, and where their part begins.
struct Cut {
    index_t T, training, L, H;

    explicit Cut(const Frame& f, const Tensor& made)
        : T(made.size(0)), training(size("training", f)), L(size("window", f)), H(size("horizon", f)) {}

    bool is_whole(index_t t) const { return t >= L - 1 && t + H < T; }
    int right(index_t t) const {
        return t + H < training ? part_training : t + 1 >= training ? part_test : part_none;
    }

  private:
    static index_t size(const char* name, const Frame& f) {
        return static_cast<index_t>(f.operation()[name]);
    }
};

using Rule = int (*)(const Cut& cut, index_t t);

Tensor by(const Frame& f, const Tensor& made, bool (*exists)(const Cut& cut, index_t t), Rule rule) {
    const Cut cut(f, made);
    std::vector<real> part;
    for (index_t t = 0; t < cut.T; ++t)
        part.push_back(static_cast<real>(exists(cut, t) ? rule(cut, t) : part_none));
    return Tensor(made.shape(), part, made.device());
}

// Of whole windows another rule.
Mistake rule(const char* name, const char* formula, const char* sentence, Rule of) {
    return {steps::windows::part, name, formula, sentence, [of](const Frame& f, const Tensor& made) {
                return by(
                    f, made, [](const Cut& cut, index_t t) { return cut.is_whole(t); }, of);
            }};
}
int right_unless(const Cut& cut, index_t t, bool is_lost) { return is_lost ? part_none : cut.right(t); }
int test_of(bool is_test) { return is_test ? part_test : part_training; }

// Whether `is` holds for any window given to `part`.
template <class Is>
bool any(const Tensor& given, int part, Is is) {
    const std::vector<real> parts = given.values();
    for (std::size_t t = 0; t < parts.size(); ++t)
        if (parts[t] == static_cast<real>(part) && is(static_cast<index_t>(t))) return true;
    return false;
}
bool is_leaking(const Cut& cut, const Tensor& given) {
    return any(given, part_training, [&](index_t t) { return t + cut.H >= cut.training; });
}
bool tests_on_training(const Cut& cut, const Tensor& given) {
    return any(given, part_test, [&](index_t t) { return t + 1 < cut.training; });
}
template <class Is>
bool any_window(const Tensor& given, Is is) {
    return any(given, part_training, is) || any(given, part_test, is);
}

std::vector<Mistake> of_leaks() {
    return {
        rule("random-split", "1 and 2 mixed in time",
             "A leak: training and test are mixed in time; a series must be split by time.",
             [](const Cut&, index_t t) { return test_of(t % 4 == 0); })
            .known_by([](const Frame& f, const Tensor& made, const Tensor& given) {
                const Cut cut(f, made);
                return is_leaking(cut, given) && tests_on_training(cut, given);
            }),
        rule("across-split", "1 also for windows with t + H ≥ n",
             "A leak: the targets of training windows reach into the test part.",
             [](const Cut& cut, index_t t) { return test_of(t + 1 >= cut.training); })
            .known_by([](const Frame& f, const Tensor& made, const Tensor& given) {
                return is_leaking(Cut(f, made), given);
            }),
        rule("tests-on-training", "2 also for windows with t + 1 < n",
             "Test windows ask for values that the model was trained on.",
             [](const Cut& cut, index_t t) { return test_of(t + cut.H >= cut.training); })
            .known_by([](const Frame& f, const Tensor& made, const Tensor& given) {
                return tests_on_training(Cut(f, made), given);
            }),
    };
}

std::vector<Mistake> of_lost_windows() {
    return {
        rule("test-alone", "2 where t − L + 1 ≥ n",
             "Test windows may reach back into the training part: only their targets matter.",
             [](const Cut& cut, index_t t) {
                 return right_unless(cut, t, t - cut.L + 1 < cut.training && t + cut.H >= cut.training);
             }),
        rule("by-last-known", "2 where t ≥ n",
             "The window whose last known value is the last of the training part is missing.",
             [](const Cut& cut, index_t t) { return right_unless(cut, t, t + 1 == cut.training); }),
        rule("last-lost", "none where t + H = T − 1", "The last window of the series is missing.",
             [](const Cut& cut, index_t t) { return right_unless(cut, t, t + cut.H == cut.T - 1); })
            .in_class("a last window lost"),
        rule("last-of-training-lost", "none where t + H = n − 1", "The last training window is missing.",
             [](const Cut& cut, index_t t) { return right_unless(cut, t, t + cut.H == cut.training - 1); })
            .in_class("a last window lost"),
        rule("left-out", "0 for some windows", "Windows are missing: they overlap, one for every time.",
             [](const Cut& cut, index_t t) { return right_unless(cut, t, (t - cut.L + 1) % cut.H != 0); })
            .known_by([](const Frame&, const Tensor& made, const Tensor& given) {
                const std::vector<real> right = made.values(), parts = given.values();
                for (std::size_t t = 0; t < parts.size(); ++t)
                    if (parts[t] != part_none && parts[t] != right[t]) return false;
                return parts != right;
            }),
        rule("not-sliding", "0 for windows that overlap the one before",
             "The windows stand one behind the other, L apart; each begins one time after the one before.",
             [](const Cut& cut, index_t t) { return right_unless(cut, t, (t - cut.L + 1) % cut.L != 0); }),
        rule("exchanged", "2 where t + H < n, 1 where t + 1 ≥ n", "The two parts are swapped.",
             [](const Cut& cut, index_t t) {
                 const int right = cut.right(t);
                 return right == part_none ? part_none : part_training + part_test - right;
             }),
    };
}

// The parts of the windows `steps` later, none without a whole one.
Mistake moved(const char* name, const char* formula, const char* sentence, int steps) {
    return {steps::windows::part, name, formula, sentence, [steps](const Frame& f, const Tensor& made) {
                const Cut cut(f, made);
                std::vector<real> part;
                for (index_t t = steps; t < cut.T + steps; ++t)
                    part.push_back(static_cast<real>(cut.is_whole(t) ? cut.right(t) : part_none));
                return Tensor(made.shape(), part, made.device());
            }};
}

std::vector<Mistake> of_places() {
    const WrongAt part(steps::windows::part);
    const Rule right = [](const Cut& cut, index_t t) { return cut.right(t); };
    return {
        Mistake{part, "other-number", "numbers other than 0, 1 and 2",
                "There are numbers other than 0 (no window), 1 (training) and 2 (test).",
                [](const Frame&, const Tensor& made) { return made - 1; }}
            .known_by([](const Frame&, const Tensor&, const Tensor& given) {
                const std::vector<real> parts = given.values();
                return std::any_of(parts.begin(), parts.end(), [](real each) {
                    return each != part_none && each != part_training && each != part_test;
                });
            }),
        moved("moved", "of the window one later",
              "Everything is shifted by one: t is the window's last known value.", 1)
            .in_class("a last window lost"),
        moved("moved-back", "of the window one earlier",
              "Everything is shifted by one: t is the window's last known value.", -1),
        Mistake{part, "no-past", "not 0 where t < L − 1", "Some windows start before the series does.",
                [right](const Frame& f, const Tensor& made) {
                    return by(
                        f, made, [](const Cut& cut, index_t t) { return t + cut.H < cut.T; }, right);
                }}
            .known_by([](const Frame& f, const Tensor& made, const Tensor& given) {
                return any_window(given, [cut = Cut(f, made)](index_t t) { return t < cut.L - 1; });
            }),
        Mistake{part, "no-future", "not 0 where t + H ≥ T",
                "Some windows have targets beyond the end of the series.",
                [right](const Frame& f, const Tensor& made) {
                    return by(
                        f, made, [](const Cut& cut, index_t t) { return t >= cut.L - 1; }, right);
                }}
            .known_by([](const Frame& f, const Tensor& made, const Tensor& given) {
                return any_window(given, [cut = Cut(f, made)](index_t t) { return t + cut.H >= cut.T; });
            }),
    };
}

}  // namespace

// part[t] = 1 where t + H < n, 2 where t + 1 ≥ n, else 0
std::vector<Mistake> parts() { return joined({of_lost_windows(), of_places(), of_leaks()}); }

}  // namespace glassbox::catalogue
