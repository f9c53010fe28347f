#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <glassbox/random/stream.h>

#include "support/catch.h"

using glassbox::index_t;
using glassbox::Tensor;

namespace {

std::string run_scaling(const std::string& arguments) {
    FILE* pipe = popen(("'" GLASSBOX_TRACER "' scaling " + arguments).c_str(), "r");
    REQUIRE(pipe);
    std::string output;
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
    CHECK(pclose(pipe) == 0);
    return output;
}

nlohmann::json rows(const std::string& arguments) {
    return nlohmann::json::parse(run_scaling("--format json " + arguments)).at("rows");
}

}  // namespace

TEST_CASE("scaling: without √d_k the variance is d_k, with it 1, with the random numbers of each generator") {
    for (const char* rng : {"jax", "torch", "numpy"}) {
        const nlohmann::json all = rows("--rng " + std::string(rng));
        REQUIRE(all.size() == 10);
        double d_k = 1;
        for (const nlohmann::json& row : all) {
            d_k *= 2;
            INFO(rng << ", d_k = " << d_k);
            CHECK(row.at("d_k") == d_k);
            const double without = row.at("without").at("variance"), with = row.at("with").at("variance");
            CHECK(without == Approx(d_k * with).epsilon(1e-4));
            CHECK(with == Approx(1).epsilon(0.25));  // of 256 vectors, of only two numbers where d_k is 2
        }
    }
}

TEST_CASE("scaling: without √d_k rows sharpen and their gradient dies, with it neither changes") {
    const nlohmann::json all = rows("");
    const nlohmann::json &first = all.front(), &last = all.back();
    CHECK(last.at("without").at("entropy_share") < 0.1);
    CHECK(last.at("without").at("largest") > 0.9);
    CHECK(last.at("without").at("gradient") < 0.01 * first.at("without").at("gradient").get<double>());
    for (const nlohmann::json& row : all) {
        CHECK(row.at("with").at("entropy_share") > 0.85);
        CHECK(row.at("with").at("largest") < 0.15);
        CHECK(row.at("with").at("gradient") > 0.1);
        CHECK(row.at("with").at("entropy").get<double>() ==
              Approx(row.at("with").at("entropy_share").get<double>() * std::log(64.0)));
    }
}

namespace {

struct Expected {
    std::vector<double> scores, entropies, largest, gradients;
};

// One draw's rows by the definitions, in plain loops: ∂ sum(values) / ∂ s_j = a_j (v_j − Σ_k a_k v_k).
void add_rows(Expected& e, const Tensor& Q, const Tensor& K, const Tensor& V, double divisor) {
    for (index_t i = 0; i < Q.size(0); ++i) {
        std::vector<double> s, a;
        double total = 0, entropy = 0, average = 0, length = 0;
        for (index_t j = 0; j < K.size(0); ++j) {
            s.push_back(0);
            for (index_t c = 0; c < K.size(1); ++c) s.back() += double(Q.at({i, c})) * double(K.at({j, c}));
            s.back() /= divisor;
            total += std::exp(s.back());
        }
        for (std::size_t j = 0; j < s.size(); ++j) {
            a.push_back(std::exp(s[j]) / total);
            entropy -= a[j] * std::log(a[j]);
            average += a[j] * double(V.at({static_cast<index_t>(j), 0}));
        }
        for (std::size_t j = 0; j < s.size(); ++j)
            length += std::pow(a[j] * (double(V.at({static_cast<index_t>(j), 0})) - average), 2);
        e.scores.insert(e.scores.end(), s.begin(), s.end());
        e.entropies.push_back(entropy);
        e.largest.push_back(*std::max_element(a.begin(), a.end()));
        e.gradients.push_back(std::sqrt(length));
    }
}

double mean(const std::vector<double>& list) {
    return std::accumulate(list.begin(), list.end(), 0.0) / static_cast<double>(list.size());
}

void check_effect(const nlohmann::json& actual, Expected e) {
    double variance = 0;
    for (double s : e.scores)
        variance += std::pow(s - mean(e.scores), 2) / static_cast<double>(e.scores.size());
    std::sort(e.gradients.begin(), e.gradients.end());
    const std::size_t half = e.gradients.size() / 2;  // of an even number of rows
    const auto is = [](double expected) { return Approx(expected).epsilon(1e-5); };
    CHECK(actual.at("variance") == is(variance));
    CHECK(actual.at("entropy") == is(mean(e.entropies)));
    CHECK(actual.at("largest") == is(mean(e.largest)));
    CHECK(actual.at("gradient") == is((e.gradients[half - 1] + e.gradients[half]) / 2));
    CHECK(actual.at("mean_gradient") == is(mean(e.gradients)));
}

}  // namespace

TEST_CASE("scaling: every number is what plain loops give for the same draws") {
    const nlohmann::json all = rows("--rng numpy --seed 3 --seq 5 --repeats 2 --max-dk 8");
    const auto stream = glassbox::make_stream(glassbox::Rng::numpy, 3);
    index_t d_k = 2;
    REQUIRE(all.size() == 3);
    for (const nlohmann::json& row : all) {
        INFO("d_k = " << d_k);
        Expected without, with;
        for (int repeat = 0; repeat < 2; ++repeat) {
            const Tensor Q = stream->normal({5, d_k}), K = stream->normal({5, d_k}),
                         V = stream->normal({5, 1});
            add_rows(without, Q, K, V, 1);
            add_rows(with, Q, K, V, std::sqrt(static_cast<double>(d_k)));
        }
        check_effect(row.at("without"), without);
        check_effect(row.at("with"), with);
        d_k *= 2;
    }
}

TEST_CASE("scaling: no line of the text is wider than 80 columns") {
    const std::string text = run_scaling("--color never");
    std::size_t columns = 0;
    for (char c : text) {
        if (c == '\n') columns = 0;
        else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) ++columns;
        REQUIRE(columns <= 80);
    }
}
