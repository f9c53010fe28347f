// The inputs of tracer probe tell mistakes apart: proved over all pairs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <list>

#include <glassbox/mistakes/detail/pass.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/commands/shared/named_model.h"

using namespace glassbox_test;
using glassbox::Mistake;
using glassbox::StepValues;
using glassbox::Tensor;
using glassbox::tracer::NamedModel;

namespace {

// Relative to the largest number: far more than rounding makes.
constexpr double far_apart = 3e-5;

double largest_of(const Tensor& x) {
    double largest = 0;
    for (const auto v : x.values())
        if (std::abs(v) < 1e9F) largest = std::max(largest, std::abs(static_cast<double>(v)));
    return largest;
}

bool are_apart(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) return true;
    const double allowed = far_apart * std::max(largest_of(a), largest_of(b));
    const auto x = a.values(), y = b.values();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i]) != std::isnan(y[i])) return true;
        if (std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) > allowed) return true;
    }
    return false;
}

bool are_apart(const StepValues& a, const StepValues& b) {
    for (const auto& [path, value] : a) {
        const auto other = b.find(path);
        if (other == b.end() || are_apart(value, other->second)) return true;
    }
    return a.size() != b.size();
}

const glassbox::EffectClass* class_of(const Mistake& mistake) {
    for (const glassbox::EffectClass& each : glassbox::effect_classes())
        if (each.name == mistake.effect) return &each;
    return nullptr;
}

bool may_be_alike(const Mistake& a, const Mistake& b) {
    const auto* of = class_of(a);
    return of && of == class_of(b) && !of->is_family;
}

// A model on its probe.
class Probed {
  public:
    explicit Probed(const std::string& model) {
        const std::string file = folder_ / "probe.npz";
        const Ran made = tracer_run(words("probe " + model + " -o " + file));
        REQUIRE(made.code == 0);
        const std::string line = made.out.substr(made.out.find("tracer check ") + 13);
        model_ = std::make_unique<NamedModel>("check", words(line.substr(0, line.find(" FILE\n"))),
                                              [](glassbox::tracer::Options&) {});
    }

    glassbox::Computation computation() { return {model_->subject().forward, model_->subject().result}; }
    StepValues steps(std::vector<glassbox::PlacedMistake> mistakes) {
        glassbox::detail::Pass pass;
        pass.mistakes = std::move(mistakes);
        return pass.values(computation());
    }
    Tensor result(std::vector<glassbox::PlacedMistake> mistakes) {
        const StepValues all = steps(std::move(mistakes));
        const auto found = all.find(computation().result);
        return found == all.end() ? Tensor() : found->second;
    }

  private:
    Folder folder_;
    std::unique_ptr<NamedModel> model_;
};

// The steps of a model on each of its probes with a mistake, in a row.
std::vector<StepValues> passes(std::list<Probed>& probes, std::vector<glassbox::PlacedMistake> mistakes) {
    std::vector<StepValues> all;
    for (Probed& each : probes) all.push_back(each.steps(mistakes));
    return all;
}

bool are_apart(const std::vector<StepValues>& a, const std::vector<StepValues>& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (are_apart(a[i], b[i])) return true;
    return false;
}

}  // namespace

TEST_CASE("probe: the steps tell any two mistakes apart, except those of one class", "[exhaustive]") {
    // A gradient is too long or it is not: clipping needs one probe of each.
    const std::vector<std::vector<std::string>> models = {
        {"attention"},   {"multihead"}, {"positional"},    {"encoder-block"},
        {"encoder"},     {"predictor"}, {"decoder-block"}, {"decoder"},
        {"transformer"}, {"time2vec"},  {"loss"},          {"clip", "clip --max-norm 9"},
        {"adam"},        {"schedule"},  {"shift"}};
    for (const std::vector<std::string>& names : models) {
        std::list<Probed> probes;
        for (const std::string& name : names) probes.emplace_back(name);
        const std::vector<StepValues> right = passes(probes, {});
        std::vector<std::pair<const Mistake*, std::vector<StepValues>>> made;
        for (const Mistake& mistake : glassbox::all_mistakes())
            if (auto steps = passes(probes, {{&mistake}}); are_apart(steps, right))
                made.emplace_back(&mistake, std::move(steps));
        CHECK(made.size() > 5);
        for (std::size_t b = 1; b < made.size(); ++b)
            for (std::size_t a = 0; a < b; ++a)
                if (!may_be_alike(*made[a].first, *made[b].first) &&
                    !are_apart(made[a].second, made[b].second))
                    FAIL_CHECK(names.front() << ": " << made[a].first->key << " and " << made[b].first->key
                                             << " have the same steps");
    }
}

TEST_CASE("probe: what is written up to an end token shows a wrong length penalty, for any end and seed") {
    const auto hidden = [](const std::string& line) {
        const Folder folder;
        const std::string file = folder / "probe.npz";
        const std::string said = tracer_run(words("probe decode --tokens 6 " + line + " -o " + file)).out;
        return said.substr(said.find("; not "));
    };
    for (const std::string line :
         {"--beam 2 --end 0", "--beam 3 --end 5 --seed 7", "--beam 4 --end 2 --words 9 --seed 1"}) {
        INFO(line);
        const std::string said = hidden(line);
        for (const char* mistake :
             {"score/no-penalty", "score/multiplied", "score/by-length", "score/no-power", "score/sign",
              "score/complete-dropped", "score/first-complete", "past-end"})
            CHECK(said.find(mistake) == std::string::npos);
        CHECK(said.find("score/not-by-six") != std::string::npos);
    }
}

namespace {

// A result's numbers, and what is far_apart beside them.
struct Result {
    std::vector<glassbox::real> numbers;
    double allowed = 0;

    explicit Result(const Tensor& x) : numbers(x.values()), allowed(far_apart * largest_of(x)) {}
    bool is_apart_from(const Result& other) const {
        if (numbers.size() != other.numbers.size()) return true;
        const double most = std::max(allowed, other.allowed);
        return !std::equal(numbers.begin(), numbers.end(), other.numbers.begin(), [&](double x, double y) {
            return std::isnan(x) == std::isnan(y) && !(std::abs(x - y) > most);
        });
    }
};

}  // namespace

TEST_CASE("probe: most pairs made together have a result that no other mistake and no other pair has",
          "[exhaustive]") {
    for (const char* name : {"attention", "multihead"}) {
        Probed probed(name);
        std::vector<Result> results{Result(probed.result({}))};
        const auto is_new = [&](const Result& x) {
            return std::all_of(results.begin(), results.end(),
                               [&](const Result& y) { return x.is_apart_from(y); });
        };
        std::vector<glassbox::PlacedMistake> effective;
        for (const Mistake& mistake : glassbox::all_mistakes()) {
            const Tensor made = probed.result({{&mistake}});
            if (!made.defined() || !is_new(Result(made))) continue;
            effective.push_back({&mistake});
            results.emplace_back(made);
        }
        // Two wrong lines for one step are not made together: the second takes the place of the first.
        const std::size_t singles = results.size();
        std::vector<Result> pairs;
        for (std::size_t b = 1; b < effective.size(); ++b)
            for (std::size_t a = 0; a < b; ++a)
                if (const Tensor made = probed.result({effective[a], effective[b]}); made.defined())
                    if (Result pair(made); is_new(pair)) pairs.push_back(std::move(pair));
        std::size_t unique = 0;
        for (std::size_t b = 0; b < pairs.size(); ++b) {
            bool is_unique = true;
            for (std::size_t a = 0; a < pairs.size() && is_unique; ++a)
                is_unique = a == b || pairs[a].is_apart_from(pairs[b]);
            unique += is_unique;
        }
        std::printf(
            "%s: %zu mistakes, %zu pairs that differ from each one, %.1f %% with a result of their own\n",
            name, singles - 1, pairs.size(),
            100 * static_cast<double>(unique) / static_cast<double>(pairs.size()));
        CHECK(unique * 4 > pairs.size() * 3);
    }
}

TEST_CASE("probe: the lengths that are masked follow the sizes that are asked for", "[exhaustive]") {
    const auto probe = [](const std::string& options) {
        const Folder folder;
        const Ran made = tracer_run(words("probe " + options + " -o " + (folder / "probe.npz")));
        INFO(options << ": " << made.err);
        CHECK(made.code == 0);
        return made.out;
    };
    for (const char* layer : {"attention", "multihead", "positional", "encoder-block", "encoder", "predictor",
                              "decoder-block", "decoder", "loss"})
        for (const char* sizes : {" --seq 4", " --seq 1", " --seq 9", " --batch 1", " --batch 5 --seq 2"})
            probe(layer + std::string(sizes));
    probe("attention --din 3");
    probe("multihead --text abc");
    for (const char* layer : {"decoder-block", "decoder"})
        CHECK(has(probe(layer + std::string(" --memory 4 --seq 3 --batch 4")),
                  " --lengths 2,3,1,2 --memory-lengths 1,4,3,1"));
    CHECK(has(probe("multihead"), " --lengths 4,5,2"));
    CHECK(has(probe("multihead --seq 4"), " --lengths 3,4,1"));
    CHECK(has(probe("multihead --seq 4 --lengths 1,1,2"), " --lengths 1,1,2"));
    CHECK(has(probe("multihead --seq 3 --memory 8"), " --lengths 7,8,5"));
    CHECK(has(probe("attention --keys 8"), " --lengths 7,8,5"));
}

TEST_CASE("probe: mistakes beside the way to the last array are not counted as hidden in it") {
    const Folder folder;
    const auto said = [&](const std::string& layer) {
        const Ran made = tracer_run(words("probe " + layer + " -o " + (folder / "probe.npz")));
        REQUIRE(made.code == 0);
        return made.out.substr(made.out.find("The last array"));
    };
    const std::string loss = said("loss");
    CHECK(has(loss, " mistakes possible in it. It does not depend on losses, loss, in which "));
    CHECK_FALSE(has(loss, "need the steps"));
    CHECK(has(said("predictor"), "It does not depend on softmax, "));
    CHECK(has(said("multihead"), "attention/overflow, which need the steps.\n"));
}
