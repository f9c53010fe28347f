#include <glassbox/text/bleu.h>

#include <fstream>

#include <nlohmann/json.hpp>

#include "support/catch.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;
using nlohmann::json;

namespace {

const json& bleu_golden() {
    static const json all = json::parse(std::ifstream(GLASSBOX_GOLDEN "/bleu.json"));
    return all["cases"];
}

}  // namespace

TEST_CASE("BLEU, its words and chrF are sacrebleu's, on hard cases", "[bleu]") {
    REQUIRE(bleu_golden().size() > 40);
    for (const json& each : bleu_golden()) {
        INFO(each["name"].get<std::string>());
        const auto translations = each["translations"].get<std::vector<std::string>>();
        const auto references = each["references"].get<std::vector<std::string>>();
        for (std::size_t i = 0; i < translations.size(); ++i) {
            CHECK(words_13a(translations[i]) == each["words"][i].get<std::vector<std::string>>());
            CHECK(sentence_bleu(translations[i], references[i]).score ==
                  Approx(each["sentences"][i].get<double>()).margin(1e-9));
        }
        CHECK(bleu(translations, references).score == Approx(each["bleu"].get<double>()).margin(1e-9));
        CHECK(chrf(translations, references) == Approx(each["chrf"].get<double>()).margin(1e-9));
    }
}

TEST_CASE("BLEU of a hand-computed pair", "[bleu]") {
    // The cat is on the mat: 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples.
    const Bleu b = bleu({"the cat is on a mat"}, {"the cat is on the mat"});
    CHECK(b.precisions[0] == Approx(100 * 5.0 / 6));
    CHECK(b.precisions[1] == Approx(100 * 3.0 / 5));
    CHECK(b.precisions[2] == Approx(100 * 2.0 / 4));
    CHECK(b.precisions[3] == Approx(100 * 1.0 / 3));
    CHECK(b.brevity == 1);
    CHECK(b.score == Approx(100 * std::pow(5.0 / 6 * 3 / 5 * 2 / 4 * 1 / 3, 0.25)));
    CHECK(bleu({}, {}).score == 0);
    CHECK(chrf({}, {}) == 0);
}

TEST_CASE("BLEU and chrF refuse lists of different lengths and text that is not UTF-8", "[bleu]") {
    check_error([] { (void)bleu({"a"}, {}); }, "bleu: needs as many translations as references, got 1 and 0");
    check_error([] { (void)chrf({}, {"a"}); }, "chrf: needs as many translations as references, got 0 and 1");
    CHECK_THROWS_AS(bleu({"\xff"}, {"a"}), Error);
    CHECK_THROWS_AS(chrf({"a"}, {"\xc3"}), Error);
}
